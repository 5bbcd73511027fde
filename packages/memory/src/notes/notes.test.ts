import { pbkdf2 } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { fileNotes } from "./notes.ts";

const LATER_MS = 5_000;
/** More than Node has for files and keys. */
const THREADS = Math.max(8, 2 * Number(process.env["UV_THREADPOOL_SIZE"] ?? 0));
const ANNA = "memory/default/anna.md";

function scene() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-notes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "default"));
  let now = Date.now() + LATER_MS;
  const notes = fileNotes(folder, () => now);
  return {
    notes,
    setNow: (ms: number) => (now = ms),
    path: (name: string) => join(folder, "default", name),
    write: (name: string, text: string) => writeFileSync(join(folder, "default", name), text),
    text: async (source = ANNA) => (await notes.at("default", source))?.text,
  };
}

test("a note that memory names is read once, and again after a change, whichever way it was changed", async () => {
  const { notes, write, path, text } = scene();
  write("anna.md", "- likes jazz\n");
  const note = await notes.at("default", ANNA);
  expect(note).toMatchObject({ key: "anna", source: ANNA, text: "- likes jazz\n" });
  expect(await notes.at("default", ANNA)).toBe(note);
  // In place, and as long as before.
  write("anna.md", "- likes golf\n");
  expect(await text()).toBe("- likes golf\n");
  // As editors do it.
  write("other", "- likes tuna\n");
  renameSync(path("other"), path("anna.md"));
  expect(await text()).toBe("- likes tuna\n");
  await notes.change("default", "anna", (before) => `${before}- and tea\n`);
  expect(await text()).toBe("- likes tuna\n- and tea\n");
  rmSync(path("anna.md"));
  expect([await text(), await text()]).toEqual([undefined, undefined]);
  write("anna.md", "- is back\n");
  expect(await text()).toBe("- is back\n");
});

test("a note that is made while it is looked for is not kept as one that is missing", async () => {
  const { notes, write, path, text } = scene();
  // So that nothing is opened until the note is there.
  const busy = Array.from({ length: THREADS }, () => promisify(pbkdf2)("key", "salt", 200_000, 32, "sha512"));
  const asked = notes.at("default", ANNA);
  write("anna.md", "- likes jazz\n");
  await Promise.all([asked, ...busy]);
  rmSync(path("anna.md"));
  expect(await text()).toBeUndefined();
});

test("a note that was written a moment ago is read each time: its times cannot tell the next change from this one", async () => {
  const { notes, write, setNow } = scene();
  write("anna.md", "- likes jazz\n");
  setNow(Date.now());
  const note = await notes.at("default", ANNA);
  expect(await notes.at("default", ANNA)).not.toBe(note);
  expect(await notes.at("default", ANNA)).toEqual(note);
});

test("so many notes are kept and no more, and so many characters; those that were read first go", async () => {
  const { notes, write } = scene();
  const read = (name: string) => notes.at("default", `memory/default/${name}.md`);
  for (let at = 0; at <= 200; at += 1) write(`n${at}.md`, `- number ${at}\n`);
  const [first, second] = [await read("n0"), await read("n1")];
  for (let at = 2; at <= 200; at += 1) await read(`n${at}`);
  expect(await read("n1")).toBe(second);
  expect(await read("n0")).not.toBe(first);
  write("long.md", "x".repeat(390_000));
  write("longer.md", "x".repeat(20_000));
  const long = await read("long");
  expect(await read("long")).toBe(long);
  const longer = await read("longer");
  expect(await read("longer")).toBe(longer);
  expect(await read("long")).not.toBe(long);
});

test("at rest nothing is kept", async () => {
  const { notes, write } = scene();
  write("anna.md", "- likes jazz\n");
  const note = await notes.at("default", ANNA);
  notes.rest();
  const again = await notes.at("default", ANNA);
  expect(again).toEqual(note);
  expect(again).not.toBe(note);
});

test("a link, another folder and what is no note are not read", async () => {
  const { write, path, text } = scene();
  write("secret.txt", "a key");
  symlinkSync(path("secret.txt"), path("anna.md"));
  expect(await text()).toBeUndefined();
  write("bob.md", "- tall\n");
  expect(await text("memory/default/bob.md")).toBe("- tall\n");
  for (const source of ["memory/other/bob.md", "memory/default/../default/bob.md", "sessions/default/bob.md"])
    expect(await text(source)).toBeUndefined();
});
