import type { Grant } from "./approval.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import type { ToolContract } from "../tool/tool.ts";

/** A call, as far as a grant looks at it. */
export interface GrantedCall {
  readonly contract: Pick<ToolContract, "id" | "labels">;
  readonly contractHash: string;
  readonly sessionId?: string;
  readonly input: unknown;
  /** What a grant over this call may be bound to, where the tool itself says so. */
  readonly keys?: readonly GrantKey[];
}

/** One thing that a standing permission can be bound to: this very call, or those like it. */
export interface GrantKey {
  readonly scope: "call" | "similar";
  readonly match: Readonly<Record<string, unknown>>;
  /** The same in words, for the owner. */
  readonly words: string;
}

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
}: Omit<Grant, "id" | "createdAt" | "createdBy" | "uses" | "words">): Readonly<Record<string, unknown>> {
  return {
    toolId,
    scope,
    contractHash,
    ...(match === undefined ? {} : { match }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(usesMax === undefined ? {} : { usesMax }),
  };
}

/** Whether a grant may still be used at this moment. */
export function isLive(grant: Grant, at: number): boolean {
  if (grant.revokedAt !== undefined) return false;
  if (grant.expiresAt !== undefined && grant.expiresAt <= at) return false;
  return grant.usesMax === undefined || grant.uses < grant.usesMax;
}

/** Whether the owner's standing permission means this call. A changed tool is never meant. */
export function grantCovers(grant: Grant, call: GrantedCall, at: number): boolean {
  if (!isLive(grant, at)) return false;
  if (grant.toolId !== call.contract.id || grant.contractHash !== call.contractHash) return false;
  if (grant.sessionId !== undefined && grant.sessionId !== call.sessionId) return false;
  // A tool that says what a grant binds can do too much to be granted as a whole.
  if (grant.scope === "tool") return call.keys === undefined;
  if (grant.match === undefined) return false;
  const bound = call.keys?.map((key) => key.match) ?? [criticalArguments(call.contract, call.input)];
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

/** Equal as JSON: the order of keys does not matter, types do. What JSON cannot hold equals nothing. */
function sameValue(a: unknown, b: unknown): boolean {
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}
