import type { AnyNode } from "acorn";
import type { CheckProblem } from "@elwood/runtime/programs/checker-port";
import type { DeclaredTool } from "@elwood/runtime/programs/declarations";
import { ABSENT_GLOBALS } from "@elwood/runtime/programs/globals";
import { foreignText, isScriptLanguage, NO_MODULES, unfenced } from "@elwood/runtime/programs/program-form";
import type { Compiler, Finding } from "./compiler.ts";
import { DROP_CODE, RESERVED_NAME } from "./drop-checks.ts";
import {
  absentText,
  droppedText,
  findingText,
  FOR_EACH_TEXT,
  isWorthTelling,
  problemAt,
} from "./problem-text.ts";
import { ProgramCalls, unawaitedEntry, uncalledMain } from "./program-calls.ts";
import { resolveScopes } from "./scopes.ts";
import { SourceEdits } from "./source-edits.ts";
import { parentsIn, readProgram, type Syntax, type SyntaxProblem, TOO_DEEP } from "./syntax.ts";
import { type Dropped, droppedValues, isUnawaitedForEach } from "./unread-results.ts";
import { err, ok, type Result } from "@elwood/core/base/result";

interface CheckRequest {
  readonly source: string;
  /** Everything the compiler is to know, as TypeScript. */
  readonly declarations: string;
  readonly tools: readonly DeclaredTool[];
}

export type CheckAnswer =
  | { readonly ok: true; readonly javascript: string }
  | {
      readonly ok: false;
      readonly problems: readonly CheckProblem[];
      readonly omitted: number;
      /** The parser broke on this source; its process must not be used again. */
      readonly broken?: boolean;
    };

const PROBLEMS_MAX = 8;
const PROBLEMS_CHARS_MAX = 8_000;
const OPEN = "async function __elwoodProgram() {\n";
const CLOSE = "\n}\n";

/** Looks one program over; the same source and declarations get the same answer. */
export function checkProgram(request: CheckRequest, compiler: Compiler): CheckAnswer {
  const { source } = request;
  const reserved = source.search(RESERVED_NAME);
  if (reserved >= 0) {
    return refused([
      problemAt(source, reserved, "reserved-name", "Names with __elwood in them are taken: choose another."),
    ]);
  }
  const form = readForm(source);
  if (!form.ok) return unreadable(request, form.error, compiler);
  try {
    return new Check(request, form.value).run(compiler);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refused([problemAt(source, 0, "too-deep", TOO_DEEP)]);
  }
}

/** Says what is wrong with something that cannot be read: what it is instead, or where it goes wrong. */
function unreadable({ source, tools }: CheckRequest, problem: UnreadForm, compiler: Compiler): CheckAnswer {
  if (problem.broken) return { ...refused([problemAt(source, 0, "too-deep", TOO_DEEP)]), broken: true };
  const ids = tools.map((tool) => tool.toolId);
  const foreign = foreignText(problem.language === "" ? source : problem.text, problem.language, ids);
  if (foreign !== undefined)
    return refused([{ line: 0, column: 0, code: "not-a-program", message: foreign }]);
  if (problem.module) return refused([problemAt(source, problem.at, "module-syntax", NO_MODULES)]);
  // The compiler tells syntax errors better than the parsers do; what it has no objection to is told in their words.
  const found = compiler
    .diagnose("", OPEN + problem.text + CLOSE)
    .filter(({ code }) => code >= 1_000 && code < 2_000);
  const problems = found
    .map(({ at, code, message }) => ({ at: at - OPEN.length, code, message }))
    .filter(({ at }) => at >= 0 && at <= source.length)
    .map(({ at, code, message }) => problemAt(source, at, `TS${code}`, message));
  if (problems.length > 0) return refused(problems);
  return refused([problemAt(source, problem.at, "syntax", problem.message)]);
}

class Check {
  readonly #source: string;
  readonly #request: CheckRequest;
  readonly #form: ReadForm;
  readonly #problems: { at: number; problem: CheckProblem }[] = [];

  constructor(request: CheckRequest, form: ReadForm) {
    this.#request = request;
    this.#source = request.source;
    this.#form = form;
  }

