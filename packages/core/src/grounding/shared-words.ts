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
        if (size > 1) out.add(shared(withLetter(withLetter(FIRST, last), letter) & SMALL));
        last = letter;
      } else if (size <= WORD_LETTERS_MAX) word = withLetter(word, letter);
    }
    if (script === (LATIN | NUMBER) && size >= WORD_LETTERS_MIN) out.add(shared(word & SMALL));
  }
  return out;
}

const FIRST = 0x811c9dc5;

/** What a set keeps without a box. */
const SMALL = 0x3fffffff;

function withLetter(word: number, letter: number): number {
  return Math.imul(word ^ letter, 0x01000193);
}

/**
 * The same person by another word: a message to "Mama" is one to the mother. As they are kept here,
 * six letters long and in scripts without spaces two.
 */
const KIN = [
  "mother mutter mum mom mommy mummy mama mami maman mere madre mamma mae moeder matka matki matce matke mamy mamie annen annene anneni mamka 妈妈 媽媽 母亲 母親 老妈 ママ 母さ 엄마 어머",
  "father vater dad daddy papa papi pere padre babbo papai vader ojciec ojca ojcu tata taty tacie baba baban babana babani otec 爸爸 父亲 父親 老爸 パパ 父さ 아빠 아버",
  "parents eltern padres genitori pais ouders rodzice 父母 両親 부모",
  "grandmother grandma granny oma omi nonna abuela avo babcia babci 奶奶 外婆 祖母 할머",
  "grandfather grandpa opa opi nonno abuelo dziadek dziadk 爷爷 外公 祖父 할아",
  "wife ehefrau esposa moglie zona zonie zony 老婆 妻子 아내",
  "husband ehemann marido esposo marito maz mezowi 老公 丈夫 남편",
];
const sharedWords = new Map<Word, Word>();
const kin = new Set<Word>();
for (const words of KIN) {
  const [first, ...others] = words.split(" ").flatMap((word) => [...wordsIn(word)]);
  kin.add(first!);
  for (const other of others) if (!sharedWords.has(other)) sharedWords.set(other, first!);
}

/** The owner asks about their mother, the sentence tells of her, and all that the call names is their father. */
export function isOtherKin(plain: string, request: string, target: string): boolean {
  const kinOf = (text: string) => [...wordsIn(text)].filter((word) => kin.has(word));
  const there = kinOf(target);
  if (there.length === 0) return false;
  const asked = kinOf(request);
  const said = kinOf(plain);
  if (there.some((one) => asked.includes(one) || said.includes(one))) return false;
  return said.some((one) => asked.includes(one));
}

function shared(word: Word): Word {
  return sharedWords.get(word) ?? word;
}

/** Which part of some words others have; -1 where there are none. */
export function shareOf(words: ReadonlySet<Word>, ...others: readonly ReadonlySet<Word>[]): number {
  if (words.size === 0) return -1;
  let found = 0;
  for (const word of words) if (others.some((other) => other.has(word))) found += 1;
  return found / words.size;
}
