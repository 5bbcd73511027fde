import { QUERY_CHARS_MAX, UNSPACED_RUN, wordsOf, type QueryWord } from "./query-words.ts";
import { plain, wordMatcher } from "./word-match.ts";

/** What of a question the key of a note holds. */
export interface KeyMatch {
  /** Indexes of the question's words. */
  readonly words: readonly number[];
  /**
   * Whoever asks names what the note is about: each of its words stands in the question, and one of them as a name, or
   * they are a good part of it. "Should we take the car or the train to Vienna, if it snows on Saturday?" is not about the car.
   */
  readonly isNamed: boolean;
  /** It shares words of a script that is written without spaces. */
  readonly unspaced: boolean;
}

export type KeyMatcher = (key: string) => KeyMatch | undefined;

/** Of the pairs of characters in a key, so many must stand in the question. */
const PAIRS_SHARE = 1 / 3;
/** Of the question's words, so many make it one about the note. */
const NAMED_SHARE = 1 / 4;
const PREFIX_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 2;

/**
 * Says what of a question stands in the key of a note. A note is about what it is called, and its lines seldom
 * repeat it: `car` says "Volvo, built in 2014".
 */
export function keyMatcher(
  words: readonly QueryWord[],
  question: string,
  matchWords = wordMatcher(words),
): KeyMatcher {
  const text = question.slice(0, QUERY_CHARS_MAX).normalize("NFC");
  // Made for each question, and asked only where there are notes.
  let ofQuestion: { readonly inflected: readonly Inflected[]; readonly isUnspaced: boolean } | undefined;
  let names: ReadonlySet<string> | undefined;
  let segments: ReadonlySet<string> | undefined;
  const isAbout = (held: ReadonlySet<number>): boolean =>
    held.size >= words.length * NAMED_SHARE ||
    [...held].some((index) => (names ??= namesIn(text)).has(words[index]!.word));
  const isIn = (run: string): boolean => {
    const characters = Array.from(run);
    // One character is in many longer words; it must be a word by itself.
    if (characters.length === 1) return (segments ??= segmentsOf(text)).has(run);
    if (text.includes(run)) return true;
    const pairs = characters.slice(1).map((each, at) => `${characters[at]!}${each}`);
    return pairs.filter((pair) => text.includes(pair)).length >= Math.max(1, pairs.length * PAIRS_SHARE);
  };
  return (key) => {
    const { inflected, isUnspaced } = (ofQuestion ??= {
      inflected: words.flatMap(({ word }, index) => (isInflected(word) ? [{ word, index }] : [])),
      isUnspaced: HAS_UNSPACED.test(text),
    });
    const found = matchWords(key);
    // Most of thousands of keys hold nothing of a question.
    if (found.length === 0 && inflected.length === 0 && !isUnspaced) return undefined;
    const held = new Set(found);
    let isNamed = true;
    for (const said of wordsOf(key)) {
      const inflections = inflected.filter(({ word }) => isSameStem(word, said));
      for (const { index } of inflections) held.add(index);
      isNamed &&= inflections.length > 0 || matchWords(said).length > 0;
    }
    const unspaced = isUnspaced && (key.normalize("NFC").match(UNSPACED_RUN) ?? []).some(isIn);
    if (held.size === 0 && !unspaced) return undefined;
    isNamed &&= held.size > 0 && isAbout(held);
    return { words: [...held].sort((a, b) => a - b), isNamed, unspaced };
  };
}

/**
 * Words that are written as names: with a capital and, since German has one for each noun, without an article ("mit dem
 * Auto"). Of a text without capitals only articles tell.
 */
function namesIn(text: string): ReadonlySet<string> {
  const hasCapitals = CAPITAL.test(text);
  const names = new Set<string>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const before = text.slice(Math.max(0, index - ARTICLE_CHARS_MAX), index);
    if (hasCapitals && !CAPITAL.test(word[0]!)) continue;
    if (GERMAN_ARTICLE.test(before) || (!hasCapitals && ARTICLE.test(before))) continue;
    names.add(word.toLowerCase());
  }
  return names;
}

const CAPITAL = /\p{Lu}/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ARTICLE_CHARS_MAX = 40;
/** Or what stands in its place, maybe with an adjective behind it. */
const GERMAN_ARTICLE =
  /(?<!\p{L})(?:[Dd](?:er|ie|as|em|en|es)|[Ii](?:m|ns)|[Aa](?:m|ns|ufs)|[Vv]om|[Bb]eim|[Zz]u[mr]|(?:[Kk]?[Ee]in|[MmDdSs]ein|[Ii]hr|[Uu]nser|[Dd]ies|[Jj]ed|[Ww]elch)(?:e[mnrs]?)?) (?:\p{Ll}+e[mnrs]? )?$/u;
const ARTICLE =
  /(?<!\p{L})(?:(?:the|an?|my|our|your|his|her|their|this|that|le|la|les|une?|des|du|mon|ma|mes|el|los|las|una|mi|mis) |l['’])$/u;

/**
 * Keys by how their words begin. There may be thousands, and a question's words begin like the words of a few: only those
 * have to be looked at.
 */
export class KeyTable<T extends { readonly key: string }> {
  readonly #named: readonly T[];
  readonly #byBeginning = new Map<string, number[]>();
  /** With other letters than those of ASCII, which are compared in more ways. */
  readonly #others: number[] = [];

  constructor(named: readonly T[]) {
    this.#named = named;
    for (const [at, { key }] of named.entries())
      if (ASCII.test(key)) this.#put(at, key);
      else this.#others.push(at);
  }

  /** All that `keyMatcher` finds any of the words in are among these, in the order that was given. */
  mayHold(words: readonly QueryWord[]): readonly T[] {
    if (this.#named.length === 0) return this.#named;
    const found = new Set(this.#others);
    for (const { word, forms } of words) {
      this.#addTo(found, word);
      for (const form of forms) this.#addTo(found, form);
    }
    return [...found].sort((a, b) => a - b).map((at) => this.#named[at]!);
  }

  #put(at: number, key: string): void {
    const beginnings = (key.toLowerCase().match(ASCII_WORD) ?? []).map((word) => word.slice(0, BEGINNING));
    for (const beginning of new Set(beginnings)) {
      const there = this.#byBeginning.get(beginning);
      if (there) there.push(at);
      else this.#byBeginning.set(beginning, [at]);
    }
  }

  #addTo(found: Set<number>, word: string): void {
    for (const at of this.#byBeginning.get(plain(word).slice(0, BEGINNING)) ?? NO_PLACES) found.add(at);
  }
}

/** A word and its stem have so much in common at least. */
const BEGINNING = 2;
const NO_PLACES: readonly number[] = [];
// oxlint-disable-next-line no-control-regex -- the range is the whole of ASCII
const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORD = /[a-z\d]+/g;

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
