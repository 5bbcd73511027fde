import { describe, expect, test } from "vitest";
import {
  decide,
  isLiftable,
  offersLonger,
  type CallFact,
  type OwnerRule,
  type PolicyFacts,
} from "./policy.ts";
import type { Authority } from "../authority/authority.ts";
import type { Decision, ToolContract } from "../tool/tool.ts";

const contract: ToolContract = {
  id: "files.file.write",
  description: "Writes a file.",
  risk: "write",
  labels: {
    egress: "none",
    output: "trusted",
    critical: ["path"],
    ids: {},
    content: [],
    time: [],
    sensitive: false,
  },
  requiresApproval: false,
  idempotent: false,
  canPreview: false,
  canUndo: false,
  canReconcile: false,
  timeoutMs: 1_000,
  input: {},
  output: {},
};
const base: PolicyFacts = { contract, standing: "granted", facts: [], rules: [], mode: "strict" };
const reading: ToolContract = { ...contract, id: "files.file.read", risk: "read" };
const sending: ToolContract = {
  ...contract,
  id: "mail.message.send",
  labels: { ...contract.labels, egress: "third_party" },
};
const rule = (decision: Decision, tool = "*", origin = "config.yaml:3"): OwnerRule => ({
  tool,
  decision,
  origin,
});
const fact = (kind: CallFact["kind"]): CallFact => ({
  kind,
  rule: kind === "deny" ? "hard.own-state" : "ask.agent-file",
  reason: kind === "deny" ? "That is Elwood's own state." : "It changes who Elwood is.",
});
const grant = (scope: "call" | "tool") => ({ id: "grt_1", scope });

type Row = readonly [
  what: string,
  facts: PolicyFacts,
  decision: Decision,
  rule: string,
  layer: number,
  words: string,
];

const withTool = (more: Partial<ToolContract>): PolicyFacts => ({
  ...base,
  contract: { ...contract, ...more },
});
const as = (tool: ToolContract, more: Partial<PolicyFacts> = {}): PolicyFacts => ({
  ...base,
  ...more,
  contract: tool,
});

const asked: Authority = {
  authorised: true,
  reason: "You asked for it.",
  clause: "Write b.txt",
  values: ["path: b.txt"],
  use: { key: "k", times: 1 },
};
const undoable: CallFact = {
  kind: "undoable",
  rule: "files.undo-kept",
  reason: "A copy is kept for 30 days.",
};
const unasked: Authority = {
  authorised: false,
  rule: "authority.value",
  argument: "path",
  reason: "“Write a.txt” does not say “b.txt” (path); the model wrote it.",
  origin: { from: "model" },
};
const harmless: CallFact = { kind: "harmless", rule: "shell.safe", reason: "It only looks." };

