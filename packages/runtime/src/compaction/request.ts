import type { CompactionBlock, Message } from "@elwood/core/message/message";

/**
 * The owner can ask for a summary, or take lines back, without saying anything to the model.
 * Either is a run like any other, so that it waits its turn, is journaled and ends in the
 * transcript; its first message is Elwood's, and no model is ever shown it.
 */
export type CompactionRequest =
  | { readonly kind: "compact" }
  | { readonly kind: "undo"; readonly ids: readonly string[] };

export function requestBlocks(request: CompactionRequest): Message["blocks"] {
  const nothing = { type: "compaction", summary: "", from: "", to: "" } as const;
  const said = (text: string) => ({ type: "text", text, origin: "gateway" }) as const;
  if (request.kind === "compact")
    return [{ ...nothing, asked: true }, said("You asked to sum up earlier messages.")];
  return [{ ...nothing, undoes: [...request.ids] }, said(TAKEN_BACK)];
}

export const TAKEN_BACK =
  "Taken back: the model is shown the earlier messages themselves again, as far as they fit.";

/** What a run's first message asks for; undefined where it is somebody's message. */
export function requestIn(inbound: Message | undefined): CompactionRequest | undefined {
  if (inbound?.role !== "assistant" || inbound.origin !== "gateway") return undefined;
  const block = inbound.blocks.find((each): each is CompactionBlock => each.type === "compaction");
  if (!block) return undefined;
  return block.undoes === undefined ? { kind: "compact" } : { kind: "undo", ids: block.undoes };
}
