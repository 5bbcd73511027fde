import type { Grant } from "./approval.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import { isSameBinding, type JobBinding } from "../schedule/job-binding.ts";
import type { ToolContract } from "../tool/tool.ts";

/** A call, as far as a grant looks at it. */
export interface GrantedCall {
  readonly contract: Pick<ToolContract, "id" | "labels">;
  readonly contractHash: string;
  readonly sessionId?: string;
  readonly input: unknown;
  /** What a grant over this call may be bound to, where the tool itself says so. */
  readonly keys?: readonly GrantKey[];
  /** The job whose run makes it. */
  readonly job?: JobBinding;
  /** How often each grant was used in this run, by its id. */
  readonly usedInRun?: ReadonlyMap<string, number>;
}

/** One thing that a standing permission can be bound to: this very call, or those like it. */
export interface GrantKey {
  readonly scope: "call" | "similar";
  readonly match: Readonly<Record<string, unknown>>;
  /** The same in words, for the owner. */
  readonly words: string;
}

/** What a permission for a job can be bound to: this very thing, what lies in its folder, or its host. */
export const GRANT_CONSTRAINTS = ["exact", "folder", "host"] as const;
export type GrantConstraint = (typeof GRANT_CONSTRAINTS)[number];

/** How the words of a grant say that it is good in its session only. */
export const GRANTED_HERE = " in this session";

/** All by which a grant decides what it covers, and for how long; a receipt commits to it. */
export function boundsOf({
  toolId,
  scope,
  match,
  sessionId,
  contractHash,
  expiresAt,
  usesMax,
  job,
  usesPerRun,
}: Omit<Grant, "id" | "createdAt" | "createdBy" | "uses" | "words">): Readonly<Record<string, unknown>> {
  return {
    toolId,
    scope,
    contractHash,
    ...(match === undefined ? {} : { match }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(usesMax === undefined ? {} : { usesMax }),
    ...(job === undefined ? {} : { job }),
    ...(usesPerRun === undefined ? {} : { usesPerRun }),
  };
}

/** Whether a grant may still be used at this moment. */
export function isLive(grant: Grant, at: number): boolean {
  if (grant.revokedAt !== undefined) return false;
  if (grant.expiresAt !== undefined && grant.expiresAt <= at) return false;
  return grant.usesMax === undefined || grant.uses < grant.usesMax;
}

/**
 * Whether the owner's standing permission means this call. A changed tool is never meant. What was
 * allowed while the owner was there says nothing of runs that nobody watches, and the other way round:
 * a permission is for one job as it was, or for runs that no job began.
 */
export function grantCovers(grant: Grant, call: GrantedCall, at: number): boolean {
  if (!isLive(grant, at)) return false;
  if (grant.toolId !== call.contract.id || grant.contractHash !== call.contractHash) return false;
  if (grant.sessionId !== undefined && grant.sessionId !== call.sessionId) return false;
  if (!isSameBinding(grant.job, call.job)) return false;
  if (grant.usesPerRun !== undefined && (call.usedInRun?.get(grant.id) ?? 0) >= grant.usesPerRun)
    return false;
  // A tool that says what a grant binds can do too much to be granted as a whole.
  if (grant.scope === "tool") return call.keys === undefined;
  if (grant.match === undefined) return false;
  const exact = call.keys?.map((key) => key.match) ?? [criticalArguments(call.contract, call.input)];
  const bound = grant.job === undefined ? exact : [...exact, ...hostMatches(call)];
  return bound.some((match) => sameValue(grant.match, match));
}

/** The grant to use for a call: of several, one over the very call goes before one over the whole tool. */
export function findGrant(grants: readonly Grant[], call: GrantedCall, at: number): Grant | undefined {
  const covering = grants.filter((grant) => grantCovers(grant, call, at));
  return covering.find((grant) => grant.scope === "call") ?? covering[0];
}

/**
 * The arguments that decide what a call is about; this is what a grant of scope `call`
 * keeps as its `match`. Where a tool names none, or all of them, every argument counts:
 * a grant over nothing in particular would be one over everything.
 */
export function criticalArguments(
  contract: Pick<ToolContract, "labels">,
  input: unknown,
): Readonly<Record<string, unknown>> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return { input };
  const { critical } = contract.labels;
  const all = critical.length === 0 || critical.includes("*");
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== undefined && (all || critical.includes(name))),
  );
}

/** What a permission for a host is bound to: the hosts of all addresses, and every other critical argument as it is. */
export interface HostMatch {
  readonly hosts: Readonly<Record<string, string>>;
  readonly rest: Readonly<Record<string, unknown>>;
}

/**
 * The critical arguments of a call with the origins of its web addresses in their place; undefined
 * where it has none, and where the tool says itself what a grant is bound to.
 */
export function hostMatchOf({
  contract,
  input,
  keys,
}: Pick<GrantedCall, "contract" | "input" | "keys">): HostMatch | undefined {
  if (keys !== undefined) return undefined;
  const hosts: Record<string, string> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(criticalArguments(contract, input))) {
    const origin = originOf(value);
    if (origin === undefined) rest[name] = value;
    else hosts[name] = origin;
  }
  return Object.keys(hosts).length === 0 ? undefined : { hosts, rest };
}

function hostMatches(call: GrantedCall): readonly Readonly<Record<string, unknown>>[] {
  const match = hostMatchOf(call);
  return match === undefined ? [] : [{ ...match }];
}

/** Of an address that a person would recognise by its host: one with a name or password in it has none. */
function originOf(value: unknown): string | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined;
  const { protocol, origin, username, password } = new URL(value);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && username === "" && password === "" ? origin : undefined;
}

/** Equal as JSON: the order of keys does not matter, types do. What JSON cannot hold equals nothing. */
function sameValue(a: unknown, b: unknown): boolean {
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}
