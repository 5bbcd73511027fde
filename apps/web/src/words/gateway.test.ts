import { readFileSync } from "node:fs";
import { FAILURE_REASONS } from "@elwood/core/base/failure";
import { GERMAN_FAILURES } from "@elwood/core/base/german-failures";
import { sentencesBy } from "@elwood/core/base/sentences-by";
import { expect, test } from "vitest";
import { GERMAN } from "./de/german.ts";
import { failureIn, sentencesIn } from "@elwood/core/base/sentences";
import { failureText, gatewayText } from "./gateway.ts";

const { gateway } = GERMAN;
const german = (text: string) => sentencesIn(gateway, text);

test("what core writes on cards is said in German, part by part", () => {
  expect(german("Create shopping.txt")).toBe("shopping.txt anlegen");
  expect(german("1 line out, 2 in · you can undo this")).toBe(
    "1 Zeile weg, 2 dazu · du kannst es rückgängig machen",
  );
  expect(german("54 bytes · you can undo this")).toBe("54 Bytes · du kannst es rückgängig machen");
  expect(german("Allow; this tool only reads")).toBe("Erlauben; dieses Werkzeug liest nur");
  expect(german("runs without asking from now on · its server says so")).toBe(
    "läuft ab jetzt ohne Frage · so sagt es sein Server",
  );
  expect(german("Asking because you didn't name notes/plan.md.")).toBe(
    "Elwood fragt, weil du notes/plan.md nicht genannt hast.",
  );
  expect(german("Every change asks in strict mode.")).toBe("Im strengen Modus fragt jede Änderung.");
});

test.each([
  ["you allowed it", "du hast es erlaubt"],
  ["you allowed it on first", "du hast es auf first erlaubt"],
  ["you allowed it for a while in the terminal", "du hast es im Terminal für eine Weile erlaubt"],
  ["you edited it first on the page", "du hast es auf der Seite vorher bearbeitet"],
  ["you denied it in Telegram", "du hast es in Telegram abgelehnt"],
  ["you answered on first", "du hast auf first geantwortet"],
  ["you said “I still need it” on first", "du hast auf first gesagt: „I still need it“"],
])("%s: who decided, for how long and where is one German sentence", (english, said) => {
  expect(german(english)).toBe(said);
});

test("a setting that a variable or a flag fixes says so in German, whole", () => {
  const told = (what: string) =>
    failureIn(
      { ...gateway, failures: sentencesBy(GERMAN_FAILURES) },
      "SETTING_FIXED",
      `\`model\` is set by ${what}, which goes before config.yaml. Change ${what}, or start Elwood without it.`,
    );
  expect(told("the variable ELWOOD_MODEL")).toBe(
    "„model“ ist durch die Variable ELWOOD_MODEL festgelegt, und die geht config.yaml vor. Ändere die Variable ELWOOD_MODEL, oder starte Elwood ohne sie.",
  );
  expect(told("the flag --model")).toBe(
    "„model“ ist durch die Option --model festgelegt, und die geht config.yaml vor. Ändere die Option --model, oder starte Elwood ohne sie.",
  );
});

test("whatever stands under Details of a card, and where it leads, has German words", () => {
  const card = readFileSync(new URL(import.meta.resolve("@elwood/core/card/card")), "utf8");
  const details = card.slice(card.indexOf("function detailsOf("));
  const words = [...details.matchAll(/\b(?:name|words): "([^"]+)"/g)].map(([, word = ""]) => word);
  expect(words).toEqual(expect.arrayContaining(["Tool", "Digest", "receipts"]));
  expect(words.filter((word) => GERMAN.states[word] === undefined)).toEqual([]);
});

test.each([
  ["Elwood is writing.", "Elwood schreibt."],
  ["Reply ready.", "Die Antwort ist da."],
  ["The reply failed.", "Die Antwort ist gescheitert."],
  ["Approval needed. Create shopping.txt", "Deine Freigabe ist gefragt. shopping.txt anlegen"],
])("%s: what is said aloud is said in German", (english, said) => {
  expect(sentencesIn({ ...gateway, failures: sentencesBy(GERMAN_FAILURES) }, english)).toBe(said);
});

test("names stay as they are, whatever they hold, and what is not known is shown as it came", () => {
  expect(german("Delete $1 $& {0}.txt")).toBe("$1 $& {0}.txt löschen");
  expect(german("Frobnicate the widget")).toBe("Frobnicate the widget");
  // The page of a test speaks English.
  expect(failureText({ reason: "NOT_FOUND", message: "There is no run run_1." })).toBe(
    "There is no run run_1.",
  );
  expect(gatewayText("Create shopping.txt")).toBe("Create shopping.txt");
});

test("a failure is told sentence by sentence, or by its reason where a sentence is not known", () => {
  const told = (reason: string, message: string) => failureIn(gateway, reason, message);
  expect(
    told(
      "NETWORK",
      "custom cannot be reached at 127.0.0.1:8080. Your message is kept. Check that it is running and that its address is right. It was tried 4 times.",
    ),
  ).toBe(
    "custom ist unter 127.0.0.1:8080 nicht zu erreichen. Deine Nachricht ist gespeichert. Prüfe, ob der Dienst läuft und die Adresse stimmt. Es wurde 4-mal versucht.",
  );
  expect(told("CONFLICT", "The moon is full. Nothing was changed.")).toBe(
    "Das geht gerade nicht. (The moon is full. Nothing was changed.)",
  );
  expect(told("of a later gateway", "The moon is full.")).toBe("The moon is full.");
});

test("German has a sentence for every reason, and no place of a sentence is lost or made up", () => {
  expect(Object.keys(gateway.reasons).toSorted()).toEqual(FAILURE_REASONS.toSorted());
  for (const [sentence, words] of gateway.sentences) {
    const groups = new RegExp(`${sentence.source}|`, sentence.flags).exec("")!.length - 1;
    const used = new Set([...words.matchAll(/\$(\d)/g)].map(([, place]) => Number(place)));
    expect(Math.max(0, ...used), words).toBeLessThanOrEqual(groups);
    expect(words).not.toMatch(/\b(?:the|you|your|not|this)\b/i);
  }
});
