import { spoken } from "./language.ts";

/** A sentence of the gateway's, and how another language says it: `$1` is what the first place of it holds. */
export type SpokenSentence = readonly [sentence: RegExp, words: string];

const tables = spoken("gateway", { sentences: [] });

/**
 * What the gateway says of a call, in the page's language. Its parts stand between “ · ”; one that the table
 * does not know, or that somebody else wrote, is shown as it came.
 */
export function gatewayText(text: string): string {
  if (tables.sentences.length === 0) return text;
  return text.split(" · ").map(translated).join(" · ");
}

function translated(part: string): string {
  for (const [sentence, words] of tables.sentences)
    if (sentence.test(part)) return part.replace(sentence, words);
  return part;
}
