import { parseJson } from "@elwood/core/base/parse-json";
import type { ToolResultBlock, ToolUseBlock } from "@elwood/core/message/message";
import { fromWireName, toWireName } from "@elwood/core/model/model";

/** A call whose arguments have all arrived, parsed or marked as malformed. */
export function toolUse(callId: string, wireName: string, args: unknown, lenient = false): ToolUseBlock {
  const read = readArgs(args, lenient);
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
export function readArgs(args: unknown, lenient = false): { input: unknown; malformed?: string } {
  if (args === undefined || args === null || args === "") return { input: {} };
  if (typeof args !== "string") return asInput(args, () => JSON.stringify(args));
  const text = args.trim();
  if (text === "") return { input: {} };
  const ways = [() => text, () => withoutTrailingCommas(text), ...(lenient ? [() => closed(text)] : [])];
  const once = firstParsed(ways);
  if (once === undefined) return { input: {}, malformed: args };
  const twice = typeof once === "string" ? (parseJson(once) ?? once) : once;
  return asInput(twice, () => args);
}

function asInput(value: unknown, original: () => string): { input: unknown; malformed?: string } {
  if (value === null) return { input: {} };
  if (typeof value === "object" && !Array.isArray(value)) return { input: value };
  return { input: {}, malformed: original() };
}

/** A comma behind the last member is a slip that means nothing; text in quotes stays as it is. */
function withoutTrailingCommas(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gs, (found) => (found === "," ? "" : found));
}

/** With the brackets that small models forget at the end. A text that ends inside of quotation marks was cut off: it stays as it is. */
function closed(text: string): string {
  const open: string[] = [];
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (found.startsWith('"')) {
      if (found.length < 2 || !found.endsWith('"')) return text;
    } else if (found === "{") open.push("}");
    else if (found === "[") open.push("]");
    else open.pop();
  }
  return open.length > BRACKETS_MAX
    ? text
    : withoutTrailingCommas(`${text.trimEnd()}${open.toReversed().join("")}`);
}

const BRACKETS_MAX = 4;

function firstParsed(ways: readonly (() => string)[]): unknown {
  for (const way of ways) {
    const value = parseJson(way());
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A field that should be text; servers that imitate an API leave fields out, or send null. */
export function wireText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const FITS_EVERYWHERE = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Call ids in a history may stem from another provider, or another program. Where one has
 * characters or a length that some provider refuses, it is replaced, always in the same
 * way, so that a call and its result still meet.
 */
export function wireCallId(callId: string): string {
  return fitting(callId, "call");
}

/**
 * A model may call what no tool can be named. The call stays in the history, and a name
 * that a provider refuses there would make every later turn of the session fail.
 */
export function wireToolName(toolId: string): string {
  return fitting(toWireName(toolId), "tool");
}

function fitting(text: string, otherwise: string): string {
  if (FITS_EVERYWHERE.test(text)) return text;
  const tidy = text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40);
  return `${tidy || otherwise}_${fingerprint(text)}`;
}

/** FNV-1a: two different ids that tidy up to the same text must stay apart. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * A call's result for formats that have no field for failure. Where the call came to nothing
 * before it was made, or its end is in doubt, its text says so itself: a denial is no failure.
 * A call with a number says in its first line how it ended.
 */
export function resultText({ status, ended, cite, text }: ToolResultBlock): string {
  if (status === "error" && ended === undefined && cite === undefined) return `The call failed: ${text}`;
  return text || "(no output)";
}
