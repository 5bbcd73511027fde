import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, isGrantHeard, type CallFact, type OwnerRule, type PolicyFacts } from "./policy.ts";
import { EGRESS, RISKS, WORST_LABELS, type Decision, type ToolContract } from "../tool/tool.ts";

fc.configureGlobal({ seed: 20_261_115 });

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

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };
const strictness = (facts: PolicyFacts) => STRICTNESS[decide(facts).decision];

const decisions = fc.constantFrom<Decision>("allow", "ask", "deny");
const someRule = fc.record({
  tool: fc.constantFrom("*", "files.*", "files.file.*", "files.file.write", "mail.*"),
  decision: decisions,
  origin: fc.constant("config.yaml:1"),
});
const someFact = fc.constantFrom<CallFact>(fact("deny"), fact("ask"));
const someContract = fc
  .record({
    risk: fc.constantFrom(...RISKS),
    egress: fc.constantFrom(...EGRESS),
    policy: fc.option(decisions),
    requiresApproval: fc.boolean(),
    idempotent: fc.boolean(),
  })
  .map(({ egress, policy, ...rest }): ToolContract => ({
    ...contract,
    ...rest,
    labels: { ...contract.labels, egress },
    ...(policy === null ? {} : { policy: { default: policy } }),
  }));
const someFacts = fc
  .record({
    contract: someContract,
    standing: fc.constantFrom<PolicyFacts["standing"]>("granted", "new", "changed"),
    facts: fc.array(someFact, { maxLength: 2 }),
    rules: fc.array(someRule, { maxLength: 4 }),
    mode: fc.constantFrom<PolicyFacts["mode"]>("balanced", "strict"),
    scope: fc.option(fc.constantFrom<"call" | "tool">("call", "tool")),
  })
  .map(({ scope, ...facts }): PolicyFacts => ({
    ...facts,
    ...(scope === null ? {} : { grant: grant(scope) }),
  }));

describe("whatever the facts", () => {
  test("OA-2: nothing a tool wishes for lowers a decision", () => {
    fc.assert(
      fc.property(someFacts, (facts) => {
        const { policy: _policy, ...rest } = facts.contract;
        const silent = { ...facts, contract: { ...rest, requiresApproval: false } };
        expect(strictness(facts)).toBeGreaterThanOrEqual(strictness(silent));
      }),
    );
  });

  test("nothing that is found out about a call lowers a decision", () => {
    fc.assert(
      fc.property(someFacts, someFact, (facts, more) => {
        expect(strictness({ ...facts, facts: [...facts.facts, more] })).toBeGreaterThanOrEqual(
          strictness(facts),
        );
      }),
    );
  });

  test("what a tool says of itself beside its risk, its labels and its wish changes nothing", () => {
    fc.assert(
      fc.property(someFacts, fc.boolean(), fc.string(), (facts, can, description) => {
        const told = {
          ...facts.contract,
          description,
          idempotent: can,
          canUndo: can,
          canPreview: can,
          canReconcile: can,
        };
        expect(decide({ ...facts, contract: told })).toEqual(decide(facts));
      }),
    );
  });

  test("EL-14: one more deny or ask of the owner's never makes it laxer, and a deny that fits denies", () => {
    fc.assert(
      fc.property(someFacts, someRule, fc.nat(4), (facts, more, at) => {
        const rules = facts.rules.toSpliced(at, 0, more);
        if (more.decision !== "allow") {
          expect(strictness({ ...facts, rules })).toBeGreaterThanOrEqual(strictness(facts));
        }
        if (more.decision === "deny" && !more.tool.startsWith("mail")) {
          expect(decide({ ...facts, rules }).decision).toBe("deny");
        }
      }),
    );
  });

  test("the order of the owner's rules does not matter", () => {
    fc.assert(
      fc.property(someFacts, (facts) => {
        expect(decide({ ...facts, rules: facts.rules.toReversed() })).toEqual(decide(facts));
      }),
    );
  });

  test("no grant and no rule lets a destructive call run unasked", () => {
    fc.assert(
      fc.property(someFacts, (facts) => {
        const destructive: PolicyFacts = {
          ...facts,
          contract: { ...facts.contract, risk: "destructive" },
          grant: grant("call"),
        };
        expect(decide(destructive).decision).not.toBe("allow");
      }),
    );
  });

  test("a tool without labels never runs unasked, whatever rule there is", () => {
    fc.assert(
      fc.property(someFacts, ({ grant: _grant, ...facts }) => {
        const unlabelled = { ...facts, contract: { ...facts.contract, labels: WORST_LABELS } };
        expect(decide(unlabelled).decision).not.toBe("allow");
        expect(decide({ ...unlabelled, grant: grant("tool") }).decision).not.toBe("allow");
      }),
    );
  });

  test("a grant or an allow rule takes away the mode's question and nothing else", () => {
    fc.assert(
      fc.property(someFacts, ({ grant: _grant, ...facts }) => {
        const plain = decide(facts);
        const lifted = decide({ ...facts, rules: [...facts.rules, rule("allow")], grant: grant("call") });
        if (plain.layer < 5) expect(lifted).toEqual(plain);
        if (lifted.decision === "allow") expect(plain.layer).toBeGreaterThanOrEqual(5);
      }),
    );
  });

  test("a grant that is not heard changes nothing of a verdict", () => {
    const kinds = fc.array(fc.constantFrom<CallFact["kind"]>("deny", "ask", "harmless", "undoable"), {
      maxLength: 2,
    });
    const scopes = fc.constantFrom<"call" | "tool">("call", "tool");
    const given = [someFacts, kinds, scopes, fc.boolean(), fc.boolean()] as const;
    fc.assert(
      fc.property(...given, (some, found, scope, sinceRules, carriesNothing) => {
        const { grant: _none, ...rest } = some;
        const without = { ...rest, facts: found.map(fact), carriesNothing };
        const verdict = decide(without);
        if (!isGrantHeard(verdict))
          expect(decide({ ...without, grant: { ...grant(scope), sinceRules } })).toEqual(verdict);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a verdict names its rule, its layer and its reason in a sentence", () => {
    fc.assert(
      fc.property(someFacts, (facts) => {
        const verdict = decide(facts);
        expect(verdict.rule).toMatch(/^[a-z]+(\.[a-z-]+)?$/);
        expect(verdict.layer).toBeGreaterThanOrEqual(1);
        expect(verdict.layer).toBeLessThanOrEqual(7);
        expect(verdict.reason).toMatch(/^[A-Z].*\.$/s);
      }),
    );
  });
});
