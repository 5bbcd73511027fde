import { replyAsText } from "@elwood/core/grounding/render";
import { isBetweenLaps, textOf, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { replyLocale } from "@elwood/core/request/language";
import { storedEnding } from "../run/stored-ending.ts";

/** What is delivered: nothing where the text is empty. */
export interface JobWords {
  readonly text: string;
  /** What its calls did, as it stands under the reply. */
  readonly evidence?: string;
}

/** As it is delivered: with the marks on its sentences and what the gateway says itself, and the evidence beside it. */
export async function deliveredReply(run: Run, steps: readonly Message[]): Promise<JobWords> {
  const { final, error } = await storedEnding(run, steps, [], 0);
  const { text, segments = [], evidence } = final ?? error;
  const reply = replyAsText(segments, replyLocale(text)) || replyOf(steps);
  return { text: reply, ...(evidence === "" ? {} : { evidence }) };
}

/** What a run that ended has to say: the answer, or what Elwood said in its place. */
export function replyOf(steps: readonly Message[]): string {
  const said = steps.filter((message) => message.role === "assistant" && !isBetweenLaps(message));
  const answer = said.findLast(
    ({ origin, blocks }) => origin === "model" && !blocks.some(({ type }) => type === "tool_use"),
  );
  const text = answer ? textOf(answer) : "";
  return text === "" ? textOf(said.at(-1) ?? { blocks: [] }) : text;
}
