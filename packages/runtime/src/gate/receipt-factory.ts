import { canonicalJson } from "@elwood/core/base/canonical-json";
import {
  commitmentTo,
  type CallNote,
  type Decider,
  type NewReceipt,
  type NewReceiptOf,
  type ReceiptPayloads,
  type ReceiptType,
  type Sha256,
} from "@elwood/core/receipts/receipt";
import { showLine } from "@elwood/core/base/show";
import type { ToolCallContext } from "../ports/ports.ts";
import { whoStopped } from "../run/stop-cause.ts";
import type { Body, CallRow, LedgerChange } from "../ports/gate-ports.ts";

/** Who a call belongs to, for its receipts. */
export interface CallOrigin {
  readonly runId: string;
  readonly surface: string;
  readonly actor: string;
  /** More fields for the call's first receipt. */
  readonly note?: CallNote;
}

/** Builds the receipts of a call: small facts in plain text, contents behind salted commitments so that they can be erased. */
export class ReceiptFactory {
  readonly #sha256: Sha256;
  readonly #salt: () => string;

  constructor(sha256: Sha256, salt: () => string) {
    this.#sha256 = sha256;
    this.#salt = salt;
  }

  receipt<T extends ReceiptType>(
    type: T,
    origin: CallOrigin,
    callId: string,
    payload: ReceiptPayloads[T],
  ): NewReceiptOf<T> {
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
      ...(call.target === undefined ? {} : { targetCommit: this.#targetCommit(body.salt, call.target) }),
      ...(call.undoes === undefined ? {} : { undoes: call.undoes }),
      ...origin.note,
    });
    return { receipt, change: { kind: "body.put", body } };
  }

  /** What the receipt of an edited approval says of the input that will run instead. */
  edited(
    input: unknown,
    target: string | undefined,
  ): { readonly commits: { inputCommit: string; targetCommit?: string }; readonly body: Body } {
    const body = this.body(input);
    const about = target === undefined ? {} : { targetCommit: this.#targetCommit(body.salt, target) };
    return { commits: { inputCommit: body.commit, ...about }, body };
  }

  /**
   * The target of a call must be erasable too, so the receipt contains only a commitment to it, under
   * the salt of the input's body. The target itself is in the call's row.
   */
  #targetCommit(salt: string, target: string): string {
    return commitmentTo(salt, canonicalJson(shownTarget(target)), this.#sha256);
  }

  body(value: unknown): Body {
    const { plain, canonical } = storable(value);
    const salt = this.#salt();
    return { commit: commitmentTo(salt, canonical, this.#sha256), salt, value: plain };
  }
}

const TARGET_CHARS_MAX = 200;

/** The target of a call, in the form that is shown and committed to. */
export function shownTarget(target: string): string {
  return showLine(target).slice(0, TARGET_CHARS_MAX).toWellFormed();
}

/**
 * Inputs and outputs are recorded even if they cannot be hashed as they are (lone surrogates, too deep
 * nesting): then as their JSON text. A started call must always be able to end.
 */
function storable(value: unknown): { readonly plain: unknown; readonly canonical: string } {
  const asItIs = canonicalOrNone(value ?? null);
  if (asItIs !== undefined) return { plain: value ?? null, canonical: asItIs };
  // What JSON would write otherwise (a date, a hole in a list), and what it cannot.
  const text = JSON.stringify(value ?? null);
  const plain: unknown = JSON.parse(text);
  try {
    return { plain, canonical: canonicalJson(plain) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const asText = { notPlainJson: error.message, text: text.toWellFormed() };
    return { plain: asText, canonical: canonicalJson(asText) };
  }
}

function canonicalOrNone(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Cutting a sentence may cut a character in two. */
function wellFormed<P extends object>(payload: P): P {
  let whole = payload;
  for (const key of Object.keys(payload)) {
    const value: unknown = (payload as Record<string, unknown>)[key];
    if (typeof value === "string" && !value.isWellFormed()) whole = { ...whole, [key]: value.toWellFormed() };
  }
  return whole;
}

export function originOf(context: ToolCallContext): CallOrigin {
  const { runId, surface, note } = context;
  return { runId, surface, actor: "model", ...(note ? { note } : {}) };
}

/** Who or what stopped a run: a person, or else the run's own limits. */
export function stopperOf({ signal }: ToolCallContext): Decider {
  const person = whoStopped(signal.reason);
  return person ? { kind: "owner", ...person } : { kind: "policy", rule: "run.over" };
}

/** A receipt field that says whether a person stopped the run of this call. */
export function stopMark(stopper: Decider): { readonly stopped?: true } {
  return stopper.kind === "owner" ? { stopped: true } : {};
}
