import type { ToolUseBlock } from "@elwood/core/message/message";
import { fromWireName } from "@elwood/core/model/model";

/** A call whose arguments have all arrived, parsed or marked as malformed. */
export function toolUse(callId: string, wireName: string, args: unknown): ToolUseBlock {
  const read = readArgs(args);
  return {
    type: "tool_use",
    callId,
    toolId: fromWireName(wireName),
    input: read.input,
    ...(read.malformed === undefined ? {} : { malformed: read.malformed }),
  };
}

/**
 * Arguments are a JSON object in a string. Some servers send the object itself, some wrap
 * the string in a string once more, and some send nothing for a tool without input.
 */
export function readArgs(args: unknown): { input: unknown; malformed?: string } {
  if (args === undefined || args === null || args === "") return { input: {} };
  if (typeof args !== "string") return asInput(args, () => JSON.stringify(args));
  const text = args.trim();
  if (text === "") return { input: {} };
  const once = parse(text);
  if (once === undefined) return { input: {}, malformed: args };
  const twice = typeof once === "string" ? (parse(once) ?? once) : once;
  return asInput(twice, () => args);
}

function asInput(value: unknown, original: () => string): { input: unknown; malformed?: string } {
  if (value === null) return { input: {} };
  if (typeof value === "object" && !Array.isArray(value)) return { input: value };
  return { input: {}, malformed: original() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
