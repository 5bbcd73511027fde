import { cardOf } from "@elwood/core/card/card";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { describe, expect, test } from "vitest";
import { alikeOf, groupTitle } from "./alike.ts";
import { fieldsOf, inputOf, isEditable, needsCare, outcomeLine, riskOf } from "./decision.ts";

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
      ["content", false],
      ["path", false],
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

const destructive = { ...card, card: { ...card.card, destructive: true } };

test("a press is not enough for what destroys something, or wants a word", () => {
  expect(needsCare(card)).toBe(false);
  expect(needsCare(destructive)).toBe(true);
  expect(needsCare({ ...card, confirm: "delete" })).toBe(true);
});

test("a plan is as risky as the worst of its calls, a command as what it does", () => {
  const step = { toolId: "files.file.write", input: {}, digest: "d", summary: "", rule: "", risk: "write" };
  expect(riskOf({ ...card, risk: "read", plan: [step] })).toBe("write");
  expect(riskOf({ ...destructive, risk: "read" })).toBe("destructive");
  expect(riskOf(card)).toBe("write");
});

describe("calls that are asked about together", () => {
  const other = { ...card, approvalId: "apr_2" };

  test("are those of one run and of one kind, and are counted in the title", () => {
    const elsewhere = { ...card, approvalId: "apr_3", runId: "run_2" };
    const alike = alikeOf(card, [card, other, elsewhere]);
    expect(alike).toEqual([card, other]);
    expect(groupTitle(alike)).toBe("Write 2 files");
  });

  test.each<[string, Partial<WireApproval>]>([
    ["what destroys something", { card: destructive.card }],
    ["what is too long to be shown", { showable: false }],
    ["a plan", { plan: [] }],
    ["what wants a word", { confirm: "allow" }],
    ["what is decided", { decided: { status: "denied" } }],
  ])("%s is asked about alone", (_what, change) => {
    const alone = { ...other, ...change };
    expect(alikeOf(alone, [card, alone])).toEqual([alone]);
    expect(alikeOf(card, [card, alone])).toEqual([card]);
  });
});

test("what was decided is one line, and says where only if that was elsewhere", () => {
  const by = { kind: "owner" as const, id: "owner", surface: "cli" };
  const line = outcomeLine({ ...card, decided: { status: "denied", by } });
  expect(`${line.words} · ${line.how}`).toBe("Not changed: notes.txt · you denied it in the terminal");
});
