import { canonicalJson } from "../base/canonical-json.ts";
import type { Handover } from "../model/model.ts";
import type { Rotation } from "./rotation.ts";
import type { Risk } from "../base/risk.ts";
import type { ToolLabel } from "../base/label.ts";

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
  "settings.changed",
  "auth.accepted",
  "auth.refused",
  "token.created",
  "token.revoked",
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

/** Who ended a call that was allowed, since it was no longer the one that had been shown. */
export const CHANGED = { kind: "policy", rule: "gate.changed" } as const satisfies Decider;

export function hadChanged(by: Decider | undefined): boolean {
  return by?.kind === "policy" && by.rule === CHANGED.rule;
}

/** What stood in the first receipt of a call beside its own facts: the program it belongs to, the hashes of one. */
export interface CallNote {
  readonly parent?: string;
  /** `"true"` where it was a read that the rehearsal of a program made, or a call that one of a job listed and did not make. */
  readonly rehearsal?: string;
  readonly sourceHash?: string;
  readonly declarationsHash?: string;
}

/** A run, as it begins or goes on. */
interface RunBegun {
  readonly sessionId: string;
  readonly attempt?: number;
  /** The token that sent the message, where that was not the owner's own. */
  readonly senderId?: string;
  readonly senderName?: string;
}

/** A decision of the owner, or of time, on an approval. */
interface ByApproval {
  readonly approvalId?: string;
  readonly digest?: string;
}

/** Why it is not known what became of a call. */
export type UnknownReason = "timeout" | "stopped" | "broke" | "crash" | "run-over";

/**
 * Texts that people, models, tools or rules wrote. They are handed to the ledger in the open; it
 * keeps them beside the log, as bodies, and the receipt only commits to them, so that they can be
 * erased. Older receipts say them themselves.
 */
interface Reason {
  readonly reason?: string;
  readonly reasonCommit?: string;
}

interface Note {
  readonly note?: string;
  readonly noteCommit?: string;
}

interface Words {
  readonly words?: string;
  readonly wordsCommit?: string;
}

/**
 * What each type of receipt holds, version 1: plain JSON; small. Inputs and outputs are here
 * only as commitments. A field that not every receipt of its type holds is optional, also where
 * only older receipts lack it. `read-receipt.ts` has the same table as checks.
 */
