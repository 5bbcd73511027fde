import type { Approval } from "@elwood/core/policy/approval";
import type { CallRow, Ledger, RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import { expect, test } from "vitest";
import { knownDestinations } from "./known-destinations.ts";

const ANNA = { to: "anna@acme.example", amount: 5, body: "x" };
const OWNER = { kind: "owner", id: "owner", surface: "page" } as const;

function approval(
  more: Omit<Partial<Approval>, "card"> & { card?: Partial<Approval["card"]> } = {},
): Approval {
  const { card, ...rest } = more;
  return {
    id: "apr_1",
    callId: "call_1",
    runId: "run_1",
    sessionId: "ses_1",
    toolId: "mail.message.send",
    digest: "",
    card: {
      kind: "approval",
      toolId: "mail.message.send",
      summary: "",
      input: ANNA,
      risk: "write",
      rule: "authority.value",
      reason: "",
      sources: [],
      decisions: ["once"],
      showable: true,
      ...card,
    },
    status: "approved",
    createdAt: 0,
    expiresAt: 1,
    decidedBy: OWNER,
    ...rest,
  };
}

const tool = {
  contract: { id: "mail.message.send", labels: { ...WORST_LABELS, critical: ["to", "amount"] }, input: {} },
  contractHash: "h1",
} as unknown as RegisteredTool;

async function known(
  approved: Approval,
  more: { hash?: string; revoked?: boolean; tool?: RegisteredTool } = {},
) {
  const ledger: Pick<Ledger, "approvals" | "call" | "grant"> = {
    approvals: async () => [approved],
    call: async () => ({ contractHash: more.hash ?? "h1" }) as CallRow,
    grant: async () =>
      more.revoked ? ({ revokedAt: 1 } as Awaited<ReturnType<Ledger["grant"]>>) : undefined,
  };
  const found = await knownDestinations(ledger, "default", more.tool ?? tool);
  return [...found].map(([argument, places]) => [argument, ...places]);
}

test("a place of a call that the owner allowed by hand is known, and nothing else of it", async () => {
  expect(await known(approval())).toEqual([["to", "anna@acme.example"]]);
});

test("where the owner changed the call, what they wrote is known and what was asked for is not", async () => {
  const changed = approval({ editedInput: { ...ANNA, to: "bob@acme.example" } });
  expect(await known(changed)).toEqual([["to", "bob@acme.example"]]);
});

test.each<[string, Approval, Parameters<typeof known>[1]]>([
  ["another tool", approval({ toolId: "mail.message.forward" }), {}],
  ["the tool as it was before it changed", approval(), { hash: "h0" }],
  ["what a grant decided", approval({ decidedBy: { kind: "grant", grantId: "grt_1" } }), {}],
  ["what the policy decided", approval({ decidedBy: { kind: "policy", rule: "x" } }), {}],
  ["a whole plan", approval({ card: { plan: [] } }), {}],
  ["a question", approval({ card: { kind: "question" } }), {}],
  ["a grant that was revoked since", approval({ grantId: "grt_1" }), { revoked: true }],
  ["a tool that says itself what is bound", approval(), { tool: { ...tool, grantKeys: async () => [] } }],
])("nothing is known from %s", async (_what, approved, more) => {
  expect(await known(approved, more)).toEqual([]);
});
