import { styleText } from "node:util";
import type { StateWord, Tone } from "@elwood/core/base/state-words";
import { useColor, type Io } from "./io.ts";

export type Style = "bold" | "italic" | "dim" | "green" | "yellow" | "red" | "cyan" | "magenta";

/** Colours text where the terminal shows colours, and leaves it alone elsewhere. */
export type Paint = (style: Style, text: string) => string;

export function paintFor(io: Io): Paint {
  const color = useColor(io);
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

const STYLES: Readonly<Record<Tone, Style>> = {
  ok: "green",
  bad: "red",
  warn: "yellow",
  info: "bold",
  muted: "dim",
};

/** The sign of a state in its colour, as it stands before a line about it. */
export function markOf(paint: Paint, { tone, glyph }: StateWord): string {
  return paint(STYLES[tone], glyph);
}
