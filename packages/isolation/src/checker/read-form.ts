import { err, ok, type Result } from "@elwood/core/base/result";
import { isScriptLanguage, unfenced } from "@elwood/runtime/programs/program-form";
import { readProgram, type Syntax, type SyntaxProblem } from "./syntax.ts";

/** A source that could be read; `text` is it with everything blanked that is no part of the program. */
export interface ReadForm {
  readonly text: string;
  readonly syntax: Syntax;
}

export interface UnreadForm extends SyntaxProblem {
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
export function readForm(source: string): Result<ReadForm, UnreadForm> {
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
