import type { LapUsage } from "@elwood/core/model/price";
import { endingNote } from "@elwood/core/message/ending-note";
import { failure, type Failure } from "@elwood/core/base/failure";
import {
  NO_USAGE,
  textOf,
  type Asked,
  type Block,
  type Message,
  type Usage,
} from "@elwood/core/message/message";
import type { StopReason } from "@elwood/core/model/model";
import type { CheckedReply } from "./check-reply.ts";
import type { Clock, Ids } from "../ports/ports.ts";

/** How a run came out, before it is ended. */
export interface RunOutcome {
  readonly status: "done" | "failed";
  readonly stopReason?: StopReason;
  readonly failure?: Failure;
  /** What the model said last, as it said it; of a run that broke off, as far as it came. */
  readonly draft?: Message;
  /** The same, compared with the receipts. A run that broke off has its calls closed first, and is checked at its end. */
  readonly checked?: CheckedReply;
  readonly lap?: LapUsage;
  /** When the model was asked last, for an answer that did not come. */
  readonly asked?: Asked;
  /** The gateway's own sentence about how the answer ended, where one is due. */
  readonly note?: string;
  readonly usage: Usage;
}

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

export function doneOutcome(
  draft: Message,
  stopReason: StopReason,
  run: { lap: LapUsage | undefined; checked: CheckedReply; usage: Usage },
): RunOutcome {
  const silent = textOf(draft) === "" && !draft.blocks.some((b) => b.type === "image");
  const note = endingNote(silent, stopReason);
  return {
    status: "done",
    stopReason,
    draft,
    checked: run.checked,
    ...(run.lap ? { lap: run.lap } : {}),
    ...(note ? { note } : {}),
    usage: run.usage,
  };
}

/** A run that broke off: what the model had written is kept, and the gateway says why it ends there. */
export function failedOutcome(
  reason: Failure,
  blocks: readonly Block[],
  run: { lap: LapUsage | undefined; usage: Usage; model: string; asked?: Asked | undefined },
  { ids, clock }: Stamps,
): RunOutcome {
  const asked = run.asked ? { asked: run.asked } : {};
  const kept = blocks.filter((b) => (b.type === "text" && b.text !== "") || b.type === "image");
  const draft: Message | undefined =
    kept.length === 0
      ? undefined
      : {
          id: ids.next("message"),
          ts: clock.now(),
          role: "assistant",
          origin: "model",
          blocks: kept,
          meta: { model: run.model, ...asked },
        };
  return {
    status: "failed",
    failure: reason,
    ...(draft ? { draft } : asked),
    ...(run.lap ? { lap: run.lap } : {}),
    usage: run.usage,
  };
}

/** The end of a run that a fault of Elwood's own, or of its disk, cut short. */
export function brokenOff(reason: Failure, text: string, stamps: Stamps): RunOutcome {
  const run = { lap: undefined, usage: NO_USAGE, model: "" };
  return failedOutcome(reason, [{ type: "text", text }], run, stamps);
}

/** The end of a run whose model was never asked. */
export function neverBegan(reason: Failure): RunOutcome {
  return { status: "failed", failure: reason, usage: NO_USAGE };
}

/** An abort that the clock caused, not the owner, is told as what it was. */
export function asTimeLimit<T extends RunOutcome>(outcome: T, minutes: number): T {
  if (outcome.failure?.reason !== "ABORTED") return outcome;
  const timedOut = failure(
    "TIME_LIMIT",
    `Stopped after ${minutes} minutes, the limit for one run. What was written by then is kept. Raise limits.minutes in the configuration if this task needs more.`,
  );
  return { ...outcome, failure: timedOut };
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
