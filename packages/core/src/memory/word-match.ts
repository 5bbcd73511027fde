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
  const byInitial = new Map<number, WordTest[]>();
  for (const [index, { word, forms }] of words.entries()) {
    const whole = new Set([word, ...forms].map(plain));
    const test = { index, whole, stem: stemOf(plain(word)) };
    for (const initial of new Set([...whole].map((each) => each.charCodeAt(0))))
      byInitial.set(initial, [...(byInitial.get(initial) ?? []), test]);
  }
  return (text) => {
    const held: number[] = [];
    if (ASCII.test(text)) lookThrough(text, byInitial, held);
    else
      for (const said of wordsOf(plain(text))) {
        const tests = byInitial.get(said.charCodeAt(0));
        if (tests) look(said, tests, held);
      }
    return held.length > 1 ? held.sort((a, b) => a - b) : held;
  };
}

interface WordTest {
  readonly index: number;
  readonly whole: ReadonlySet<string>;
  readonly stem: string | undefined;
}

function look(said: string, tests: readonly WordTest[], held: number[]): void {
  for (const { index, whole, stem } of tests) {
    if (held.includes(index)) continue;
    const begins =
      stem !== undefined && said.length - stem.length <= ENDING_CHARS_MAX && said.startsWith(stem);
    if (begins || whole.has(said)) held.push(index);
  }
}

/** Words as `wordsOf` has them, of a text that is all ASCII. */
function lookThrough(
  text: string,
  byInitial: ReadonlyMap<number, readonly WordTest[]>,
  held: number[],
): void {
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const initial = lowerWordCode(text.charCodeAt(at));
    if (initial === 0) continue;
    const from = at;
    do at += 1;
    while (at < length && lowerWordCode(text.charCodeAt(at)) !== 0);
    const tests = byInitial.get(initial);
    if (tests) look(text.slice(from, at).toLowerCase(), tests, held);
  }
}

/** 0 for what is no part of a word. */
function lowerWordCode(code: number): number {
  if (code >= 97) return code <= 122 ? code : 0;
  if (code >= 65) return code <= 90 ? code + 32 : 0;
  return code >= 48 && code <= 57 ? code : 0;
}

function stemOf(word: string): string | undefined {
  const stem = word.replace(ENDINGS, "");
  return stem.length >= STEM_CHARS_MIN && !/\p{N}/u.test(stem) ? stem : undefined;
}

const ENDINGS = /(?:ations?|ings?|ies|ied|ers?|ed|es|ly|ment|s|e|y)$/u;

/** Without accents, as the index has it. */
function plain(text: string): string {
  return ASCII.test(text) ? text : text.normalize("NFD").replace(/\p{M}/gu, "");
}

// oxlint-disable-next-line no-control-regex -- the range is the whole of ASCII
const ASCII = /^[\x00-\x7f]*$/;