  run(compiler: Compiler): CheckAnswer {
    const { text, syntax } = this.#form;
    const parents = parentsIn(syntax.program);
    const nodes: AnyNode[] = [...parents.keys()].toSorted((a, b) => a.start - b.start || b.end - a.end);
    const scopes = resolveScopes(syntax.program);
    const calls = new ProgramCalls(nodes, parents, scopes, this.#request.tools);
    this.#lookAtTree(nodes);
    for (const name of Object.keys(ABSENT_GLOBALS)) {
      for (const { start } of scopes.globals.get(name)?.reads ?? [])
        this.#add(start, "absent-global", absentText(name));
    }

    const entry = unawaitedEntry(syntax.program, scopes);
    const main = uncalledMain(syntax.program, scopes);
    const tail = main === undefined ? "" : `\nreturn await ${main}();`;
    const completed = new SourceEdits<never>();
    if (entry) completed.wrap(entry, "return await ", "");

    const edits = new SourceEdits<Dropped>();
    if (entry) edits.wrap(entry, "return await ", "");
    for (const each of droppedValues([syntax.program, ...nodes], parents, scopes)) {
      if (entry && each.start === entry.start && each.end === entry.end) continue;
      edits.wrap(each, each.open, each.close, each);
    }
    // Orders to the compiler to look away are the model's wish, not ours.
    const typed = text.replaceAll(/@ts-(?=ignore|nocheck|expect-error)/g, "@ts_");
    const floating: number[] = [];
    const unhandled = new Set<number>();
    const told: { readonly at: number; readonly finding: Finding }[] = [];
    const diagnose = (found: (finding: Finding, at: number, mark: Dropped | undefined) => void) => {
      const edited = edits.apply(typed);
      for (const finding of compiler.diagnose(
        this.#request.declarations,
        OPEN + edited.text + tail + CLOSE,
      )) {
        const { at, mark } = edited.place(finding.at - OPEN.length);
        found(finding, at, mark);
      }
    };
    const tellable = (finding: Finding, at: number, mark: Dropped | undefined) => {
      if (mark === undefined && isWorthTelling(finding, text, at)) told.push({ at, finding });
    };
    diagnose((finding, at, mark) => {
      tellable(finding, at, mark);
      if (mark === undefined || finding.code !== DROP_CODE) return;
      if (mark.kind === "floating") floating.push(mark.start);
      else if (!unhandled.has(mark.start)) {
        unhandled.add(mark.start);
        const tool = calls.toolWithin(mark.start, mark.end) ?? calls.toolAt(mark.start);
        this.#add(mark.start, "unhandled-result", droppedText(mark, tool), tool);
      }
    });
    const empty = told.length === 0 ? [] : emptyValues(nodes, parents);
    if (empty.length > 0) {
      // What an empty list or object will hold is guessed by the compiler. Where it objects to
      // something, it is asked once more without that guess; what nobody looks at stays as it found it above.
      for (const each of empty)
        edits.wrap(each, "(", each.type === "ArrayExpression" ? " as any[])" : " as any)");
      told.length = 0;
      diagnose(tellable);
    }
    for (const { at, finding } of told)
      this.#add(at, `TS${finding.code}`, findingText(finding, text, at, calls), calls.toolAt(at));
    for (const at of floating) {
      if (!unhandled.has(at)) this.#add(at, "not-awaited", droppedText({ kind: "floating" }, undefined));
    }
    if (this.#problems.length > 0) {
      return refused(this.#problems.toSorted((a, b) => a.at - b.at).map((each) => each.problem));
    }
    return { ok: true, javascript: completed.apply(syntax.javascript).text + tail };
  }

  /** What is wrong whatever the types say. */
  #lookAtTree(nodes: readonly AnyNode[]): void {
    for (const node of nodes) {
      if (node.type === "ImportExpression" || node.type === "MetaProperty") {
        this.#add(node.start, "module-syntax", NO_MODULES);
      } else if (isUnawaitedForEach(node)) this.#add(node.arguments[0]!.start, "not-awaited", FOR_EACH_TEXT);
    }
    for (const { index } of this.#form.text.matchAll(/\btools\b[\w.!?]*\)?\s+as\s+(any|unknown|never)\b/g)) {
      const text = "Leave `tools` typed: without its types nothing of the program could be checked.";
      this.#add(index, "untyped-tools", text);
    }
  }

  #add(at: number, code: string, message: string, tool?: DeclaredTool): void {
    this.#problems.push({ at, problem: problemAt(this.#source, at, code, message, tool) });
  }
}

