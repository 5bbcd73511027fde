import { expect, test } from "vitest";
import type { Card } from "./card.ts";
import { outcomeOf, type OutcomeSource } from "./outcome.ts";

// Only what outcomes read of a card.
const card = {
  title: "Change notes/plan.md",
  told: {
    doing: "Changing notes/plan.md",
    done: "Changed notes/plan.md +2 −1",
    notDone: "Not changed: notes/plan.md",
  },
} as Card;
const owner = { kind: "owner", id: "you", surface: "web" } as const;
const about = { surface: "web", clock: (at: number) => `19:${at}` };
const succeeded = { status: "succeeded", canUndo: true } as const;

const line = (source: Partial<OutcomeSource>, where = about) => {
  const { glyph, words, how, canUndo } = outcomeOf(
    { kind: "approval", card, decided: { status: "approved", decision: "once", by: owner }, ...source },
    where,
  );
  return `${glyph} ${words} · ${how}${canUndo ? " · Undo" : ""}`;
};

test.each<[string, Partial<OutcomeSource>]>([
  ["✓ Changed notes/plan.md +2 −1 · you allowed it · Undo", { call: succeeded }],
  ["✓ Changed notes/plan.md +2 −1 · you edited it first · Undo", { call: succeeded, editedInput: {} }],
  ["▸ Changing notes/plan.md… · you allowed it", {}],
  ["▸ Changing notes/plan.md… · you allowed it", { call: { status: "pending", canUndo: false } }],
  ["↩ Changed notes/plan.md +2 −1 · undone 19:45", { call: { ...succeeded, undoneAt: 45 } }],
  [
    "✗ Not changed: notes/plan.md · it failed · you allowed it",
    { call: { status: "failed", canUndo: false } },
  ],
  [
    "↯ Changed notes/plan.md +2 −1 · ended with code 2 · you allowed it",
    { call: { ...succeeded, exitCode: 2 } },
  ],
  [
    "⁇ Maybe changed: notes/plan.md · no answer came · you allowed it",
    { call: { status: "unknown", canUndo: false } },
  ],
  ["⊘ Not changed: notes/plan.md · you denied it", { decided: { status: "denied", by: owner } }],
  [
    "⊘ Not changed: notes/plan.md · you said “no uploads”",
    { decided: { status: "denied", by: owner, note: "no uploads" } },
  ],
  [
    "⌛ Not changed: notes/plan.md · nobody decided in time",
    { decided: { status: "expired", by: { kind: "expiry" } } },
  ],
  [
    "⊘ Not changed: notes/plan.md · its run was over",
    { decided: { status: "denied", by: { kind: "policy" } } },
  ],
  [
    "✓ Changed notes/plan.md +2 −1 · you allowed it for good · Undo",
    { call: succeeded, decided: { status: "approved", decision: "always", by: owner } },
  ],
  [
    "✓ Change notes/plan.md · you answered: Bo",
    { kind: "question", decided: { status: "answered", by: owner, note: "Bo" } },
  ],
  [
    "✓ Change notes/plan.md · you answered: it did not happen",
    { kind: "settle", decided: { status: "answered", by: owner, note: "did-not-happen" } },
  ],
])("%s", (expected, source) => {
  expect(line(source)).toBe(expected);
});

test("where it was decided is said wherever else it is read, and by whom", () => {
  const decided = { status: "denied", by: { kind: "owner", id: "Anna", surface: "cli" } } as const;
  expect(line({ decided })).toBe("⊘ Not changed: notes/plan.md · Anna denied it in the terminal");
  expect(line({}, { ...about, surface: "cli" })).toContain("you allowed it on the page");
});

test("a hostile note is one line, with its tricks written out", () => {
  const note = `x\u202ey\n${"z".repeat(500)}`;
  const told = line({ decided: { status: "denied", by: owner, note } });
  expect(told).toContain("you said “x\\u202ey\\nzzz");
  expect(told.length).toBeLessThan(220);
});
