/**
 * Titles, answers and tool results come from models, files and other people's pages. On a
 * terminal they may be read, but they may not command it: escape sequences could retitle
 * the window, write into the clipboard or hide lines.
 */

/** Text of several lines, without anything that a terminal would act on. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** How many cells a line takes: wide scripts and emoji take two, combining marks none. */
export function displayWidth(line: string): number {
  if (PLAIN.test(line)) return line.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) width += clusterWidth(segment);
  return width;
}

/** At most `width` cells, with an ellipsis where something was left off. */
export function cutToWidth(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  let cut = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += clusterWidth(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{scx=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** A few signs that Latin text uses too, such as the middle dot, count as Han. */
const LATIN = /^[\u0020-\u02ff]$/;

function clusterWidth(cluster: string): number {
  if (LATIN.test(cluster)) return 1;
  if (WIDE.test(cluster)) return 2;
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(cluster) ? 0 : 1;
}