const ROWS: readonly Row[] = [
  [
    "a call that does no harm, of a tool that can",
    { ...base, facts: [harmless] },
    "allow",
    "shell.safe",
    7,
    "only looks",
  ],
  [
    "a harmless call of a destructive tool",
    { ...withTool({ risk: "destructive" }), facts: [harmless] },
    "ask",
    "ask.destructive",
    3,
    "Destructive calls always ask.",
  ],
  [
    "a harmless call about which something else asks",
    { ...base, facts: [harmless, fact("ask")] },
    "ask",
    "ask.agent-file",
    3,
    "who Elwood is",
  ],
  [
    "a harmless call that the owner wants to be asked about",
    { ...base, facts: [harmless], rules: [rule("ask")] },
    "ask",
    "owner.ask",
    4,
    "config.yaml:3",
  ],
  [
    "a hard deny",
    { ...base, facts: [fact("deny")] },
    "deny",
    "hard.own-state",
    1,
    "That is Elwood's own state.",
  ],
  [
    "the owner's deny",
    { ...base, rules: [rule("deny", "files.*")] },
    "deny",
    "owner.deny",
    2,
    "Your rule at config.yaml:3 denies files.*.",
  ],
  [
    "the owner's deny of all",
    { ...base, rules: [rule("deny")] },
    "deny",
    "owner.deny",
    2,
    "denies every tool",
  ],
  ["a destructive call", withTool({ risk: "destructive" }), "ask", "ask.destructive", 3, "always ask"],
  [
    "a fact that asks",
    { ...base, facts: [fact("ask")] },
    "ask",
    "ask.agent-file",
    3,
    "It changes who Elwood is.",
  ],
  ["a new tool", { ...base, standing: "new" }, "ask", "ask.new-tool", 3, "The tool is new"],
  ["a changed tool", { ...base, standing: "changed" }, "ask", "ask.changed-tool", 3, "not the one you knew"],
  ["a read by a new tool", as(reading, { standing: "new" }), "ask", "ask.new-tool", 3, "The tool is new"],
  [
    "a look by a tool that was written for this message",
    as(
      { ...reading, labels: { ...reading.labels, egress: "third_party" } },
      { standing: "written", mode: "balanced" },
    ),
    "allow",
    "tool.first-use",
    5,
    "nothing but what you typed",
  ],
  [
    "the same, where the owner wants to be asked about everything",
    as({ ...reading, labels: { ...reading.labels, egress: "third_party" } }, { standing: "written" }),
    "ask",
    "ask.new-tool",
    3,
    "The tool is new",
  ],
  [
    "the same, with a key",
    as({ ...reading, secrets: ["KEY"] }, { standing: "written", mode: "balanced" }),
    "ask",
    "ask.new-tool",
    3,
    "The tool is new",
  ],
  [
    "a change by a tool that was written for this message",
    { ...base, standing: "written", mode: "balanced" },
    "ask",
    "ask.new-tool",
    3,
    "The tool is new",
  ],
  [
    "the owner's rule about a tool that was written for this message",
    as(reading, { standing: "written", mode: "balanced", rules: [rule("ask")] }),
    "ask",
    "owner.ask",
    4,
    "config.yaml:3",
  ],
  [
    "a tool that wants to be asked",
    withTool({ policy: { default: "ask" } }),
    "ask",
    "ask.tool-policy",
    3,
    "wants to be asked",
  ],
  [
    "a tool that requires approval",
    withTool({ requiresApproval: true }),
    "ask",
    "ask.tool-policy",
    3,
    "wants to be asked",
  ],
  [
    "a tool that denies itself",
    withTool({ policy: { default: "deny" } }),
    "deny",
    "tool.deny",
    3,
    "own policy denies",
  ],
  [
    "a tool that denies itself and is destructive",
    withTool({ policy: { default: "deny" }, risk: "destructive" }),
    "deny",
    "tool.deny",
    3,
    "own policy denies",
  ],
  [
    "the owner's ask",
    { ...base, rules: [rule("ask", "files.file.write")] },
    "ask",
    "owner.ask",
    4,
    "asks for files.file.write",
  ],
  [
    "the owner's ask for a read",
    as(reading, { rules: [rule("ask")] }),
    "ask",
    "owner.ask",
    4,
    "asks for every tool",
  ],
  ["a write", base, "ask", "mode.strict", 5, "in the mode strict every such call asks"],
  [
    "a write in balanced",
    { ...base, mode: "balanced" },
    "ask",
    "authority.none",
    5,
    "nothing that you typed asks for it",
  ],
  [
    "a write in balanced that the owner spoke of",
    { ...base, mode: "balanced", authority: asked },
    "allow",
    "authority",
    5,
    "You asked for it.",
  ],
  [
    "a write in balanced that they spoke of otherwise",
    { ...base, mode: "balanced", authority: unasked },
    "ask",
    "authority.value",
    5,
    "does not say “b.txt”",
  ],
  [
    "a write in strict that the owner spoke of",
    { ...base, authority: asked },
    "ask",
    "mode.strict",
    5,
    "in the mode strict every such call asks",
  ],
  [
    "what destroys, though the owner spoke of it",
    { ...withTool({ risk: "destructive" }), mode: "balanced", authority: asked },
    "ask",
    "ask.destructive",
    3,
    "Destructive calls always ask.",
  ],
  [
    "a write that the owner did not speak of, but gave a rule for",
    { ...base, mode: "balanced", authority: unasked, rules: [rule("allow")] },
    "allow",
    "owner.allow",
    6,
    "config.yaml:3",
  ],
  [
    "a change in trusting that can be undone",
    { ...base, mode: "trusting", facts: [undoable] },
    "allow",
    "mode.trusting",
    5,
    "30 days",
  ],
  [
    "a delete in trusting whose copy is kept",
    { ...withTool({ risk: "destructive" }), mode: "trusting", facts: [undoable] },
    "allow",
    "mode.trusting",
    5,
    "30 days",
  ],
  [
    "a delete in trusting without a copy",
    { ...withTool({ risk: "destructive" }), mode: "trusting" },
    "ask",
    "ask.destructive",
    3,
    "always ask",
  ],
  [
    "a change in trusting that cannot be undone",
    { ...base, mode: "trusting" },
    "ask",
    "authority.none",
    5,
    "nothing that you typed asks for it",
  ],
  [
    "a message in trusting, whatever its tool says of itself",
    as(sending, { mode: "trusting", facts: [undoable] }),
    "ask",
    "authority.none",
    5,
    "outside this machine",
  ],
  [
    "a change in balanced that can be undone and was not asked for",
    { ...base, mode: "balanced", facts: [undoable] },
    "ask",
    "authority.none",
    5,
    "nothing that you typed asks for it",
  ],
  ["a write outside", as(sending), "ask", "mode.strict", 5, "outside this machine"],
  [
    "a read that carries something out",
    as({ ...sending, risk: "read" }),
    "ask",
    "mode.strict",
    5,
    "It carries something out",
  ],
  [
    "a write outside with the owner's allow",
    as(sending, { rules: [rule("allow", "mail.*")] }),
    "ask",
    "mode.strict",
    5,
    "Your rule at config.yaml:3 allows mail.*. That does not cover where the data goes.",
  ],
  [
    "a write outside with a grant of the tool",
    as(sending, { grant: grant("tool") }),
    "ask",
    "mode.strict",
    5,
    "outside",
  ],
  [
    "a write with the owner's allow",
    { ...base, rules: [rule("allow", "files.*")] },
    "allow",
    "owner.allow",
    6,
    "allows files.*",
  ],
  [
    "a write with a grant of the tool",
    { ...base, grant: grant("tool") },
    "allow",
    "grant",
    6,
    "standing permission for this tool",
  ],
  [
    "a write with a grant of the call",
    { ...base, grant: grant("call") },
    "allow",
    "grant",
    6,
    "standing permission for this very call",
  ],
  [
    "a write outside with a grant of the call",
    as(sending, { grant: grant("call") }),
    "allow",
    "grant",
    6,
    "this very call",
  ],
  ["a read", as(reading), "allow", "read", 7, "It only reads, and carries nothing out."],
  [
    "a read that the tool wishes allowed",
    as({ ...reading, policy: { default: "allow" } }),
    "allow",
    "read",
    7,
    "only reads",
  ],
  [
    "a write that the tool wishes allowed",
    withTool({ policy: { default: "allow" } }),
    "ask",
    "mode.strict",
    5,
    "asks",
  ],
  [
    "a read with a grant, which needs none",
    as(reading, { grant: grant("tool") }),
    "allow",
    "read",
    7,
    "only reads",
  ],
];

