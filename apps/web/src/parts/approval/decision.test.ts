import { cardOf } from "@elwood/core/card/card";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { describe, expect, test } from "vitest";
import { fieldsOf, inputOf, isEditable, needsCare, outcomeText, riskOf } from "./decision.ts";

const bare: Omit<WireApproval, "card"> = {
  approvalId: "apr_1",
  kind: "approval",
  callId: "call_1",
  runId: "run_1",
  sessionKey: "ses_1",
  toolName: "files.file.write",
  summary: "Write notes.txt",
  details: { path: "notes.txt", content: "one\ntwo", lines: 2 },
  digest: "d",
  risk: "write",
  rule: "mode.strict",
  reason: "It changes something.",
  sources: [],
  decisions: ["once", "window", "always"],
  showable: true,
  createdAt: 1,
  expiresAt: 2,
  decided: { status: "pending" },
};
const card: WireApproval = { ...bare, card: cardOf(bare) };

describe("what may be edited", () => {
  test("an input is edited field by field and comes back as it was", () => {
    const fields = fieldsOf(card.details as Record<string, unknown>);
    expect(fields.map(({ name, json }) => [name, json])).toEqual([
      ["path", false],
      ["content", false],
      ["lines", true],
    ]);
    expect(inputOf(fields)).toEqual({ input: card.details });
  });

  test("a field that is no longer JSON is named, and nothing is made of it", () => {
    expect(inputOf([{ name: "lines", text: "{", json: true }])).toEqual({
      problem: "“lines” is not valid JSON. Nothing was decided.",
    });
  });

  test.each([
    ["a plan", { plan: [] }],
    ["what is too long to be shown whole", { showable: false }],
    ["a question", { kind: "question" as const }],
    ["text whose tricks are written out", { details: { path: "a\\u202eb" } }],
    ["text with a written-out tag character", { details: { path: "a\\u{e0041}" } }],
    ["text with a written-out return", { details: { content: "a\\rb" } }],
    ["an input that is no record", { details: ["ls"] }],
  ])("%s is not edited here", (_what, change) => {
    expect(isEditable({ ...card, ...change })).toBe(false);
    expect(isEditable(card)).toBe(true);
  });
});

test("a press is not enough for what destroys something, or wants a word", () => {
  expect(needsCare(card)).toBe(false);
  expect(needsCare({ ...card, risk: "destructive" })).toBe(true);
  expect(needsCare({ ...card, confirm: "delete" })).toBe(true);
});

test.each([
  [
    {
      status: "approved" as const,
      decision: "once",
      by: { kind: "owner" as const, id: "owner", surface: "cli" },
    },
    "Allowed once by you on cli.",
  ],
  [{ status: "approved" as const, decision: "window" }, "Allowed for a while."],
  [{ status: "approved" as const, decision: "always" }, "Allowed until revoked."],
  [{ status: "denied" as const }, "Denied."],
  [{ status: "expired" as const }, "Expired: nobody decided in time. It was not done."],
])("how it was decided is said truthfully: %o", (decided, words) => {
  expect(outcomeText({ ...card, decided })).toBe(words);
});

test("a plan is as risky as the worst of its calls", () => {
  const step = { toolId: "files.file.write", input: {}, digest: "d", summary: "", rule: "" };
  const plan = [
    { ...step, risk: "write" },
    { ...step, risk: "destructive" },
  ];
  expect(riskOf({ risk: "read", plan })).toBe("destructive");
  expect(riskOf({ risk: "read", plan: plan.slice(0, 1) })).toBe("write");
  expect(riskOf(card)).toBe("write");
});
