import type { ToolResultBlock } from "@elwood/core/message";
import { STATUS_WORDS } from "@elwood/core/tool";
import { unframed } from "@elwood/core/untrusted-frame";

/** What became of one call, as far as the model is told. */
export interface Outcome {
  readonly callId: string;
  /** The gateway's word for how it stands; `refused` where the call was not even considered. */
  readonly word: string;
  /** What the tool or the gateway said, without the activity. */
  readonly text: string;
}

const ACTIVITY = "Activity of this run, from Elwood's receipts:\n";

/**
 * Results in the order of their calls. The last one carries the gateway's activity, one line
 * for each call that was considered; only what stands after its last heading is the
 * gateway's, since a file may hold anything that looks like it.
 */
export function outcomesOf(results: readonly ToolResultBlock[]): Outcome[] {
  const words = new Map(activityOf(results.at(-1)?.text ?? "").map(({ n, word }) => [n, word]));
  return results.map(({ callId, status, text }, index) => ({
    callId,
    word: words.get(index + 1) ?? (status === "ok" ? STATUS_WORDS.succeeded : "refused"),
    text: unframed(withoutActivity(text)),
  }));
}

/** What to say of a call: `success` where it is done, and else how it stands and that nothing more is known. */
export function sentenceFor(outcome: Outcome, success: string): string {
  switch (outcome.word) {
    case STATUS_WORDS.succeeded:
      return success;
    case STATUS_WORDS.denied:
      return `That was denied, and I did nothing. ${outcome.text}`;
    case STATUS_WORDS.expired:
      return `That was not done: it waited for your answer until its time was over. ${outcome.text}`;
    case STATUS_WORDS.pending:
      return `That is not done: it still waits for you. ${outcome.text}`;
    case STATUS_WORDS.unknown:
      return `I do not know whether that was done, and I will not try it again. ${outcome.text}`;
    case "refused":
      return `That call was not accepted, so nothing was done. ${outcome.text}`;
    default:
      return `That did not work. ${outcome.text}`;
  }
}

function activityOf(text: string): { n: number; word: string }[] {
  const at = text.lastIndexOf(ACTIVITY);
  if (at === -1) return [];
  return text
    .slice(at + ACTIVITY.length)
    .split("\n")
    .flatMap((line) => {
      const found = /^\[c(\d+)\] .*: ([a-z ]+?)(?:, undone since)?$/.exec(line);
      return found ? [{ n: Number(found[1]), word: found[2]! }] : [];
    });
}

function withoutActivity(text: string): string {
  const at = text.lastIndexOf(`\n\n${ACTIVITY}`);
  return at === -1 ? text : text.slice(0, at);
}
