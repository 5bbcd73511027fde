import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";
import { layOutFirstFiles } from "./first-files.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "elwood-first-files-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test("an empty folder gets files to try things with, and one that holds anything is left as it is", async () => {
  const empty = folder();
  await layOutFirstFiles(empty);
  expect(readdirSync(empty).toSorted()).toEqual(["expenses.csv", "notes.md", "picture.png"]);
  const used = folder();
  writeFileSync(join(used, "mine.txt"), "mine");
  await layOutFirstFiles(used);
  expect(readdirSync(used)).toEqual(["mine.txt"]);
});

test("they are laid out once, at the first start with the demo, and stay away once they were taken away", async () => {
  const home = folder();
  const files = join(home, "files");
  await using _first = await startTestGateway({ home });
  expect(existsSync(join(files, "notes.md"))).toBe(true);
  await _first[Symbol.asyncDispose]();
  rmSync(files, { recursive: true });
  await using _again = await startTestGateway({ home });
  expect(readdirSync(files)).toEqual([]);
});

test("whoever has a model of their own gets none", async () => {
  await using started = await startTestGateway({ env: { ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000" } });
  expect(readdirSync(join(started.home, "files"))).toEqual([]);
});
