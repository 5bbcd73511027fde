import { canonicalJson } from "./canonical-json.ts";

/**
 * A receipt is a fact that happened to a call or a run, written down once. Receipts of a
 * tenant form one chain: each holds the hash of the one before, so that none can be
 * changed, taken out or put in without every later hash being wrong.
 */
export const RECEIPT_TYPES = [
  "run.started",
  "run.resumed",
  "run.diverged",
  "run.finished",
  "tool.call.requested",
  "tool.call.refused",
  "tool.call.asked",
  "tool.call.approved",
  "tool.call.denied",
  "tool.call.expired",
  "tool.call.started",
  "tool.call.succeeded",
  "tool.call.failed",
  "tool.call.unknown",
  "tool.call.settled",
  "tool.call.undone",
  "grant.created",
  "grant.used",
  "grant.revoked",
  "policy.changed",
  "auth.accepted",
  "auth.refused",
  "auth.profile.rotated",
  "memory.recalled",
  "memory.forgotten",
  "reply.grounded",
  "reply.delivered",
  "reply.undeliverable",
  "log.checkpoint",
] as const;
export type ReceiptType = (typeof RECEIPT_TYPES)[number];

/** Who did it: a person and where, a grant they made, a rule, time, or nobody because nobody could be asked. */
export type Decider =
  | { readonly kind: "owner"; readonly id: string; readonly surface: string }
  | { readonly kind: "grant"; readonly grantId: string }
  | { readonly kind: "policy"; readonly rule: string }
  | { readonly kind: "expiry" }
  | { readonly kind: "none" };

/** The rule that refused a call for what it is. Calls given up with their run, program or question were refused by none. */
export function refusingRule(by: Decider | undefined): string | undefined {
  return by?.kind === "policy" && !/^(?:run|program|gate)\./.test(by.rule) ? by.rule : undefined;
}

export interface NewReceipt {
  readonly type: ReceiptType;
  readonly runId: string;
  readonly callId?: string;
  /** `model`, `gateway`, `owner`, a token's name. */
  readonly actor: string;
  readonly surface: string;
  /** Plain JSON; small. Inputs and outputs are here only as commitments. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Receipt extends NewReceipt {
  readonly v: 1;
  readonly tenant: string;
  readonly seq: number;
  readonly id: string;
  readonly ts: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** The first receipt of a call with the number that the call was given in its session; any other as it is. */
export function withCallNumber(receipt: NewReceipt, numbers: ReadonlyMap<string, number>): NewReceipt {
  const { type, callId, payload } = receipt;
  if (type !== "tool.call.requested" || callId === undefined) return receipt;
  const number = numbers.get(callId);
  return number === undefined ? receipt : { ...receipt, payload: { ...payload, number } };
}

/** SHA-256 as lower-case hex; handed in, since core has no crypto of its own. */
export type Sha256 = (data: string | Uint8Array) => string;

export const RECEIPT_DOMAIN = "elwood.receipt.v1\n";
/** What the first receipt names as the hash before it. */
export const FIRST_PREV_HASH = "0".repeat(64);

export function receiptHash(receipt: Omit<Receipt, "hash">, sha256: Sha256): string {
  return sha256(`${RECEIPT_DOMAIN}${canonicalJson(receipt)}`);
}

/** The same hash for a receipt that is just being written, whose payload is canonical JSON already. */
export function hashWithPayload(
  receipt: Omit<Receipt, "hash" | "payload">,
  payload: string,
  sha256: Sha256,
): string {
  const { actor, callId, id, prevHash, runId, seq, surface, tenant, ts, type, v } = receipt;
  const call = callId === undefined ? "" : `,"callId":${canonicalJson(callId)}`;
  const before = `"actor":${canonicalJson(actor)}${call},"id":${canonicalJson(id)}`;
  const after = `"prevHash":"${prevHash}","runId":${canonicalJson(runId)},"seq":${seq},"surface":${canonicalJson(surface)},"tenant":${canonicalJson(tenant)},"ts":${ts},"type":"${type}","v":${v}`;
  return sha256(`${RECEIPT_DOMAIN}{${before},"payload":${payload},${after}}`);
}

/** Hides a value behind a salt: small values cannot be guessed, and without the salt nothing remains of it. */
export function commitment(salt: string, value: unknown, sha256: Sha256): string {
  return commitmentTo(salt, canonicalJson(value), sha256);
}

/** To a value that is canonical JSON already. */
export function commitmentTo(salt: string, canonical: string, sha256: Sha256): string {
  return sha256(`${salt}\n${canonical}`);
}
