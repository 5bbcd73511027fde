import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Grant } from "@elwood/core/policy/approval";
import { criticalArguments } from "@elwood/core/policy/grant";
import { LIMITS } from "@elwood/core/base/limits";
import type { OwnerRule } from "@elwood/core/policy/policy";
import { makeRedactor } from "@elwood/core/base/redact";
import type { ToolSource } from "@elwood/runtime/ports/gate-ports";
import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { sha256 } from "@elwood/platform/system";
import { makePolicyService, type PolicyServiceDeps } from "./policy-service.ts";
import { ToolRegistry } from "./tool-registry.ts";

const HERE = { egress: "none", output: "trusted", critical: ["path"], sensitive: false } as const;
const ran: string[] = [];

const write = defineTool({
  id: "files.file.write",
  description: "Writes a file.",
  risk: "write",
  input: z.object({ path: z.string(), content: z.string().default("") }),
  labels: HERE,
  facts: (input) =>
    input.path.startsWith("state/")
      ? [{ kind: "deny" as const, rule: "hard.own-state", reason: "That is Elwood's own state." }]
      : [],
  preview: () => {
    ran.push("preview");
    return { sentence: "" };
  },
  handler: () => ran.push("handler"),
});
const send = defineTool({
  id: "mail.message.send",
  description: "Sends mail.",
  risk: "write",
  input: z.object({ to: z.string(), text: z.string() }),
  labels: { egress: "third_party", critical: ["to"] },
  handler: () => ran.push("handler"),
});

async function policyService(
  more: {
    readonly tools?: readonly ToolDefinition[];
    readonly source?: ToolSource;
    readonly rules?: readonly OwnerRule[];
    readonly approver?: boolean;
    readonly grants?: readonly Grant[];
    readonly known?: string;
    readonly now?: number;
    readonly clock?: ManualClock;
    readonly typed?: readonly string[];
    /** Told each time that permissions are looked up. */
    readonly looksUpGrants?: () => void;
  } = {},
) {
  const group = { source: more.source ?? "built-in", tools: more.tools ?? [write, send] } as const;
  const registry = new ToolRegistry(async () => [group], { sha256 });
  await registry.reload();
  const ledger: PolicyServiceDeps["ledger"] = {
    grants: async () => {
      more.looksUpGrants?.();
      return more.grants ?? [];
    },
    knownContract: async () => more.known,
    approvals: async () => [],
    call: async () => undefined,
    grant: async () => undefined,
    callsOfRun: async () => [],
  };
  return makePolicyService({
    registry,
    rules: more.rules ?? [],
    mode: "balanced",
    approver: more.approver ?? true,
    conversation: async () => ({
      typed: more.typed ?? [],
      seen: [],
      denials: [],
      afterDenial: [],
      wholeText: [],
    }),
    ledger,
    sha256,
    redact: makeRedactor([]),
    clock: more.clock ?? new ManualClock({ start: more.now ?? 100 }),
  });
}

async function grantFor(tool: ToolDefinition, input: unknown, more: Partial<Grant> = {}): Promise<Grant> {
  const { contract, contractHash } = (await policyService()).toolSnapshot().get(tool.id)!;
  return {
    id: "grt_1",
    toolId: tool.id,
    scope: "call",
    match: criticalArguments(contract, input),
    contractHash,
    createdAt: 0,
    createdBy: { kind: "owner", id: "o", surface: "cli" },
    uses: 0,
    words: "",
    ...more,
  };
}

test("a tool that does not say in time what its call is about is denied, and no longer waited for", async () => {
  const clock = new ManualClock();
  const silent = defineTool({ ...write, facts: () => new Promise<never>(() => undefined) });
  const explained = (await policyService({ tools: [silent], clock })).explain("t", silent.id, { path: "a" });
  await clock.untilAsleep((ms) => ms === LIMITS.toolFactsMs);
  await clock.advance(LIMITS.toolFactsMs);
  expect(await explained).toMatchObject({ decision: "deny", rule: "hard.facts-failed", layer: 1 });
});

test("a grant covers nothing of a tool that does not say in time what grants are bound to", async () => {
  const clock = new ManualClock();
  const silent = defineTool({ ...write, grantKeys: () => new Promise<never>(() => undefined) });
  const grants = [await grantFor(silent, { path: "a" })];
  const explained = (await policyService({ tools: [silent], grants, clock })).explain("t", silent.id, {
    path: "a",
  });
  await clock.untilAsleep((ms) => ms === LIMITS.toolFactsMs);
  await clock.advance(LIMITS.toolFactsMs);
  expect(await explained).toMatchObject({ decision: "ask" });
});

