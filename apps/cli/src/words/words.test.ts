import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandLine, runCli, type Wiring } from "../program.ts";
import { reportFailure } from "../failure-text.ts";
import { failure } from "@elwood/core/base/failure";
import { testIo } from "../test-io.ts";
import { cliLanguage } from "./cli-language.ts";
import { GERMAN } from "./german.ts";
import { GERMAN_HELP } from "./german-help.ts";
import { germanWords, say } from "./say.ts";

const home = mkdtempSync(join(tmpdir(), "elwood-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const places = (text: string) => [...new Set(text.match(/\{\d\}/g))].toSorted();

test("every sentence of the usual commands is there in German, with the same places for values", () => {
  for (const [english, german] of Object.entries(GERMAN)) {
    expect(places(german), english).toEqual(places(english));
    expect(german, english).not.toMatch(/\b(?:the|you|your|not|this)\b/i);
    expect([german.startsWith(" "), german.endsWith(" ")], english).toEqual([
      english.startsWith(" "),
      english.endsWith(" "),
    ]);
  }
});

test("the help of every command, argument and option is there in German, and nothing else is in its table", () => {
  const asked = new Set<string>(["output the version number"]);
  const wiring = { io: testIo(), commandContext: {}, run: async () => {}, working: async () => 0 };
  const program = commandLine(
    [],
    wiring as unknown as Wiring,
    (english) => {
      asked.add(english);
      return english;
    },
    () => {},
  );
  for (const title of ["Usage:", "Arguments:", "Options:", "Commands:"]) asked.add(title);
  expect(program.commands.length).toBeGreaterThan(20);
  expect([...asked].filter((english) => english !== "" && !(english in GERMAN_HELP))).toEqual([]);
  expect(Object.keys(GERMAN_HELP).filter((english) => !asked.has(english))).toEqual([]);
});

test("the language is the one of the settings, else of the system, else English", () => {
  const named = (env: Record<string, string>, argv: readonly string[] = []) =>
    cliLanguage({ env: { HOME: home, ...env }, cwd: home }, argv);
  expect(named({})).toBe("en");
  expect(named({ LANG: "de_AT.UTF-8" })).toBe("de");
  expect(named({ LANG: "de_DE.UTF-8", LC_ALL: "C" })).toBe("en");
  expect(named({ LANG: "den_CA" })).toBe("en");
  expect(named({ ELWOOD_LANGUAGE: "de" })).toBe("de");
  writeFileSync(join(home, "config.yaml"), "# mine\nlanguage: de\n");
  expect(named({ ELWOOD_HOME: home })).toBe("de");
  expect(named({}, ["--home", home, "status"])).toBe("de");
  expect(named({ ELWOOD_HOME: home, ELWOOD_LANGUAGE: "en" })).toBe("en");
  writeFileSync(join(home, "config.yaml"), "language: en\n");
  expect(named({ ELWOOD_HOME: home, LANG: "de_DE" })).toBe("en");
});

test("a German terminal reads its help, its failures and its answers in German", async () => {
  const env = { ELWOOD_LANGUAGE: "de", ELWOOD_HOME: home, HOME: home };
  const io = testIo({ env });
  expect(await runCli(["undo", "--help"], io)).toBe(0);
  expect(io.out()).toMatch(/^Aufruf: elwood undo/);
  expect(io.out()).toContain("rückgängig machen, was ein Aufruf tat");
  const status = testIo({ env });
  expect(await runCli(["status"], status)).toBe(1);
  expect(status.out()).toBe(`Elwood läuft nicht auf ${home}. Starte es mit: elwood up\n`);
  const doctor = testIo({ env });
  await runCli(["doctor"], doctor);
  expect(doctor.out()).toContain("Es läuft kein Gateway.");
  expect(doctor.out()).toMatch(/\n(?:Es ist alles in Ordnung|\d+ (?:Fehler|Warnung)).*\.\n/);
  const spoken = await germanWords();
  const failed = testIo({ env });
  reportFailure({ ...failed, spoken }, failure("NETWORK", "The moon is full."), false);
  expect(failed.err()).toBe("Es kam keine Verbindung zustande. (The moon is full.)\n");
  // Programs read the same in every language.
  const json = testIo({ env });
  await runCli(["status", "--json"], json);
  expect(json.json()).toEqual({ running: false, home });
  expect(say({}, "Undone. {0}", "It is back.")).toBe("Undone. It is back.");
});
