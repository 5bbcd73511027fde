import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { isRecord } from "@elwood/core/base/is-record";
import { showLine } from "@elwood/core/base/show";
import { MCP_LIMITS } from "./limits.ts";

/** Asks the owner a question that waits until they answer; undefined where nobody does, or the call is over. */
export type AskOwner = (question: string, options: readonly string[]) => Promise<string | undefined>;

const DECLINE = "Decline";
const DONE = "Done";
const YES = "Yes";
const NO = "No";

/** Names of fields that no server may ask for here: what is typed goes through chats and is kept. */
const SECRET =
  /pass(?:word|phrase|code)?|secret|token|api.?key|private.?key|credential|\bpin\b|otp|cvv|card.?number|seed.?phrase/i;

interface Field {
  readonly name: string;
  readonly words: string;
  readonly options: readonly string[];
  readonly required: boolean;
  /** What stands for an answer that is left out, as the server says. */
  readonly otherwise: string | number | boolean | undefined;
  /** Undefined where the answer does not fit, with what to say. */
  read(answer: string): { readonly value: string | number | boolean } | { readonly problem: string };
}

/**
 * What a server wants to know in the middle of a call, asked of the owner in words that say who asks: one question
 * for each field. Nothing secret is asked for, and an address is only shown, never opened.
 */
export async function elicit(
  server: string,
  params: ElicitRequestParams,
  ask: AskOwner,
  /** Why the owner was not asked, where they were not. */
  unasked: (why: string) => void,
): Promise<ElicitResult> {
  const from = `The MCP server "${showLine(server)}" asks: ${quoted(params.message)}`;
  if (params.mode === "url") return elicitUrl(from, params.url, ask, unasked);
  const { requestedSchema } = params;
  if (
    SECRET.test(params.message) ||
    Object.keys(requestedSchema.properties).some((name) => SECRET.test(name))
  ) {
    unasked("it wanted something secret");
    return { action: "decline" };
  }
  const fields = fieldsOf(requestedSchema);
  if (typeof fields === "string") {
    unasked(fields);
    // Nobody has declined.
    return { action: "cancel" };
  }
  if (fields.length === 0) {
    const answer = await ask(from, [YES, NO]);
    return { action: answer === undefined ? "cancel" : answer === YES ? "accept" : "decline", content: {} };
  }
  const leftOut = Object.keys(requestedSchema.properties).length - fields.length;
  const asks = leftOut === 0 ? from : `${from} (What else it has may be left out, and is.)`;
  const content: Record<string, string | number | boolean> = {};
  for (const field of fields) {
    const answered = await askField(asks, field, ask);
    if (answered === undefined) return { action: "cancel" };
    if (answered === DECLINE) return { action: "decline" };
    if (answered.value !== "") content[field.name] = answered.value;
  }
  return { action: "accept", content };
}

async function elicitUrl(
  from: string,
  written: string,
  ask: AskOwner,
  unasked: (why: string) => void,
): Promise<ElicitResult> {
  const url = URL.parse(written);
  if (url?.protocol !== "https:" || url.username !== "" || written.length > MCP_LIMITS.questionCharsMax) {
    unasked("it wanted an address to be opened that is none with https");
    return { action: "decline" };
  }
  const answer = await ask(`${from} Open this page of ${url.host} yourself, if you trust it: ${url.href}`, [
    DONE,
    DECLINE,
  ]);
  return { action: answer === undefined ? "cancel" : answer === DONE ? "accept" : "decline" };
}

async function askField(
  from: string,
  field: Field,
  ask: AskOwner,
): Promise<{ readonly value: string | number | boolean } | typeof DECLINE | undefined> {
  let problem = "";
  for (let tries = 0; tries < MCP_LIMITS.answerTriesMax; tries++) {
    const optional = field.required
      ? ""
      : field.otherwise === undefined
        ? ' (write "-" to leave it out)'
        : ` (write "-" for ${quoted(field.otherwise)})`;
    const answer = await ask(`${from} ${field.words}${optional}${problem}`, [...field.options, DECLINE]);
    if (answer === undefined) return undefined;
    if (answer === DECLINE) return DECLINE;
    if (!field.required && answer.trim() === "-") return { value: field.otherwise ?? "" };
    const read = field.read(answer.trim());
    if ("value" in read) return read;
    problem = ` ${read.problem}`;
  }
  return undefined;
}

