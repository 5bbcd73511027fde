import { bare, HALF, HANGUL, IDEOGRAPH, LATIN, MARK, NUMBER, spelled } from "../base/letters.ts";

/** A word of three letters or more by a number made of its first letters; in scripts without spaces, two characters. */
export type Word = number;

const WORD_LETTERS_MIN = 3;

const WORD_LETTERS_MAX = 6;

const WORDS_CHARS_MAX = 2_000;

/** The words of a text, without accents and case. */
export function wordsIn(text: string): Set<Word> {
  const out = new Set<Word>();
  spelled.spell(text.slice(0, WORDS_CHARS_MAX));
  const { codes, kinds, length } = spelled;
  let at = 0;
  while (at < length) {
    const script = kinds[at]! & IDEOGRAPH ? IDEOGRAPH : kinds[at]! & HANGUL ? HANGUL : LATIN | NUMBER;
    if (!(kinds[at]! & script)) {
      at += 1;
      continue;
    }
    let word = FIRST;
    let size = 0;
    let last = 0;
    for (; at < length && kinds[at]! & (script | MARK | HALF); at += 1) {
      const letter = bare(codes[at]!);
      if (letter === undefined) continue;
      size += 1;
      if (script !== (LATIN | NUMBER)) {
        if (size > 1) out.add(withLetter(withLetter(FIRST, last), letter) & SMALL);
        last = letter;
      } else if (size <= WORD_LETTERS_MAX) word = withLetter(word, letter);
    }
    if (script === (LATIN | NUMBER) && size >= WORD_LETTERS_MIN) out.add(word & SMALL);
  }
  return out;
}

const FIRST = 0x811c9dc5;

/** What a set keeps without a box. */
const SMALL = 0x3fffffff;

function withLetter(word: number, letter: number): number {
  return Math.imul(word ^ letter, 0x01000193);
}

/** Which part of some words others have; -1 where there are none. */
export function shareOf(words: ReadonlySet<Word>, ...others: readonly ReadonlySet<Word>[]): number {
  if (words.size === 0) return -1;
  let found = 0;
  for (const word of words) if (others.some((other) => other.has(word))) found += 1;
  return found / words.size;
}