test("permissions are looked up only where one has a say", async () => {
  let looks = 0;
  const looksUpGrants = () => (looks += 1);
  const looksFor = async (more: Parameters<typeof policyService>[0], approved = false) => {
    looks = 0;
    const policy = await policyService({ ...more, looksUpGrants });
    const tool = policy.toolSnapshot().get(write.id)!;
    const input = { path: "a", content: "" };
    await policy.verdictFor("t", tool, input, "ses_1", approved ? { approved } : {});
    return looks;
  };
  const rule = (decision: OwnerRule["decision"]) => [{ tool: write.id, decision, origin: "config.yaml:1" }];
  expect(await looksFor({})).toBe(1);
  expect(await looksFor({ rules: rule("ask") })).toBe(1);
  expect(await looksFor({ rules: rule("ask") }, true)).toBe(1);
  expect(await looksFor({ source: "workspace" })).toBe(1);
  expect(await looksFor({ rules: rule("allow") })).toBe(0);
  expect(await looksFor({ rules: rule("deny") })).toBe(0);
  expect(await looksFor({}, true)).toBe(0);
  expect(await looksFor({ tools: [defineTool({ ...write, risk: "read" })] })).toBe(0);
});

test("that a call does no harm is believed of Elwood's own tools alone", async () => {
  const looking = defineTool({
    ...write,
    facts: () => [{ kind: "harmless" as const, rule: "shell.safe", reason: "It only looks." }],
  });
  const verdict = async (source: ToolSource) =>
    (await policyService({ tools: [looking], source, known: "x" })).explain("t", looking.id, { path: "a" });
  expect(await verdict("built-in")).toMatchObject({ decision: "allow", rule: "shell.safe" });
  expect(await verdict("workspace")).toMatchObject({ decision: "ask" });
  expect(await verdict("mcp")).toMatchObject({ decision: "ask" });
});

test("a grant over calls that are alike covers them, as the tool itself defines alike", async () => {
  const like = defineTool({
    ...write,
    grantKeys: (input) => {
      const folder = (input as { path: string }).path.split("/")[0];
      return [{ scope: "similar" as const, match: { folder }, words: `files in ${folder}` }];
    },
  });
  const given = await grantFor(write, {}, { match: { folder: "notes" } });
  const { contractHash } = (await policyService({ tools: [like] })).toolSnapshot().get(like.id)!;
  const asking = await policyService({ tools: [like], grants: [{ ...given, contractHash }] });
  expect(await asking.explain("t", like.id, { path: "notes/b.md" })).toMatchObject({ rule: "grant" });
  expect(await asking.explain("t", like.id, { path: "other/b.md" })).toMatchObject({ decision: "ask" });
  const whole = { ...given, contractHash, scope: "tool" as const };
  const tooWide = await policyService({ tools: [like], grants: [whole] });
  expect(await tooWide.explain("t", like.id, { path: "notes/b.md" })).toMatchObject({ decision: "ask" });
});

test("OA-14: what the owner asked for themselves in that session needs no question; outside of one, nothing was asked for", async () => {
  const asking = await policyService({ typed: ["Put it into notes.md"] });
  const explain = (path: string, session?: string) =>
    asking.explain("t", "files.file.write", { path }, session);
  expect(await explain("notes.md", "ses_1")).toMatchObject({
    decision: "allow",
    rule: "authority",
    layer: 5,
  });
  expect(await explain("other.md", "ses_1")).toMatchObject({ decision: "ask", rule: "authority.value" });
  expect(await explain("notes.md")).toMatchObject({ decision: "ask", rule: "authority.none" });
});

