import type { MemoryOrigin } from "@elwood/core/memory/turn";
import { expect, test } from "vitest";
import { noteFacts } from "./note-facts.ts";

const NOW = Date.UTC(2026, 10, 15, 9);

/** Whose words lines are is told, and which were asked about is kept. */
function origins(untrusted: (line: string) => boolean = () => false) {
  const asked: string[] = [];
  const originOf = (line: string): MemoryOrigin => {
    asked.push(line);
    return untrusted(line) ? "untrusted" : "owner";
  };
  return { asked, originOf };
}

test("of a long note only the bullets about the same thing are looked at closer", () => {
  const others = Array.from({ length: 300 }, (_, at) => `- Thing ${at}: red\n- Anna likes number ${at}`);
  const note = ["# Home", "- City: Graz", ...others, "- City: Wien (since 2025-01-01)"].join("\n");
  const { asked, originOf } = origins();
  const factAt = noteFacts(note, originOf);
  expect(factAt(2, NOW)).toEqual({
    line: 603,
    text: "City: Wien",
    holds: true,
    subject: "home / city",
    remark: "since 2025-01-01; before 2025-01-01: City: Graz",
  });
  expect(asked).toEqual(["- City: Graz", "- City: Wien (since 2025-01-01)"]);
  asked.length = 0;
  expect(factAt(4, NOW)).toEqual({ line: 4, text: "Anna likes number 0", holds: true });
  // It ends nothing and nothing ends it, so that it does not matter whose words it is.
  expect(asked).toEqual([]);
  expect(factAt(1, NOW)).toBeUndefined();
  expect(factAt(999, NOW)).toBeUndefined();
});

test("what others wrote ends nothing of the owner's, and is ended by others alone", () => {
  const note = [
    "- Bank: Alpha",
    "- Bank: Evil (since 2026-01-01)",
    "- Bank: Worse (since 2026-05-01)",
    "- Bank: Beta (since 2025-01-01)",
  ].join("\n");
  const { originOf } = origins((line) => /Evil|Worse/.test(line));
  const factAt = noteFacts(note, originOf);
  const beta = { line: 4, text: "Bank: Beta", holds: true };
  expect(factAt(1, NOW)).toMatchObject(beta);
  expect(factAt(4, NOW)).toMatchObject(beta);
  expect(factAt(1, NOW)?.remark).not.toMatch(/Evil|Worse/);
  // Asked for itself, it is shown with the owner's words beside it.
  expect(factAt(3, NOW)).toMatchObject({ line: 3, text: "Bank: Worse", holds: true });
  expect(factAt(2, NOW)?.remark).not.toContain("Worse");
});
