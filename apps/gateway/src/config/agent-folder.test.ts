import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { readAgentFile, rereadOnChange } from "./agent-folder.ts";

const LATER_MS = 5_000;

function reader() {
  const f = testFolder();
  let now = Date.now() + LATER_MS;
  const reads: string[] = [];
  const read = rereadOnChange(
    () => now,
    (folder, name, workspace) => {
      reads.push(name);
      return readAgentFile(folder, name, workspace);
    },
  );
  return {
    f,
    reads,
    text: async (name: string) => {
      const file = await read(f.root, name, f.root);
      return file.ok ? file.value.text : file.error;
    },
    setNow: (ms: number) => (now = ms),
  };
}

test("a file is read once and then only after a change, whichever way it was changed", async () => {
  const { f, reads, text } = reader();
  f.write("SOUL.md", "quiet");
  expect([await text("SOUL.md"), await text("SOUL.md")]).toEqual(["quiet", "quiet"]);
  expect(reads).toHaveLength(1);
  // In place, and as long as before.
  writeFileSync(join(f.root, "SOUL.md"), "noisy");
  expect(await text("SOUL.md")).toBe("noisy");
  // As editors do it.
  f.write("other", "quick");
  renameSync(join(f.root, "other"), join(f.root, "SOUL.md"));
  expect(await text("SOUL.md")).toBe("quick");
  rmSync(join(f.root, "SOUL.md"));
  expect([await text("SOUL.md"), await text("SOUL.md")]).toEqual(["", ""]);
  f.write("SOUL.md", "back");
  expect(await text("SOUL.md")).toBe("back");
});

test("a file that has just been changed is read each time, and so is one from the future", async () => {
  const { f, reads, text, setNow } = reader();
  f.write("SOUL.md", "quiet");
  setNow(Date.now());
  await text("SOUL.md");
  await text("SOUL.md");
  setNow(0);
  await text("SOUL.md");
  await text("SOUL.md");
  expect(reads).toHaveLength(4);
});

test("a link that is turned to a file outside is refused at once", async () => {
  const { f, text } = reader();
  f.write("inside.md", "inside");
  symlinkSync(join(f.root, "inside.md"), join(f.root, "SOUL.md"));
  expect([await text("SOUL.md"), await text("SOUL.md")]).toEqual(["inside", "inside"]);
  rmSync(join(f.root, "SOUL.md"));
  symlinkSync("/etc/hostname", join(f.root, "SOUL.md"));
  expect(await text("SOUL.md")).toContain("leads out of the workspace");
});
