import type { Span } from "@elwood/core/protocol/call-shapes";
import { expect, test } from "vitest";
import { spanText } from "./span-words.ts";

const said = (kind: Span["kind"], label: string, status?: string) =>
  spanText({ kind, label, start: 0, ...(status === undefined ? {} : { status }) });

test("a piece of a timeline is told as what was done, not by the name of a tool or model", () => {
  expect(said("tool", "files.file.write → notes/plan.md", "done")).toBe("Wrote notes/plan.md");
  expect(said("tool", "files.file.delete → a.txt", "denied")).toBe("Delete a.txt");
  expect(said("tool", "shell.command.run → ls -l", "done")).toBe("Ran a command: ls -l");
  expect(said("undo", "undo of files.file.write → a.txt", "done")).toBe("Undo: Write a.txt");
  expect(said("model", "custom/house-large")).toBe("Model");
  expect(said("queue", "waiting its turn")).toBe("waiting its turn");
  // A name that somebody made up is written out.
  expect(said("tool", "files.file.write → a\u202etxt.exe", "done")).not.toContain("\u202e");
});
