import type { ProgramDeclarations } from "./declarations.ts";

/**
 * Looks a program over before anything of it runs: its types against the declarations of the
 * session's tools, its form, and that no failure of a call that writes goes unseen.
 *
 * C1 `check` never rejects and never runs anything of the program.
 * C2 Lines and columns, from 1, are those of the source as the model wrote it, in the
 *    problems and in the JavaScript alike.
 * C3 It answers within limits of its own whatever the source; a checker that hangs or dies
 *    costs that check only.
 */
export interface ProgramChecker {
  check(program: {
    readonly source: string;
    readonly declarations: ProgramDeclarations;
  }): Promise<CheckVerdict>;
  /** Ends its processes. Later checks are answered as not possible. */
  close(): Promise<void>;
}

export type CheckVerdict =
  | {
      readonly ok: true;
      /** Types stripped: the body of an async function, to be run in strict mode. */
      readonly javascript: string;
      /** SHA-256 of the source as it was handed in. */
      readonly sourceHash: string;
      /** Of the declarations it was checked against. */
      readonly declarationsHash: string;
    }
  | {
      readonly ok: false;
      /** `program`: the model can mend it. `checker`: it cannot; no lap of repair should be counted. */
      readonly fault: "program" | "checker";
      readonly problems: readonly CheckProblem[];
      /** One sentence on the whole, such as what a program looks like. */
      readonly hint?: string;
      /** How many problems there were beyond those told. */
      readonly omitted: number;
    };

export interface CheckProblem {
  /** From 1; 0 where the whole program is meant. */
  readonly line: number;
  readonly column: number;
  /** `TS2345`, or one of CHECK_CODES. */
  readonly code: string;
  readonly message: string;
  /** The line it is about, as the model wrote it, cut if it is long. */
  readonly sourceLine?: string;
  /** The signature of the tool that the mistake is about. */
  readonly declaration?: string;
}

/** Elwood's own findings, beside the compiler's. */
export const CHECK_CODES = [
  /** The result of a call that writes is not looked at. */
  "unhandled-result",
  /** A promise is left to itself. */
  "not-awaited",
  "not-a-program",
  "module-syntax",
  "absent-global",
  "untyped-tools",
  "reserved-name",
  "syntax",
  "too-long",
  "too-deep",
  "check-timeout",
  "checker-unavailable",
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** The verdict as the model reads it. */
export function verdictText(verdict: Extract<CheckVerdict, { ok: false }>): string {
  const parts: string[] = [];
  parts.push(
    verdict.fault === "checker"
      ? "The program could not be checked, so nothing of it ran."
      : "The program was not run: it has mistakes. Nothing has happened yet. Mend it and hand it in again.",
  );
  if (verdict.hint !== undefined) parts.push(verdict.hint);
  const shown = new Set<string>();
  for (const problem of verdict.problems) {
    const place = problem.line > 0 ? `line ${problem.line}, column ${problem.column}: ` : "";
    parts.push(`${place}${problem.message} [${problem.code}]`);
    if (problem.sourceLine !== undefined) parts.push(`    ${problem.sourceLine}`);
    if (problem.declaration !== undefined && !shown.has(problem.declaration)) {
      shown.add(problem.declaration);
      parts.push(problem.declaration);
    }
  }
  if (verdict.omitted > 0) parts.push(`And ${verdict.omitted} more.`);
  return parts.join("\n");
}
