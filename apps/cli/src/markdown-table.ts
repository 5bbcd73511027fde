import { wrapWords } from "@elwood/core/base/wrap-words";
import type { Paint } from "./paint.ts";
import { displayWidth } from "./terminal-text.ts";

const GAP = "  ";
/** A column that gives way keeps at least so much. */
const WIDTH_MIN = 6;
/** A table with more is left as it was written. */
const COLUMNS_MAX = 20;

/** The second line of a table: dashes below each title, with colons for how the column is aligned. */
export const TABLE_RULE = /^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;

/**
 * The lines of a Markdown table in columns, no wider than the terminal; a cell that is too long
 * goes on below, so that nothing of it is lost. Undefined where it does not fit that way.
 */
export function drawTable(lines: readonly string[], width: number, paint?: Paint): string | undefined {
  const [head, rule, ...rows] = lines.map(cellsOf);
  if (head === undefined || rule === undefined || rule.length > COLUMNS_MAX) return undefined;
  const shown = [head, ...rows].map((cells) =>
    rule.map((_, i) => (paint === undefined ? (cells[i] ?? "") : withoutSigns(cells[i] ?? ""))),
  );
  const widths = fittingWidths(
    rule.map((_, i) => Math.max(1, ...shown.map((cells) => displayWidth(cells[i] ?? "")))),
    width - GAP.length * (rule.length - 1),
  );
  if (widths === undefined || [head, ...rows].some(({ length }) => length > rule.length)) return undefined;
  const drawn = shown.map((cells, row) => {
    const parts = cells.map((cell, i) => wrapWords(cell, widths[i]!));
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => {
      const line = parts
        .map((part, i) => aligned(part[at] ?? "", widths[i]!, rule[i]!))
        .join(GAP)
        .trimEnd();
      return row === 0 && paint !== undefined ? paint("bold", line) : line;
    }).join("\n");
  });
  const under = widths.map((each) => "─".repeat(each)).join(GAP);
  return [drawn[0], paint === undefined ? under : paint("dim", under), ...drawn.slice(1)].join("\n");
}

/** A bar behind a backslash is none. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function withoutSigns(cell: string): string {
  return cell.replaceAll(/\*\*(?=\S)(.+?)\*\*/g, "$1").replaceAll(/`([^`]+)`/g, "$1");
}

/** The widest give way first; undefined where even so they do not fit. */
function fittingWidths(wanted: readonly number[], room: number): readonly number[] | undefined {
  const least = wanted.reduce((sum, each) => sum + Math.min(each, WIDTH_MIN), 0);
  if (least > room) return undefined;
  let most = Math.max(...wanted);
  const within = (limit: number) => wanted.map((each) => Math.min(each, Math.max(limit, WIDTH_MIN)));
  while (within(most).reduce((sum, each) => sum + each, 0) > room) most -= 1;
  return within(most);
}

function aligned(text: string, width: number, rule: string): string {
  const blanks = Math.max(0, width - displayWidth(text));
  const left = rule.endsWith(":") ? (rule.startsWith(":") ? Math.floor(blanks / 2) : blanks) : 0;
  return `${" ".repeat(left)}${text}${" ".repeat(blanks - left)}`;
}
