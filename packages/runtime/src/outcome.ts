import { activityLine, sortedActivity, type ActivityItem } from "@elwood/core/activity";
import { failure, type Failure } from "@elwood/core/failure";
import {
  NO_USAGE,
  textOf,
  type Block,
  type Message,
  type MessageMeta,
  type Usage,
} from "@elwood/core/message";
import type { StopReason } from "@elwood/core/model";
import type { Clock, Ids, LapUsage } from "./ports.ts";

/** How a run came out. `last` are the messages that end it, not yet journaled. */
export interface RunOutcome {
  readonly status: "done" | "failed";
  readonly stopReason?: StopReason;
  readonly failure?: Failure;
  readonly last: readonly Message[];
  readonly lap?: LapUsage;
  readonly text: string;
  readonly activity: readonly ActivityItem[];
  readonly evidence: string;
  /** The gateway's own sentence about how the answer ended, where one is due. */
  readonly note?: string;
  readonly usage: Usage;
}

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

export function doneOutcome(
  message: Message,
  stopReason: StopReason,
  run: { lap: LapUsage | undefined; activity: readonly ActivityItem[]; usage: Usage },
): RunOutcome {
  const text = textOf(message);
  const silent = text === "" && !message.blocks.some((b) => b.type === "image");
  const note = silent
    ? "The model ended its turn without saying anything. Ask again, or in other words."
    : stopReason === "max_tokens"
      ? 'The answer reached its length limit and stops in the middle. Say "continue" for the rest.'
      : undefined;
  return {
    status: "done",
    stopReason,
    last: [message],
    ...(run.lap ? { lap: run.lap } : {}),
    text,
    activity: sortedActivity(run.activity),
    evidence: activityLine(run.activity),
    ...(note ? { note } : {}),
    usage: run.usage,
  };
}

/** A run that broke off: what the model had written is kept, and the gateway says why it ends there. */
export function failedOutcome(
  reason: Failure,
  blocks: readonly Block[],
  run: { lap: LapUsage | undefined; activity: readonly ActivityItem[]; usage: Usage; model: string },
  stamps: Stamps,
): RunOutcome {
  const kept = blocks.filter((b) => (b.type === "text" && b.text !== "") || b.type === "image");
  const partial: Message[] =
    kept.length === 0
      ? []
      : [
          {
            id: stamps.ids.next("message"),
            ts: stamps.clock.now(),
            role: "assistant",
            origin: "model",
            blocks: kept,
            meta: { model: run.model, ...metaOf(reason) },
          },
        ];
  return {
    status: "failed",
    failure: reason,
    last: [...partial, gatewayWords(reason, stamps)],
    ...(run.lap ? { lap: run.lap } : {}),
    text: partial[0] ? textOf(partial[0]) : "",
    activity: sortedActivity(run.activity),
    evidence: activityLine(run.activity),
    usage: run.usage,
  };
}

/** The end of a run that a fault of Elwood's own, or of its disk, cut short. */
export function brokenOff(reason: Failure, text: string, stamps: Stamps): RunOutcome {
  const blocks: Block[] = [{ type: "text", text }];
  const outcome = failedOutcome(
    reason,
    blocks,
    { lap: undefined, activity: [], usage: NO_USAGE, model: "" },
    stamps,
  );
  return { ...outcome, evidence: "What this run did could not be recorded in full." };
}

/** The end of a run whose model was never asked. */
export function neverBegan(reason: Failure, stamps: Stamps): RunOutcome {
  return {
    status: "failed",
    failure: reason,
    last: [gatewayWords(reason, stamps)],
    text: "",
    activity: [],
    evidence: activityLine([]),
    usage: NO_USAGE,
  };
}

/** An abort that the clock caused, not the owner, is told as what it was. */
export function asTimeLimit<T extends RunOutcome>(outcome: T, minutes: number, stamps: Stamps): T {
  if (outcome.failure?.reason !== "ABORTED") return outcome;
  const timedOut = failure(
    "TIME_LIMIT",
    `Stopped after ${minutes} minutes, the limit for one run. What was written by then is kept. Raise limits.minutes in the configuration if this task needs more.`,
  );
  const spoken = outcome.last
    .filter((m) => m.origin !== "gateway")
    .map((m) => ({ ...m, meta: { ...m.meta, aborted: undefined, ...metaOf(timedOut) } }));
  return { ...outcome, failure: timedOut, last: [...spoken, gatewayWords(timedOut, stamps)] };
}

export function abortedFailure(): Failure {
  return failure("ABORTED", "You stopped this run. What had been written by then is kept.");
}

export function interruptedTooOften(times: number): Failure {
  return failure(
    "INTERRUPTED",
    `Elwood stopped ${times} times while answering this, so it gave up. Your message is kept; no answer was finished. Send it again to try once more.`,
  );
}

export function internalFailure(): Failure {
  return failure(
    "INTERNAL",
    "Something in Elwood itself went wrong while answering. Your message is kept; send it again to try once more. The log says more.",
  );
}

function gatewayWords(reason: Failure, stamps: Stamps): Message {
  return {
    id: stamps.ids.next("message"),
    ts: stamps.clock.now(),
    role: "assistant",
    origin: "gateway",
    blocks: [{ type: "text", text: reason.message }],
    meta: metaOf(reason),
  };
}

function metaOf(reason: Failure): MessageMeta {
  return reason.reason === "ABORTED"
    ? { aborted: true }
    : { error: { reason: reason.reason, message: reason.message } };
}
