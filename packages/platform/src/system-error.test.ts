import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorCode, isMissing, isMissingPath } from "./system-error.ts";

test("a file that is not there is missing, and a path through a file is no path", () => {
  const absent = thrownBy(() => readFileSync(join(import.meta.dirname, "no-such-file")));
  const throughFile = thrownBy(() => readFileSync(join(import.meta.filename, "below")));
  expect([isMissing(absent), isMissingPath(absent)]).toEqual([true, true]);
  expect([isMissing(throughFile), isMissingPath(throughFile)]).toEqual([false, true]);
});

test("other errors have their own code, or none", () => {
  const folder = thrownBy(() => readFileSync(import.meta.dirname));
  expect([errorCode(folder), isMissingPath(folder)]).toEqual(["EISDIR", false]);
  expect(errorCode(new Error("plain"))).toBeUndefined();
  expect(errorCode({ code: "ENOENT" })).toBeUndefined();
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
