/**
 * A line of a note as it is known again: without the marks of a list, a heading or a
 * crossing-out, which somebody may change without changing whose words it holds. Whose they
 * are is kept by the hash of this, so that it survives moving the line, and ends with
 * changing it: a line that somebody rewrote by hand is theirs.
 */
export function noteLine(raw: string): string {
  return raw
    .normalize("NFC")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^(?:(?:[-*+]|\d{1,4}[.)]|#{1,6}|>)(?: \[[ xX]\])? )+/, "")
    .replace(/^~~(.*)~~$/, "$1")
    .trim();
}

/** The lines of a text that say something, each once. */
export function noteLines(text: string): string[] {
  return [...new Set(text.split("\n").map(noteLine))].filter((line) => /[\p{L}\p{N}]/u.test(line));
}