/**
 * A form has a few fields of plain kinds. Of a longer one the owner is asked for what must be answered, and what
 * cannot be asked for is left out where it may be; else the answer is a sentence about why nobody is asked.
 */
function fieldsOf(schema: {
  readonly properties: object;
  readonly required?: readonly string[] | undefined;
}): readonly Field[] | string {
  const fields: Field[] = [];
  for (const [name, each] of Object.entries(schema.properties)) {
    const required = schema.required?.includes(name) ?? false;
    const field = fieldOf(name, each, required);
    if (field !== undefined) fields.push(field);
    else if (required) return "it wanted more than text, numbers and choices";
  }
  const max = MCP_LIMITS.questionsPerCallMax;
  const asked = fields.length <= max ? fields : fields.filter(({ required }) => required);
  if (asked.length > max || (asked.length === 0 && fields.length > 0))
    return `it wanted more than ${max} things to be filled in`;
  if (asked.length === 0 && Object.keys(schema.properties).length > 0)
    return "it wanted more than text, numbers and choices";
  return asked;
}

/** Undefined where its kind cannot be asked for. */
function fieldOf(name: string, each: unknown, required: boolean): Field | undefined {
  if (!isRecord(each)) return undefined;
  const { type, title, description } = each;
  const words = [title ?? name, description]
    .filter((text) => typeof text === "string")
    .map(quoted)
    .join(": ");
  const { default: given } = each;
  const otherwise =
    typeof given === "string" || typeof given === "number" || typeof given === "boolean" ? given : undefined;
  const field = { name, words: `(${words})`, required, otherwise };
  const choices = choicesOf(each);
  if (choices !== undefined)
    return {
      ...field,
      options: choices.map(({ title: shown }) => shown),
      read: (answer) => {
        const found = choices.find(({ title: shown, value }) => shown === answer || value === answer);
        return found ?? { problem: "Choose one of the answers." };
      },
    };
  if (type === "boolean")
    return {
      ...field,
      options: [YES, NO],
      read: (answer) =>
        answer === YES || answer === NO ? { value: answer === YES } : { problem: "Answer Yes or No." },
    };
  if (type === "number" || type === "integer")
    return { ...field, options: [], read: (answer) => readNumber(answer, each, type === "integer") };
  if (type === "string") return { ...field, options: [], read: (answer) => readText(answer, each) };
  return undefined;
}

function choicesOf(
  schema: Record<string, unknown>,
): { readonly title: string; readonly value: string }[] | undefined {
  const listed = Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  const titled = Array.isArray(schema["oneOf"]) ? schema["oneOf"] : undefined;
  if (listed === undefined && titled === undefined) return undefined;
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  const all = listed
    ? listed.map((value, i) => ({ value: String(value), title: showLine(String(names[i] ?? value)) }))
    : (titled ?? []).filter(isRecord).map((each) => ({
        value: String(each["const"]),
        title: showLine(String(each["title"] ?? each["const"])),
      }));
  return all.slice(0, MCP_LIMITS.choicesMax);
}

function readNumber(
  answer: string,
  schema: Record<string, unknown>,
  whole: boolean,
): ReturnType<Field["read"]> {
  const value = answer === "" ? Number.NaN : Number(answer);
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return { problem: whole ? "Write a whole number." : "Write a number." };
  if (value < Number(minimum) || value > Number(maximum))
    return { problem: `Write a number from ${String(minimum)} to ${String(maximum)}.` };
  return { value };
}

function readText(answer: string, schema: Record<string, unknown>): ReturnType<Field["read"]> {
  const { minLength = 0, maxLength = MCP_LIMITS.questionCharsMax } = schema;
  if (answer.length < Number(minLength) || answer.length > Number(maxLength))
    return { problem: `Write ${String(minLength)} to ${String(maxLength)} characters.` };
  return { value: answer };
}

/** A server's words in a sentence of ours. */
function quoted(text: unknown): string {
  const line = showLine(String(text)).replaceAll(/[«»]/g, '"');
  const max = MCP_LIMITS.questionCharsMax;
  return `«${line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`}»`;
}
