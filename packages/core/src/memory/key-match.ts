import { QUERY_CHARS_MAX, UNSPACED_RUN, wordsOf, type QueryWord } from "./query-words.ts";
import { wordMatcher } from "./word-match.ts";

/** What of a question the key of a note holds. */
export interface KeyMatch {
  /** Indexes of the question's words. */
  readonly words: readonly number[];
  /** It shares words of a script that is written without spaces. */
  readonly unspaced: boolean;
}

export type KeyMatcher = (key: string) => KeyMatch | undefined;

/** Of the pairs of characters in a key, so many must stand in the question. */
const PAIRS_SHARE = 1 / 3;
const PREFIX_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 2;

/**
 * Says what of a question stands in the key of a note. A note is about what it is called, and its lines seldom
 * repeat it: `car` says "Volvo, built in 2014".
 */
export function keyMatcher(words: readonly QueryWord[], question: string): KeyMatcher {
  const matchWords = wordMatcher(words);
  const text = question.slice(0, QUERY_CHARS_MAX).normalize("NFC");
  // Made for each question, and asked only where there are notes.
  let ofQuestion: { readonly inflected: readonly Inflected[]; readonly isUnspaced: boolean } | undefined;
  let segments: ReadonlySet<string> | undefined;
  const isIn = (run: string): boolean => {
    const characters = Array.from(run);
    // One character is in many longer words; it must be a word by itself.
    if (characters.length === 1) return (segments ??= segmentsOf(text)).has(run);
    if (text.includes(run)) return true;
    const pairs = characters.slice(1).map((each, at) => `${characters[at]!}${each}`);
    return pairs.filter((pair) => text.includes(pair)).length >= Math.max(1, pairs.length * PAIRS_SHARE);
  };
  return (key) => {
    const held = new Set(matchWords(key));
    const { inflected, isUnspaced } = (ofQuestion ??= {
      inflected: words.flatMap(({ word }, index) => (isInflected(word) ? [{ word, index }] : [])),
      isUnspaced: HAS_UNSPACED.test(text),
    });
    if (inflected.length > 0)
      for (const said of wordsOf(key))
        for (const { word, index } of inflected) if (isSameStem(word, said)) held.add(index);
    const unspaced = isUnspaced && (key.normalize("NFC").match(UNSPACED_RUN) ?? []).some(isIn);
    return held.size > 0 || unspaced ? { words: [...held].sort((a, b) => a - b), unspaced } : undefined;
  };
}

/** The same without a place to go on from. */
const HAS_UNSPACED = new RegExp(UNSPACED_RUN.source, "u");

interface Inflected {
  readonly word: string;
  readonly index: number;
}

/** Russian, Greek and others change the ends of words, and the index only knows the endings of English. */
function isInflected(word: string): boolean {
  return /^(?!.*\p{Script=Latin})\p{L}+$/u.test(word);
}

function isSameStem(a: string, b: string): boolean {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared += 1;
  return (
    shared >= PREFIX_CHARS_MIN &&
    a.length - shared <= ENDING_CHARS_MAX &&
    b.length - shared <= ENDING_CHARS_MAX
  );
}

function segmentsOf(text: string): ReadonlySet<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  return new Set([...segmenter.segment(text)].map(({ segment }) => segment));
}
