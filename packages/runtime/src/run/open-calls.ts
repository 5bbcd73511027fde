import type { Message, ToolUseBlock } from "@elwood/core/message/message";

/** The calls that these messages ask for and hold no result of. */
export function openCalls(steps: readonly Message[]): ToolUseBlock[] {
  const blocks = steps.flatMap((step) => step.blocks);
  const answered = new Set(blocks.flatMap((b) => (b.type === "tool_result" ? [b.callId] : [])));
  return blocks.filter((b): b is ToolUseBlock => b.type === "tool_use" && !answered.has(b.callId));
}
