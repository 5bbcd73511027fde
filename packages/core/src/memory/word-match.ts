import { wordsOf, type QueryWord } from "./query-words.ts";

const STEM_CHARS_MIN = 3;
const ENDING_CHARS_MAX = 5;

/**
 * Says which of a question's words a text holds, in any of their forms. The index stems words its own way
 * and does not tell which it found; this comes close enough to count them.
 *
 * Every search asks it of hundreds of turns, so in plain ASCII words are only cut out where one can begin that is looked for.
 */
export function wordMatcher(words: readonly QueryWord[]): (text: string) => number[] {
  let tests: WordTests | undefined;
  return (text) => {
    // Most are made for the key of a note that is not there.
    tests ??= testsOf(words);
    const held: number[] = [];
    if (!lookThrough(text, tests, held)) {
      held.length = 0;
      for (const said of wordsOf(plain(text))) {
        const code = said.charCodeAt(0);
        const here = code < ASCII_CODES ? tests.ascii[code] : tests.others.get(code);
        if (here) look(said, 0, said.length, here, held);
      }
    }
    return inOrder(held);
  };
}

/** They are a few; sorting them by a function takes more than finding them. */
function inOrder(held: number[]): number[] {
  for (let at = 1; at < held.length; at += 1) {
    const index = held[at]!;
    let place = at;
    for (; place > 0 && held[place - 1]! > index; place -= 1) held[place] = held[place - 1]!;
    held[place] = index;
  }
  return held;
}

/** By the first letter that a word may have. */
interface WordTests {
  readonly ascii: readonly (readonly WordTest[] | undefined)[];
  readonly others: ReadonlyMap<number, readonly WordTest[]>;
}

interface WordTest {
  readonly index: number;
  readonly whole: readonly string[];
  readonly stem: string | undefined;
}

function testsOf(words: readonly QueryWord[]): WordTests {
  const ascii: (WordTest[] | undefined)[] = [];
  const others = new Map<number, WordTest[]>();
  for (const [index, { word, forms }] of words.entries()) {
    const first = plain(word);
    const whole = forms.length === 0 ? [first] : [...new Set([first, ...forms.map(plain)])];
    const test = { index, whole, stem: stemOf(first) };
    for (const initial of new Set(whole.map((each) => each.charCodeAt(0)))) {
      const there = initial < ASCII_CODES ? ascii[initial] : others.get(initial);
      if (there) there.push(test);
      else if (initial < ASCII_CODES) ascii[initial] = [test];
      else others.set(initial, [test]);
    }
  }
  return { ascii, others };
}

/** A word that stands between two places of a text; it is not cut out to be compared. */
function look(text: string, from: number, to: number, tests: readonly WordTest[], held: number[]): void {
  const length = to - from;
  for (let at = 0; at < tests.length; at += 1) {
    const { index, whole, stem } = tests[at]!;
    if (held.includes(index)) continue;
    if (
      stem !== undefined &&
      length >= stem.length &&
      length - stem.length <= ENDING_CHARS_MAX &&
      isThere(stem, text, from)
    ) {
      held.push(index);
      continue;
    }
    for (let each = 0; each < whole.length; each += 1) {
      if (whole[each]!.length !== length || !isThere(whole[each]!, text, from)) continue;
      held.push(index);
      break;
    }
  }
}

/** In lower case. */
function isThere(word: string, text: string, from: number): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(from + at);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(at)) return false;
  }
  return true;
}

/** Words as `wordsOf` has them, of a text that is all ASCII; false where it is not. */
function lookThrough(text: string, { ascii }: WordTests, held: number[]): boolean {
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ASCII_CODES) return false;
    const initial = WORD_CODES[code]!;
    if (initial === 0) continue;
    const from = at;
    let next: number;
    do {
      at += 1;
      next = at < length ? text.charCodeAt(at) : 0;
      if (next >= ASCII_CODES) return false;
    } while (WORD_CODES[next] !== 0);
    const tests = ascii[initial];
    if (tests) look(text, from, at, tests, held);
  }
  return true;
}

const ASCII_CODES = 128;
/** Of letters and digits, letters in lower case; 0 for what is no part of a word. */
const WORD_CODES = Uint8Array.from({ length: ASCII_CODES }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(character) ? character.charCodeAt(0) : 0;
});

/** How other forms of a word begin, and how long they are at most; undefined where only the word itself is looked for. */
export function otherForms(
  word: string,
): { readonly beginning: string; readonly charsMax: number } | undefined {
  const stem = stemOf(plain(word));
  return stem === undefined ? undefined : { beginning: stem, charsMax: stem.length + ENDING_CHARS_MAX };
}

function stemOf(word: string): string | undefined {
  const stem = word.replace(ENDINGS, "");
  return stem.length >= STEM_CHARS_MIN && !/\p{N}/u.test(stem) ? stem : undefined;
}

const ENDINGS = /(?:ations?|ings?|ies|ied|ers?|ed|es|ly|ment|s|e|y)$/u;

/** Without accents, as the index has it. */
export function plain(text: string): string {
  return ASCII.test(text) ? text : text.normalize("NFD").replace(/\p{M}/gu, "");
}

// oxlint-disable-next-line no-control-regex -- the range is the whole of ASCII
const ASCII = /^[\x00-\x7f]*$/;
