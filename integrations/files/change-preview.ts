import { hashOf, sizeInWords, textOf } from "./file-content.ts";

const CONTEXT_LINES = 3;

/** Content as the owner is shown it. What is not text, or too much of it, is named by its hash: it still binds the approval. */
export function contentShown(bytes: Uint8Array | undefined, charsMax: number): string {
  if (bytes === undefined) return "";
  const text = textOf(bytes);
  const name = `${sizeInWords(bytes.length)}, sha256 ${hashOf(bytes)}`;
  if (text === undefined) return `(not text: ${name})`;
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}\n(cut here: ${name})`;
}

/**
 * Content that goes away: its name, its size and how it begins are enough to decide by. The hash
 * of the rest stands behind the beginning, so that the approval is still bound to all of it.
 */
export function goingShown(
  bytes: Uint8Array | undefined,
  charsMax: number,
): { readonly before: string; readonly beforeBytes?: number } {
  const before = contentShown(bytes, charsMax);
  const isCut = bytes !== undefined && (textOf(bytes)?.length ?? 0) > charsMax;
  return { before, ...(isCut ? { beforeBytes: bytes.length } : {}) };
}

const NOW_CONTEXT_LINES = 2;
const NOW_LINES_MAX = 24;
const NOW_LINE_CHARS_MAX = 200;

/** What a change made of the lines that it touched, with a few around them: plain, and numbered for the model. */
export function linesNow(
  before: string,
  after: string,
): { readonly lines: number; readonly fromLine: number; readonly text: string; readonly numbered: string } {
  const { start, end, now } = difference(before, after);
  const all = now.at(-1) === "" ? now.slice(0, -1) : now;
  const from = Math.max(0, start - NOW_CONTEXT_LINES);
  const to = Math.min(all.length, now.length - Math.max(0, end - NOW_CONTEXT_LINES));
  const touched = all.slice(from, to).map((line) => line.replace(/\r$/, ""));
  const rows = touched.map((line, i) => {
    const shown = line.length > NOW_LINE_CHARS_MAX ? `${line.slice(0, NOW_LINE_CHARS_MAX)}…` : line;
    return `${from + i + 1}: ${shown}`;
  });
  const half = NOW_LINES_MAX / 2;
  const numbered =
    rows.length <= NOW_LINES_MAX
      ? rows
      : [...rows.slice(0, half), `… ${rows.length - NOW_LINES_MAX} more …`, ...rows.slice(-half)];
  // Of the first line that changed; where the heading is among the lines that are shown, it speaks for itself.
  const headingAt = all.slice(0, start).findLastIndex((line) => /^#{1,6}\s/.test(line));
  const above =
    headingAt < 0 || headingAt >= from
      ? []
      : [`(under ${all[headingAt]!.trim().slice(0, NOW_LINE_CHARS_MAX)})`];
  return {
    lines: all.length,
    fromLine: from + 1,
    text: touched.slice(0, NOW_LINES_MAX).join("\n"),
    numbered: [...above, ...numbered].join("\n"),
  };
}

/** How many lines are the same at the beginning and at the end. */
function difference(before: string, after: string) {
  const old = before.split("\n");
  const now = after.split("\n");
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { start, end, old, now };
}

/** The lines that differ, with a few around them. Both sides begin at the same line. */
export function changedLines(
  before: string,
  after: string,
  charsMax: number,
): { readonly line: number; readonly before: string; readonly after: string } {
  const { start, end, old, now } = difference(before, after);
  const from = Math.max(0, start - CONTEXT_LINES);
  const part = (lines: readonly string[]) => {
    const text = lines.slice(from, lines.length - Math.max(0, end - CONTEXT_LINES)).join("\n");
    return text.length <= charsMax
      ? text
      : `${text.slice(0, charsMax)}\n(cut here: ${text.length - charsMax} more characters)`;
  };
  return { line: start + 1, before: part(old), after: part(now) };
}
