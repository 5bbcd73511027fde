import { isRecord } from "../base/is-record.ts";
import { RECEIPT_TYPES, type Receipt, type ReceiptPayloads, type ReceiptType } from "./receipt.ts";
import type { Decider, UnknownReason, StoredReceipt } from "./receipt.ts";
import type { Rotation } from "./rotation.ts";
import { RISKS } from "../base/risk.ts";
import { TOOL_LABELS } from "../base/label.ts";

/**
 * Stored receipts as typed ones: whoever reads a payload to decide something asks here first.
 * A receipt of a type or shape that this version does not know stays what it is, a stored
 * receipt that can be listed, exported and verified, and decides nothing.
 */
export function readReceipt(stored: StoredReceipt): Receipt | undefined {
  return isKnown(stored) ? stored : undefined;
}

/** Those that this version understands, in the order they came in. */
export function readReceipts(stored: readonly StoredReceipt[]): Receipt[] {
  return stored.filter(isKnown);
}

/** Whether a stored receipt is of this type, and holds what such a one holds. */
export function isReceipt<T extends ReceiptType>(stored: StoredReceipt, type: T): stored is Receipt<T> {
  return stored.type === type && isKnown(stored);
}

function isKnown(stored: StoredReceipt): stored is Receipt {
  if (stored.v !== VERSION || !isType(stored.type) || !isPayload(stored.payload)) return false;
  const { payload } = stored;
  return Object.entries(FIELDS[stored.type]).every(([name, isField]) => isField(payload[name]));
}

/** The only version so far; a second one gets a table of its own beside `FIELDS`. */
const VERSION = 1;

type Check<T> = (value: unknown) => value is T;

/** One check for each field that has a name of its own; fields that are not listed may hold anything. */
type Fields<P> = {
  readonly [K in keyof P as string extends K ? never : K]-?: Check<
    Partial<Pick<P, K>> extends Pick<P, K> ? P[K] | undefined : P[K]
  >;
};

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isTrue = (value: unknown): value is true => value === true;
const isTexts = listOf(isText);
const isRisk = oneOf(RISKS);
const isDoubt = oneOf<UnknownReason>(["timeout", "stopped", "broke", "crash", "run-over"]);
const text = optional(isText);
const number = optional(isNumber);
const flag = optional(isTrue);

const run = { sessionId: isText, attempt: number, senderId: text, senderName: text };
const auth = { remote: isText, door: isText };
const reasoned = { reason: text, reasonCommit: text };
const noted = { note: text, noteCommit: text };
const worded = { words: text, wordsCommit: text };
const byApproval = { approvalId: text, digest: text };

