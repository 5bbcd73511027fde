/**
 * What the gateway says, in another language. It says it in English, once, for receipts, logs and models;
 * who shows it to a person looks it up in a table, so that it follows the language of the page or the
 * terminal and costs the gateway nothing. A failure that no table has is told by its reason, with the
 * English behind it.
 */

/** A sentence, and how another language says it: `$1` is what the first place of it holds. */
export type SpokenSentence = readonly [sentence: RegExp, words: string];

export interface Sentences {
  readonly sentences: readonly SpokenSentence[];
  readonly reasons: Readonly<Record<string, string>>;
}

/** In one sentence, or in each of several; part by part where they stand between “ · ”. Whatever is not known stays as it came. */
export function sentencesIn({ sentences }: Pick<Sentences, "sentences">, text: string): string {
  if (sentences.length === 0) return text;
  return text
    .split(" · ")
    .map((part) => translated(sentences, part).text)
    .join(" · ");
}

/** A failure: in full where all of it is known, else by its reason, with what was said behind it. */
export function failureIn(table: Sentences, reason: string, message: string): string {
  if (table.sentences.length === 0) return message;
  const { text, whole } = translated(table.sentences, message);
  const short = table.reasons[reason];
  return whole || short === undefined ? text : `${short} (${message})`;
}

/** Where a sentence ends and the next one begins. */
const BOUNDARY = /(?<=[.!?]) (?=["“\p{Lu}])/u;

function translated(
  sentences: readonly SpokenSentence[],
  text: string,
): { readonly text: string; readonly whole: boolean } {
  const known = (part: string) => sentences.find(([sentence]) => sentence.test(part));
  const parts = text.split(BOUNDARY);
  // A name may hold whatever looks like the end of a sentence; a place in a sentence holds no other sentence.
  const one = sentences.find(
    ([sentence]) => sentence.test(text) && (parts.length === 1 || !sentence.source.endsWith(String.raw`\.$`)),
  );
  if (one) return { text: text.replace(...one), whole: true };
  if (parts.length === 1) return { text, whole: false };
  const told = parts.map((part) => ({ part, how: known(part) }));
  return {
    text: told.map(({ part, how }) => (how ? part.replace(...how) : part)).join(" "),
    whole: told.every(({ how }) => how !== undefined),
  };
}
