import type { CallError, CallResult } from "@elwood/core/tool/program";
import type { CallRow, CallState } from "../ports/gate-ports.ts";
import type { BlobStore, Clock } from "../ports/ports.ts";

const STATUSES: Partial<Record<CallState, CallError["status"]>> = {
  failed: "failed",
  denied: "denied",
  expired: "expired",
  refused: "invalid",
};

/** What a program is given of a call that has ended: plain data, the same bytes that the model would see. */
export function resultOf(row: CallRow): CallResult {
  const { state, outcome } = row;
  if (state === "succeeded") return { ok: true, value: outcome?.value ?? null };
  return {
    ok: false,
    error: {
      code: outcome?.code ?? state,
      message: outcome?.text ?? "Nothing is known of how this call ended.",
      retryable: false,
      // A call without an ending of its own may have happened.
      status: STATUSES[state] ?? "unknown",
    },
  };
}

const HEAD_CHARS = 1_000;

/**
 * A result that is too large for the program goes to the blob store by its content, and the
 * program gets a handle: where it lies, how large it is, and how it begins.
 */
export async function withinLimit(
  result: CallResult,
  resultBytes: number,
  deps: { readonly blobs: BlobStore; readonly clock: Pick<Clock, "now"> },
  tenant: string,
): Promise<CallResult> {
  if (byteLength(JSON.stringify(result)) <= resultBytes) return result;
  if (!result.ok) {
    return {
      ok: false,
      error: { ...result.error, message: `${result.error.message.slice(0, HEAD_CHARS)}…` },
    };
  }
  const text = JSON.stringify(result.value);
  const bytes = new TextEncoder().encode(text);
  const { blobId } = await deps.blobs.put(tenant, bytes, "application/json", deps.clock.now());
  return { ok: true, value: { large: { blobId, bytes: bytes.length, head: text.slice(0, HEAD_CHARS) } } };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