export interface ReceiptPayloads {
  "run.started": Plain<RunBegun>;
  "run.resumed": Plain<RunBegun>;
  /** A program that went another way than its journal. */
  "run.diverged": Plain<Reason & { readonly toolId: string; readonly sourceHash: string }>;
  "run.finished": Plain<{
    readonly sessionId: string;
    readonly status: string;
    /** The person who stopped it, and from where. */
    readonly stoppedBy?: string;
    readonly stoppedFrom?: string;
  }>;
  "tool.call.requested": Plain<
    CallNote & {
      readonly toolId: string;
      readonly contractHash: string;
      readonly risk: Risk;
      readonly inputHash: string;
      readonly inputCommit: string;
      readonly idempotencyKey: string;
      /** Of the call in its session; the ledger gives it. Older receipts have none. */
      readonly number?: number;
      readonly targetCommit?: string;
      /** Only older receipts say it in the open. */
      readonly target?: string;
      readonly undoes?: string;
    }
  >;
  "tool.call.refused": Plain<
    Reason & {
      readonly toolId: string;
      /** Its input was valid; what it would change could not be shown, since it cannot be made. */
      readonly atPreview?: true;
    }
  >;
  "tool.call.asked": Plain<
    Reason & {
      readonly toolId: string;
      readonly approvalId: string;
      readonly digest: string;
      readonly rule: string;
      readonly expiresAt: number;
    }
  >;
  "tool.call.approved": Plain<
    ByApproval &
      Note & {
        readonly toolId: string;
        readonly decidedBy?: Decider;
        readonly decision?: string;
        /** Another input than was asked for is run; the two commitments are to it, and to what it is about. */
        readonly edited?: true;
        readonly inputCommit?: string;
        readonly targetCommit?: string;
        /** It was allowed with the plan of its program. */
        readonly plan?: true;
      }
  >;
  "tool.call.denied": Plain<
    ByApproval &
      Reason &
      Note & {
        readonly toolId: string;
        readonly decidedBy: Decider;
        readonly stopped?: true;
      }
  >;
  "tool.call.expired": Plain<ByApproval & { readonly toolId: string; readonly decidedBy: Decider }>;
  "tool.call.started": Plain<{
    readonly toolId: string;
    readonly approvalId?: string;
    readonly rule?: string;
    /** It only looks, though its tool can do more. */
    readonly harmless?: true;
    readonly undoes?: string;
    /** Where its tool reaches, as its contract says. */
    readonly hosts?: readonly string[];
  }>;
  "tool.call.succeeded": Plain<{
    readonly toolId: string;
    readonly outputCommit?: string;
    readonly outputInvalid?: true;
    readonly exitCode?: number;
    readonly truncated?: true;
    /** Found out afterwards. */
    readonly settled?: true;
    readonly count?: number;
  }>;
  "tool.call.failed": Plain<
    Reason & {
      readonly toolId: string;
      readonly code?: string;
      readonly why?: string;
      readonly stopped?: true;
      readonly settled?: true;
    }
  >;
  "tool.call.unknown": Plain<
    Reason & {
      readonly toolId: string;
      readonly why: UnknownReason;
      readonly stopped?: true;
    }
  >;
  "tool.call.settled": Plain<
    ByApproval & {
      readonly toolId: string;
      readonly by: "reconcile" | "idempotent" | "owner";
      /** `happened`, `did-not-happen`, `run-again`. */
      readonly outcome: string;
      readonly decidedBy?: Decider;
    }
  >;
  /** `by` is the call that undid it. */
  "tool.call.undone": Plain<{ readonly toolId: string; readonly by: string }>;
  /** Of calls like one that was approved, or (`what`) of a tool as its contract stands. */
  "grant.created": Plain<
    ByApproval &
      Words & {
        readonly toolId: string;
        readonly grantId?: string;
        /** To what the grant covers, and for how long. Older receipts have only its words. */
        readonly boundsCommit?: string;
        readonly decidedBy?: Decider;
        readonly what?: "tool";
        readonly contractHash?: string;
        readonly risk?: Risk;
        /** What the owner says that the tool does. */
        readonly label?: ToolLabel;
        readonly hosts?: readonly string[];
        readonly secrets?: readonly string[];
      }
  >;
  "grant.used": Plain<{ readonly toolId: string; readonly grantId: string }>;
  "grant.revoked": Plain<
    Words & {
      readonly toolId: string;
      readonly grantId?: string;
      readonly what?: "tool";
    }
  >;
  /** Either the rules of a start with their hash, each setting under its own name, or a panic stop. */
  "policy.changed": {
    readonly [setting: string]: unknown;
    readonly hash?: string;
    readonly runsStopped?: number;
    readonly grantsRevoked?: number;
  };
  /** By their keys alone: a value may be private, and receipts stay. `revision` is the hash of the file. */
  "settings.changed": Plain<{
    readonly keys: readonly string[];
    readonly removed?: readonly string[];
    /** Names of secrets that were stored or removed beside the file. */
    readonly secrets?: readonly string[];
    readonly revision: string;
  }>;
  "auth.accepted": Plain<{ readonly remote: string; readonly door: string }>;
  "auth.refused": Plain<{ readonly remote: string; readonly door: string }>;
  /** `adopted`: it was there before tokens left receipts. */
  "token.created": Plain<{
    readonly tokenId: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    /** Of a device that stays logged in. */
    readonly publicKey?: string;
    readonly actsFor?: string;
    readonly adopted?: true;
  }>;
  "token.revoked": Plain<{ readonly tokenId: string }>;
  /** A key or model gave up in the middle of a run, and another took over. */
  "auth.profile.rotated": Plain<Handover>;
  "memory.recalled": Plain<{
    readonly count: number;
    readonly chars: number;
    readonly items: readonly Plain<{
      readonly kind: string;
      readonly line?: number;
      readonly origin: string;
    }>[];
    readonly recallCommit: string;
  }>;
  "memory.forgotten": Plain<{
    readonly forgetId: string;
    readonly kind: string;
    readonly removed: Readonly<Record<string, number>>;
  }>;
  "reply.grounded": Plain<{
    readonly verdict: string;
    readonly marks: readonly Plain<{ readonly kind: string; readonly cites: readonly string[] }>[];
    readonly cited: number;
    readonly supported: number;
    readonly notDone: number;
    readonly partly?: true;
    readonly draftCommit: string;
    readonly replyCommit: string;
  }>;
  /** The platform confirmed every message of a reply; `repeated` where one may stand there twice. */
  "reply.delivered": Plain<{ readonly itemId: string; readonly messages: number; readonly repeated?: true }>;
  /** `why` is one of UNDELIVERABLE_REASONS of the outbox. */
  "reply.undeliverable": Plain<{ readonly itemId: string; readonly why: string }>;
  /** Either where the log stands, or a change of its key. */
  "log.checkpoint": Plain<{
    readonly size?: number;
    readonly shortRoot?: string;
    readonly rotation?: Rotation;
  }>;
}

