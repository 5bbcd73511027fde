import { afterEach, expect, test } from "vitest";
import { germanWords } from "../words/say.ts";
import { chatCommands, readCommand } from "./commands.ts";
import { germanChat } from "./german-words.ts";
import { CHAT_WORDS, speakInChat } from "./words.ts";

afterEach(() => speakInChat(undefined));

const GERMAN = germanChat(await germanWords());
/** What a sentence shows of its values. Lists are handed in, because some sentences join theirs. */
const VALUES = [["W0x"], ["W1x"], ["W2x"], ["W3x"]];

/** These hand on what other tables say. */
const HANDED_ON = /^(?:doing|done|todo|state|gateway|failure|goesOn)$/;

/** Every sentence of a table, by where it stands there, with values in its places. */
function sentences(table: object, place = ""): [string, string][] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    const at = `${place}${key}`;
    if (HANDED_ON.test(at)) return [];
    if (typeof value === "string") return [[at, value]];
    if (typeof value === "function") return [[at, (value as (...v: unknown[]) => string)(...VALUES)]];
    return sentences(value as object, `${at}.`);
  });
}

test("the chat screen has every sentence in German, with the same values and no English left in it", () => {
  const english = new Map(sentences(CHAT_WORDS));
  const german = sentences(GERMAN);
  expect(german.map(([at]) => at).toSorted()).toEqual([...english.keys()].toSorted());
  expect(german.length).toBeGreaterThan(250);
  const values = (text: string) => [...new Set(text.match(/W\dx/g))].toSorted();
  for (const [at, told] of german) {
    expect(values(told), at).toEqual(values(english.get(at) ?? ""));
    expect(told, at).not.toMatch(/\b(?:the|you|your|is|not|this|of|and|with)\b/i);
  }
});

test("commands, keys, calls, states and failures follow the language of the chat", () => {
  speakInChat(GERMAN);
  expect(chatCommands().find(({ name }) => name === "undo")?.description).toBe(
    "die letzte Änderung zurücknehmen",
  );
  const said: string[] = [];
  const to = { say: (text: string) => said.push(text) } as unknown as Parameters<
    NonNullable<ReturnType<typeof readCommand>>["run"]
  >[0];
  for (const line of ["/frob", "/memory"]) void readCommand(line)?.run(to, "");
  expect(said).toEqual([
    "Einen Befehl /frob gibt es nicht. /help zeigt, welche es gibt.",
    "Schreibe es so: /memory <Wörter>",
  ]);
  expect(CHAT_WORDS.done("files.file.write")).toBe("Eine Datei geschrieben");
  expect(CHAT_WORDS.state("denied")).toBe("abgelehnt");
  expect(CHAT_WORDS.gateway("✓ Created a.txt · you allowed it")).toBe(
    "✓ a.txt angelegt · du hast es erlaubt",
  );
  expect(CHAT_WORDS.failure("NOT_FOUND", 'There is no agent "x". Nothing was stored.')).toBe(
    "Einen Agenten „x“ gibt es nicht. Nichts wurde gespeichert.",
  );
  speakInChat(undefined);
  expect(CHAT_WORDS.done("files.file.write")).toBe("Wrote a file");
  expect(readCommand("/frob")).toBeDefined();
});
