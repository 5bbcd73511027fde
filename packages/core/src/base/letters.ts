/** What kind of character it is, one bit each; a character may be of several kinds. */
export const LETTER = 1;
export const MARK = 2;
export const NUMBER = 4;
export const HAN = 8;
export const HIRAGANA = 16;
/** With the long mark, which both kinds of kana use. */
export const KATAKANA = 32;
export const HANGUL = 64;
export const PICTURE = 128;
export const UPPER = 256;
export const LATIN = 1024;
/** Beyond ASCII. */
export const FOREIGN = 2048;
/** The second half of a character that takes two code units. */
export const HALF = 512;
/** Written without spaces between words, a character at a time. */
export const IDEOGRAPH = HAN | HIRAGANA | KATAKANA;
export const SPACELESS = IDEOGRAPH | HANGUL;

const KINDS: readonly (readonly [number, RegExp])[] = [
  [LETTER, /^\p{L}/u],
  [MARK, /^\p{M}/u],
  [NUMBER, /^\p{N}/u],
  [HAN, /^\p{Script=Han}/u],
  [HIRAGANA, /^\p{Script=Hiragana}/u],
  [KATAKANA, /^[\p{Script=Katakana}ー]/u],
  [HANGUL, /^\p{Script=Hangul}/u],
  [PICTURE, /^\p{Extended_Pictographic}/u],
  [UPPER, /^\p{Lu}/u],
  [LATIN, /^\p{Script=Latin}/u],
  [FOREIGN, /^[^\0-\x7f]/u],
];

const KNOWN = 1 << 15;
/** By code unit, filled as characters are met: asking patterns for each of them takes many times longer. */
const kindsOf = new Uint16Array(0x10000);
const smallOf = new Uint16Array(0x10000);

function learned(character: string): number {
  let kinds = KNOWN;
  for (const [kind, pattern] of KINDS) if (pattern.test(character)) kinds |= kind;
  return kinds;
}

const bareOf = new Uint16Array(0x10000);
/** Of a character that is nothing without its accent. */
const NOTHING = 0xffff;

/** A small letter without its accents; undefined for a mark that stands for itself. */
export function bare(code: number): number | undefined {
  if (code < 0x80) return code;
  let known = bareOf[code]!;
  if (known === 0) {
    known = String.fromCharCode(code).normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC").charCodeAt(0);
    if (Number.isNaN(known)) known = NOTHING;
    bareOf[code] = known;
  }
  return known === NOTHING ? undefined : known;
}

const LETTERS_MIN = 1_024;
/** Room behind the last letter. */
const LOOK_AHEAD = 2;
/** Its small letter is two: an "i" and a dot above. */
const DOTTED_I = 0x130;
const DOT_ABOVE = 0x307;

/** A text as small letters and their kinds; a capital keeps its kind. */
export class Spelled {
  codes = new Uint16Array(LETTERS_MIN);
  kinds = new Uint16Array(LETTERS_MIN);
  length = 0;
  /** All kinds that occur in it. */
  met = 0;
  #text = "";
  #lower: string | undefined;

  /** The text in small letters, place by place as in `codes`. */
  get lower(): string {
    this.#lower ??= this.#text.toLowerCase();
    return this.#lower;
  }

  spell(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#lower = undefined;
    // At most every letter becomes two.
    if (text.length * 2 + LOOK_AHEAD > this.codes.length) {
      this.codes = new Uint16Array(text.length * 4 + LOOK_AHEAD);
      this.kinds = new Uint16Array(text.length * 4 + LOOK_AHEAD);
    }
    const { codes, kinds } = this;
    let length = 0;
    let met = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      let kind = kindsOf[code]!;
      if (kind === 0) {
        if ((code & 0xf800) === 0xd800) {
          const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
          kind = isPair ? learned(text.slice(at, at + 2)) : KNOWN | FOREIGN;
          if (isPair) {
            met |= kind;
            codes[length] = code;
            kinds[length++] = kind;
            at += 1;
            codes[length] = text.charCodeAt(at);
            kinds[length++] = KNOWN | HALF;
            continue;
          }
        } else {
          const character = String.fromCharCode(code);
          kind = learned(character);
          kindsOf[code] = kind;
          smallOf[code] = character.toLowerCase().charCodeAt(0);
        }
      }
      met |= kind;
      codes[length] = smallOf[code]! || code;
      kinds[length++] = kind;
      if (code === DOTTED_I) {
        codes[length] = DOT_ABOVE;
        kinds[length++] = KNOWN | MARK;
      }
    }
    codes[length] = 0;
    codes[length + 1] = 0;
    kinds[length] = 0;
    this.length = length;
    this.met = met;
  }
}

/** How many runs of characters of some kinds there are. */
export function runsOf({ kinds, length }: Spelled, of: number): number {
  let found = 0;
  let isInside = false;
  for (let at = 0; at < length; at += 1) {
    const kind = kinds[at]!;
    if (kind & HALF) continue;
    const isOne = (kind & of) !== 0;
    if (isOne && !isInside) found += 1;
    isInside = isOne;
  }
  return found;
}

/** For whoever reads a text at once, and keeps nothing of it. */
export const spelled = new Spelled();

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
