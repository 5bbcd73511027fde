import { wordsOf, type QueryWord } from "./query-words.ts";

const STEM_CHARS_MIN = 3;
const ENDING_CHARS_MAX = 5;

/**
 * Says which of a question's words a text holds, in any of their forms. The index stems words its own way
 * and does not tell which it found; this comes close enough to count them.
 */
export function wordMatcher(words: readonly QueryWord[]): (text: string) => number[] {
  const tests = words.map(({ word, forms }) => {
    const whole = new Set([word, ...forms].map(plain));
    const stem = stemOf(plain(word));
    return (said: string) =>
      whole.has(said) ||
      (stem !== undefined && said.startsWith(stem) && said.length - stem.length <= ENDING_CHARS_MAX);
  });
  return (text) => {
    const said = [...new Set(wordsOf(plain(text)))];
    return tests.flatMap((test, index) => (said.some(test) ? [index] : []));
  };
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
