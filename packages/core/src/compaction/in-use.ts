import type { Message } from "../message/message.ts";
import { compactionLines, hasEffect } from "./lines.ts";

/**
 * How many tokens a conversation takes of its model's window as it is shown now: what the
 * last lap was counted as, or what a summary made since then left. undefined where nothing
 * was counted yet.
 */
export function tokensInUse(messages: readonly Message[]): number | undefined {
  const standing = compactionLines(messages).filter((line) => hasEffect(line) && !line.undone);
  const last = standing.findLast(({ block }) => block.tokensAfter !== undefined);
  for (let at = messages.length - 1; at > (last?.at ?? -1); at--) {
    const { role, origin, meta } = messages[at]!;
    if (role !== "assistant" || origin !== "model" || !meta?.usage) continue;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = meta.usage;
    return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  }
  return last?.block.tokensAfter;
}
