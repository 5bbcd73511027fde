import { expect, test } from "vitest";
import { evidenceLine } from "./evidence.ts";

test("a reply without calls says that no tool ran", () => {
  expect(evidenceLine([])).toBe("No tool ran for this reply.");
});

test("failed calls are named before those that are done", () => {
  const line = evidenceLine([
    { toolId: "files.file.read", status: "ok" },
    { toolId: "mail.message.send", status: "error" },
    { toolId: "files.file.read", status: "ok" },
  ]);
  expect(line).toBe("Tools: 1 failed (mail.message.send), 2 done (files.file.read).");
});

test("a long list of tools is cut and counted", () => {
  const calls = Array.from({ length: 8 }, (_, i) => ({ toolId: `a.b.t${i}`, status: "ok" as const }));
  expect(evidenceLine(calls)).toContain("and 3 more");
});
