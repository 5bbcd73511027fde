import type { Io } from "./io.ts";
import { cutToWidth, displayWidth } from "./terminal-text.ts";
import { say, type Sentence } from "./words/say.ts";

interface Column {
  readonly title: Sentence;
  readonly align?: "left" | "right";
  /** Gives way where the terminal is too narrow for all. */
  readonly flexible?: boolean;
}

const GAP = "  ";
const FLEXIBLE_WIDTH_MIN = 12;
const WIDTH_MIN = 7;

/** Columns under their titles, in the language of the terminal. Into a pipe nothing is cut. */
export function table(
  io: Pick<Io, "spoken" | "stdout">,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map(({ title }) => say(io, title));
  const width = io.stdout.isTTY ? io.stdout.columns : undefined;
  const wanted = titles.map((title, i) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[i] ?? ""))),
  );
  const widths = width === undefined ? wanted : fitting(columns, wanted, width);
  const line = (cells: readonly string[]) => {
    const text = columns
      .map((column, i) => padded(cutToWidth(cells[i] ?? "", widths[i]!), widths[i]!, column.align))
      .join(GAP)
      .trimEnd();
    return width === undefined ? text : cutToWidth(text, width);
  };
  return [titles, ...rows].map((cells) => `${line(cells)}\n`).join("");
}

/**
 * First the flexible column gives way, then the widest of the others, and last the first
 * one, since it holds what a row is called by. What does not fit even then is cut.
 */
function fitting(columns: readonly Column[], wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  const shrink = (i: number, min: number) => {
    const excess = Math.max(0, total() - width);
    widths[i] = Math.max(Math.min(widths[i]!, min), widths[i]! - excess);
  };
  const flexible = columns.findIndex((column) => column.flexible);
  if (flexible >= 0) shrink(flexible, FLEXIBLE_WIDTH_MIN);
  const others = columns.map((_, i) => i).filter((i) => i > 0 && i !== flexible);
  while (total() > width) {
    const widest = others.reduce((a, b) => (widths[b]! > widths[a]! ? b : a), others[0] ?? -1);
    if (widest < 0 || widths[widest]! <= WIDTH_MIN) break;
    widths[widest]! -= 1;
  }
  shrink(0, WIDTH_MIN);
  return widths;
}

function padded(text: string, width: number, align: Column["align"]): string {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? `${blanks}${text}` : `${text}${blanks}`;
}
