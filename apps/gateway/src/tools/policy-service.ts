import { findGrant } from "@elwood/core/policy/grant";
import { LIMITS } from "@elwood/core/base/limits";
import {
  decide,
  isLiftable,
  sourceWords,
  type CallFact,
  type OwnerRule,
  type PolicyFacts,
  type PolicyMode,
  type Verdict,
} from "@elwood/core/policy/policy";
import type { Spoken } from "@elwood/core/said/who-said";
import type { Redactor } from "@elwood/core/base/redact";
import { isRecord } from "@elwood/core/base/is-record";
import { carriesNothingPrivate } from "@elwood/core/policy/open-address";
import { matchesTool, type Decision } from "@elwood/core/tool/tool";
import { grantKeysOf } from "@elwood/runtime/gate/approvals";
import type { Ledger, RegisteredTool, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { withTimeout } from "@elwood/runtime/async/deadline";
import type { Clock } from "@elwood/runtime/ports/ports";
import { idleRules } from "./idle-rules.ts";
import type { Reloaded, ToolRegistry } from "./tool-registry.ts";
import { knownDestinations } from "./known-destinations.ts";
import { whoSaid } from "@elwood/core/said/who-said";

/** What would happen to a call, and why. Nothing is run to find out. */
export interface Explanation {
  readonly decision: Decision;
  readonly rule: string;
  /** 1 to 7; 0 where the policy was not even asked. */
  readonly layer: number;
  readonly reason: string;
  readonly target?: string;
  /** What the conversation read that anybody may have written, where it asks. */
  readonly sources?: readonly string[];
  /** What else stands in the call's way. */
  readonly problems?: readonly string[];
}

/** Policy decisions about calls, for the gate and for `explain`. */
export interface PolicyService {
  /**
   * The decision on a call whose input the tool has checked. The same for the gate and for
   * `explain`. `approved`: the owner has allowed it, so what they said before is not looked up.
   */
  verdictFor(
    tenant: string,
    tool: RegisteredTool,
    input: unknown,
    sessionId?: string,
    standing?: { readonly approved: boolean },
  ): Promise<Verdict>;
  /** undefined where there is no such tool. */
  explain(
    tenant: string,
    toolId: string,
    input: unknown,
    sessionId?: string,
  ): Promise<Explanation | undefined>;
  /** `new` and `changed` tools ask every time. */
  standing(tenant: string, tool: RegisteredTool): Promise<"granted" | "new" | "changed">;
  /** The default for changes that no rule covers. */
  readonly mode: PolicyMode;
  /** The owner's rules that speak of no tool there is now, in words. */
  idleRules(): readonly string[];
  toolSnapshot(): ToolSnapshot;
  reload(): Promise<Reloaded>;
  /** Tools that were left out, and why. */
  problems(): readonly string[];
}

export interface PolicyServiceDeps {
  readonly registry: ToolRegistry;
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  /** Whether anybody is configured to be asked. */
  readonly approver: boolean;
  /** Whether places that the owner allowed before count as said. */
  readonly knownDestinations?: boolean;
  readonly ledger: Pick<Ledger, "grants" | "knownContract" | "approvals" | "call" | "grant">;
  /** What was said and seen in a conversation. */
  readonly spoken: (tenant: string, sessionId: string) => Promise<Spoken>;
  /** Whether a conversation holds more than the owner's words and public pages; where nobody can say, it does. */
  readonly hasPrivate?: (tenant: string, sessionId: string) => Promise<boolean>;
  /** Since when the owner's rules are as they are; where nobody can say, no permission is newer. */
  readonly rulesSince?: (tenant: string) => Promise<number>;
  readonly redact: Redactor;
  readonly clock: Clock;
}

export function makePolicyService(deps: PolicyServiceDeps): PolicyService {
  const { registry, rules, mode, ledger, clock } = deps;

  const standing: PolicyService["standing"] = async (tenant, tool) => {
    if (tool.source === "built-in") return "granted";
    const known = await ledger.knownContract(tenant, tool.contract.id);
    if (known === undefined) return "new";
    return known === tool.contractHash ? "granted" : "changed";
  };

  const verdictFor: PolicyService["verdictFor"] = async (tenant, tool, input, sessionId, asked) => {
    const { contract, contractHash } = tool;
    const at = clock.now();
    const grants = await ledger.grants(tenant, { live: true, at });
    const keys = grants.length > 0 && tool.grantKeys ? await grantKeysOf(tool, input, clock) : undefined;
    const call = {
      contract,
      contractHash,
      input,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(keys ? { keys } : {}),
    };
    const grant = findGrant(grants, call, at);
    const facts: PolicyFacts = {
      contract,
      standing: await standing(tenant, tool),
      facts: await factsOf(tool, input, sessionId, clock),
      rules,
      mode,
      ...(grant && {
        grant: {
          id: grant.id,
          scope: grant.scope,
          sinceRules:
            asksByRule(contract.id) && grant.createdAt >= ((await deps.rulesSince?.(tenant)) ?? Infinity),
        },
      }),
      ...((await opensAddress(tenant, contract.id, input, sessionId)) ? { carriesNothing: true } : {}),
    };
    const verdict = decide(facts);
    // What was said and read matters only where somebody would be asked, and looking it up takes a while.
    if (verdict.decision !== "ask" || sessionId === undefined || asked?.approved) return verdict;
    const today = daysAround(at);
    const spoken = { ...(await deps.spoken(tenant, sessionId)), today, redact: deps.redact };
    if (mode !== "balanced" || !isLiftable(verdict)) return withSources(verdict, spoken);
    const said = whoSaid(contract, input, spoken);
    if (said.said || deps.knownDestinations !== true) return withSources(decide({ ...facts, said }), spoken);
    const known = await knownDestinations(ledger, tenant, tool);
    return withSources(decide({ ...facts, said: whoSaid(contract, input, { ...spoken, known }) }), spoken);
  };

  const asksByRule = (toolId: string) =>
    rules.some(({ tool, decision }) => decision === "ask" && matchesTool(tool, toolId));

  /** Looked up only where the older rules allow the tool: nobody else asks for it. */
  async function opensAddress(
    tenant: string,
    toolId: string,
    input: unknown,
    sessionId: string | undefined,
  ): Promise<boolean> {
    if (toolId !== FETCH_TOOL || sessionId === undefined || !isRecord(input)) return false;
    if (!rules.some((rule) => rule.older && rule.decision === "allow" && matchesTool(rule.tool, toolId)))
      return false;
    const { url } = input;
    if (typeof url !== "string") return false;
    const { said, seen } = await deps.spoken(tenant, sessionId);
    const hasPrivate = (await deps.hasPrivate?.(tenant, sessionId)) ?? true;
    const open = seen.filter(({ sensitive }) => !sensitive).map(({ value }) => JSON.stringify(value) ?? "");
    return carriesNothingPrivate(url, { typed: said, open, hasPrivate, redact: deps.redact });
  }

  return {
    mode,
    verdictFor,
    standing,
    async explain(tenant, toolId, input, sessionId) {
      const tool = registry.toolSnapshot().get(toolId);
      if (tool === undefined) return undefined;
      const parsed = tool.parseInput(input);
      if (!parsed.ok) return refusedInput(parsed.error);
      const { grantId: _grant, ...verdict } = await verdictFor(tenant, tool, parsed.value, sessionId);
      const target = await tool.target(parsed.value);
      return {
        ...verdict,
        ...(target === undefined ? {} : { target }),
        ...(verdict.decision === "ask" && !deps.approver ? { problems: [NO_APPROVER] } : {}),
      };
    },
    idleRules: () => idleRules(rules, registry.toolSnapshot(), registry.off()),
    toolSnapshot: () => registry.toolSnapshot(),
    reload: () => registry.reload(),
    problems: () => registry.problems(),
  };
}

/** Its address is all that it sends. */
const FETCH_TOOL = "web.page.fetch";

const SOURCES_MAX = 6;

/** On the card stands first where the value came from, then what else the conversation read that anybody may have written. */
function withSources(verdict: Verdict, { seen }: Spoken): Verdict {
  if (verdict.decision !== "ask") return verdict;
  const named = verdict.sources ?? [];
  const read = seen
    .filter(({ trust, callId }) => trust !== "trusted" && !named.some((each) => each.endsWith(`(${callId})`)))
    .map((each) => sourceWords(each));
  const sources = [...new Set([...named, ...read.toReversed()])].slice(0, SOURCES_MAX);
  return sources.length === 0 ? verdict : { ...verdict, sources };
}

export const NO_APPROVER =
  "Nobody is configured to be asked (policy.approver is false), so the call would be denied.";

/** A tool that cannot say what its call is about is not run: what it would have said may be a reason to deny. */
async function factsOf(
  tool: RegisteredTool,
  input: unknown,
  session: string | undefined,
  clock: Pick<Clock, "sleep">,
): Promise<readonly CallFact[]> {
  try {
    const about = session === undefined ? {} : { session };
    const facts = await withTimeout(clock, LIMITS.toolFactsMs, () => tool.facts(input, about));
    // That a call does no harm is believed of Elwood's own tools alone.
    return tool.source === "built-in" ? facts : facts.filter(({ kind }) => kind !== "harmless");
  } catch {
    return [
      {
        kind: "deny",
        rule: "hard.facts-failed",
        reason: `What this call of ${tool.contract.id} is about could not be found out, so it is not made.`,
      },
    ];
  }
}

function refusedInput(problems: string): Explanation {
  return {
    decision: "deny",
    rule: "input.invalid",
    layer: 0,
    reason: "The input does not fit the tool, so the call would be refused before anybody is asked.",
    problems: problems
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^- /, "")),
  };
}

const HOUR_MS = 3_600_000;

/** What day it is, in whatever time zone. */
function daysAround(at: number): string[] {
  return [-12, 0, 14].map((hours) => new Date(at + hours * HOUR_MS).toISOString().slice(0, 10));
}
