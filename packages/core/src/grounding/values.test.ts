import { expect, test } from "vitest";
import { saidCount } from "./values.ts";

test.each([
  ["Both messages went out.", "en", 2],
  ["All three lists are saved.", "en", 3],
  ["Convites enviados para os três 🎉", "pt", 3],
  ["Alle vier sind gelöscht.", "de", 4],
  ["Die Einladungen sind an alle vier.", "de", 4],
  ["Deux rappels effacés.", "fr", 2],
  ["Üç dosya silindi.", "tr", 3],
  ["Table for two minutes.", "en", 0],
  ["Moved to 3 May.", "en", 0],
  ["Przeczytałem oba pliki.", "pl", 2],
  ["已经提醒了没交表的9位同学。", "zh", 9],
  ["已给五名客户发了邮件。", "zh", 5],
  ["9名の同僚に送りました。", "ja", 9],
  ["已订好今晚4位的桌子。", "zh", 0],
  ["Criei a lista com os três tópicos.", "pt", 0],
  ["I saved the list with these 3 topics.", "en", 0],
  ["Ich habe die Liste mit den drei Themen angelegt.", "de", 0],
  ["J'ai créé la liste avec les trois sujets.", "fr", 0],
  ["I sent a mail with two attachments to three clients.", "en", 3],
  ["I am done with the three drafts.", "en", 3],
  ["Ich bin mit den drei Mails durch.", "de", 3],
])("how many things a sentence says were dealt with: %s", (sentence, language, count) => {
  expect(saidCount(sentence, language, false)).toBe(count);
});
