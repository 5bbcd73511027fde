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
