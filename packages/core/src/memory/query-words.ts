import { IRREGULAR_FORMS, STOP_WORDS } from "./word-lists.ts";

/** A question longer than this is searched by its first words; nobody asks with more. */
export const QUERY_WORDS_MAX = 48;
/** Characters of a question that are read at all. */
export const QUERY_CHARS_MAX = 4_000;
const FORMS_PER_WORD_MAX = 5;
const PIECES_MAX = 96;

/** One word of a question with the other forms it may have in a turn. All in lower case. */
export interface QueryWord {
  readonly word: string;
  readonly forms: readonly string[];
}

export interface QueryWords {
  /** Words that carry meaning, in the order asked, each once. */
  readonly words: readonly QueryWord[];
  /**
   * Runs of three, and of two, characters from scripts that do not part words by spaces. Three is what an
   * index can find; two is how long most words of Chinese are.
   */
  readonly trigrams: readonly string[];
  readonly bigrams: readonly string[];
}

/**
 * What of a question is worth looking for. Where nothing but stop words was asked ("who am
 * I?") those are looked for, so that a question is never empty by our own doing.
 */
export function queryWords(question: string, leaveOut: ReadonlySet<string> = new Set()): QueryWords {
  const text = question.slice(0, QUERY_CHARS_MAX);
  const all = [...new Set(wordsOf(text))];
  const spoken = UNSPACED.test(text) ? all.filter((word) => !UNSPACED.test(word)) : all;
  const told = spoken.filter((word) => isTelling(word) && !leaveOut.has(word));
  const kept = told.length > 0 ? told : spoken.filter((word) => !leaveOut.has(word));
  return {
    words: kept.slice(0, QUERY_WORDS_MAX).map((word) => ({ word, forms: formsOf(word) })),
    ...piecesAsked(text),
  };
}

/** The part of it that is not words. */
export function piecesAsked(question: string): Pick<QueryWords, "trigrams" | "bigrams"> {
  const text = question.slice(0, QUERY_CHARS_MAX).normalize("NFC");
  const runs = text.match(UNSPACED_RUN) ?? [];
  if (runs.length === 0) return NO_PIECES;
  return { trigrams: piecesOf(text, runs, 3), bigrams: piecesOf(text, runs, 2) };
}

const NO_PIECES: Pick<QueryWords, "trigrams" | "bigrams"> = { trigrams: [], bigrams: [] };

/** Words as the index parts them: letters and digits, everything else between. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().normalize("NFC").match(WORD) ?? [];
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Each run of characters from scripts that do not part words by spaces. */
export const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}ー]+/gu;

const LATIN_RUN = /[\p{Script=Latin}\p{N}]{3,}/gu;

/** Not one that stands in every sentence. */
export function isTelling(word: string): boolean {
  if (STOP_WORDS.has(word)) return false;
  return word.length > 1 || /\p{N}/u.test(word);
}

const NO_FORMS: readonly string[] = [];

function formsOf(word: string): readonly string[] {
  const known = IRREGULAR_FORMS.get(word);
  if (known !== undefined) return known.slice(0, FORMS_PER_WORD_MAX);
  if (!word.endsWith("s") && !word.endsWith("ing")) return NO_FORMS;
  // "going" and "goes" are the index's to join with "go", but "went" is not.
  const base = [
    word.replace(/ing$/u, ""),
    word.replace(/ing$/u, "e"),
    word.replace(/e?s$/u, ""),
    word.replace(/s$/u, ""),
  ];
  const found = base.find((each) => each !== word && IRREGULAR_FORMS.has(each));
  return found === undefined ? NO_FORMS : IRREGULAR_FORMS.get(found)!.slice(0, FORMS_PER_WORD_MAX);
}

/** Runs of `size` characters; what is written in Latin letters within such a text is kept whole. */
function piecesOf(text: string, runs: readonly string[], size: number): string[] {
  const found = new Set((text.match(LATIN_RUN) ?? []).slice(0, QUERY_WORDS_MAX));
  for (const run of runs) {
    const characters = Array.from(run);
    for (let at = 0; at + size <= characters.length && found.size < PIECES_MAX; at += 1)
      found.add(characters.slice(at, at + size).join(""));
  }
  return [...found];
}
