import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RotatingFile } from "./rotating-file.ts";

test("EL-18: a log file stays within its limit, keeps as many old ones as it is told, and loses no line of those", () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "logs", "elwood.log");
  const line = (i: number) => `line ${String(i).padStart(3, "0")}\n`;
  const first = new RotatingFile(path, 35, 2);
  for (let i = 0; i < 5; i++) first.write(line(i));
  // Another process goes on where the last one stopped.
  const second = new RotatingFile(path, 35, 2);
  for (let i = 5; i < 12; i++) second.write(line(i));
  const names = readdirSync(join(folder, "logs")).toSorted();
  expect(names).toEqual(["elwood.log", "elwood.log.1", "elwood.log.2"]);
  const text = names.toReversed().map((name) => readFileSync(join(folder, "logs", name), "utf8"));
  expect(text.every((each) => each.length <= 35)).toBe(true);
  expect(text.join("")).toBe(Array.from({ length: 9 }, (_, i) => line(i + 3)).join(""));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // A line longer than the limit is written all the same, alone.
  second.write(`${"x".repeat(50)}\n`);
  expect(readFileSync(path, "utf8")).toHaveLength(51);
});
