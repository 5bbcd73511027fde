import { PLAIN_GLYPHS, VOICE_GLYPH } from "../base/glyphs.ts";
import { CALL_WORDS, ENDED_GLYPH } from "../base/state-words.ts";
import type { CallStatus } from "../tool/tool.ts";
import { fenceAfter, type OpenFence } from "./fences.ts";

/**
 * Glyphs that mean something because only Elwood writes them: the tick on a supported
 * statement, the marks of its lines about calls, and the sign in front of its own sentences.
 * In text of a model they are replaced by plain characters; in code they stay, and so
 * does every other glyph.
 */
export const VOICE = VOICE_GLYPH;
export const VERIFIED = CALL_WORDS.succeeded.glyph;
export const MARKS: Readonly<Record<CallStatus, string>> = {
  succeeded: CALL_WORDS.succeeded.glyph,
  failed: CALL_WORDS.failed.glyph,
  denied: CALL_WORDS.denied.glyph,
  expired: CALL_WORDS.expired.glyph,
  pending: CALL_WORDS.pending.glyph,
  unknown: CALL_WORDS.unknown.glyph,
};

const PLAIN = PLAIN_GLYPHS;

/** One of them with whatever is stacked on it or selects its shape; or a lookalike where only a tick stands: `[✔ c1]`. */
const RESERVED = new RegExp(
  `([${[...PLAIN.keys()].join("")}])[\\p{M}\\ufe00-\\ufe0f\\u200d]*|(?<=\\[\\s?)[✔☑✅√🗸🗹][\\p{M}\\ufe00-\\ufe0f\\u200d]*(?=\\s?c\\d)`,
  "gu",
);
const CODE_SPAN = /(?<![`\\])(`{1,3})(?!`)[^`]{1,2000}(?<!\\)\1(?!`)/gu;

/** A place in a text where one of Elwood's glyphs stands outside code, and what takes its place. */
export interface Escape {
  readonly start: number;
  readonly end: number;
  readonly plain: string;
}

/** Model text in which none of Elwood's glyphs is left outside code. */
export function escapeReserved(text: string): string {
  const wellFormed = text.toWellFormed();
  return withEscapes(wellFormed, 0, wellFormed.length, escapesIn(wellFormed));
}

export function escapesIn(text: string): Escape[] {
  if (!hasReserved(text)) return [];
  const out: Escape[] = [];
  let fence: OpenFence | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    // The line that opens a block is still prose.
    if (!fence) out.push(...escapesOfLine(line, at));
    fence = fenceAfter(line, fence);
    at += line.length + 1;
  }
  return out;
}

/** The part of a text from `start` to `end`, escaped. A glyph belongs to the part it begins in. */
export function withEscapes(text: string, start: number, end: number, escapes: readonly Escape[]): string {
  let out = "";
  let at = start;
  for (const escape of escapes) {
    if (escape.start < start || escape.start >= end) continue;
    out += text.slice(at, escape.start) + escape.plain;
    at = Math.min(end, escape.end);
  }
  return out + text.slice(at, end);
}

/** Of a line that is no part of a block of code; spans of code in it stay as they are. */
function escapesOfLine(line: string, from: number): Escape[] {
  if (!hasReserved(line)) return [];
  const spans = [...line.matchAll(CODE_SPAN)].map(
    ({ index, 0: span }) => [index, index + span.length] as const,
  );
  return [...line.matchAll(RESERVED)].flatMap(({ index, 0: glyph, 1: own }) =>
    spans.some(([start, end]) => index >= start && index < end)
      ? []
      : [{ start: from + index, end: from + index + glyph.length, plain: PLAIN.get(own ?? "") ?? "(+)" }],
  );
}

export function escapeGlyphs(text: string): string {
  return text.replace(RESERVED, (_, glyph: string | undefined) => PLAIN.get(glyph ?? "") ?? "(+)");
}

export function hasReserved(text: string): boolean {
  return text.search(RESERVED) >= 0;
}

/** The mark of a program that ended with another code than 0. */
export const ENDED = ENDED_GLYPH;

export { withoutCitations } from "./citations.ts";
export { fenceAfter, type OpenFence };
