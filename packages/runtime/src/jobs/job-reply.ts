import { isBetweenLaps, textOf, type Message } from "@elwood/core/message/message";

/** What a run that ended has to say, as it is delivered: the answer, or what Elwood said in its place. */
export function replyOf(steps: readonly Message[]): string {
  const said = steps.filter((message) => message.role === "assistant" && !isBetweenLaps(message));
  const answer = said.findLast(
    ({ origin, blocks }) => origin === "model" && !blocks.some(({ type }) => type === "tool_use"),
  );
  const text = answer ? textOf(answer) : "";
  return text === "" ? textOf(said.at(-1) ?? { blocks: [] }) : text;
}
