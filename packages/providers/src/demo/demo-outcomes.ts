import type { Message, ToolResultBlock, ToolUseBlock } from "@elwood/core/message/message";
import type { Turn } from "@elwood/sdk/model-script/rule-model";
import { BLOCKED_WORD, CHANGED_WORD } from "@elwood/core/base/state-words";
import { STATUS_WORDS } from "@elwood/core/tool/tool";
import { activityParts } from "@elwood/core/message/activity-note";
import { withoutHead } from "@elwood/core/message/result-for-model";
import { unframed } from "@elwood/core/message/untrusted-frame";
import { quotation } from "./demo-words.ts";

/** One line of the activity: what the gateway's receipts say of a call. */
export interface Recorded {
  readonly cite: string;
  readonly toolId: string;
  /** The gateway's word for how it stands. */
  readonly word: string;
}

/** What became of one call, as far as the model is told. */
export interface Outcome {
  readonly callId: string;
  readonly toolId: string;
  /** What the call was given. */
  readonly input: unknown;
  /** What receipts call it; absent where the call was not even considered. */
  readonly cite?: string;
  /** The gateway's word for how it stands; `refused` where the call was not even considered. */
  readonly word: string;
  /** What the tool or the gateway said, without the activity. */
  readonly text: string;
  /** The calls that a program made. */
  readonly within: readonly Recorded[];
}

/**
 * The calls since the owner last spoke, with what came of each. A result carries the number of its
 * call and the gateway's word for how it ended; behind that of a program stand the calls that it
 * made, some of them before it was asked about.
 */
export function outcomesOf({ request, results }: Pick<Turn, "request" | "results">): Outcome[] {
  const calls = callsSince(request.messages);
  return results.map((result, index) => {
    const { toolId = "", input } = calls[index] ?? {};
    const { output, activity } = activityParts(result.text);
    return {
      callId: result.callId,
      toolId,
      input,
      ...(result.cite === undefined ? {} : { cite: result.cite }),
      word: result.cite === undefined ? unrecorded(result) : (result.word ?? STATUS_WORDS.succeeded),
      text: unframed(withoutHead(output)),
      within: recordedIn(activity),
    };
  });
}

/** How a call stands that is not done, with what the tool or the gateway said of it. */
export function sentenceFor({ word, text }: Outcome): string {
  return `${STANDINGS[word] ?? "That did not work:"}${quotation(text)}`.trimEnd();
}

const STANDINGS: Readonly<Record<string, string>> = {
  [STATUS_WORDS.denied]: "That was denied, so it was not done:",
  [BLOCKED_WORD.word]: "A rule refused that, so it was not done:",
  [CHANGED_WORD.word]: "That had changed after you allowed it, so it was not done:",
  [STATUS_WORDS.expired]: "That was not done; it waited for your answer until its time was over:",
  [STATUS_WORDS.pending]: "That is not done; it still waits for you:",
  [STATUS_WORDS.unknown]: "I do not know whether that was done, and I will not try it again:",
  refused: "That call was not accepted, so nothing was done:",
};

export function isDone({ word }: Outcome): boolean {
  return word === STATUS_WORDS.succeeded;
}

/** Every call has its result, in the same order. */
function callsSince(messages: readonly Message[]): ToolUseBlock[] {
  return messages
    .slice(messages.findLastIndex((m) => m.role === "user") + 1)
    .flatMap((m) => m.blocks)
    .filter((b): b is ToolUseBlock => b.type === "tool_use");
}

function unrecorded({ status }: ToolResultBlock): string {
  return status === "ok" ? STATUS_WORDS.succeeded : "refused";
}

function recordedIn(activity: string): Recorded[] {
  return activity.split("\n").flatMap((line) => {
    const [, first, last = first, toolId, word] = RECORDED.exec(line) ?? [];
    if (first === undefined || toolId === undefined || word === undefined) return [];
    const calls = Number(last) - Number(first) + 1;
    return Array.from({ length: calls }, (_, at) => ({ cite: `c${Number(first) + at}`, toolId, word }));
  });
}

const RECORDED =
  /^\[c(\d{1,6})\](?: to \[c(\d{1,6})\])? (?:undo of )?([\w.-]+)(?: → .*)?: ([a-z ]+?)(?:, undone since)?$/;
