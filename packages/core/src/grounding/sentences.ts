import { GROUNDING_LIMITS } from "./limits.ts";

/** One sentence of a draft: as written, and as it is read (without quotations and markup). */
export interface Sentence {
  readonly text: string;
  readonly plain: string;
  readonly start: number;
  readonly end: number;
}

const FENCE = /^ {0,3}(```|~~~)/;
const QUOTE_LINE = /^\s{0,3}>/;
/** Somebody else's words. A single quoted word is no quotation. */
const QUOTED =
  /"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»|‹[^›\n]{0,400}›|「[^」\n]{0,400}」|『[^』\n]{0,400}』|‘[^’\n]{3,400}’(?!\p{L})/gu;
const END = /[.!?…](?=["”»)\]*_]*\s)|[。！？](?![」』”])|[!?](?=\p{Extended_Pictographic})/gu;

/** Code, block quotes and quotations are not what the assistant says of itself, and are left out. */
export function sentencesOf(draft: string): Sentence[] {
  const text = draft.slice(0, GROUNDING_LIMITS.readCharsMax);
  const out: Sentence[] = [];
  let fence: string | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    const start = at;
    at += line.length + 1;
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    if (mark !== undefined || fence !== undefined || QUOTE_LINE.test(line)) continue;
    for (const [from, to] of pieces(line)) {
      if (out.length >= GROUNDING_LIMITS.sentencesMax) return out;
      const raw = line.slice(from, to);
      const plain = plainOf(raw);
      if (/[\p{L}\p{N}\p{Extended_Pictographic}✓✔☑]/u.test(plain))
        out.push({ text: raw.trim(), plain, start: start + from, end: start + to });
    }
  }
  return out;
}

function pieces(line: string): [number, number][] {
  const out: [number, number][] = [];
  // Quotations keep their full stops to themselves.
  const masked = line.replace(QUOTED, (quote) => "x".repeat(quote.length));
  let from = 0;
  const cut = (to: number) => {
    for (let start = from; start < to; start += GROUNDING_LIMITS.sentenceCharsMax)
      out.push([start, Math.min(to, start + GROUNDING_LIMITS.sentenceCharsMax)]);
    from = to;
  };
  for (const match of masked.matchAll(END)) {
    const end = match.index + match[0].length;
    const closing = /^["”»)\]*_]*(?:\s*\[c\d{1,4}\])*/u.exec(line.slice(end, end + 80))?.[0].length ?? 0;
    if (/^\s*\d{1,3}\.$/u.test(line.slice(from, end))) continue;
    cut(end + closing);
  }
  cut(line.length);
  return out;
}

function plainOf(raw: string): string {
  return raw
    .normalize("NFC")
    .replaceAll("’", "'")
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/gu, "")
    .replace(QUOTED, (quote) => (/\s/u.test(quote.trim()) || quote.length > 14 ? " … " : quote.slice(1, -1)))
    .replace(/\[c\d{1,4}(?:,\s?c\d{1,4})*\]/giu, " ")
    .replace(/^\s*(?:[-*+•▪]|\d{1,3}[.)])\s+/u, "")
    .replace(/[*_`~]{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?])[*_`~]{1,3}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
