import type { Grant } from "@elwood/core/policy/approval";
import { findGrant } from "@elwood/core/policy/grant";
import { LIMITS } from "@elwood/core/base/limits";
import {
  decide,
  isGrantHeard,
  isLiftable,
  MODE_LAYER,
  sourceWords,
  type CallFact,
  type OwnerRule,
  type PolicyFacts,
  type PolicyMode,
  type Verdict,
} from "@elwood/core/policy/policy";
import type { Authority, CallEffect, CallNames, Conversation } from "@elwood/core/authority/authority";
import type { Readings } from "@elwood/core/request/readings";
import type { Redactor } from "@elwood/core/base/redact";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { asLabelled, labelOf } from "@elwood/core/tool/tool-label";
import { isRecord } from "@elwood/core/base/is-record";
import { carriesNothingPrivate, searchesForNothingPrivate } from "@elwood/core/policy/open-address";
import { matchesTool, type Decision, type ToolContract } from "@elwood/core/tool/tool";
import { grantKeysOf } from "@elwood/runtime/gate/approvals";
import type {
  CallBeingDecided,
  CallState,
  Ledger,
  RegisteredTool,
  ToolSnapshot,
} from "@elwood/runtime/ports/gate-ports";
import { withinTime } from "@elwood/runtime/async/deadline";
import type { RunConversation } from "@elwood/runtime/gate/conversation-provenance";
import type { Clock } from "@elwood/runtime/ports/ports";
import { idleRules } from "./idle-rules.ts";
import { isOnlyTyped } from "./written-tools.ts";
import type { Reloaded, ToolRegistry } from "./tool-registry.ts";

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
  /** The owner's words that ask for the call, or that came nearest to it. */
  readonly clause?: string;
  /** The critical values of the call, as `name: value`. */
  readonly values?: readonly string[];
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
    about?: CallBeingDecided & { readonly typed?: string },
  ): Promise<Verdict>;
  /** undefined where there is no such tool. */
  explain(
    tenant: string,
    toolId: string,
    input: unknown,
    sessionId?: string,
    /** As if the owner had typed this message, in place of what the session holds. */
    typed?: string,
  ): Promise<Explanation | undefined>;
  /** `new` and `changed` tools ask every time. */
  standing(tenant: string, tool: RegisteredTool): Promise<"granted" | "new" | "changed">;
  /** The default for changes that no rule covers. */
  readonly mode: PolicyMode;
  /** Takes effect with the next decision. */
  setMode(mode: PolicyMode): void;
  /** The same for the owner's rules. */
  setRules(rules: readonly OwnerRule[]): void;
  /** The strictest of the owner's rules that speak of a tool. */
  ruleOf(toolId: string): OwnerRule | undefined;
  /** The owner's rules that speak of no tool there is now, in words. */
  idleRules(): readonly string[];
  /** Called after an erasure: messages are read again. */
  clearCache(): void;
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
  readonly ledger: Pick<Ledger, "grants" | "knownContract" | "approvals" | "call" | "grant" | "callsOfRun">;
  /** What was typed for a run, and seen in its conversation. */
  readonly conversation: (tenant: string, sessionId: string, runId?: string) => Promise<RunConversation>;
  /** Whether a conversation holds more than the owner's words and public pages; where nobody can say, it does. */
  readonly hasPrivate?: (tenant: string, sessionId: string) => Promise<boolean>;
  /** Since when the owner's rules are as they are; where nobody can say, no permission is newer. */
  readonly rulesSince?: (tenant: string) => Promise<number>;
  /** Whether a tool's code was written in this run, all of it allowed by the owner. */
  readonly writtenInRun?: (tenant: string, runId: string, tool: RegisteredTool) => Promise<boolean>;
  /** Why a tenant may not use a tool at all; undefined where it may. */
  readonly tenantRefusal?: ((tenant: string, toolId: string) => string | undefined) | undefined;
  readonly redact: Redactor;
  readonly sha256: Sha256;
  readonly clock: Clock;
  /** The owner's. */
  readonly timeZone?: string;
}

type AuthorityModule = typeof import("@elwood/core/authority/authority");

