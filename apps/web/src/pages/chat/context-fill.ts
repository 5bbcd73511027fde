import type { MethodResult } from "@elwood/core/protocol/results";
import { say } from "../../words/en/chat.ts";

/** How many tokens a session takes, of how many its model takes at once. */
export type ContextFill = NonNullable<MethodResult<"sessions.get">["context"]>;

/** From here on something should be done about it; soon after, Elwood does. */
const NEARLY_FULL = 0.6;

export function partOf({ tokens, window }: ContextFill): number {
  return Math.min(1, tokens / window);
}

export function isNearlyFull(fill: ContextFill): boolean {
  return partOf(fill) >= NEARLY_FULL;
}

/** In words: a session that holds something is never told to be empty. */
export function shareOf(fill: ContextFill): string {
  const percent = Math.round(partOf(fill) * 100);
  return percent < 1 ? say.under1 : `${percent}%`;
}
