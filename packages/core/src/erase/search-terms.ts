import { LIMITS } from "../base/limits.ts";
import { foldCase } from "../message/session-text.ts";

/**
 * The terms to search for when something is erased. A word is matched case-insensitively, a text by
 * exact excerpts.
 */
export interface SearchTerms {
  readonly fold: boolean;
  readonly texts: readonly string[];
}

export function wordTerms(word: string): SearchTerms {
  return { fold: true, texts: [word] };
}

/** Excerpts that are long enough to identify the text. */
export function textTerms(texts: Iterable<string>): SearchTerms {
  const found = new Set<string>();
  for (const text of texts) for (const stretch of stretchesOf(text)) found.add(stretch);
  return { fold: false, texts: spread([...found], LIMITS.forgetNeedlesMax) };
}

/** Returns a test whether a text contains one of the terms, plain or JSON-escaped. */
export function containsAny({ fold, texts }: SearchTerms): (text: string) => boolean {
  const forms = writtenForms(texts.map((text) => (fold ? foldCase(text) : text)));
  if (forms.length === 0) return () => false;
  if (!fold) return (text) => forms.some((form) => text.includes(form));
  return (text) => {
    const folded = foldCase(text);
    return forms.some((form) => folded.includes(form));
  };
}

/** How the texts stand in files: as they are, in JSON, and in JSON inside of JSON. */
export function writtenForms(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [text, escaped(text), escaped(escaped(text))]))];
}

/** How a word may be written in the bytes of a file, where letters of other scripts have a case too. */
export function caseForms(word: string): string[] {
  const lower = word.toLowerCase();
  const first = String.fromCodePoint(lower.codePointAt(0) ?? 0x20);
  const forms = [word, lower, word.toUpperCase(), first.toUpperCase() + lower.slice(first.length)];
  return [...new Set(forms.flatMap((form) => [form, form.normalize("NFC"), form.normalize("NFD")]))];
}

const STRETCH_CHARS_MIN = 12;
const STRETCH_CHARS_MAX = 60;
const SHORT_CHARS_MIN = 5;

function stretchesOf(text: string): string[] {
  const lines = text
    .split(/[\n\r]+|(?<=[.!?…])\s+/u)
    .map((line) => line.trim())
    .filter((line) => line.length >= STRETCH_CHARS_MIN && /[\p{L}\p{N}]/u.test(line));
  if (lines.length === 0) {
    const short = text.trim();
    return short.length >= SHORT_CHARS_MIN && !short.includes("\n") ? [short] : [];
  }
  return lines.map((line) =>
    line
      .slice(0, STRETCH_CHARS_MAX)
      .toWellFormed()
      .replace(/\ufffd+$/u, ""),
  );
}

/** Of too many as many as there may be, from the beginning to the end. */
function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