export function makePolicyService(deps: PolicyServiceDeps): PolicyService {
  const { registry, ledger, clock } = deps;
  let { mode, rules } = deps;
  const reserved = new Reservations();

  const standingOf = (tool: RegisteredTool, known: string | undefined) => {
    if (tool.source === "built-in") return "granted";
    if (known === undefined) return "new";
    const isKnown =
      known === tool.contractHash || labelOf(known, tool.contractHash, deps.sha256) !== undefined;
    return isKnown ? "granted" : "changed";
  };
  const knownOf = async (tenant: string, { source, contract }: RegisteredTool) =>
    source === "built-in" ? undefined : ledger.knownContract(tenant, contract.id);
  const standing: PolicyService["standing"] = async (tenant, tool) =>
    standingOf(tool, await knownOf(tenant, tool));

  let module: AuthorityModule | undefined;
  let readings: Readings | undefined;
  const verdictFor: PolicyService["verdictFor"] = async (tenant, tool, input, sessionId, about = {}) => {
    const { contractHash, claims } = tool;
    const refused = deps.tenantRefusal?.(tenant, tool.contract.id);
    if (refused !== undefined) return { decision: "deny", rule: "hard.tenant", layer: 1, reason: refused };
    const known = await knownOf(tenant, tool);
    // A label that is given or taken back counts at once, also for runs that began before.
    const contract = claims
      ? asLabelled(tool.contract, labelOf(known, contractHash, deps.sha256), claims)
      : tool.contract;
    const at = clock.now();
    const ungranted: PolicyFacts = {
      contract,
      standing: standingOf(tool, known),
      facts: await factsOf(tool, input, sessionId, clock),
      rules,
      mode,
      ...((await sendsNothingPrivate(tenant, contract.id, input, sessionId)) ? { carriesNothing: true } : {}),
    };
    const first = decide(ungranted);
    // In most calls no permission has a say; and once the owner has allowed one, the mode asks nothing more of it.
    const isOpen =
      (isGrantHeard(first) && !(about.approved && first.layer === MODE_LAYER)) ||
      ungranted.standing !== "granted";
    const grant = isOpen ? await grantFor(tenant, tool, contract, input, sessionId, about, at) : undefined;
    const facts: PolicyFacts = grant ? { ...ungranted, grant } : ungranted;
    const verdict = grant ? decide(facts) : first;
    // What was said and read matters only where somebody would be asked, and looking it up takes a while.
    if (
      verdict.decision !== "ask" ||
      (sessionId === undefined && about.typed === undefined) ||
      about.approved
    )
      return verdict;
    const { timeZone } = deps;
    const heard = {
      ...(about.typed === undefined
        ? await deps.conversation(tenant, sessionId ?? "", about.runId)
        : { typed: [about.typed], seen: [] }),
      today: daysAround(at),
      ...(timeZone === undefined ? {} : { clock: { now: at, timeZone } }),
      redact: deps.redact,
    };
    if (facts.standing !== "granted" && isOnlyTyped(input, heard.typed)) {
      const first = await firstUse(tenant, tool, facts, about.runId);
      if (first.decision === "allow") return first;
    }
    if (mode === "strict" || !isLiftable(verdict)) return withSources(verdict, heard);
    // Loaded with the first question: a start does not need it.
    module ??= await import("@elwood/core/authority/authority");
    readings ??= new (await import("@elwood/core/request/readings")).Readings();
    const conversation = { ...heard, readings };
    const { authorise } = module;
    let names: CallNames = {};
    let authority = authorise(contract, input, conversation);
    if (!authority.authorised && tool.names && tool.source === "built-in") {
      names = await namesOf(tool, input, clock);
      authority = authorise(contract, input, conversation, names);
    }
    // What it would change is looked at only where nothing else stands in its way, or where a value may be meant by other words.
    const looks =
      authority.authorised ||
      (authority.rule === "authority.value" && contract.canUndo && tool.replaces !== undefined);
    const effect = looks ? await effectOf(tool, input, clock, module) : {};
    if (!authority.authorised && effect.adds !== undefined)
      authority = authorise(contract, input, conversation, names, effect);
    if (authority.authorised && Object.keys(effect).length > 0)
      authority = authorise(contract, input, conversation, names, effect);
    if (!authority.authorised && deps.knownDestinations === true) {
      const { knownDestinations } = await import("./known-destinations.ts");
      const known = await knownDestinations(ledger, tenant, tool);
      const looked = await effectOf(tool, input, clock, module);
      authority = authorise(contract, input, { ...conversation, known }, names, looked);
    }
    if (
      authority.authorised &&
      "denials" in conversation &&
      (await isDenied(tool, input, effect, conversation))
    )
      // What the owner wrote beside their last denial is their newest word.
      authority = orDenied(
        authority,
        authorise(contract, input, { ...conversation, typed: conversation.afterDenial }, names, effect),
        module,
      );
    const { runId } = "runId" in conversation ? conversation : about;
    const again = ("again" in conversation ? conversation.again : undefined) ?? [];
    authority = await stillOpen(
      tenant,
      tool,
      authority,
      { ...about, ...(runId === undefined ? {} : { runId }), again },
      module,
    );
    return withSources(decide({ ...facts, authority }), conversation);
  };

  /** The standing permission that covers a call. */
  async function grantFor(
    tenant: string,
    tool: RegisteredTool,
    contract: ToolContract,
    input: unknown,
    sessionId: string | undefined,
    about: CallBeingDecided,
    at: number,
  ): Promise<PolicyFacts["grant"]> {
    const grants = await ledger.grants(tenant, { live: true, at });
    if (grants.length === 0) return undefined;
    const keys = tool.grantKeys ? await grantKeysOf(tool, input, clock) : undefined;
    const call = {
      contract,
      contractHash: tool.contractHash,
      input,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(keys ? { keys } : {}),
      ...(about.job ? { job: about.job, usedInRun: await usedInRun(tenant, grants, about) } : {}),
    };
    const grant = findGrant(grants, call, at);
    return (
      grant && {
        id: grant.id,
        scope: grant.scope,
        sinceRules:
          asksByRule(contract.id) && grant.createdAt >= ((await deps.rulesSince?.(tenant)) ?? Infinity),
      }
    );
  }

  /** A tool that was written for this message, in a call that hands it nothing else than the owner typed. */
  async function firstUse(
    tenant: string,
    tool: RegisteredTool,
    facts: PolicyFacts,
    runId: string | undefined,
  ): Promise<Verdict> {
    const isWritten =
      tool.source === "workspace" &&
      runId !== undefined &&
      (await deps.writtenInRun?.(tenant, runId, tool)) === true;
    return decide(isWritten ? { ...facts, standing: "written" } : facts);
  }

  /** Looked up only where a permission is for so many uses in a run. */
  async function usedInRun(
    tenant: string,
    grants: readonly Grant[],
    { runId }: CallBeingDecided,
  ): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>();
    if (runId === undefined || !grants.some(({ usesPerRun }) => usesPerRun !== undefined)) return uses;
    for (const { grantId } of await ledger.callsOfRun(tenant, runId))
      if (grantId !== undefined) uses.set(grantId, (uses.get(grantId) ?? 0) + 1);
    return uses;
  }

  const asksByRule = (toolId: string) =>
    rules.some(({ tool, decision }) => decision === "ask" && matchesTool(tool, toolId));

  /** Looked up only where the older rules allow the tool: nobody else asks for it. */
  async function sendsNothingPrivate(
    tenant: string,
    toolId: string,
    input: unknown,
    sessionId: string | undefined,
  ): Promise<boolean> {
    if (sessionId === undefined || !isRecord(input)) return false;
    const sent = toolId === FETCH_TOOL ? input.url : toolId === SEARCH_TOOL ? input.query : undefined;
    if (typeof sent !== "string") return false;
    if (!rules.some((rule) => rule.older && rule.decision === "allow" && matchesTool(rule.tool, toolId)))
      return false;
    const { wholeText, seen } = await deps.conversation(tenant, sessionId);
    const hasPrivate = (await deps.hasPrivate?.(tenant, sessionId)) ?? true;
    const open = seen.filter(({ sensitive }) => !sensitive).map(({ value }) => JSON.stringify(value) ?? "");
    const context = { typed: wholeText, open, hasPrivate, redact: deps.redact };
    const year = new Date(clock.now()).getUTCFullYear();
    return toolId === FETCH_TOOL
      ? carriesNothingPrivate(sent, context)
      : searchesForNothingPrivate(sent, { ...context, year });
  }

  /** What the owner asked for is used up by the calls that were made for it. */
  async function stillOpen(
    tenant: string,
    tool: RegisteredTool,
    authority: Authority,
    { runId, callId, planned = [], again }: CallBeingDecided & { readonly again: readonly string[] },
    { useKey, usedUp }: AuthorityModule,
  ): Promise<Authority> {
    if (!authority.authorised || authority.use.times === undefined || runId === undefined) return authority;
    const { key, times } = authority.use;
    const { contract } = tool;
    const isSame = async (input: unknown) =>
      isSealed(input) || useKey(contract, input, await spellingOf(tool, input, clock)) === key;
    const rows = [...(await ledger.callsOfRun(tenant, runId))];
    for (const id of again) rows.push(...(await ledger.callsOfRun(tenant, id)));
    const counted = new Set<string>();
    for (const row of rows)
      if (row.toolId === contract.id && row.callId !== callId && USING.has(row.state))
        if (await isSame(row.executedInput)) counted.add(row.callId);
    for (const other of reserved.of(runId, key))
      if (other !== callId && !rows.some((row) => row.callId === other && NOT_USING.has(row.state)))
        counted.add(other);
    let listed = 0;
    for (const { toolId, input } of planned) if (toolId === contract.id && (await isSame(input))) listed += 1;
    if (counted.size + listed >= times) return usedUp(authority);
    if (callId !== undefined) reserved.add(runId, key, callId);
    return authority;
  }

  /** Whether the owner denied a call of this tool in the run, or any about the same thing. */
  async function isDenied(
    tool: RegisteredTool,
    input: unknown,
    effect: CallEffect,
    { denials }: Pick<RunConversation, "denials">,
  ): Promise<boolean> {
    if (denials.length === 0 || module === undefined) return false;
    // A look at one place that was denied says nothing of another place.
    const { id, risk } = tool.contract;
    if (risk !== "read" && denials.some(({ toolId }) => toolId === id)) return true;
    const own = module.criticalOf(tool.contract, input, effect);
    for (const { toolId, input: asked } of denials) {
      const other = registry.toolSnapshot().get(toolId);
      if (other === undefined) continue;
      const values = module.criticalOf(other.contract, asked, await spellingOf(other, asked, clock));
      if ([...own].some((value) => values.has(value))) return true;
    }
    return false;
  }

  return {
    get mode() {
      return mode;
    },
    setMode(next) {
      mode = next;
    },
    setRules(next) {
      rules = next;
    },
    ruleOf(toolId) {
      const about = rules.filter(({ tool }) => matchesTool(tool, toolId));
      const decisive = (["deny", "ask", "allow"] as const).find((each) =>
        about.some(({ decision }) => decision === each),
      );
      const spoken = about.filter(({ decision }) => decision === decisive);
      return spoken.find(({ tool }) => tool === toolId) ?? spoken[0];
    },
    verdictFor,
    standing,
    async explain(tenant, toolId, input, sessionId, typed) {
      const tool = registry.toolSnapshot().get(toolId);
      if (tool === undefined) return undefined;
      const parsed = tool.parseInput(input);
      if (!parsed.ok) return refusedInput(parsed.error);
      const { grantId: _grant, ...verdict } = await verdictFor(
        tenant,
        tool,
        parsed.value,
        sessionId,
        typed === undefined ? {} : { typed },
      );
      const target = await tool.target(parsed.value);
      return {
        ...verdict,
        ...(target === undefined ? {} : { target }),
        ...(verdict.decision === "ask" && !deps.approver ? { problems: [NO_APPROVER] } : {}),
      };
    },
    clearCache: () => readings?.clear(),
    idleRules: () => idleRules(rules, registry.toolSnapshot(), registry),
    toolSnapshot: () => registry.toolSnapshot(),
    reload: () => registry.reload(),
    problems: () => registry.problems(),
  };
}

