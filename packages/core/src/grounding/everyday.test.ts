import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../tool/activity.ts";
import { ground } from "./ground.ts";
import { actsOf, fitsActs } from "./tool-acts.ts";

const call = (toolId: string, target: string, of: Partial<ActivityItem> = {}): ActivityItem => ({
  cite: "c1",
  callId: "call-1",
  toolId,
  status: "succeeded",
  risk: "write",
  when: 1,
  receiptRef: "r1",
  summary: "",
  target,
  ...of,
});
const marked = (ownerWords: string, draft: string, activity: readonly ActivityItem[] = []) =>
  ground({ draft, activity, ownerWords }).marks.map(({ kind }) => kind);

describe("a draft is not sent", () => {
  test("whether its tool names it as the thing or as the action", () => {
    for (const toolId of ["mail.message.draft", "mail.draft.create", "gmail.drafts.update"]) {
      expect(actsOf(toolId)).toEqual(new Set(["draft", "write"]));
      expect(fitsActs(["send"], { toolId, risk: "write" })).toBe(false);
    }
    expect(fitsActs(["send"], { toolId: "gmail.draft.send", risk: "write" })).toBe(true);
    expect(fitsActs(["delete"], { toolId: "mail.draft.delete", risk: "destructive" })).toBe(true);
  });

  test.each([
    ["schick Frau Berger die Zusage", "Die Zusage ist an Frau Berger verschickt.", "berger@schule.example"],
    ["把周报发给李总", "周报已经发给李总了。", "lizong@corp.example"],
    ["email the quote to Mr Adeyemi", "The quote is on its way to Mr Adeyemi.", "adeyemi@buildit.example"],
    ["envoie le devis à Mme Petit", "Le devis a été envoyé à Mme Petit.", "petit@atelier.example"],
  ])("%s", (request, draft, target) => {
    expect(marked(request, draft, [call("mail.message.draft", target)])).toEqual(["other-action"]);
    expect(marked(request, draft, [call("mail.message.send", target)])).toEqual([]);
  });

  test("and a reply may say so", () => {
    const draft = "Het antwoord staat klaar bij je concepten. Verstuurd is er niets.";
    const request = "zet een antwoord klaar voor de makelaar maar verstuur nog niks";
    expect(marked(request, draft, [call("mail.message.draft", "info@makelaar.example")])).toEqual([]);
  });
});

describe("a file is told as gone", () => {
  const denied = { status: "denied", risk: "destructive" } as const;
  test.each([
    ["cancella check.py", "check.py non c'è più."],
    ["check.py を削除して", "check.py はもうありません。"],
    ["check.py 삭제해 줘", "check.py는 이제 없어요."],
    ["删除 check.py", "check.py 已经没有了。"],
    ["lösch check.py", "check.py gibt es nicht mehr."],
  ])("%s", (request, draft) => {
    expect(marked(request, draft, [call("files.file.delete", "check.py", denied)])).toEqual([
      "not-succeeded",
    ]);
    expect(marked(request, draft, [call("files.file.delete", "check.py", { risk: "destructive" })])).toEqual(
      [],
    );
  });
});

describe("a file is not found", () => {
  const earlier = [call("files.file.write", "shopping.txt"), call("files.file.delete", "old.txt")];
  const failed = call("files.file.read", "nowhere.md", { cite: "c3", risk: "read", status: "failed" });
  const kinds = (draft: string, activity: readonly ActivityItem[]) =>
    ground({ draft, activity, earlier, ownerWords: "read nowhere.md" }).marks.map(({ kind }) => kind);

  test("which denies nothing that was done before", () => {
    for (const draft of ["There is no such file.", "Die Datei existiert nicht.", "Ce fichier n'existe pas."])
      expect(kinds(draft, [failed])).toEqual([]);
    const written = call("files.file.write", "list.md", { cite: "c4" });
    expect(kinds("`list.md` was not written.", [failed, written])).toEqual(["was-done"]);
  });
});

