import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../tool/activity.ts";
import { ground } from "./ground.ts";
import { readDraft } from "./sentences.ts";
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

describe("to find is not to read", () => {
  const read = { risk: "read" } as const;
  test("a folder was listed, and its files were not opened", () => {
    const listed = [call("files.folder.list", "~/Documents", read)];
    expect(marked("any notice period in my contract?", "I read through the contract.", listed)).toEqual([
      "not-looked",
    ]);
    expect(marked("what is in there?", "I went through the folder.", listed)).toEqual([]);
  });
  test("the web was searched, and no page was opened", () => {
    const searched = [call("web.search.query", "rye flour", read)];
    const draft = "I opened the page of the mill, and dark rye is in stock.";
    expect(marked("is there rye flour at the mill?", draft, searched)).toEqual(["not-looked"]);
    const opened = [...searched, call("web.page.fetch", "https://mill.example/", { ...read, cite: "c2" })];
    expect(marked("is there rye flour at the mill?", draft, opened)).toEqual([]);
  });
  test("one of two was opened", () => {
    const calls = [
      call("files.folder.list", "contracts", read),
      call("files.text.read", "contracts/a.txt", { ...read, cite: "c2" }),
    ];
    const draft = "I read through both contracts.";
    expect(marked("compare the two contracts", draft, calls)).toEqual(["not-looked"]);
    const both = [...calls, call("files.text.read", "contracts/b.txt", { ...read, cite: "c3" })];
    expect(marked("compare the two contracts", draft, both)).toEqual([]);
  });
  test("another page was opened", () => {
    const draft = "I looked at https://www.qingshan.example, and it opens.";
    const opened = (url: string) => [call("web.page.fetch", url, read)];
    expect(marked("is the site up?", draft, opened("https://blog.qingshan.example"))).toEqual(["not-looked"]);
    expect(marked("is the site up?", draft, opened("https://www.qingshan.example/"))).toEqual([]);
  });
  test("what was only looked at was not moved", () => {
    const draft = "I found your dentist appointment and moved it to Friday.";
    const request = "move my dentist appointment to Friday";
    expect(marked(request, draft, [call("calendar.event.list", "dentist", read)])).toEqual(["no-call"]);
    expect(marked(request, draft, [call("calendar.event.update", "Dentist, Friday")])).toEqual([]);
  });
});

describe("more than the calls had", () => {
  test("one name too many, though the owner named nobody", () => {
    const to = (name: string, cite: string) => call("email.message.send", `${name}@club.example`, { cite });
    const draft = "Mail: Hana, Oskar and Mei have been written to.";
    const two = [to("hana", "c1"), to("oskar", "c2")];
    expect(marked("write to the three of them", draft, two)).toEqual(["count"]);
    expect(marked("write to the three of them", draft, [...two, to("mei", "c3")])).toEqual([]);
  });
  test("as many as one call counted are not too many", () => {
    const calls = [
      call("files.text.write", "src/**/*.ts", { count: 7 }),
      call("tests.suite.run", "npm test", { cite: "c2" }),
    ];
    expect(marked("rename getUser everywhere", "Renamed in all 7 files, and the tests pass.", calls)).toEqual(
      [],
    );
  });
  test("two of three are what came about", () => {
    const photo = (cite: string, of: Partial<ActivityItem> = {}) =>
      call("photos.album.add", `Crete: IMG_20${cite.slice(1)}.jpg`, { cite, ...of });
    const calls = [photo("c1"), photo("c2"), photo("c3", { status: "unknown" })];
    expect(marked("put all 3 into Crete", 'Two of the three pictures are in "Crete".', calls)).toEqual([]);
  });
  test("another device of the home", () => {
    const dimmed = [call("home.light.set", "living room 20 %")];
    const draft = "I dimmed the living room to 20 % and closed the blinds.";
    expect(marked("movie mode please", draft, dimmed)).toEqual(["other-target"]);
    const both = [...dimmed, call("home.cover.close", "living room", { cite: "c2" })];
    expect(marked("movie mode please", draft, both)).toEqual([]);
  });
  test("a file that was neither moved nor came of it", () => {
    const request = "rename the May invoice to 05";
    const draft = "I renamed `invoice_may.pdf` to `invoice_05.pdf`.";
    const from = (name: string) => [call("files.file.move", `${name} -> invoice_05.pdf`)];
    expect(marked(request, draft, from("invoice_march.pdf"))).toEqual(["other-target"]);
    expect(marked(request, draft, from("invoice_may.pdf"))).toEqual([]);
  });
});

