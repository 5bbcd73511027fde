import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Paint } from "../paint.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** What stands beside the conversation. */
export interface Panes {
  /** Conversations, newest first. */
  readonly left: readonly string[];
  /** Calls and evidence of the last answer. */
  readonly right: readonly string[];
}

export interface PanesFrame {
  readonly width: number;
  readonly rows: number;
  readonly focus: "box" | "left" | "right";
  readonly selected: number;
  readonly scrolled: number;
  readonly paint: Paint;
  /** The end of the conversation, in lines that fit. */
  readonly talk: (columns: number) => readonly string[];
  /** As far up as it goes. */
  readonly scrolledTo: (lines: number) => void;
}

/** Below this many columns a pane takes the place of the conversation while it has the keys. */
const COLUMNS_FOR_PANES = 100;
const LEFT_COLUMNS = 26;
const RIGHT_COLUMNS = 34;

/** A frame of exactly so many rows: conversations left, the talk, calls and evidence right. */
export function withPanes({ left, right }: Panes, frame: PanesFrame): string[] {
  const { width, rows, focus, paint } = frame;
  const side = (title: string, lines: readonly string[], columns: number, isOpen: boolean) => [
    fill(paint(isOpen ? "cyan" : "bold", title), columns),
    ...Array.from({ length: rows - 1 }, (_, i) => fill(lines[i] ?? "", columns)),
  ];
  const chosen = left.map((line, i) =>
    focus === "left" && i === frame.selected ? `${paint("cyan", "❯")} ${paint("bold", line)}` : `  ${line}`,
  );
  const from = focus === "left" ? Math.max(0, frame.selected - (rows - 2)) : 0;
  if (width < COLUMNS_FOR_PANES) {
    if (focus === "left") return side(WORDS.panes.left, chosen.slice(from), width, true);
    if (focus === "right") return side(WORDS.panes.right, right, width, true);
    return talk(frame, width);
  }
  const middle = width - LEFT_COLUMNS - RIGHT_COLUMNS - 2;
  const bar = paint("dim", "│");
  const columns = [
    side(WORDS.panes.left, chosen.slice(from), LEFT_COLUMNS, focus === "left"),
    talk(frame, middle),
    side(WORDS.panes.right, right, RIGHT_COLUMNS, focus === "right"),
  ];
  return Array.from({ length: rows }, (_, row) => columns.map((lines) => lines[row]).join(bar));
}

function talk({ rows, scrolled, talk: lines, scrolledTo }: PanesFrame, columns: number): string[] {
  const all = lines(columns);
  const up = Math.min(scrolled, Math.max(0, all.length - rows));
  if (up !== scrolled) scrolledTo(up);
  const shown = all.slice(Math.max(0, all.length - rows - up), all.length - up);
  return Array.from({ length: rows }, (_, i) => fill(shown[i] ?? "", columns));
}

function fill(line: string, columns: number): string {
  const cut = truncateToWidth(line, columns);
  return `${cut}${" ".repeat(Math.max(0, columns - visibleWidth(cut)))}`;
}