describe("OA-3: what the policy says", () => {
  test.each(ROWS)("%s", (_what, facts, decision, ruleId, layer, words) => {
    const verdict = decide(facts);
    expect(verdict).toMatchObject({ decision, rule: ruleId, layer });
    expect(verdict.reason).toContain(words);
    expect(verdict.grantId).toBe(ruleId === "grant" ? "grt_1" : undefined);
  });

  test("several reasons to ask are all told, under the name of the first", () => {
    const verdict = decide({
      ...withTool({ risk: "destructive" }),
      standing: "changed",
      facts: [fact("ask")],
    });
    expect(verdict.rule).toBe("ask.destructive");
    for (const words of ["always ask", "who Elwood is", "not the one you knew"]) {
      expect(verdict.reason).toContain(words);
    }
  });

  test("of the owner's rules in a layer, the one that names the tool most exactly is told about", () => {
    const rules = [
      rule("deny", "*", "a:1"),
      rule("deny", "files.*", "a:2"),
      rule("deny", "files.file.write", "a:3"),
      rule("deny", "files.file.*", "a:4"),
      rule("deny", "mail.message.send", "a:5"),
    ];
    expect(decide({ ...base, rules }).reason).toContain("a:3");
    expect(decide({ ...base, rules: rules.toReversed() }).reason).toContain("a:3");
    expect(
      decide(
        as(
          { ...contract, id: "a.b.c" },
          { rules: [rule("ask", "a.b.*", "a:1"), rule("ask", "a.b.c", "a:2")] },
        ),
      ).reason,
    ).toContain("a:2");
  });

  test("a longer answer can help only where the mode asked", () => {
    for (const [, facts, decision, , layer] of ROWS) {
      expect(isLiftable(decide(facts))).toBe(decision === "ask" && layer === 5);
    }
  });
});

