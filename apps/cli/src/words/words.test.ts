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
import { GERMAN_COMMANDS } from "./german-commands.ts";
import { GERMAN_HELP } from "./german-help.ts";
import { gatewayText, germanWords, say } from "./say.ts";

const home = mkdtempSync(join(tmpdir(), "elwood-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const places = (text: string) => [...new Set(text.match(/\{\d\}/g))].toSorted();

/** Said in German as in English. */
const SAME =
  /^(?:|ID|Details|\[y\/N\] |AGENT|BYTES|INTEGRATION|NAME|PERSON|SERVER|TOKEN|VERSION|memory\/|elwood completion fish .*|Index: +\{0\}\{1\})$/;

test("every sentence of the commands is there in German, with the same places for values, in one table", () => {
  expect(Object.keys(GERMAN_COMMANDS).filter((english) => english in GERMAN)).toEqual([]);
  for (const [english, german] of [...Object.entries(GERMAN), ...Object.entries(GERMAN_COMMANDS)]) {
    expect(german === english, english).toBe(SAME.test(english));
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

test("what a card offers for longer, and permissions that were given, are told in German whole", async () => {
  const io = { spoken: await germanWords() };
  const told = (text: string) => gatewayText(io, text);
  expect(told("Write demo/shopping.txt, for the next hour")).toBe(
    "demo/shopping.txt schreiben, eine Stunde lang",
  );
  expect(told("Write anything in notes/, always")).toBe("Alles in notes/ schreiben, immer");
  expect(told("Edit anything in notes/, for the next hour")).toBe("Alles in notes/ ändern, eine Stunde lang");
  expect(told("The command git log, run in /home/me, for the next hour")).toBe(
    "Befehl git log in /home/me, eine Stunde lang",
  );
  expect(told("write notes/plan.md, in this session, for an hour")).toBe(
    "notes/plan.md schreiben, in dieser Sitzung, für eine Stunde",
  );
  expect(told("edit anything in notes/, until you revoke it")).toBe(
    "alles in notes/ ändern, bis du es widerrufst",
  );
  expect(told("Allow; this tool only reads")).toBe("Erlauben; dieses Werkzeug liest nur");
  expect(told("runs without asking from now on · its server says so")).toBe(
    "läuft ab jetzt ohne Frage · so sagt es sein Server",
  );
});

test("a command line that is wrong is told in German", async () => {
  const env = { ELWOOD_LANGUAGE: "de", ELWOOD_HOME: home, HOME: home };
  const told = async (...argv: string[]) => {
    const io = testIo({ env });
    expect(await runCli(argv, io), argv.join(" ")).toBe(2);
    return io.err();
  };
  expect(await told("sessions", "list", "--jso")).toBe(
    "Es gibt keine Option „--jso“ (meintest du --json?) Siehe: elwood sessions list --help\n",
  );
  expect(await told("jobs", "history", "--limit", "x")).toBe(
    "„x“ passt nicht zu „--limit <n>“. Schreibe eine ganze Zahl. Siehe: elwood jobs history --help\n",
  );
  expect(await told("usage", "--by", "moon")).toMatch(
    /^„moon“ passt nicht zu „--by <what>“\. Es gibt day, .+\. Siehe: elwood usage --help\n$/,
  );
  expect(await told("jobs", "show")).toBe("Es fehlt: name. Siehe: elwood jobs show --help\n");
  expect(await told("jobs", "shwo", "news")).toBe(
    'Es gibt keinen Befehl „jobs shwo“. Meintest du „show“?\nUm es dem Assistenten zu sagen, schreibe: elwood -- "jobs shwo news"\n',
  );
  expect(await told("protocol", "schema", "a", "b")).toMatch(
    /^Zu viele Argumente für „schema“\. Erwartet: 0, bekommen: 2: a, b\./,
  );
  expect(await told("sesions", "list")).toBe(
    'Es gibt keinen Befehl „sesions“. Meintest du „sessions list“? Nichts wurde gesendet.\nUm es dem Assistenten zu sagen, schreibe: elwood -- "sesions list"\n',
  );
  expect(await told("cron", "list")).toContain("Was Elwood von selbst tut, zeigt: elwood jobs list");
});

test("the text below the options is told in German too, and what is to be typed stays", async () => {
  const env = { ELWOOD_LANGUAGE: "de", ELWOOD_HOME: home, HOME: home };
  const io = testIo({ env });
  expect(await runCli(["state", "prune", "--help"], io)).toBe(0);
  expect(io.out()).toMatch(/\n\nElwood darf nicht laufen\. Beispiele:\n  elwood state prune --dry-run\n/);
  const verify = testIo({ env });
  await runCli(["receipts", "verify", "--help"], verify);
  expect(verify.out()).toContain("receipts 1204 · 9f3a17c2e0b4d658\n\nCodes: 0 unversehrt");
});
