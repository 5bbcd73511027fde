import { FileProblem } from "./file-problem.ts";

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/**
 * Replaces exact text. A file whose lines end in CRLF takes an edit that was written with LF:
 * models see and write LF, and must not leave a file with both.
 */
export function replaceText(
  text: string,
  change: Replacement,
  shown: string,
): { readonly text: string; readonly count: number } {
  const crlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const wanted = crlf ? toCrlf(change.oldText) : change.oldText;
  const replacement = crlf ? toCrlf(change.newText) : change.newText;
  if (wanted === replacement) throw new FileProblem("no-match", "The old and the new text are the same.");
  const parts = text.split(wanted);
  const count = parts.length - 1;
  if (count === 0) {
    throw new FileProblem(
      "no-match",
      `${shown} does not hold the old text. Read it again and copy the text exactly.`,
    );
  }
  if (count > 1 && !change.replaceAll) {
    throw new FileProblem(
      "no-match",
      `${shown} holds the old text ${count} times, ${linesOf(parts, wanted)}. Give more of the text around it, or set replaceAll.`,
    );
  }
  return { text: parts.join(replacement), count };
}

const LINES_TOLD_MAX = 10;

/** The lines on which each of several places begins. */
function linesOf(parts: readonly string[], wanted: string): string {
  const lines: number[] = [];
  let line = 1;
  for (const part of parts.slice(0, -1).slice(0, LINES_TOLD_MAX)) {
    line += newLinesIn(part);
    lines.push(line);
    line += newLinesIn(wanted);
  }
  return `at lines ${lines.join(", ")}${parts.length - 1 > lines.length ? " and more" : ""}`;
}

function newLinesIn(text: string): number {
  return text.split("\n").length - 1;
}

function toCrlf(text: string): string {
  return text.replaceAll(/(?<!\r)\n/g, "\r\n");
}
