import { expect, test } from "vitest";
import type { CallSubject } from "../ports/ports.ts";
import { mustKeepOrder } from "./call-order.ts";

const file = (onlyReads: boolean, ...names: string[]): CallSubject => ({ area: "files", onlyReads, names });

test.each<[string, CallSubject | undefined, CallSubject | undefined, boolean]>([
  ["a write and a delete of one file", file(false, "x.md"), file(false, "x.md"), true],
  ["one file, named in two ways", file(false, "./a/x.md"), file(false, "/home/me/files/a/x.md"), true],
  ["a write and a read of one file", file(false, "x.md"), file(true, "x.md"), true],
  ["a move, and an edit of where it went", file(false, "a.md", "b.md"), file(false, "b.md"), true],
  ["a file, and the folder it lies in", file(false, "trip/x.md"), file(true, "trip/"), true],
  ["two reads of one file", file(true, "x.md"), file(true, "x.md"), false],
  ["two files", file(false, "x.md"), file(false, "y.md"), false],
  ["a name that another begins with", file(false, "trip"), file(false, "trip2"), false],
  ["tools of different areas", file(false, "x"), { area: "mail", onlyReads: false, names: ["x"] }, false],
  ["a name without a letter", file(false, "./"), file(false, "x.md"), false],
  ["a call that names nothing", undefined, file(false, "x.md"), false],
])("the order of two calls: %s", (_what, a, b, kept) => {
  expect(mustKeepOrder(a, b)).toBe(kept);
  expect(mustKeepOrder(b, a)).toBe(kept);
});
