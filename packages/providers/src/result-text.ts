import type { ToolResultBlock } from "@elwood/core/message/message";

/**
 * A call's result for formats that have no field for failure. Where the call came to nothing
 * before it was made, or its end is in doubt, its text says so itself: a denial is no failure.
 */
export function resultText({ status, ended, text }: ToolResultBlock): string {
  if (status === "error" && ended === undefined) return `The call failed: ${text}`;
  return text || "(no output)";
}
