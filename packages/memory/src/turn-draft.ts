import type { MemoryOrigin, TurnRole } from "@elwood/core/memory/turn";
import { INDEX_LIMITS } from "./index/limits.ts";

/** A turn on its way into the index. Its text is redacted. */
export interface TurnDraft {
  readonly line: number;
  readonly lineTo: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly session?: string;
  readonly run?: string;
  readonly ts: number;
  readonly role: TurnRole;
  readonly speaker: string;
  readonly origin: MemoryOrigin;
  readonly text: string;
}

/** Scripts that are written without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function hasUnspacedScript(text: string): boolean {
  return UNSPACED.test(text);
}

/** A long text in parts, cut where a person would: at an empty line, a line's end, a sentence, a space. */
export function inParts(text: string, max: number = INDEX_LIMITS.turnCharsMax): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > max) {
    const cut = cutAt(rest, max);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  if (rest !== "") parts.push(rest);
  return parts;
}

function cutAt(text: string, max: number): number {
  const floor = max >> 1;
  for (const mark of ["\n\n", "\n", ". ", " "]) {
    const at = text.lastIndexOf(mark, max - mark.length);
    if (at >= floor) return at + mark.length;
  }
  // Never between the halves of one character.
  return text.charCodeAt(max - 1) >= 0xd800 && text.charCodeAt(max - 1) < 0xdc00 ? max - 1 : max;
}
