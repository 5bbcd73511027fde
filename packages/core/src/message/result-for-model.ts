import type { ToolResultBlock, ToolUseBlock } from "./message.ts";
import { cutLine, plainLine } from "./session-text.ts";
import { neutralised } from "./untrusted-frame.ts";

/**
 * A result as the model is shown it. Its first line says which call it belongs to: the number by
 * which the call is cited, the tool, a short form of what it was given, and how it ended where it
 * did not simply succeed. `[c3 files.file.list "." · untrusted 402c]`
 *
 * A call that was never considered has no number, and its result stays as it is.
 */
export function resultForModel(
  result: ToolResultBlock,
  call: ToolUseBlock,
  siblings: readonly ToolUseBlock[] = [],
): ToolResultBlock {
  const { cite, word, ended, text } = result;
  if (cite === undefined) return result;
  const frame = /^\[(untrusted [0-9a-f]{4,64})\]\n/.exec(text);
  const about = aboutCall(call, siblings);
  const head = [
    `${cite} ${call.toolId}${about === "" ? "" : ` ${about}`}`,
    // A decision stands in a sentence of its own below, with its reasons.
    ...(word === undefined || ended === "denied" || ended === "expired" ? [] : [word]),
    ...(frame?.[1] === undefined ? [] : [frame[1]]),
  ].join(" · ");
  return { ...result, text: `[${head}]\n${frame ? text.slice(frame[0].length) : text}` };
}

/** The text of a result without the line that says which call it belongs to. */
export function withoutHead(text: string): string {
  const head = /^\[c\d{1,6} [^\n]*?(?: · (untrusted [0-9a-f]{4,64}))?\]\n/.exec(text);
  if (head === null) return text;
  return `${head[1] === undefined ? "" : `[${head[1]}]\n`}${text.slice(head[0].length)}`;
}

function aboutCall(call: ToolUseBlock, siblings: readonly ToolUseBlock[]): string {
  const about = shortInput(call);
  const twin = siblings.some(
    (other) => other !== call && other.toolId === call.toolId && shortInput(other) === about,
  );
  return twin ? [about, restOfInput(call.input)].filter((part) => part !== "").join(", ") : about;
}

const ABOUT_CHARS_MAX = 80;
const REST_CHARS_MAX = 60;

function shortInput({ toolId, input }: ToolUseBlock): string {
  const words = callInput(toolId, input);
  return words === "" ? "" : `"${headLine(words, ABOUT_CHARS_MAX)}"`;
}

/** What tells two calls on the same thing apart: where to begin, how much, what for. */
function restOfInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const rest = Object.entries(input).filter(
    ([name, value]) => !ABOUT.has(name) && (typeof value !== "object" || value === null),
  );
  return headLine(rest.map(([name, value]) => `${name} ${String(value)}`).join(", "), REST_CHARS_MAX);
}

/** One line that cannot close the head, and means nothing to any model's format. */
function headLine(text: string, charsMax: number): string {
  const safe = neutralised(plainLine(text))
    .replaceAll('"', "'")
    .replaceAll(/\[([^\s[\]]{1,40})\]|[[\]]+/g, (found, inner?: string) =>
      inner === undefined || LIKE_A_CITATION.test(inner) ? found.replaceAll(/[[\]]+/g, "'") : found,
    );
  return cutLine(safe, charsMax);
}

/** Brackets around a word stay, as in the glob `[abc].md`; not those that would look like a call's number. */
const LIKE_A_CITATION = /^c\d/i;

const INPUT_CHARS_MAX = 100;
const VALUE_CHARS_MAX = 60;
const PROGRAM_TOOL = "program.code.run";

/** Arguments by which people know a call. */
const ABOUT: ReadonlySet<string> = new Set("path url query key word command argv question call".split(" "));

/** What a call was about: the values that say it, by name where several do. All of it is in the JSON. */
export function callInput(toolId: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return input === undefined ? "" : valueInWords(input);
  const { from, to, purpose } = input as Readonly<Record<string, unknown>>;
  // Its source is for the machine.
  if (toolId === PROGRAM_TOOL) return typeof purpose === "string" ? valueInWords(purpose) : "";
  if (typeof from === "string" && typeof to === "string") return `${from} to ${to}`;
  const entries = Object.entries(input);
  const told = entries.find(([name, value]) => ABOUT.has(name) && isPlain(value)) ?? entries[0];
  // A number alone says nothing: "depth: 2".
  const isOne = entries.length === 1 && typeof told?.[1] !== "number" && typeof told?.[1] !== "boolean";
  if (told && (ABOUT.has(told[0]) || isOne)) return valueInWords(told[1]);
  return entries.map(([name, value]) => `${name}: ${valueInWords(value)}`).join(", ");
}

function isPlain(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"))
  );
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return cutLine(value.map(valueInWords).join(" "), INPUT_CHARS_MAX);
  if (typeof value === "string") return cutLine(plainLine(value), INPUT_CHARS_MAX);
  return cutLine(plainLine(JSON.stringify(value) ?? ""), VALUE_CHARS_MAX);
}
