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
  note: (text: string) => void,
): Promise<ElicitResult> {
  const from = `The MCP server "${showLine(server)}" asks: ${quoted(params.message)}`;
  if (params.mode === "url") return elicitUrl(from, params.url, ask, note);
  const { requestedSchema } = params;
  if (
    SECRET.test(params.message) ||
    Object.keys(requestedSchema.properties).some((name) => SECRET.test(name))
  ) {
    note("it asked for something secret, which was declined");
    return { action: "decline" };
  }
  const fields = fieldsOf(requestedSchema);
  if (typeof fields === "string") {
    note(`its question cannot be asked: ${fields}`);
    return { action: "decline" };
  }
  if (fields.length === 0) {
    const answer = await ask(from, [YES, NO]);
    return { action: answer === undefined ? "cancel" : answer === YES ? "accept" : "decline", content: {} };
  }
  const content: Record<string, string | number | boolean> = {};
  for (const field of fields) {
    const answered = await askField(from, field, ask);
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
  note: (text: string) => void,
): Promise<ElicitResult> {
  const url = URL.parse(written);
  if (url?.protocol !== "https:" || url.username !== "" || written.length > MCP_LIMITS.questionCharsMax) {
    note("it wanted an address to be opened that is none with https, which was declined");
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

/** A form has a few fields of plain kinds; anything else is a sentence about why it cannot be asked. */
function fieldsOf(schema: {
  readonly properties: object;
  readonly required?: readonly string[] | undefined;
}): readonly Field[] | string {
  const entries = Object.entries(schema.properties);
  if (entries.length > MCP_LIMITS.questionsPerCallMax) return "it has too many fields";
  const fields: Field[] = [];
  for (const [name, each] of entries) {
    if (!isRecord(each)) return "a field is not described";
    const { type, title, description } = each;
    const words = [title ?? name, description]
      .filter((text) => typeof text === "string")
      .map(quoted)
      .join(": ");
    const { default: given } = each;
    const otherwise =
      typeof given === "string" || typeof given === "number" || typeof given === "boolean"
        ? given
        : undefined;
    const required = schema.required?.includes(name) ?? false;
    const field = { name, words: `(${words})`, required, otherwise };
    const choices = choicesOf(each);
    if (choices !== undefined)
      fields.push({
        ...field,
        options: choices.map(({ title: shown }) => shown),
        read: (answer) => {
          const found = choices.find(({ title: shown, value }) => shown === answer || value === answer);
          return found ?? { problem: "Choose one of the answers." };
        },
      });
    else if (type === "boolean")
      fields.push({
        ...field,
        options: [YES, NO],
        read: (answer) =>
          answer === YES || answer === NO ? { value: answer === YES } : { problem: "Answer Yes or No." },
      });
    else if (type === "number" || type === "integer")
      fields.push({ ...field, options: [], read: (answer) => readNumber(answer, each, type === "integer") });
    else if (type === "string")
      fields.push({ ...field, options: [], read: (answer) => readText(answer, each) });
    else return "it asks for more than text, numbers and choices";
  }
  return fields;
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
