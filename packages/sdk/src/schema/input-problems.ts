import type { SchemaIssue } from "../tool-schema.ts";
import { closest } from "@elwood/core/base/suggest";
import type { UnknownKey } from "./json-schema.ts";

/** One mistake in an input, as a model can mend it: where, what was expected, what came. */
export function issueSentence(issue: SchemaIssue, value: unknown): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  const found = valueAt(value, path);
  const where = shownPath(path);
  const expected = expectation(issue);
  if (expected === undefined)
    return `${where}: ${plainMessage(issue)}${found === undefined ? "" : `; got ${described(found)}`}.`;
  if (found === undefined)
    return `${where}: expected ${expected}, got nothing.${path.length > 0 ? " It is required." : ""}`;
  return `${where}: expected ${expected}, got ${described(found)}.`;
}

export function unknownKeySentence({ path, known }: UnknownKey): string {
  const key = path.at(-1)!;
  const near = closest(key, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const takes = known.length === 0 ? "takes no arguments" : `takes ${known.join(", ")}`;
  const where = path.length === 1 ? "the tool" : shownPath(path.slice(0, -1));
  return `${shownPath(path)}: there is no such argument; ${where} ${takes}.${hint}`;
}

interface ZodLikeIssue extends SchemaIssue {
  readonly code?: unknown;
  readonly expected?: unknown;
  readonly values?: unknown;
  readonly errors?: unknown;
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
}

/**
 * Zod says what it expected in fields of its own; other libraries only in their message,
 * which is then given as it is.
 */
function expectation(issue: ZodLikeIssue): string | undefined {
  if (issue.code === "invalid_type" && typeof issue.expected === "string") {
    return TYPE_WORDS[issue.expected] ?? issue.expected;
  }
  if (issue.code === "invalid_value" && Array.isArray(issue.values)) {
    const values = issue.values.map((value) => JSON.stringify(value));
    return values.length === 1 ? values[0]! : `one of ${values.join(", ")}`;
  }
  if (issue.code === "invalid_union" && Array.isArray(issue.errors)) {
    const kinds = issue.errors.map((errors: readonly SchemaIssue[]) =>
      errors
        .map(
          (error) =>
            `${shownPath((error.path ?? []).map(String))}: ${expectation(error) ?? plainMessage(error)}`,
        )
        .join(" and "),
    );
    return kinds.join(", or ");
  }
  return sizeExpected(issue);
}

/** "at most 50 characters", "text that is not empty" */
function sizeExpected({ code, origin, minimum, maximum, inclusive }: ZodLikeIssue): string | undefined {
  if (inclusive === false) return undefined;
  const [bound, limit] =
    code === "too_small" ? ["least", minimum] : code === "too_big" ? ["most", maximum] : [];
  if (typeof limit !== "number" && typeof limit !== "bigint") return undefined;
  const many = Number(limit) === 1 ? "" : "s";
  switch (origin) {
    case "string":
      return code === "too_small" && many === ""
        ? "text that is not empty"
        : `at ${bound} ${limit} character${many}`;
    case "array":
      return code === "too_small" && many === ""
        ? "a list that is not empty"
        : `at ${bound} ${limit} item${many}`;
    case "number":
    case "int":
      return `at ${bound} ${limit}`;
    default:
      return undefined;
  }
}

function plainMessage(issue: SchemaIssue): string {
  return issue.message.replace(/\.$/, "");
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FOUND_CHARS_MAX = 80;

function described(value: unknown): string {
  const json = JSON.stringify(value) ?? typeof value;
  const short = json.length > FOUND_CHARS_MAX ? `${json.slice(0, FOUND_CHARS_MAX)}…` : json;
  if (Array.isArray(value)) return `the list ${short}`;
  if (value === null || typeof value === "boolean") return short;
  return `${typeof value === "object" ? "the object" : typeof value === "string" ? "the text" : `the ${typeof value}`} ${short}`;
}

/** `items[2].path`; the whole input has the name `input`. */
function shownPath(path: readonly string[]): string {
  if (path.length === 0) return "input";
  return path.reduce(
    (text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
