import { err, ok, type Result } from "@elwood/core/base/result";

/** Checks a value by a JSON Schema; the problems, or none. */
export type SchemaCheck = (value: unknown) => readonly string[];

const PROBLEMS_TOLD_MAX = 10;

/** What the model is told beforehand, where its answer must be JSON. */
export function jsonInstruction(schema: Readonly<Record<string, unknown>> | undefined): string {
  const only = "Answer with one JSON value and nothing else: no words around it, no code fence.";
  return schema === undefined ? only : `${only} It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** What it is told after an answer that does not fit. */
export function repairInstruction(problem: string): string {
  return `That answer cannot be used: ${problem} Answer again, with the corrected JSON value alone.`;
}

/** The value in an answer, or why it is none that fits. */
export function readJsonAnswer(text: string, check: SchemaCheck | undefined): Result<unknown, string> {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return err("it is not valid JSON.");
  }
  const problems = check?.(value) ?? [];
  return problems.length === 0 ? ok(value) : err(`${problems.slice(0, PROBLEMS_TOLD_MAX).join("; ")}.`);
}
