import { replyAsText } from "@elwood/core/grounding/render";
import { isBetweenLaps, textOf, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { replyLocale } from "@elwood/core/request/language";
import { storedEnding } from "../run/stored-ending.ts";

/** As it is delivered: with the marks on its sentences, what the gateway says itself, and the evidence. */
export async function deliveredReply(run: Run, steps: readonly Message[]): Promise<string> {
  const { final, error } = await storedEnding(run, steps, [], 0);
  const { text, segments = [], evidence } = final ?? error;
  const reply = replyAsText(segments, replyLocale(text)) || replyOf(steps);
  return [reply, evidence].filter((part) => part !== "").join("\n\n");
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