const FIELDS: { readonly [T in ReceiptType]: Fields<ReceiptPayloads[T]> } = {
  "run.started": run,
  "run.resumed": run,
  "run.diverged": { ...reasoned, toolId: isText, sourceHash: isText },
  "run.finished": { sessionId: isText, status: isText, stoppedBy: text, stoppedFrom: text },
  "tool.call.requested": {
    toolId: isText,
    contractHash: isText,
    risk: isRisk,
    inputHash: isText,
    inputCommit: isText,
    idempotencyKey: isText,
    number,
    targetCommit: text,
    target: text,
    undoes: text,
    parent: text,
    rehearsal: text,
    sourceHash: text,
    declarationsHash: text,
  },
  "tool.call.refused": { ...reasoned, toolId: isText, atPreview: flag },
  "tool.call.asked": {
    ...reasoned,
    toolId: isText,
    approvalId: isText,
    digest: isText,
    rule: isText,
    expiresAt: isNumber,
  },
  "tool.call.approved": {
    ...byApproval,
    ...noted,
    toolId: isText,
    decidedBy: optional(isDecider),
    decision: text,
    edited: flag,
    inputCommit: text,
    targetCommit: text,
    plan: flag,
  },
  "tool.call.denied": {
    ...byApproval,
    ...reasoned,
    ...noted,
    toolId: isText,
    decidedBy: isDecider,
    stopped: flag,
  },
  "tool.call.expired": { ...byApproval, toolId: isText, decidedBy: isDecider },
  "tool.call.started": {
    toolId: isText,
    approvalId: text,
    rule: text,
    harmless: flag,
    undoes: text,
    hosts: optional(isTexts),
  },
  "tool.call.succeeded": {
    toolId: isText,
    outputCommit: text,
    outputInvalid: flag,
    exitCode: number,
    truncated: flag,
    settled: flag,
    count: number,
  },
  "tool.call.failed": {
    ...reasoned,
    toolId: isText,
    code: text,
    why: text,
    stopped: flag,
    settled: flag,
  },
  "tool.call.unknown": { ...reasoned, toolId: isText, why: isDoubt, stopped: flag },
  "tool.call.settled": {
    ...byApproval,
    toolId: isText,
    by: oneOf(["reconcile", "idempotent", "owner"]),
    outcome: isText,
    decidedBy: optional(isDecider),
  },
  "tool.call.undone": { toolId: isText, by: isText },
  "grant.created": {
    ...byApproval,
    ...worded,
    toolId: isText,
    grantId: text,
    boundsCommit: text,
    decidedBy: optional(isDecider),
    what: optional(oneOf(["tool"])),
    contractHash: text,
    risk: optional(isRisk),
    label: optional(oneOf(TOOL_LABELS)),
    hosts: optional(isTexts),
    secrets: optional(isTexts),
  },
  "grant.used": { toolId: isText, grantId: isText },
  "grant.revoked": { ...worded, toolId: isText, grantId: text, what: optional(oneOf(["tool"])) },
  "policy.changed": { hash: text, runsStopped: number, grantsRevoked: number },
  "settings.changed": {
    keys: isTexts,
    removed: optional(isTexts),
    secrets: optional(isTexts),
    revision: isText,
  },
  "auth.accepted": auth,
  "auth.refused": auth,
  "token.created": {
    tokenId: isText,
    name: isText,
    scopes: isTexts,
    expiresAt: number,
    publicKey: text,
    actsFor: text,
    adopted: flag,
  },
  "token.revoked": { tokenId: isText },
  "auth.profile.rotated": {
    from: text,
    fromModel: isText,
    to: text,
    toModel: isText,
    why: isText,
    restsUntil: number,
  },
  "memory.recalled": {
    count: isNumber,
    chars: isNumber,
    items: listOf(shapeOf({ kind: isText, line: number, origin: isText })),
    recallCommit: isText,
  },
  "memory.forgotten": { forgetId: isText, kind: isText, removed: isCounts },
  "reply.grounded": {
    verdict: isText,
    marks: listOf(shapeOf({ kind: isText, cites: isTexts })),
    cited: isNumber,
    supported: isNumber,
    notDone: isNumber,
    partly: flag,
    draftCommit: isText,
    replyCommit: isText,
  },
  "reply.delivered": { itemId: isText, messages: isNumber, repeated: flag },
  "reply.undeliverable": { itemId: isText, why: isText },
  "log.checkpoint": { size: number, shortRoot: text, rotation: optional(isRotation) },
};

function isDecider(value: unknown): value is Decider {
  if (!isRecord(value)) return false;
  switch (value["kind"]) {
    case "owner":
      return isText(value["id"]) && isText(value["surface"]);
    case "grant":
      return isText(value["grantId"]);
    case "policy":
      return isText(value["rule"]);
    default:
      return value["kind"] === "expiry" || value["kind"] === "none";
  }
}

function isRotation(value: unknown): value is Rotation {
  if (!isRecord(value) || !isNumber(value["size"])) return false;
  return ["from", "to", "root", "signedByOld", "signedByNew"].every((name) => isText(value[name]));
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every(isNumber);
}

function isType(text: string): text is ReceiptType {
  return TYPES.has(text);
}

const TYPES: ReadonlySet<string> = new Set(RECEIPT_TYPES);

/** Whether this can be the payload of any receipt at all. */
export function isPayload(value: unknown): value is StoredReceipt["payload"] {
  return isRecord(value);
}

function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return (value): value is T => words.some((word) => word === value);
}

function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(check);
}

function shapeOf<P>(fields: Fields<P>): Check<P> {
  const checks = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is P => isRecord(value) && checks.every(([name, isField]) => isField(value[name]));
}
