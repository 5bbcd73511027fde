import { styleText } from "node:util";
import { useColor, type Io } from "./io.ts";

export type Style = "bold" | "dim" | "green" | "yellow" | "red";

/** Colours text where the terminal shows colours, and leaves it alone elsewhere. */
export type Paint = (style: Style, text: string) => string;

export function paintFor(io: Io): Paint {
  const color = useColor(io);
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}
