import { wordMatcher } from "./word-match.ts";
import type { QueryWord } from "./query-words.ts";

const CHARS_PER_TOKEN = 4;
/** Whose words a turn holds is said with it: a colon and a space after the name, a line's end after all. */
const BETWEEN_CHARS = 3;
/** Turns that do not fit into what is left are passed over, so many in a row. */
const PASSED_OVER_MAX = 20;

export interface Spendable {
  readonly text: string;
  readonly speaker: string;
}

/** What a turn costs where it is handed to a model: its words and whose they are. */
export function turnTokens({ text, speaker }: Spendable): number {
  return (text.length + speaker.length + BETWEEN_CHARS) / CHARS_PER_TOKEN;
}

export interface Picked<T> {
  readonly item: T;
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/**
 * The best turns, as many as are wanted and fit, and then, with what is left of the budget, the turn
 * before and the turn after each, the best first. Nothing is handed out twice, and the sum never exceeds the budget.
 */
export function spend<T extends Spendable>(
  ranked: Iterable<T>,
  wanted: { readonly limit: number; readonly tokensMax?: number | undefined },
  neighbour: (item: T, step: -1 | 1) => T | undefined,
): Picked<T>[] {
  let left = wanted.tokensMax ?? Infinity;
  const given = new Set<T>();
  const take = (item: T): boolean => {
    const cost = turnTokens(item);
    if (cost > left || given.has(item)) return false;
    left -= cost;
    given.add(item);
    return true;
  };
  const hits: T[] = [];
  let passedOver = 0;
  for (const item of ranked) {
    if (hits.length >= wanted.limit || passedOver > PASSED_OVER_MAX) break;
    if (take(item)) {
      hits.push(item);
      passedOver = 0;
    } else passedOver += 1;
  }
  return hits.map((item) => {
    const beside = (step: -1 | 1): T[] => {
      const other = neighbour(item, step);
      return other !== undefined && take(other) ? [other] : [];
    };
    return { item, before: beside(-1), after: beside(1) };
  });
}

/** The passage of a long text that holds most of the asked words, on bounds of sentences where there are any. */
export function excerpt(text: string, words: readonly QueryWord[], charsMax: number): string {
  if (text.length <= charsMax) return text;
  const matchWords = wordMatcher(words);
  const pieces = piecesOf(text, charsMax >> 1);
  const scores = pieces.map((piece) => matchWords(piece).length);
  let best = { from: 0, to: 1, score: -1 };
  for (let from = 0; from < pieces.length; from += 1) {
    let chars = 0;
    let score = 0;
    let to = from;
    while (to < pieces.length && chars + pieces[to]!.length <= charsMax - 2) {
      chars += pieces[to]!.length;
      score += scores[to]!;
      to += 1;
    }
    if (score > best.score) best = { from, to: Math.max(to, from + 1), score };
  }
  const passage = pieces.slice(best.from, best.to).join("").trim();
  return `${best.from > 0 ? "…" : ""}${passage}${best.to < pieces.length ? "…" : ""}`;
}

function piecesOf(text: string, charsMax: number): string[] {
  const sentences = text.match(/[^.!?。！？\n]*[.!?。！？\n]+\s*|[^.!?。！？\n]+$/gu) ?? [];
  return sentences.flatMap((sentence) => {
    const parts: string[] = [];
    const characters = sentence.length <= charsMax ? [sentence] : Array.from(sentence);
    let part = "";
    for (const each of characters) {
      if (part !== "" && part.length + each.length > charsMax) {
        parts.push(part);
        part = "";
      }
      part += each;
    }
    return part === "" ? parts : [...parts, part];
  });
}
