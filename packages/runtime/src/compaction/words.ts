import type { LocalTime } from "@elwood/core/base/local-time";
import type { CompactionBlock, Message } from "@elwood/core/message/message";
import type { Clock, Ids } from "../ports/ports.ts";

export interface LineStamps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly sessionId: string;
  readonly kept: readonly Message[];
}

/** The line that says what is shown to the model from now on, with a sentence for the owner. */
export function compactionMessage(block: CompactionBlock, stamps: LineStamps): Message {
  return {
    id: stamps.ids.next("message"),
    ts: stamps.clock.now(),
    role: "assistant",
    origin: "gateway",
    blocks: [block, { type: "text", text: sentence(block, stamps), origin: "gateway" }],
  };
}

function sentence(block: CompactionBlock, { localTime, kept, sessionId }: LineStamps): string {
  const outputs = block.outputs?.length ?? 0;
  const left = outputs === 0 ? "" : `the output of ${outputs} earlier ${outputs === 1 ? "call" : "calls"}`;
  if (block.failed !== undefined) {
    const instead =
      left === "" ? "All of it is kept and sent as before." : `Instead ${left} is left out. All is kept.`;
    return `Earlier messages could not be summed up for the model: ${firstSentence(block.failed)} ${instead}`;
  }
  if (block.summary === "") {
    const cut = (block.outputs ?? []).some(({ chars }) => chars !== undefined);
    const how = cut ? "is no longer shown to the model, or in part only" : "is no longer shown to the model";
    return `To save room, ${left} ${how}. Nothing was deleted.`;
  }
  const last = kept.find(({ id }) => id === block.to);
  const until = last ? ` up to ${localTime.format(last.ts)}` : "";
  return `Earlier messages (${block.messages ?? 0}${until}) were summarised for the model; nothing was deleted. Undo: elwood sessions uncompact ${sessionId.slice(-8)}`;
}

/** What happened; the advice behind it is for another occasion. */
function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)/.exec(text);
  return end ? text.slice(0, end.index + 1) : `${text}.`;
}
