/** An open block of code: the character and the length of its fence. */
export interface OpenFence {
  readonly mark: "`" | "~";
  readonly length: number;
}

/** Up to three spaces, behind the markers of a list or quotation. */
const OPENING = /^(?: {0,3}(?:>|[-*+]|\d{1,9}[.)]) ?)* {0,3}(`{3,}(?=[^`]*$)|~{3,})/u;
/** In a list a fence stands deeper; who only reads what is said need not know how deep. */
const DEEPER = /^(?:\s*(?:>|[-*+]|\d{1,9}[.)])\s?)*\s*(`{3,}(?=[^`]*$)|~{3,})/u;
const CLOSING = /^(?:\s{0,3}>\s?)*\s*(`{3,}|~{3,})\s*$/u;

/**
 * Which block of code is open behind this line, as CommonMark defines fences: closed only by a
 * fence of the same character, at least as long, with nothing behind it.
 */
export function fenceAfter(
  line: string,
  open: OpenFence | undefined,
  depth: "top" | "any" = "top",
): OpenFence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return open;
  if (open) {
    const closing = CLOSING.exec(line)?.[1];
    const closes = closing !== undefined && closing[0] === open.mark && closing.length >= open.length;
    return closes ? undefined : open;
  }
  const opening = (depth === "top" ? OPENING : DEEPER).exec(line)?.[1];
  if (opening === undefined) return undefined;
  return { mark: opening.startsWith("~") ? "~" : "`", length: opening.length };
}
