import type { Log } from "@elwood/runtime/ports/ports";

export interface PrettyLine {
  readonly ts: string;
  readonly level: keyof Log;
  readonly msg: string;
  readonly fields: object;
  readonly color: boolean;
}

const COLORS: Readonly<Record<keyof Log, number>> = { error: 31, warn: 33, info: 36, debug: 90 };

/** `09:00:00.000 WARN  message  key=value …` for a person at a terminal. */
export function prettyLine(line: PrettyLine): string {
  const paint = (code: number, text: string) => (line.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const fields = Object.entries(line.fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${paint(90, `${visible(key)}=`)}${visible(shown(value))}`);
  const level = paint(COLORS[line.level], line.level.toUpperCase().padEnd(5));
  return [`${paint(90, line.ts.slice(11, 23))} ${level} ${visible(line.msg)}`, ...fields]
    .join("  ")
    .trimEnd();
}

function shown(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/** Line breaks and terminal controls in a value are shown, never obeyed. What is written is valid inside JSON too. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    },
  );
}
