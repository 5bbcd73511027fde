import { failure, type Failure } from "@elwood/core/base/failure";
import type { ModelEvent, StopReason } from "@elwood/core/model/model";

/** How a model's answer ended, where that is no reply. */
export const NO_REPLY: ReadonlySet<StopReason> = new Set(["refusal", "context_full", "pause_turn"]);

/** The provider's context window was full, before the answer or in the middle of it. */
export function overflows(answer: Extract<ModelEvent, { type: "done" | "failed" }> | undefined): boolean {
  if (answer?.type === "failed") return answer.failure.reason === "CONTEXT_FULL";
  return answer?.stopReason === "context_full";
}

/** It ended normally, without text and without a call. */
export function isEmptyAnswer(answer: Extract<ModelEvent, { type: "done" | "failed" }> | undefined): boolean {
  if (answer?.type !== "done" || (answer.stopReason !== "end_turn" && answer.stopReason !== "stop_sequence"))
    return false;
  return answer.blocks.every(
    (block) => block.type === "thinking" || (block.type === "text" && block.text.trim() === ""),
  );
}

export function refused(note: string | undefined): Failure {
  const said = note ? ` It said: ${note}` : "";
  return failure("REFUSED", `The model declined to answer this.${said} Rephrase it, or use another model.`);
}

export function contextFull(): Failure {
  return failure(
    "CONTEXT_FULL",
    "This conversation no longer fits into the model's context, and nothing more could be left out. Your message is kept. Start a new session, or use a model with a larger context.",
  );
}
