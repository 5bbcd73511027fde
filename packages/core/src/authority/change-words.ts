import { tokensOf } from "./own-words.ts";

/** How much of what is there a change would take away: some of it, more than half of it, or all of it. */
export type Loss = "some" | "most" | "all";

/** So few words are no text of which most could be lost. */
const WORDS_MIN = 8;
/** Of more than this nothing is counted; what cannot be looked through counts as lost. */
const TEXT_CHARS_MAX = 2_000_000;

/** What of a text another one in its place leaves out, word by word; the order does not matter. */
export function lossBetween(before: string, after: string): Loss | undefined {
  if (before.length > TEXT_CHARS_MAX || after.length > TEXT_CHARS_MAX)
    return before === after ? undefined : "most";
  const had = wordsOf(before);
  if (had.length === 0) return undefined;
  const left = new Map<string, number>();
  const has = wordsOf(after);
  if (has.length === 0) return "all";
  for (const word of has) left.set(word, (left.get(word) ?? 0) + 1);
  let lost = 0;
  for (const word of had) {
    const count = left.get(word) ?? 0;
    if (count === 0) lost += 1;
    else left.set(word, count - 1);
  }
  if (lost === 0) return undefined;
  return had.length >= WORDS_MIN && lost * 2 > had.length ? "most" : "some";
}

/** The tokens that a text has and the one before it had not, or less often. */
export function addedBetween(before: string, after: string): readonly string[] | undefined {
  if (before.length > TEXT_CHARS_MAX || after.length > TEXT_CHARS_MAX) return undefined;
  const had = new Map<string, number>();
  for (const token of tokensOf(before)) had.set(token, (had.get(token) ?? 0) + 1);
  return tokensOf(after).filter((token) => {
    const count = had.get(token) ?? 0;
    if (count > 0) had.set(token, count - 1);
    return count === 0;
  });
}