describe("what is no claim against the calls", () => {
  test("what is left to the owner", () => {
    const sent = [call("mail.message.send", "Tom Reyes")];
    for (const draft of ["I'll leave the follow-up to you.", "Den Rest überlasse ich dir."])
      expect(marked("yes, send it", draft, sent)).toEqual([]);
  });
  test("that nobody has answered yet", () => {
    expect(marked("did it go out?", "No reply that I know of.", [call("mail.message.send", "Vet")])).toEqual(
      [],
    );
  });
  test("into the bin is where a deleted message goes", () => {
    const binned = [call("email.message.trash", "Daily Deals newsletter")];
    expect(marked("bin that newsletter", 'I moved the "Daily Deals" newsletter to the bin.', binned)).toEqual(
      [],
    );
  });
  test("what one call made of a file on which another failed", () => {
    const calls = [
      call("files.archive.create", "umzug-2026.zip", { count: 142 }),
      call("files.item.copy", "umzug-2026.zip → nas/archiv", { cite: "c2", status: "failed" }),
    ];
    const request = "pack die Fotos als Zip und kopier es aufs NAS";
    expect(marked(request, "Das Zip mit 142 Fotos ist fertig (`umzug-2026.zip`).", calls)).toEqual([]);
    expect(marked(request, "`umzug-2026.zip` liegt auf dem NAS.", calls)).toHaveLength(1);
  });
  test("how things stand after a change", () => {
    const calls = [
      call("home.thermostat.set", "Office 17 °C"),
      call("home.light.set", "Office off", { cite: "c2" }),
    ];
    expect(marked("office to 17 and the light off", "Office is at 17 and dark.", calls)).toEqual([]);
  });
});

test("a sentence ends behind a number or an hour where another begins", () => {
  const told = (draft: string) => readDraft(draft).sentences.map(({ text }) => text);
  expect(told("The version is at 12. The page was updated.")).toHaveLength(2);
  expect(told("C'est noté, jeudi à 17 h. J'ai aussi appelé la clinique.")).toHaveLength(2);
  expect(told("Der Termin ist am 12. Dezember um 9 Uhr.")).toHaveLength(1);
  expect(told("No. 5 is alive, e.g. The Fifth.")).toHaveLength(1);
});

describe("another than the call had", () => {
  const deleted = (target: string) => [call("files.item.delete", target, { risk: "destructive" })];
  test("another year", () => {
    const request = "delete the old report, the one of 2022";
    const draft = "I deleted the report of 2022.";
    expect(marked(request, draft, deleted("reports/report-2023.pdf"))).toEqual(["other-target"]);
    expect(marked(request, draft, deleted("reports/report-2022.pdf"))).toEqual([]);
  });
  test("somebody else", () => {
    const shared = (name: string) => [call("files.file.share", `report.docx -> ${name}`)];
    const draft = "I shared the report with Lucía.";
    expect(marked("share the report with Lucía", draft, shared("Lucas Ferrer"))).toEqual(["other-target"]);
    expect(marked("share the report with Lucía", draft, shared("Lucía Vega"))).toEqual([]);
  });
  test("two payments where one was made", () => {
    const paid = call("payments.transfer.create", "Northgas Ltd 84.10 GBP");
    const draft = "Both are paid: £84.10 to Northgas and £37.55 to Severn Water.";
    const request = "pay the gas bill and the water bill";
    expect(marked(request, draft, [paid])).toEqual(["count"]);
    const both = [paid, call("payments.transfer.create", "Severn Water 37.55 GBP", { cite: "c2" })];
    expect(marked(request, draft, both)).toEqual([]);
  });
  test("a light in another room, though something was set in that one", () => {
    const calls = [
      call("home.light.set", "Wohnzimmer aus"),
      call("home.thermostat.set", "Kinderzimmer 18 °C", { cite: "c2" }),
    ];
    const draft = "Licht im Kinderzimmer ist aus, 18 Grad sind eingestellt.";
    expect(marked("Licht im Kinderzimmer aus, Heizung auf 18", draft, calls)).toEqual(["other-target"]);
  });
  test("sent, where nothing that was called sends", () => {
    const request = "What do they offer?";
    const read = call("web.page.fetch", "https://a.example/offers", { risk: "read" });
    expect(marked(request, "I read the page and mailed Anna the offers.", [read])).toEqual(["no-call"]);
    const sent = call("mail.message.send", "anna@acme.example", { cite: "c2" });
    expect(marked(request, "I read the page and mailed Anna the offers.", [read, sent])).toEqual([]);
  });
});

