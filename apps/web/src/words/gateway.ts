import { spoken } from "./language.ts";

/** A sentence of the gateway's, and how another language says it: `$1` is what the first place of it holds. */
export type SpokenSentence = readonly [sentence: RegExp, words: string];

const tables = spoken("gateway", { sentences: [] });

/**
 * What the gateway says of a call, in the page's language. Its parts stand between “ · ”; one that the table
 * does not know, or that somebody else wrote, is shown as it came.
 */
export function gatewayText(text: string): string {
  return sentencesIn(tables.sentences, text);
}

export function sentencesIn(sentences: readonly SpokenSentence[], text: string): string {
  if (sentences.length === 0) return text;
  return text
    .split(" · ")
    .map((part) => {
      const known = sentences.find(([sentence]) => sentence.test(part));
      return known ? part.replace(...known) : part;
    })
    .join(" · ");
}
