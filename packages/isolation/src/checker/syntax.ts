import { stripTypeScriptTypes } from "node:module";
import { parse, type AnyNode, type Comment, type Program } from "acorn";
import { err, ok, type Result } from "@elwood/core/base/result";

/** A program without its types, and as a tree. Positions are those of the source. */
export interface Syntax {
  readonly javascript: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

export interface SyntaxProblem {
  readonly at: number;
  readonly message: string;
  /** The stripper broke on this and cannot be used again in this process. */
  readonly broken?: boolean;
}

const OPEN = "async function _(){\n";
const CLOSE = "\n}";

/**
 * Strips the types, then reads the rest with a second parser, which knows just the syntax
 * that the sandbox knows and is not told of the function around the program: a stray `}`
 * cannot close what is not there.
 */
export function readProgram(source: string): Result<Syntax, SyntaxProblem> {
  const stripped = strip(source);
  if (!stripped.ok) return stripped;
  const comments: Comment[] = [];
  try {
    const program = parse(stripped.value, {
      ecmaVersion: 2024,
      sourceType: "module",
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      onComment: comments,
    });
    return ok({ javascript: stripped.value, program, comments });
  } catch (error) {
    if (error instanceof RangeError) return err({ at: 0, message: TOO_DEEP });
    if (!(error instanceof SyntaxError)) throw error;
    const at = "pos" in error && typeof error.pos === "number" ? error.pos : 0;
    return err({ at, message: sentence(error.message.replace(/ \(\d+:\d+\)$/, "")) });
  }
}

export const TOO_DEEP = "The program is nested too deeply to be read.";

function strip(source: string): Result<string, SyntaxProblem> {
  try {
    const whole = stripTypeScriptTypes(OPEN + source + CLOSE);
    const body = whole.slice(OPEN.length, whole.length - CLOSE.length);
    return ok(keepSemicolons(source, body));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = "code" in error ? error.code : "";
    if (code !== "ERR_INVALID_TYPESCRIPT_SYNTAX" && code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
      return err({ at: 0, message: TOO_DEEP, broken: true });
    }
    return err({ at: placeOf(error, source), message: sentence(error.message) });
  }
}

/** The stripper tells the place only in the text of the error: the line number, the line, and marks under the spot. */
function placeOf(error: Error, source: string): number {
  const [head = "", ...rest] = (error.stack ?? "").split("\n");
  const line = Number(/:(\d+)$/.exec(head)?.[1] ?? 0) - 1;
  const marks = rest.find((each) => /^\s*\^+\s*$/.test(each));
  if (line < 1) return 0;
  const starts = [0];
  for (const found of source.matchAll(/\n/g)) starts.push(found.index + 1);
  const start = starts[line - 1] ?? source.length;
  return Math.min(source.length, start + (marks?.indexOf("^") ?? 0));
}

const GOES_ON = /\s*[([`+\-/*]/y;

/**
 * A type alias takes its semicolon with it, and two lines could grow together:
 * `let a = b` / `type C = 1;` / `(a)` would become a call of b. Those inside of a type end nothing:
 * `new Map<string, { a: 1; b: 2 }>()` has to stay one call.
 */
function keepSemicolons(source: string, body: string): string {
  if (source.length !== body.length) return body;
  let kept = "";
  let done = 0;
  let depth = 0;
  let quote = "";
  for (let at = 0; at < source.length; at++) {
    const sign = source.charAt(at);
    if (sign.trim() === "") continue;
    if (body[at] === sign) {
      depth = 0;
      quote = "";
    } else if (quote !== "") {
      if (sign === "\\") at += 1;
      else if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'" || sign === "`") quote = sign;
    else if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
    else if (sign === ";" && depth === 0) {
      GOES_ON.lastIndex = at + 1;
      if (!GOES_ON.test(body)) continue;
      kept += `${body.slice(done, at)};`;
      done = at + 1;
    }
  }
  return kept + body.slice(done);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Children of a node, in the order of the source. */
export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}

/** Every node with its parent, outer ones first. Without recursion, so that depth is no danger. */
export function parentsIn(program: Program): Map<AnyNode, AnyNode> {
  const parents = new Map<AnyNode, AnyNode>();
  const open: AnyNode[] = [program];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const children = childrenOf(node);
    for (const child of children) parents.set(child, node);
    open.push(...children.toReversed());
  }
  return parents;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
