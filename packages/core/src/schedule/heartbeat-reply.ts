/** The word with which a heartbeat says that there is nothing to say. */
export const HEARTBEAT_OK = "HEARTBEAT_OK";
const BESIDE_CHARS_MAX = 300;

/**
 * Whether a reply says that there is nothing to report: the word stands at its start or end, with
 * little beside it. An alert that quotes the word in its middle is an alert.
 */
export function isNothingToReport(reply: string): boolean {
  // Models like to set a word in bold or in code.
  const text = reply.trim().replaceAll(/^[*_`"'.\s]+|[*_`"'.!\s]+$/gu, "");
  const beside = text.startsWith(HEARTBEAT_OK)
    ? text.slice(HEARTBEAT_OK.length)
    : text.endsWith(HEARTBEAT_OK)
      ? text.slice(0, -HEARTBEAT_OK.length)
      : undefined;
  if (beside === undefined || /^[\p{L}\p{N}_]|[\p{L}\p{N}_]$/u.test(boundary(text, beside))) return false;
  return beside.trim().length <= BESIDE_CHARS_MAX;
}

/** The character that touches the word: "HEARTBEAT_OKAY" is another word. */
function boundary(text: string, beside: string): string {
  return text.startsWith(HEARTBEAT_OK) ? beside.slice(0, 1) : beside.slice(-1);
}

/**
 * What HEARTBEAT.md asks, without its comments. Where headings, rules, empty points and fences are
 * all that is left, there is nothing to ask a model.
 */
export function heartbeatPrompt(file: string): string {
  // A comment that is not closed goes to the end, as in HTML; some editors put a mark before the first line.
  const text = file
    .replace(/^\uFEFF/u, "")
    .replaceAll(/<!--[^]*?(?:-->|$)/gu, "")
    .trim();
  return text.split(/\r?\n/u).every((line) => EMPTY_LINE.test(line)) ? "" : text;
}

/** A heading, a rule, a fence, or a point or box of a list with nothing behind it. */
const EMPTY_LINE =
  /^[\s>]*(?:#{1,6}(?:\s.*)?|[-=*_]{3,}|`{3,}\w*|~{3,}\w*|(?:[-*+]|\d{1,3}[.)])(?:\s+\[[ xX]?\])?)?\s*$/u;
