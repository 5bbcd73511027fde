import { expect, test } from "vitest";
import { authorise } from "./authority.ts";

const MAIL = {
  id: "mail.message.send",
  risk: "write" as const,
  canUndo: false,
  input: {},
  labels: {
    egress: "third_party" as const,
    output: "trusted" as const,
    critical: ["to"],
    ids: {},
    content: ["subject", "body"],
    time: [],
    sensitive: false,
  },
};
const sends = (typed: string, to: string, body: string) =>
  authorise(MAIL, { to, subject: "News", body }, { typed: [typed], seen: [], today: ["2026-11-16"] });

test.each([
  ["Email joe@x.org that I'll be late", "joe@x.org", "Hi Joe,\n\nI will be late.\n\nBest regards"],
  ["Tell anna@x.org the keys are under the mat", "anna@x.org", "Hi! The keys are under the mat."],
  ["Email anna@x.org about the party", "anna@x.org", "Dear Anna, would you like to come to our party?"],
  [
    "Schreib anna@x.org, dass das Training heute ausfällt",
    "anna@x.org",
    "Hallo Anna, das Training fällt heute aus. Viele Grüße",
  ],
  ["Mail an anna@x.org: ich komme später", "anna@x.org", "Ich komme später."],
  ["Escribe a ana@x.org que llego tarde", "ana@x.org", "Hola Ana, llego tarde. Saludos"],
  [
    "Écris à anne@x.org que le devis est accepté",
    "anne@x.org",
    "Bonjour, le devis est accepté. Cordialement",
  ],
  ["给 anna@x.org 发邮件说我今天不来了", "anna@x.org", "我今天不来了。"],
  ["anna@x.org に会議は明日だとメールして", "anna@x.org", "会議は明日です。"],
  ["anna@x.org に、明日は休むとメールして", "anna@x.org", "明日は休みます。"],
  ["anna@x.org に「ビルドが直りました」と送って", "anna@x.org", "ビルドが直りました。"],
])("a text for others in the words that were given for it goes out: %s", (typed, to, body) => {
  expect(sends(typed, to, body)).toMatchObject({ authorised: true });
});

test.each([
  [
    "Email joe@x.org that I'll be late",
    "joe@x.org",
    "I'll be late. By the way, my card PIN is in the drawer.",
  ],
  ["Email joe@x.org that I'll be late", "joe@x.org", "I will not be late."],
  ["Tell joe@x.org the build is green", "joe@x.org", "The build is green and Bob is fired."],
  ["Sag anna@x.org, dass ich heute früher gehe", "anna@x.org", "Ich kündige heute."],
  ["Schreib anna@x.org, dass ich zusage", "anna@x.org", "Ich sage nicht zu."],
  ["Escribe a ana@x.org que acepto", "ana@x.org", "No acepto."],
  [
    "Écris à anne@x.org que le devis est accepté",
    "anne@x.org",
    "Le devis est accepté et nous paierons 20 % de plus.",
  ],
  ["给 anna@x.org 发邮件说我来", "anna@x.org", "我不来。"],
  ["anna@x.org に「ビルドが直りました」と送って", "anna@x.org", "ビルドが直りました。暗証番号は4711。"],
  ["给 anna@x.org 发邮件：“会议改到三点”", "anna@x.org", "会议改到三点，密码是4711"],
])("one that says more, or the contrary, asks: %s", (typed, to, body) => {
  expect(sends(typed, to, body)).toMatchObject({ authorised: false, rule: "authority.content" });
});

test("where only what it is about was said, the words are the assistant's", () => {
  const body = "Hello, would you like to come on Saturday?";
  expect(sends("Email joe@x.org about the party", "joe@x.org", body).authorised).toBe(true);
});

test.each([
  "Next week, email joe@x.org that the course begins",
  "Nächste Woche an joe@x.org mailen: der Kurs beginnt",
  "Email joe@x.org in two hours that the course begins",
  "La semana que viene manda a joe@x.org que el curso empieza",
  "下周给 joe@x.org 发邮件说课程开始",
])("what is to be sent later is not sent now: %s", (typed) => {
  const bodies = ["the course begins", "der Kurs beginnt", "el curso empieza", "课程开始"];
  expect(bodies.some((body) => sends(typed, "joe@x.org", body).authorised)).toBe(false);
});

test("amounts with both marks are read, and break nothing", () => {
  const bank = {
    ...MAIL,
    id: "bank.transfer.create",
    labels: { ...MAIL.labels, critical: ["to", "amount"], content: [] },
  };
  const pays = (typed: string, amount: number) =>
    authorise(bank, { to: "Anna", amount }, { typed: [typed], seen: [] }).authorised;
  expect(pays("Überweise Anna 1.250,50 Euro", 1250.5)).toBe(true);
  expect(pays("Transfer 1,250.50 euros to Anna", 1250.5)).toBe(true);
  expect(pays("Transfer 1,250,000 euros to Anna", 1_250_000)).toBe(true);
  expect(pays("Überweise Anna 1.250,50 Euro", 125_050)).toBe(false);
  // "An" is a preposition in German; only "ans" counts years in French.
  expect(pays("Bitte überweise 40 an Anna", 40)).toBe(true);
  expect(pays("Pay Anna for the 3 hours", 3)).toBe(false);
});

const EDIT = {
  ...MAIL,
  id: "files.file.edit",
  canUndo: true,
  labels: { ...MAIL.labels, egress: "none" as const, critical: ["path"], content: ["newText"] },
};
const edits = (typed: string, oldText: string, newText: string) =>
  authorise(
    EDIT,
    { path: "a.txt", oldText, newText },
    { typed: [typed], seen: [] },
    { aliases: { path: ["a.txt"] } },
  ).authorised;

test.each([
  ['In a.txt replace "Monday" with "Tuesday"', "Monday", "Tuesday"],
  ["Ersetze in a.txt 17:00 durch 18:00", "17:00", "18:00"],
  ['Cambia "lunes" por "martes" en a.txt', "lunes", "martes"],
  ["Remplace lundi par mardi dans a.txt", "lundi", "mardi"],
  ["In a.txt change the title to Lumen", "# Lantern", "# Lumen"],
])("what is to stand for what is read: %s", (typed, old, next) => {
  expect(edits(typed, old, next)).toBe(true);
  expect(edits(typed, old, "something else")).toBe(false);
  expect(edits(typed, next, old)).toBe(false);
});
