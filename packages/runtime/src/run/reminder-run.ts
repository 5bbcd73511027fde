import { NO_USAGE, textOf, type Message } from "@elwood/core/message/message";
import type { EndedRun } from "./end-run.ts";
import type { EngineDeps } from "./engine-deps.ts";

/** What a reminder says, as it is delivered. */
export function reminderText(text: string, late?: string): string {
  return `Reminder: ${text}${late === undefined ? "" : `\n\n${late}`}`;
}

/** A run that a reminder began. It is over at once: no model, no provider and no budget can keep it. */
export function reminderRun(inbound: Message, { ids, clock }: Pick<EngineDeps, "ids" | "clock">): EndedRun {
  const text = reminderText(textOf(inbound), inbound.meta?.reminder?.late);
  const told: Message = {
    id: ids.next("message"),
    ts: clock.now(),
    role: "assistant",
    origin: "gateway",
    blocks: [{ type: "text", text, origin: "gateway" }],
  };
  return {
    status: "done",
    stopReason: "end_turn",
    usage: NO_USAGE,
    words: { text, segments: [{ text, by: "gateway" }], evidence: "", last: [told] },
  };
}