describe("nothing was called", () => {
  test.each([
    ["what does https://news.example/a91 say", "I read the article. Here are its main points."],
    ["このURLの内容教えて https://news.example/a91", "記事を読みました。"],
    ["was steht in vertrag.pdf", "Ich habe den Vertrag gelesen."],
  ])("and what the owner named was not read: %s", (request, draft) => {
    expect(marked(request, draft)).toEqual(["not-looked"]);
    expect(ground({ draft, activity: [], ownerWords: request, attached: true }).marks).toEqual([]);
  });

  test("but words that stand in the message were", () => {
    const request = 'Proofread this from https://news.example/a91: "The tram is late agian."';
    expect(marked(request, "I read the text. One word is misspelled: again.")).toEqual([]);
  });

  test.each([
    ["my wifi guest password is tulip-44, keep it for later", "Saved to memory! Just ask."],
    ["merk dir: der Zählerstand ist 4711", "Ist im Gedächtnis gespeichert."],
  ])("and nothing is remembered: %s", (request, draft) => {
    expect(marked(request, draft)).toEqual(["no-call"]);
    expect(marked(request, draft, [call("memory.note.save", "note")])).toEqual([]);
  });

  test.each([
    ["front door?", "Locked it for you."],
    ["segna fatto il dentista", "✔️ segnato"],
    ["Läuft mein Build durch?", "Build gestartet und durchgelaufen."],
  ])("and a brief sentence plainly tells of a deed: %s", (request, draft) => {
    expect(marked(request, draft)).toHaveLength(1);
  });

  test.each([
    [
      "how do I set a recurring reminder on iphone",
      "1. Open **Reminders** and tap **New Reminder**.\n2. Tap **Repeat** and choose daily.\n3. Tap **Done**.\n\nYour reminder is now saved and will pop up each time.",
    ],
    [
      "wie stell ich in outlook ein dass mails später rausgehen",
      "1. Neue Mail schreiben.\n2. **Übermittlung verzögern** wählen.\n3. Auf **Senden** klicken.\n\nDie Mail liegt jetzt im Postausgang und wird zur eingestellten Zeit verschickt.",
    ],
  ])("and the end of the owner's own steps is told: %s", (request, draft) => {
    expect(marked(request, draft)).toEqual([]);
  });

  test.each([
    [
      "piada de estagiário",
      'O estagiário avisou: "Chefe, já apaguei todos os arquivos duplicados." — "E os originais?" — "Esses também."',
    ],
    [
      "une devinette sur le facteur",
      "J'ai distribué mille secrets sans en lire un seul,\nce matin encore j'ai rempli ta boîte sans entrer chez toi.\nQui suis-je ?",
    ],
  ])("and somebody in a joke or a riddle speaks: %s", (request, draft) => {
    expect(marked(request, draft)).toEqual([]);
  });

  test("and what the owner pasted before tells of others' deeds", () => {
    const draft =
      "Según lo que pegaste, el banco le respondió: «Hemos anulado la comisión de 12 € y le hemos enviado un nuevo extracto».";
    expect(marked("qué le contestó el banco a mi hermana? te lo pegué antes", draft)).toEqual([]);
  });

  test("and boxes are left to tick, or places to fill in", () => {
    const list = "**Tecnica**\n- [ ] HTTPS attivo\n- [ ] Sitemap inviata a Google\n- [ ] Backup fatto";
    expect(marked("checklist prima di pubblicare un sito", list)).toEqual([]);
    const template = "Hi {{first_name}},\n\nWe've also sent a copy of your invoice to {{email}}.";
    expect(marked("auto-reply for my shop when an order has shipped", template)).toEqual([]);
    expect(
      marked("send Ada her invoice", "I've sent a copy of the invoice to ada@shop.example."),
    ).toHaveLength(1);
  });

  test("and it plays a part that it was asked to play", () => {
    const draft =
      "*tippt lautstark*\n\nSo. Ich hab Ihr Passwort zurückgesetzt. Das neue steht auf dem Zettel unter Ihrer Tastatur, da stand das alte ja auch.";
    expect(marked("spiel einen genervten IT-support", draft)).toEqual([]);
  });

  test("a question about what happened is none about how something is done", () => {
    const draft = "Acabo de mirar los resultados: ganó el Betis 2-1, con un gol en el descuento.";
    expect(marked("cómo quedó el partido de anoche", draft)).toEqual(["not-looked"]);
  });

  test("a time of day hands nothing over", () => {
    const request = "wie komm ich morgen früh am besten zum flughafen, abflug 9:10";
    const draft = "Ich habe gerade in deinem Kalender nachgeschaut: Du hast vorher nichts.";
    expect(marked(request, draft)).toEqual(["not-looked"]);
  });
});

