import { conceptsOf, type Concept } from "./concepts.ts";
import {
  FOREIGN,
  HALF,
  IDEOGRAPH,
  isDigit,
  LETTER,
  MARK,
  PICTURE,
  spelled,
  type Spelled,
} from "../base/letters.ts";

/** A text as it was read: some of the words that its reader keeps, and what they mean. */
export interface ReadText {
  /** The first word, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  readonly concepts: readonly Concept[];
  /** The same, each once. */
  readonly each: readonly Concept[];
}

const LETTERS_MIN = 4_096;
const WORDS_MIN = 1_024;

const BOUND = 0x5f;
const ANY_NUMBER = Uint16Array.of(0x30);
const SPACE = 0x20;
const QUOTE = 0x27;
const CURLED_QUOTE = 0x2019;
const OPENS = 0x3c;
const CLOSES = 0x3e;
const SIGNS: ReadonlySet<number> = new Set(Array.from("!?¿¡…:", (letter) => letter.charCodeAt(0)));

/**
 * Reads the texts of one reply and of what it answers. What was read already is not read again:
 * a sentence comes back as the one before the next, and the first one as the opening of all.
 */
export class TextReader {
  /** The words of all texts in small letters, each between two "_". */
  letters = new Uint16Array(LETTERS_MIN);
  /** Where each word ends, behind its second "_"; there the next one begins. */
  ends = new Uint32Array(WORDS_MIN);
  #words = 0;
  #size = 0;
  readonly #texts = new Map<string, ReadText>();

  read(text: string): ReadText {
    let read = this.#texts.get(text);
    if (read === undefined) {
      spelled.spell(replaced(text));
      const from = this.#words;
      this.#addWords(spelled);
      const concepts = conceptsOf(spelled);
      read = { from, to: this.#words, concepts, each: eachOnce(concepts) };
      this.#texts.set(text, read);
    }
    return read;
  }

  /** Words; in scripts without spaces, characters; for every number the same. */
  #addWords({ codes, kinds, length }: Spelled): void {
    let at = 0;
    while (at < length) {
      const from = at;
      const code = codes[at]!;
      const kind = kinds[at]!;
      at += 1;
      if (kind & IDEOGRAPH) {
        if (kinds[at]! & HALF) at += 1;
        this.#add(codes, from, at);
      } else if (kind & LETTER) {
        while (kinds[at]! & (LETTER | MARK | HALF) || isInside(codes[at]!)) at += 1;
        this.#add(codes, from, at);
      } else if (code === SPACE) continue;
      else if (isDigit(code)) {
        while (isDigit(codes[at]!)) at += 1;
        this.#add(ANY_NUMBER, 0, 1);
      } else if (code === OPENS) {
        let end = at;
        while (kinds[end]! & (LETTER | HALF)) end += 1;
        if (end === at || codes[end] !== CLOSES) continue;
        at = end + 1;
        this.#add(codes, from, at);
      } else if (kind & PICTURE || SIGNS.has(code)) {
        if (kinds[at]! & HALF) at += 1;
        this.#add(codes, from, at);
      }
    }
  }

  #add(codes: Uint16Array, from: number, to: number): void {
    if (this.#size + to - from + 2 > this.letters.length) {
      const more = new Uint16Array(this.letters.length * 2 + to - from);
      more.set(this.letters);
      this.letters = more;
    }
    if (this.#words === this.ends.length) {
      const more = new Uint32Array(this.ends.length * 2);
      more.set(this.ends);
      this.ends = more;
    }
    const { letters } = this;
    let size = this.#size;
    letters[size++] = BOUND;
    for (let at = from; at < to; at += 1) letters[size++] = codes[at]!;
    letters[size++] = BOUND;
    this.#size = size;
    this.ends[this.#words++] = size;
  }
}

/** Few enough that looking through them is quicker than a set. */
function eachOnce(concepts: readonly Concept[]): Concept[] {
  const out: Concept[] = [];
  for (const concept of concepts) if (!out.includes(concept)) out.push(concept);
  return out;
}

function isInside(code: number): boolean {
  return code === QUOTE || code === CURLED_QUOTE;
}

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,120}\.\p{L}{2,24}/gu;
const LINK = /https?:\/\/[^\s)>\]"']{3,300}/giu;
const PATH =
  /(?<![\p{L}\p{N}])(?:[~.]{0,2}\/)?(?:[\p{L}\p{N}_.-]{1,60}\/){0,12}[\p{L}\p{N}_-]{1,60}\.[a-z][a-z0-9]{0,4}(?![\p{L}\p{N}])/giu;

/** Names of files, addresses and links say only that they are such. */
function replaced(text: string): string {
  spelled.spell(text);
  let plain = spelled.met & FOREIGN ? text.normalize("NFKC").replaceAll("’", "'") : text;
  if (!/[.@]|:\/\//.test(plain)) return plain;
  if (plain.includes("://")) plain = plain.replace(LINK, " <link> ");
  if (plain.includes("@")) plain = plain.replace(ADDRESS, " <mail> ");
  if (/\.[a-z]/i.test(plain) && /[\p{L}\p{N}_)-]\.[a-z]/iu.test(plain))
    plain = plain.replace(PATH, " <file> ");
  return plain;
}
