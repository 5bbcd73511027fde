import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFileAtomic } from "./atomic-file.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "elwood-atomic-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

test("a file is replaced whole, with the mode asked for, and nothing is left beside it", async () => {
  const root = folder();
  const path = join(root, "a");
  expect(await writeFileAtomic(path, "one", { mode: 0o600 })).toBe(true);
  expect(await writeFileAtomic(path, "two", { mode: 0o640 })).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(root)).toEqual(["a"]);
});

test("with `create` a file that is there stays as it is", async () => {
  const root = folder();
  const path = join(root, "a");
  expect(await writeFileAtomic(path, "one", { mode: 0o600, create: true })).toBe(true);
  expect(await writeFileAtomic(path, "two", { mode: 0o600, create: true })).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(root)).toEqual(["a"]);
});

test("of many that create one file at once, exactly one wins", async () => {
  const path = join(folder(), "a");
  const writers = Array.from({ length: 8 }, (_, i) =>
    writeFileAtomic(path, String(i), { mode: 0o600, create: true }),
  );
  const won = await Promise.all(writers);
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe(String(won.indexOf(true)));
});

test("a write that cannot be finished leaves the old file and no temporary one", async () => {
  const root = folder();
  mkdirSync(join(root, "a"));
  await expect(writeFileAtomic(join(root, "a"), "one", { mode: 0o600 })).rejects.toThrow(
    /EISDIR|ENOTEMPTY|EEXIST/,
  );
  expect(readdirSync(root)).toEqual(["a"]);
});