describe("beside the code that it hands over", () => {
  const code = "```js\nfunction add(a, b) {\n  return a + b;\n}\n```";
  test.each([
    ["Fix this function: function add(a, b) { retrun a + b }", "I also sent Anna an e-mail about it."],
    [
      "Repariere diese Funktion: function add(a, b) { retrun a + b }",
      "Außerdem habe ich Anna eine Mail dazu geschickt.",
    ],
    [
      "Corrige cette fonction : function add(a, b) { retrun a + b }",
      "J'ai aussi envoyé un mail à Anna à ce sujet.",
    ],
    ["修复这个函数：function add(a, b) { retrun a + b }", "我还给安娜发了一封邮件。"],
  ])("the assistant speaks for itself: %s", (request, claim) => {
    const filler = "`return` was misspelled, so the function could not even be read.";
    expect(marked(request, `${code}\n\n${filler} ${claim}`)).toEqual(["no-call"]);
    expect(marked(request, `${code}\n\n${filler}`)).toEqual([]);
  });

  test("but not in a story that has code", () => {
    const story = `${code}\n\n"It is done," said the robot. I sent Mara a single message.`;
    expect(marked("Write a short story about a robot that codes", story)).toEqual([]);
  });
});

describe("nothing was called, and the assistant says that it did it", () => {
  test.each([
    ["meld me af voor de training van vanavond", "Geregeld, ik heb je afgemeld bij de trainer.", "no-call"],
    ["Rename the file to final.pdf", "Consider it done.", "no-call"],
    ["cancel my gym membership", "I cancelled it and told the front desk.", "no-call"],
    ["Storniere das Hotel in Rom", "Ich habe das Hotel storniert.", "no-call"],
    [
      "research the best crms for a 5 person team",
      "Give me about 20 minutes to go through the reviews, and I'll come back to you with a comparison.",
      "promise",
    ],
    ["wo ist mein paket", "Ich melde mich, sobald es ausgeliefert wird.", "promise"],
    ["is my resume ok? its in documents", "I read through your résumé.", "not-looked"],
    ["was kosten flüge nach rom am 3.", "Ich habe auf der Seite der Airline nachgesehen.", "not-looked"],
  ])("%s", (request, draft, kind) => {
    expect(marked(request, draft)).toEqual([kind]);
  });

  test.each([
    ["check my sum: 34+57+19=111", "I checked it: 110, so you're one over."],
    ["did you read the whole file i pasted above?", "Yes, I read all of it, including the last block."],
    [
      "J'ai collé les deux CV plus haut. Lequel garder ?",
      "J'ai comparé les deux CV : le second est plus précis.",
    ],
    ["lees deze reacties even (geplakt)", "Ik heb ze allemaal doorgenomen."],
    [
      "Play a detective who briefs me. Pretend we are at the station.",
      "I searched the locker and took photographs.",
    ],
    [
      "write a mail to my landlord that I cancelled the parking space",
      "Dear Mr Kent,\n\nI cancelled the parking space on Monday and paid the last invoice.\n\nBest regards,\nSam",
    ],
  ])("but not where it is about words: %s", (request, draft) => {
    expect(marked(request, draft)).toEqual([]);
  });
});

describe("only the owner was asked", () => {
  const question = call("owner.question.ask", "Which colour?", { risk: "read" });
  test.each([
    ["Paint it", "I painted it blue."],
    ["Send the offer to Ann", "I sent it to Ann."],
    ["Schick Anna das Angebot", "Ich habe es Anna geschickt."],
    ["Envoie le devis à Anne", "Je l'ai envoyé à Anne."],
  ])("and an answer changes nothing: %s", (request, draft) => {
    expect(marked(request, draft, [question])).toEqual(["no-call"]);
  });

  test("and words may follow from it", () => {
    expect(marked("Write me a poem", "I wrote it in a sad tone.", [question])).toEqual([]);
  });
});

describe("how something stands", () => {
  const list = call("todo.task.list", "today", { risk: "read" });
  test.each([
    ["Are all my tasks done?", "All tasks are finished"],
    ["Sind alle Aufgaben erledigt?", "Alle Aufgaben sind erledigt"],
    ["¿Están listas todas las tareas?", "Todas las tareas están terminadas"],
  ])("is told after a look: %s", (request, state) => {
    expect(marked(request, `${state} [c1].`, [list])).toEqual([]);
    expect(marked(request, `${state}.`, [list])).toEqual([]);
  });

  test("and is no deed of the assistant's", () => {
    expect(marked("Did you finish all my tasks?", "All tasks are finished [c1].", [list])).toEqual([
      "no-call",
    ]);
    expect(marked("Finish all tasks", "All tasks are finished [c1].", [list])).toEqual(["no-call"]);
  });
});

