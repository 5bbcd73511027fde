import type { CompactionBlock, Message } from "@elwood/core/message/message";

/**
 * The owner can request a summary, or undo one, without a message to the model. Each is a normal run, so
 * it is queued, journaled and written to the transcript; its first message is Elwood's and never shown to
 * a model.
 */
export type CompactionRequest =
  | { readonly kind: "compact" }
  | { readonly kind: "undo"; readonly ids: readonly string[] };

export function requestBlocks(request: CompactionRequest): Message["blocks"] {
  const nothing = { type: "compaction", summary: "", from: "", to: "" } as const;
  const said = (text: string) => ({ type: "text", text, origin: "gateway" }) as const;
  if (request.kind === "compact")
    return [{ ...nothing, asked: true }, said("You asked to sum up earlier messages.")];
  return [{ ...nothing, undoes: [...request.ids] }, said(COMPACTION_UNDONE)];
}

export const COMPACTION_UNDONE =
  "Taken back: the model is shown the earlier messages themselves again, as far as they fit.";

/** What a run's first message asks for; undefined where it is somebody's message. */
export function requestIn(inbound: Message | undefined): CompactionRequest | undefined {
  if (inbound?.role !== "assistant" || inbound.origin !== "gateway") return undefined;
  const block = inbound.blocks.find((each): each is CompactionBlock => each.type === "compaction");
  if (!block) return undefined;
  return block.undoes === undefined ? { kind: "compact" } : { kind: "undo", ids: block.undoes };
}