/** Its address is all that the one sends, its query all that the other does. */
const FETCH_TOOL = "web.page.fetch";
const SEARCH_TOOL = "web.search.query";

const SOURCES_MAX = 6;

/** On the card stands first where the value came from, then what else the conversation read that anybody may have written. */
function withSources(verdict: Verdict, { seen }: Pick<Conversation, "seen">): Verdict {
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
    const facts = await withinTime(clock, LIMITS.toolFactsMs, () => tool.facts(input, about));
    // That a call does no harm, or can be undone, is believed of Elwood's own tools alone.
    return tool.source === "built-in" ? facts : facts.filter(({ kind }) => kind === "deny" || kind === "ask");
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

/** Calls in these states have been made, or will be. One that failed did not happen, and may be tried again. */
const USING: ReadonlySet<CallState> = new Set(["approved", "started", "succeeded", "unknown"]);
const NOT_USING: ReadonlySet<CallState> = new Set(["failed", "refused", "denied", "expired"]);

/** An input with a secret in it cannot be compared; it counts as the same. */
function isSealed(input: unknown): boolean {
  return JSON.stringify(input ?? "").includes("[[vault:");
}

type Granted = Extract<Authority, { authorised: true }>;

function orDenied(before: Granted, since: Authority, { denied }: AuthorityModule): Authority {
  return since.authorised ? since : denied(before);
}

/** What a call is about, in one spelling, and what it takes away. */
async function effectOf(
  tool: RegisteredTool,
  input: unknown,
  clock: Pick<Clock, "sleep">,
  { lossOf, addedBy }: AuthorityModule,
): Promise<CallEffect> {
  const spelled = await spellingOf(tool, input, clock);
  if (!tool.replaces || tool.source !== "built-in") return spelled;
  try {
    const change = await withinTime(clock, LIMITS.toolFactsMs, async () => tool.replaces?.(input));
    const loses = lossOf(change);
    const adds = addedBy(change);
    return {
      ...spelled,
      ...(loses === undefined ? {} : { loses }),
      ...(adds === undefined ? {} : { adds }),
    };
  } catch {
    // What cannot be looked at may be lost.
    return { ...spelled, loses: "all" };
  }
}

async function spellingOf(
  tool: RegisteredTool,
  input: unknown,
  clock: Pick<Clock, "sleep">,
): Promise<Pick<CallEffect, "spelling">> {
  if (!tool.spelling || tool.source !== "built-in") return {};
  try {
    const spelling = await withinTime(clock, LIMITS.toolFactsMs, async () => tool.spelling?.(input));
    return spelling === undefined ? {} : { spelling };
  } catch {
    // As it is written, it is only the same as itself.
    return {};
  }
}

async function namesOf(
  tool: RegisteredTool,
  input: unknown,
  clock: Pick<Clock, "sleep">,
): Promise<CallNames> {
  try {
    return await withinTime(clock, LIMITS.toolFactsMs, async () => (await tool.names?.(input)) ?? {});
  } catch {
    // Without other names the call must be named as it is.
    return {};
  }
}

const RESERVED_RUNS_MAX = 200;

/** Calls that were let go and are not on record yet, so that two at once do not both use the same words. */
class Reservations {
  readonly #runs = new Map<string, Map<string, Set<string>>>();

  of(runId: string, key: string): ReadonlySet<string> {
    return this.#runs.get(runId)?.get(key) ?? new Set();
  }

  add(runId: string, key: string, callId: string): void {
    const keys = this.#runs.get(runId) ?? new Map<string, Set<string>>();
    keys.set(key, (keys.get(key) ?? new Set()).add(callId));
    this.#runs.delete(runId);
    this.#runs.set(runId, keys);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > RESERVED_RUNS_MAX && oldest !== undefined) this.#runs.delete(oldest);
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

/** What day it is, in whatever time zone. The same for all of an hour. */
function daysAround(at: number): readonly string[] {
  const hour = Math.floor(at / HOUR_MS);
  if (daysOfHour?.hour !== hour)
    daysOfHour = {
      hour,
      days: [-12, 0, 14].map((hours) => new Date((hour + hours) * HOUR_MS).toISOString().slice(0, 10)),
    };
  return daysOfHour.days;
}
let daysOfHour: { readonly hour: number; readonly days: readonly string[] } | undefined;