describe("explaining a call", () => {
  test("OA-3: tells decision, rule, layer, reason and target, and runs nothing", async () => {
    const found = await (await policyService()).explain("t", "write_file", { path: "notes.md" });
    expect(found).toMatchObject({ decision: "ask", rule: "authority.none", layer: 5, target: "notes.md" });
    expect(found?.reason).toContain("nothing that you typed asks for it");
    expect(found).not.toHaveProperty("problems");
    expect(ran).toEqual([]);
  });

  test("includes the schema: an input that does not fit is refused before the policy is asked", async () => {
    const found = await (await policyService()).explain("t", "files.file.write", { pth: "a" });
    expect(found).toMatchObject({
      decision: "deny",
      rule: "input.invalid",
      layer: 0,
      problems: [
        'pth: there is no such argument; the tool takes path, content. Did you mean "path"?',
        "path: expected text, got nothing. It is required.",
      ],
    });
  });

  test("includes what the tool finds out about this very call", async () => {
    const found = await (await policyService()).explain("t", "files.file.write", { path: "state/elwood.db" });
    expect(found).toMatchObject({ decision: "deny", rule: "hard.own-state", layer: 1 });
  });

  test("EL-14: includes the owner's rules, with the line they stand on", async () => {
    const rules = [{ tool: "files.*", decision: "allow", origin: "config.yaml:31" }] as const;
    const found = await (await policyService({ rules })).explain("t", "files.file.write", { path: "a" });
    expect(found).toMatchObject({ decision: "allow", rule: "owner.allow", layer: 6 });
    expect(found?.reason).toContain("config.yaml:31");
  });

  test("EL-14: includes grants, each within what it covers", async () => {
    const input = { to: "ann@example.com", text: "hi" };
    const grants = [await grantFor(send, input)];
    const asked = async (other: unknown, session?: string, more: Partial<Grant> = {}) => {
      const each = await policyService({ grants: grants.map((grant) => ({ ...grant, ...more })) });
      return (await each.explain("t", "mail.message.send", other, session))?.decision;
    };
    expect(await asked(input)).toBe("allow");
    expect(await asked({ ...input, text: "something else" })).toBe("allow");
    expect(await asked({ ...input, to: "eve@example.com" })).toBe("ask");
    expect(await asked(input, "ses_2", { sessionId: "ses_1" })).toBe("ask");
    expect(await asked(input, "ses_1", { sessionId: "ses_1" })).toBe("allow");
    expect(await asked(input, undefined, { expiresAt: 100 })).toBe("ask");
    expect(await asked(input, undefined, { scope: "tool" })).toBe("ask");
    expect(await asked(input, undefined, { contractHash: "other" })).toBe("ask");
  });

  test("says that nobody can be asked where nobody is configured", async () => {
    const found = await (
      await policyService({ approver: false })
    ).explain("t", "files.file.write", { path: "a" });
    expect(found).toMatchObject({ decision: "ask", problems: [expect.stringContaining("would be denied")] });
  });

  test("knows no tool that is not there", async () => {
    expect(await (await policyService()).explain("t", "files.file.wrote", {})).toBeUndefined();
  });
});

describe("the verdict", () => {
  test("is what explaining tells, for the same call", async () => {
    const rules = [{ tool: "mail.*", decision: "deny", origin: "config.yaml:1" }] as const;
    const each = await policyService({ rules });
    for (const [toolId, input] of [
      ["files.file.write", { path: "a", content: "" }],
      ["files.file.write", { path: "state/a", content: "" }],
      ["mail.message.send", { to: "a", text: "b" }],
    ] as const) {
      const verdict = await each.verdictFor("t", each.toolSnapshot().get(toolId)!, input, "ses_1");
      expect(await each.explain("t", toolId, input, "ses_1")).toMatchObject({ ...verdict });
    }
  });

  test("names the grant that lifted the question", async () => {
    const input = { path: "a", content: "" };
    const each = await policyService({ grants: [await grantFor(write, input)] });
    const verdict = await each.verdictFor("t", each.toolSnapshot().get(write.id)!, input);
    expect(verdict).toMatchObject({ decision: "allow", rule: "grant", grantId: "grt_1" });
  });

  test("denies a call whose facts cannot be found out", async () => {
    const broken = defineTool({
      ...write,
      facts: () => {
        throw new Error("disk");
      },
    });
    const each = await policyService({
      tools: [broken],
      rules: [{ tool: "*", decision: "allow", origin: "x:1" }],
    });
    const verdict = await each.verdictFor("t", each.toolSnapshot().get(write.id)!, { path: "a" });
    expect(verdict).toMatchObject({ decision: "deny", rule: "hard.facts-failed", layer: 1 });
  });
});

describe("a tool's standing", () => {
  test.each<[ToolSource, "none" | "same" | "other", string]>([
    ["built-in", "none", "granted"],
    ["built-in", "other", "granted"],
    ["workspace", "none", "new"],
    ["workspace", "same", "granted"],
    ["workspace", "other", "changed"],
    ["mcp", "none", "new"],
  ])("from %s, with %s known of it, is %s", async (source, knownAs, expected) => {
    const { contractHash } = (await policyService({ source })).toolSnapshot().get(write.id)!;
    const known = { none: undefined, same: contractHash, other: "h" }[knownAs];
    const each = await policyService({ source, ...(known === undefined ? {} : { known }) });
    const tool = each.toolSnapshot().get(write.id)!;
    expect(await each.standing("t", tool)).toBe(expected);
    const { layer } = await each.verdictFor("t", tool, { path: "a" });
    expect(layer).toBe(expected === "granted" ? 5 : 3);
  });
});