/** Empty lists and objects that a program begins with to fill them. What is handed to a call stays as it is. */
function emptyValues(nodes: readonly AnyNode[], parents: ReadonlyMap<AnyNode, AnyNode>): AnyNode[] {
  const isEmpty = (node: AnyNode) =>
    (node.type === "ArrayExpression" && node.elements.length === 0) ||
    (node.type === "ObjectExpression" && node.properties.length === 0);
  return nodes.filter((node) => isEmpty(node) && BEGINS.has(parents.get(node)?.type ?? ""));
}

const BEGINS: ReadonlySet<string> = new Set([
  "VariableDeclarator",
  "Property",
  "AssignmentExpression",
  "AssignmentPattern",
  "LogicalExpression",
]);

/** As many problems as a model can use at once. */
function refused(problems: readonly CheckProblem[]): CheckAnswer & { ok: false } {
  const told: CheckProblem[] = [];
  let chars = 0;
  for (const problem of problems.slice(0, PROBLEMS_MAX)) {
    chars += JSON.stringify(problem).length;
    if (chars > PROBLEMS_CHARS_MAX && told.length > 0) break;
    told.push(problem);
  }
  return { ok: false, problems: told, omitted: problems.length - told.length };
}

/** A source that could be read; `text` is it with everything blanked that is no part of the program. */
interface ReadForm {
  readonly text: string;
  readonly syntax: Syntax;
}

interface UnreadForm extends SyntaxProblem {
  readonly text: string;
  /** What a Markdown block says it holds. */
  readonly language: string;
  /** It asks for modules. */
  readonly module?: boolean;
}

/**
 * Reads a program in the forms in which models hand them in: as it should be, in a Markdown
 * block, or as a module with one function to run. Blanking keeps every line and column.
 */
function readForm(source: string): Result<ReadForm, UnreadForm> {
  if (isJson(source)) return err({ at: 0, message: "This is JSON.", text: source, language: "json" });
  // Three backticks at the start of a line can be read as code, but nobody means them so.
  const block = unfenced(source);
  if (block === undefined) return readText(source);
  if (isScriptLanguage(block.language)) return readText(block.code);
  return err({ at: 0, message: "This is no TypeScript.", text: block.code, language: block.language });
}

const MODULE_LINE = /^[ \t]*(import|export)\b(?!\s*[(.])/m;
const IMPORT_LINE = /^[ \t]*import\b(?!\s*[(.])|^[ \t]*export\b[^'"\n]*\bfrom\b/m;

function readText(text: string): Result<ReadForm, UnreadForm> {
  const read = readProgram(text);
  if (read.ok) return ok({ text, syntax: read.value });
  const problem = { ...read.error, text, language: "" };
  if (problem.broken || !MODULE_LINE.test(text)) return err(problem);
  if (IMPORT_LINE.test(text)) return err({ ...problem, at: text.search(IMPORT_LINE), module: true });
  const plain = withoutExports(text);
  const again = readProgram(plain);
  if (again.ok) return ok({ text: plain, syntax: again.value });
  return err({ ...again.error, text: plain, language: "" });
}

/** The one thing a module exports is what it wants to have run; that a function is never called is seen later. */
function withoutExports(text: string): string {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, " ");
  return text
    .replace(
      /^([ \t]*)export default(?=\s+(async\s+)?(function\s*\*?\s*\(|\(|\w+\s*=>))/m,
      "$1const main   =",
    )
    .replaceAll(/^[ \t]*export\s+default\s+(?=(async\s+)?function\b|class\b)/gm, blank)
    .replaceAll(/^[ \t]*export\s+default\s+\w+\s*;?[ \t]*$/gm, blank)
    .replaceAll(/^[ \t]*export\s*\{[^}]*\}\s*;?/gm, blank)
    .replaceAll(/^[ \t]*export\s+(?=(async|function|const|let|var|class|type|interface)\b)/gm, blank);
}

function isJson(source: string): boolean {
  if (!/^\s*[[{]/.test(source)) return false;
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}
