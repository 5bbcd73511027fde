import { readdirSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { indexScene } from "@elwood/memory/index/test-index-scene";
import type { DoctorContext } from "./finding.ts";
import { memoryIndex } from "./memory-index.ts";

async function look(home: string) {
  const context: Partial<DoctorContext> = { loaded: { ok: false, error: [] }, paths: statePaths(home) };
  // The check looks at nothing else.
  return memoryIndex.run(context as DoctorContext);
}

test("the doctor finds a sound index, says what is in it, and leaves nothing behind", async () => {
  const { open, say, home } = indexScene();
  expect(await look(home)).toMatchObject([{ id: "memory.missing", severity: "info" }]);
  say("ses_a", "hello", "Good morning.");
  const index = open();
  await index.start();
  expect(await look(home)).toMatchObject([
    { id: "memory.sound", evidence: expect.stringContaining("2 turns of 1 file,") },
  ]);
  await index.close();
  const before = readdirSync(home);
  expect(await look(home)).toMatchObject([{ id: "memory.sound" }]);
  expect(readdirSync(home)).toEqual(before);
});

test("the doctor tells a damaged index, one of another version, and one that was put aside", async () => {
  const { open, say, home, path } = indexScene();
  say("ses_a", "hello");
  const index = open();
  await index.start();
  await index.close();
  const db = new DatabaseSync(path);
  db.exec("UPDATE meta SET v = '0' WHERE k = 'schema'");
  db.close();
  expect(await look(home)).toMatchObject([{ id: "memory.older", severity: "info" }]);
  writeFileSync(path, "no database");
  writeFileSync(join(home, "memory.db.corrupt"), "an older one");
  expect(await look(home)).toMatchObject([
    { id: "memory.damaged", severity: "warning", fix: expect.stringContaining("from the files") },
    { id: "memory.aside", severity: "info" },
  ]);
});
