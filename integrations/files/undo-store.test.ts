import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FILE_LIMITS } from "./limits.ts";
import { makeUndoStore } from "./undo-store.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "elwood-undo-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("what a call was about to do is read back, and nothing where it left no note", async () => {
  const undo = makeUndoStore(folder(), FILE_LIMITS);
  await undo.note("k", { v: 1, before: null });
  expect(await undo.intention("k")).toEqual({ v: 1, before: null });
  expect(await undo.intention("other")).toBeUndefined();
});

test.each(["", '{"v":1,"thing', '{"v":2}', '{"v":1,"before":7}'])(
  "U4: a note that cannot be read (%s) is a problem that names its file, and no sign that nothing was done",
  async (text) => {
    const home = folder();
    mkdirSync(join(home, "intents"));
    const path = join(home, "intents", "k.json");
    writeFileSync(path, text);
    await expect(makeUndoStore(home, FILE_LIMITS).intention("k")).rejects.toThrow(path);
  },
);