/** One flat object type: it may be read as a record of anything, which an interface may not. */
type Plain<T> = { readonly [K in keyof T]: T[K] };

interface NewReceiptBase {
  readonly runId: string;
  readonly callId?: string;
  /** `model`, `gateway`, `owner`, a token's name. */
  readonly actor: string;
  readonly surface: string;
}

interface ReceiptBase extends NewReceiptBase {
  readonly v: 1;
  readonly tenant: string;
  readonly seq: number;
  readonly id: string;
  readonly ts: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** A receipt of one type before the ledger gives it its place. */
export interface NewReceiptOf<T extends ReceiptType> extends NewReceiptBase {
  readonly type: T;
  readonly payload: ReceiptPayloads[T];
}

/** What is handed to the ledger. */
export type NewReceipt = { [T in ReceiptType]: NewReceiptOf<T> }[ReceiptType];

/** A receipt whose payload is what its type says; `read-receipt.ts` makes it of a stored one. */
export type Receipt<T extends ReceiptType = ReceiptType> = {
  [K in T]: ReceiptBase & { readonly type: K; readonly payload: ReceiptPayloads[K] };
}[T];

/**
 * A receipt as it stands on disk and goes to clients. Its type and payload are those that were
 * hashed, whichever version wrote them: nothing is filled in or left out.
 */
export interface StoredReceipt extends ReceiptBase {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The first receipt of a call with the number that the call was given in its session; any other as it is. */
export function withCallNumber(receipt: NewReceipt, numbers: ReadonlyMap<string, number>): NewReceipt {
  if (receipt.type !== "tool.call.requested" || receipt.callId === undefined) return receipt;
  const number = numbers.get(receipt.callId);
  return number === undefined ? receipt : { ...receipt, payload: { ...receipt.payload, number } };
}

const TEXT_FIELDS = [
  ["reason", "reasonCommit"],
  ["note", "noteCommit"],
  ["words", "wordsCommit"],
] as const;

/** A receipt as it goes into the log: `commit` keeps a text elsewhere, and answers with the commitment to it. */
export function withoutTexts(
  receipt: NewReceipt,
  commit: (text: string) => string,
): Omit<NewReceipt, "payload"> & Pick<StoredReceipt, "payload"> {
  const given: Readonly<Record<string, unknown>> = receipt.payload;
  let payload = given;
  for (const [text, field] of TEXT_FIELDS) {
    const value = given[text];
    if (typeof value !== "string" || value === "") continue;
    const { [text]: _kept, ...rest } = payload;
    payload = { ...rest, [field]: commit(value) };
  }
  return payload === given ? receipt : { ...receipt, payload };
}

/** SHA-256 as lower-case hex; handed in, since core has no crypto of its own. */
export type Sha256 = (data: string | Uint8Array) => string;

export const RECEIPT_DOMAIN = "elwood.receipt.v1\n";
/** What the first receipt names as the hash before it. */
export const FIRST_PREV_HASH = "0".repeat(64);

export function receiptHash(receipt: Omit<StoredReceipt, "hash">, sha256: Sha256): string {
  return sha256(`${RECEIPT_DOMAIN}${canonicalJson(receipt)}`);
}

/** The same hash for a receipt that is just being written, whose payload is canonical JSON already. */
export function hashWithPayload(
  receipt: Omit<StoredReceipt, "hash" | "payload">,
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
