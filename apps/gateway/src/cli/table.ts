import { cutToWidth, displayWidth } from "./terminal-text.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Gives way where the terminal is too narrow for all. */
  readonly flexible?: boolean;
}

const GAP = "  ";
const FLEXIBLE_WIDTH_MIN = 12;

/** Columns under their titles. `width` is the terminal's, undefined where nothing is to be cut. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string {
  const widths = columns.map(({ title }, i) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[i] ?? ""))),
  );
  const flexible = columns.findIndex((column) => column.flexible);
  if (width !== undefined && flexible >= 0) {
    const others = widths.reduce((sum, each, i) => (i === flexible ? sum : sum + each + GAP.length), 0);
    widths[flexible] = Math.min(widths[flexible]!, Math.max(FLEXIBLE_WIDTH_MIN, width - others));
  }
  const line = (cells: readonly string[]) =>
    columns
      .map((column, i) => padded(cutToWidth(cells[i] ?? "", widths[i]!), widths[i]!, column.align))
      .join(GAP)
      .trimEnd();
  return [columns.map((column) => column.title), ...rows].map((cells) => `${line(cells)}\n`).join("");
}

function padded(text: string, width: number, align: Column["align"]): string {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? `${blanks}${text}` : `${text}${blanks}`;
}
