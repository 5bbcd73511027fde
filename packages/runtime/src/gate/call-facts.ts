import { canonicalJson } from "@elwood/core/canonical-json";
import { commitment, type NewReceipt, type ReceiptType, type Sha256 } from "@elwood/core/receipt";
import { showLine } from "@elwood/core/show";
import type { Body, CallRow, LedgerChange } from "./ports.ts";

/** Who a call belongs to, for its receipts. */
export interface CallOrigin {
  readonly runId: string;
  readonly surface: string;
  readonly actor: string;
  /** What else is to stand in the call's first receipt. */
  readonly note?: Readonly<Record<string, string>>;
}

/** Builds receipts of a call: small facts in the open, contents behind salted commitments that can be erased. */
export class CallFacts {
  readonly #sha256: Sha256;
  readonly #salt: () => string;

  constructor(sha256: Sha256, salt: () => string) {
    this.#sha256 = sha256;
    this.#salt = salt;
  }

  receipt(
    type: ReceiptType,
    origin: CallOrigin,
    callId: string,
    payload: Record<string, unknown>,
  ): NewReceipt {
    const { runId, actor, surface } = origin;
    return { type, runId, callId, actor, surface, payload: wellFormed(payload) };
  }

  /** The first receipt of a call. */
  requested(origin: CallOrigin, call: CallRow): { receipt: NewReceipt; change: LedgerChange } {
    const body = this.body(call.requestedInput);
    const receipt = this.receipt("tool.call.requested", origin, call.callId, {
      toolId: call.toolId,
      contractHash: call.contractHash,
      risk: call.risk,
      inputHash: body.commit,
      inputCommit: body.commit,
      idempotencyKey: call.idempotencyKey,
      ...(call.target === undefined ? {} : { target: showLine(call.target).slice(0, TARGET_CHARS_MAX) }),
      ...(call.undoes === undefined ? {} : { undoes: call.undoes }),
      ...origin.note,
    });
    return { receipt, change: { kind: "body.put", body } };
  }

  body(value: unknown): Body {
    const plain = storable(value);
    const salt = this.#salt();
    return { commit: commitment(salt, plain, this.#sha256), salt, value: plain };
  }
}

const TARGET_CHARS_MAX = 200;

/**
 * What a model sends and a tool answers is put on record even where it cannot be hashed as
 * it is (half a character, nesting without end): then as its text. A call that was started
 * must be able to end.
 */
function storable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  const plain: unknown = JSON.parse(text);
  try {
    canonicalJson(plain);
    return plain;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { notPlainJson: error.message, text: text.toWellFormed() };
  }
}

/** Cutting a sentence may cut a character in two. */
function wellFormed(payload: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key,
      typeof value === "string" ? value.toWellFormed() : value,
    ]),
  );
}