describe("rules written beside the safe commands", () => {
  const older = (decision: Decision, tool = "*"): OwnerRule => ({ ...rule(decision, tool), older: true });
  const harmless: CallFact = { kind: "harmless", rule: "shell.safe", reason: "It only looks." };
  const fetching: ToolContract = { ...sending, id: "web.page.fetch", risk: "read" };

  test("an ask does not stop what only looks, unless policy.rules asks too", () => {
    expect(decide({ ...base, facts: [harmless], rules: [older("ask")] })).toMatchObject({
      rule: "shell.safe",
    });
    for (const facts of [
      { ...base, rules: [older("ask")] },
      { ...base, facts: [harmless], rules: [rule("ask")] },
      { ...base, facts: [harmless], rules: [older("ask"), rule("ask")] },
    ])
      expect(decide(facts)).toMatchObject({ decision: "ask", rule: "owner.ask" });
  });

  test("an allow lets out what carries nothing private, in no other mode than it should", () => {
    const facts = as(fetching, { mode: "balanced", rules: [older("allow")], carriesNothing: true });
    expect(decide(facts)).toMatchObject({ decision: "allow", rule: "owner.allow" });
    const { carriesNothing: _none, ...unknown } = facts;
    for (const other of [
      unknown,
      { ...facts, rules: [rule("allow")] },
      { ...facts, mode: "strict" as const },
      { ...facts, rules: [older("allow"), rule("ask")] },
      { ...facts, facts: [fact("ask")] },
    ])
      expect(decide(other).decision).toBe("ask");
  });
});

describe("a standing permission that answers a rule which asks", () => {
  const since = { ...grant("call"), sinceRules: true };

  test("keeps it from being asked again, where it was given under that rule", () => {
    const facts = { ...base, rules: [rule("ask")] };
    expect(offersLonger(decide(facts))).toBe(true);
    expect(decide({ ...facts, grant: since })).toMatchObject({
      decision: "allow",
      rule: "grant",
      grantId: "grt_1",
    });
    expect(decide({ ...facts, grant: grant("call") })).toMatchObject({ decision: "ask", rule: "owner.ask" });
  });

  test("lifts nothing that a layer before it says, and lets nothing out as a whole tool", () => {
    const facts = { ...base, rules: [rule("ask")], grant: since };
    expect(decide({ ...facts, facts: [fact("ask")] })).toMatchObject({ decision: "ask", layer: 3 });
    expect(decide({ ...facts, rules: [rule("ask"), rule("deny")] })).toMatchObject({ decision: "deny" });
    const whole = { ...grant("tool"), sinceRules: true };
    expect(decide(as(sending, { rules: [rule("ask")], grant: whole }))).toMatchObject({ rule: "owner.ask" });
  });
});

/** Something that makes each layer speak, to be laid over any other. */
const SPEAK: Readonly<Record<number, (facts: PolicyFacts) => PolicyFacts>> = {
  1: (f) => ({ ...f, facts: [...f.facts, fact("deny")] }),
  2: (f) => ({ ...f, rules: [...f.rules, rule("deny")] }),
  3: (f) => ({ ...f, facts: [...f.facts, fact("ask")] }),
  4: (f) => ({ ...f, rules: [...f.rules, rule("ask")] }),
  5: (f) => ({ ...f, contract: { ...f.contract, risk: "write" } }),
  6: (f) => ({ ...f, rules: [...f.rules, rule("allow")], grant: grant("call") }),
  7: (f) => f,
};
const PAIRS = [1, 2, 3, 4, 5, 6, 7].flatMap((low) =>
  [1, 2, 3, 4, 5, 6, 7].flatMap((high) => (low < high ? [[low, high] as const] : [])),
);

describe("of two layers that speak, the lower number decides", () => {
  test.each(PAIRS)("%i before %i", (low, high) => {
    const both = SPEAK[low]!(SPEAK[high]!(as(reading)));
    const swapped = SPEAK[high]!(SPEAK[low]!(as(reading)));
    // 6 says only whether 5 still asks; where 5 does not ask it has nothing to say.
    const expected = low === 5 && high === 6 ? 6 : low === 6 ? 7 : low;
    expect(decide(both).layer).toBe(expected);
    expect(decide(swapped).layer).toBe(expected);
  });
});