function wordsOf(text: string): string[] {
  const spaced = text.normalize("NFKC").replaceAll(SPACELESS, " $& ");
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Whether words that ask for a change ask for one that loses so much. */
export function allowsLoss(clause: string, loss: Loss): boolean {
  const text = clause.toLowerCase();
  if (CLEARS.test(text)) return true;
  if (loss === "all") return false;
  if (REPLACES.test(text)) return true;
  if (loss === "most") return false;
  return !ADDS.test(text) || CHANGES.test(text);
}

const word = (source: string, spaceless: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])|${spaceless}`, "u");

/** Something is to be there besides what is there. */
const ADDS = word(
  "add|append|insert|put|note|jot|log|record|enter|include|write down|remember|save|" +
    "füg\\p{L}*|ergänz\\p{L}*|trag\\p{L}*|eintragen|hinzu\\p{L}*|notier\\p{L}*|schreib\\p{L}* \\S.* (?:dazu|auf)|setz\\p{L}*|pack\\p{L}*|" +
    "añad\\p{L}*|agreg\\p{L}*|anot\\p{L}*|apunt\\p{L}*|inclu\\p{L}*|pon|ajout\\p{L}*|note[rz]?|inscri\\p{L}*|mets|" +
    "aggiung\\p{L}*|annot\\p{L}*|metti|adicion\\p{L}*|acrescent\\p{L}*|anote|põe|voeg|noteer|zet|dodaj|dopisz|zapisz|wpisz",
  "加|记|写上|追加|書き足|メモ|추가|적어",
);

/** Something that is there is to be another. */
const CHANGES = word(
  "chang\\p{L}*|edit|updat\\p{L}*|replac\\p{L}*|swap|correct|fix|mend|rename|tick|check off|mark|sort|reorder|move|remov\\p{L}*|delet\\p{L}*|take|strike|cross|drop|set|increas\\p{L}*|reduc\\p{L}*|" +
    "änder\\p{L}*|ersetz\\p{L}*|korrigier\\p{L}*|aktualisier\\p{L}*|streich\\p{L}*|entfern\\p{L}*|lösch\\p{L}*|hak\\p{L}*|sortier\\p{L}*|" +
    "cambi\\p{L}*|reemplaz\\p{L}*|sustitu\\p{L}*|corrig\\p{L}*|actualiz\\p{L}*|quit\\p{L}*|elimin\\p{L}*|borr\\p{L}*|tach\\p{L}*|" +
    "chang\\p{L}*|remplac\\p{L}*|corrige\\p{L}*|modifi\\p{L}*|supprim\\p{L}*|enlèv\\p{L}*|retir\\p{L}*|raye\\p{L}*|met[sz] à jour|" +
    "sostitu\\p{L}*|corregg\\p{L}*|aggiorn\\p{L}*|togli|rimuov\\p{L}*|substitu\\p{L}*|atualiz\\p{L}*|remov\\p{L}*|tir[ae]|vervang|wijzig|verwijder|zmień|zastąp|usuń|popraw",
  "改|换|替|更新|删|修|変|置き換え|直|消|바꿔|수정|삭제",
);

/** Another text is to be in place of the one that is there. */
const REPLACES = word(
  "overwrit\\p{L}*|rewrit\\p{L}*|redo|recreate|start over|from scratch|shorten|condense|trim|cut|summari[sz]e it|reset|anew|" +
    "replace (?:all|everything|it|the (?:whole |entire |full |old |current )?(?:contents?|text|file|draft|list|document|version)|what(?:'s| is)|\\S*\\.\\p{L}\\S*)|" +
    "(?:contain|say|have|hold|read|be|keep|leave)s? (?:only|just|nothing but)|only (?:contain|say|have|hold|read|keep|leave)s?|to (?:say|read) (?:just|only|simply)|with (?:just|only|nothing but)|" +
    "überschreib\\p{L}*|schreib\\p{L}* \\S.* (?:neu|um)|ersetz\\p{L}* (?:alles|den (?:ganzen )?(?:inhalt|text)|die (?:ganze )?datei|\\S*\\.\\p{L}\\S*)|kürz\\p{L}*|von vorn\\p{L}*|nur noch|" +
    "sobrescrib\\p{L}*|reescrib\\p{L}*|reemplaza (?:todo|el (?:contenido|texto|archivo)|\\S*\\.\\p{L}\\S*)|acort\\p{L}*|desde cero|" +
    "écras\\p{L}*|réécri\\p{L}*|remplace (?:tout|le (?:contenu|texte|fichier)|\\S*\\.\\p{L}\\S*)|raccourci\\p{L}*|de zéro|" +
    "sovrascriv\\p{L}*|riscriv\\p{L}*|accorcia|sobrescrev\\p{L}*|reescrev\\p{L}*|encurt\\p{L}*|overschrijf|herschrijf|kort in|nadpisz|przepisz|skróć",
  "覆盖|重写|改写|全部替换|缩短|上書き|書き直|全部置き換え|短く|덮어쓰|다시 써",
);

/** Nothing is to be left of it. */
const CLEARS = word(
  "clear|empty|blank|wipe|erase|purge|(?:delete|remove|clean) (?:all|everything|every|the (?:whole |entire |full )?(?:contents?|text|lot))|" +
    "leer\\p{L}*|leermachen|(?:lösch\\p{L}*|entfern\\p{L}*) (?:alles|alle|den (?:ganzen |gesamten )?(?:inhalt|text))|" +
    "vací\\p{L}*|(?:borra|elimina|quita) (?:todo|el (?:contenido|texto))|vide[rz]?|(?:supprime|efface) (?:tout|le (?:contenu|texte))|" +
    "svuota|cancella tutto|esvazi\\p{L}*|apaga tudo|leegmaken|maak \\S+ leeg|wyczyść|opróżnij",
  "清空|清除全部|全部删除|空に|全部消|비워",
);