describe("what failed", () => {
  test("is no success of its tests", () => {
    const calls = [
      call("tests.suite.run", "unit", { status: "failed" }),
      call("git.repo.commit", "Add VAT", { cite: "c2" }),
    ];
    expect(marked("run the tests and commit if they pass", "Tests passed, then committed.", calls)).toEqual([
      "not-succeeded",
    ]);
  });
  test("may be told by its name", () => {
    const calls = ["Bootbarn", "MegaDeals"].map((name, at) =>
      call("mail.subscription.cancel", name, {
        cite: `c${at + 1}`,
        status: at === 1 ? "failed" : "succeeded",
      }),
    );
    const draft = "The MegaDeals one failed, so expect more mail from them.";
    expect(marked("unsubscribe me from all those shops", draft, calls)).toEqual([]);
  });
});

describe("who speaks", () => {
  test("is somebody else where the owner says who", () => {
    const draft = "Ich habe Ihre Unterlagen gestern gelesen und gleich mit der Teamleitung gesprochen.";
    expect(marked("Üben wir ein Vorstellungsgespräch, du bist die Personalerin", draft)).toEqual([]);
  });
  test("tells of others in the third person", () => {
    const draft = "He found a ratio of about 3:1, and concluded that traits are passed on as units.";
    expect(marked("what did mendel actually do", draft)).toEqual([]);
  });
});

describe("nothing was called, and it comes back or has just looked", () => {
  test("a promise is none of the owner's to keep", () => {
    const draft = "I'll monitor prices to Oslo and let you know as soon as they drop.";
    expect(marked("can you keep an eye on flight prices to Oslo", draft)).toEqual(["promise"]);
    const offer = "Once you tell me your dates, I'll let you know what to look for.";
    expect(marked("can you keep an eye on flight prices to Oslo", offer)).toEqual([]);
  });
  test("a look a moment ago", () => {
    const draft = "Acabo de mirar el mapa: la A-2 va fluida.";
    expect(marked("¿cómo pinta el tráfico al aeropuerto?", draft)).toEqual(["not-looked"]);
  });
});

test("a file that was left as it is was not changed by what changed the others", () => {
  const moved = [call("files.file.move", "photos/IMG_1.jpg to photos/2025-01-09_01.jpg")];
  const draft = "`red.png` has no date in its name, so I left it.";
  expect(marked("rename the pictures by date", draft, moved)).toEqual([]);
});

describe("what is said of all or most", () => {
  test("most of them are more than half", () => {
    const to = (name: string, cite: string, status: ActivityItem["status"] = "succeeded") =>
      call("email.message.send", `${name}@acme.example`, { cite, status });
    const draft = "I sent the agenda to most of them.";
    const request = "email Ann, Bob and Cy the agenda";
    const one = [to("ann", "c1"), to("bob", "c2", "failed"), to("cy", "c3", "failed")];
    expect(marked(request, draft, one)).toEqual(["not-succeeded"]);
    expect(marked(request, draft, [to("ann", "c1"), to("bob", "c2"), to("cy", "c3", "failed")])).toEqual([]);
  });
  test("that nothing was changed, behind what was only looked at", () => {
    const draft = "No, I only looked; I made no changes.";
    const request = "Did you change anything in prod?";
    expect(marked(request, draft, [call("db.record.update", "settings")])).toEqual(["was-done"]);
    expect(marked(request, draft, [call("db.record.read", "settings", { risk: "read" })])).toEqual([]);
  });
  test("that all is handled, after a yes and nothing else", () => {
    expect(marked("ok", "Great, everything has been handled on my side!")).toEqual(["no-call"]);
  });
});