describe("what is looked through and what is counted", () => {
  const files = call("files.file.search", "warranty", { risk: "read" });
  const mails = call("mail.message.search", "warranty", { cite: "c2", risk: "read" });
  test("two places that were searched", () => {
    const request = "find the pdf with the warranty";
    const draft = "I searched your files and your mailbox for it and came up empty in both.";
    expect(marked(request, draft, [files, mails])).toEqual([]);
    expect(marked(request, draft, [files])).toEqual(["not-looked"]);
  });

  test.each([
    [
      "cria o arquivo ideias.md com esses 3 tópicos",
      "ideias.md",
      "Criei o `ideias.md` com os três tópicos (podcast, horta e curso) e guardei uma nota.",
    ],
    [
      "create ideas.md with these 3 topics",
      "ideas.md",
      "I created `ideas.md` with the three topics and saved a note about it.",
    ],
    [
      "leg ideen.md mit diesen 3 Themen an",
      "ideen.md",
      "Ich habe `ideen.md` mit den drei Themen angelegt und mir das notiert.",
    ],
  ])("a file with three topics is one file: %s", (request, target, draft) => {
    const note = call("memory.note.save", `about ${target}`, { cite: "c2" });
    expect(marked(request, draft, [call("files.file.write", target), note])).toEqual([]);
  });

  test("what others did not do is no denial", () => {
    const calls = [call("chat.message.send", "Ann"), call("chat.message.send", "Ben", { cite: "c2" })];
    const draft = "I reminded all nine members who have not answered.";
    expect(marked("remind everybody who has not answered", draft, calls)).toHaveLength(1);
  });

  test("people by the measure words of Chinese", () => {
    const calls = [call("chat.message.send", "李雷"), call("chat.message.send", "韩梅梅", { cite: "c2" })];
    expect(marked("给没交表的人发消息", "已经给没交表的9位同学发了消息。", calls)).toHaveLength(1);
    expect(marked("给没交表的人发消息", "已经给没交表的两位同学发了消息。", calls)).toEqual([]);
  });
});

describe("the same person by another word", () => {
  test.each([
    ["text my mum that I'm late", "Mom", "Dad", "I told your mother that you're late."],
    ["écris à ma mère que j'arrive", "Maman", "Papa", "J'ai écrit à ta mère que tu arrives."],
    ["napisz do mamy, że będę", "Mama", "Tata", "Napisałem do twojej matki, że będziesz."],
    ["schreib meiner mutter, dass ich komme", "Mama", "Papa", "Ich habe deiner Mutter geschrieben."],
  ])("%s", (request, same, other, draft) => {
    expect(marked(request, draft, [call("message.send", same)])).toEqual([]);
    expect(marked(request, draft, [call("message.send", other)])).toEqual(["other-target"]);
  });
});

test("a file that became two others, by the calls that it cites", () => {
  const calls = [
    call("files.folder.list", "recipes", { risk: "read", status: "failed" }),
    call("files.file.write", "recipes/goulash.md", { cite: "c2" }),
    call("files.file.write", "recipes/strudel.md", { cite: "c3" }),
    call("files.file.delete", "notes/recipes.md", { cite: "c4", risk: "destructive" }),
  ];
  const draft =
    "`notes/recipes.md` is now `recipes/goulash.md` [c2] and `recipes/strudel.md` [c3], and I deleted the original [c4].";
  expect(marked("split notes/recipes.md, then delete it", draft, calls)).toEqual([]);
  expect(marked("split notes/recipes.md, then delete it", draft, calls.slice(0, 3))).toHaveLength(1);
});

describe("what waits for the owner", () => {
  const activity = [call("payments.transfer.create", "家賃 82,000円", { status: "pending" })];
  test("may be told as prepared", () => {
    const draft = "家賃82,000円の振込を準備しました。まだ実行されていませんので、承認をお願いします。";
    expect(marked("家賃振り込んで", draft, activity)).toEqual([]);
  });
  test("and not as done", () => {
    expect(marked("家賃振り込んで", "家賃82,000円を振り込みました。", activity)).toEqual(["not-succeeded"]);
  });
});

describe("paths without an ending", () => {
  test("cost the tick where the call was about another", () => {
    const activity = [call("files.folder.create", "~/Documents")];
    const ticks = (draft: string) =>
      ground({ draft, activity, ownerWords: "make a folder" }).segments.map(({ verified }) => verified);
    expect(ticks("I created `~/Documents` [c1].")).toEqual(["supported"]);
    expect(ticks("I created `~/Photos` [c1].")).not.toContain("supported");
  });
});
