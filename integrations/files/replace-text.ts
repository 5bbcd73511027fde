import { FileProblem } from "./file-problem.ts";

export interface Replacement {
  /** Without it, the new text is added as lines of its own. */
  readonly oldText?: string | undefined;
  readonly newText: string;
  readonly replaceAll: boolean;
  /** Text of the heading or line below which the change is to be; without it, the whole file. */
  readonly under?: string | undefined;
}

/**
 * Replaces exact text, or adds lines at the end. A file whose lines end in CRLF takes an edit that was
 * written with LF: models see and write LF, and must not leave a file with both.
 */
export function replaceText(
  text: string,
  change: Replacement,
  shown: string,
): { readonly text: string; readonly count: number } {
  const crlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const asThere = (part: string) => (crlf ? toCrlf(part) : part);
  const replacement = asThere(change.newText);
  const part = change.under === undefined ? wholeOf(text) : partUnder(text, change.under, shown);
  const [before, within, after] = [
    text.slice(0, part.from),
    text.slice(part.from, part.to),
    text.slice(part.to),
  ];
  if (change.oldText === undefined) {
    if (replacement === "") throw new FileProblem("no-match", "There is no text to add.");
    return { text: withLines(text, part.added, replacement, crlf ? "\r\n" : "\n"), count: 1 };
  }
  const wanted = asThere(change.oldText);
  if (wanted === replacement) throw new FileProblem("no-match", "The old and the new text are the same.");
  const parts = within.split(wanted);
  const count = parts.length - 1;
  const where = change.under === undefined ? "" : ` below line ${newLinesIn(before)}`;
  if (count === 0) {
    throw new FileProblem(
      "no-match",
      `${shown} does not hold the old text${where}. Read it again and copy the text exactly.`,
    );
  }
  if (count > 1 && !change.replaceAll) {
    throw new FileProblem(
      "no-match",
      `${shown} holds the old text ${count} times${where}, ${linesOf(parts, wanted, newLinesIn(before) + 1)}. Give more of the text around it, or set replaceAll.`,
    );
  }
  return { text: before + parts.join(replacement) + after, count };
}

/** A part of a text, and where lines are added to it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly added: number;
}

function wholeOf(text: string): Part {
  return { from: 0, to: text.length, added: text.length };
}

/** What stands under a heading, up to the next of its rank; or below a line, whatever comes. */
function partUnder(text: string, under: string, shown: string): Part {
  const lines = text.split("\n");
  const wanted = under.trim().toLowerCase();
  const having = lines.flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at] : []));
  const headings = having.filter((at) => rankOf(lines[at]!) > 0);
  const [at, second] = headings.length > 0 ? headings : having;
  if (at === undefined)
    throw new FileProblem("no-match", `No line of ${shown} holds “${under}”. Nothing was changed.`);
  if (second !== undefined) {
    const told = (headings.length > 0 ? headings : having).slice(0, LINES_TOLD_MAX).map((line) => line + 1);
    throw new FileProblem(
      "no-match",
      `“${under}” stands in more than one line of ${shown}, at lines ${told.join(", ")}. Give more of the line.`,
    );
  }
  const start = (line: number) => lines.slice(0, line).reduce((chars, each) => chars + each.length + 1, 0);
  const from = Math.min(start(at + 1), text.length);
  const rank = rankOf(lines[at]!);
  if (rank === 0) return { from, to: text.length, added: from };
  const next = lines.findIndex((line, i) => i > at && rankOf(line) > 0 && rankOf(line) <= rank);
  const to = next === -1 ? text.length : start(next);
  // Lines are added to what is there, not behind the empty lines that follow it.
  const last = lines.findLastIndex(
    (line, i) => i < (next === -1 ? lines.length : next) && line.trim() !== "",
  );
  return { from, to, added: Math.min(start(last + 1), text.length) };
}

/** How deep a Markdown heading is; 0 for any other line. */
function rankOf(line: string): number {
  return /^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
}

/** Whole lines: what stands before them ends its line, and they end theirs. */
function withLines(text: string, at: number, added: string, end: string): string {
  const before = text.slice(0, at);
  const opened = before === "" || before.endsWith("\n") ? before : before + end;
  return opened + (added.endsWith("\n") ? added : added + end) + text.slice(at);
}

const LINES_TOLD_MAX = 10;

/** The lines on which each of several places begins. */
function linesOf(parts: readonly string[], wanted: string, first: number): string {
  const lines: number[] = [];
  let line = first;
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
