import type { QueryWord } from "./query-words.ts";

/**
 * A question as FTS5 wants it. Words are joined by OR: FTS5's own default asks for all of them in
 * one turn and finds next to nothing. Each stands in quotes, so that nothing a person types is syntax.
 */
export function ftsQuery(words: readonly QueryWord[]): string {
  return words.map(ftsWord).join(" OR ");
}

export function ftsWord({ word, forms }: QueryWord): string {
  return [word, ...forms].map(quoted).join(" OR ");
}

export function ftsTrigrams(trigrams: readonly string[]): string {
  return trigrams.map(quoted).join(" OR ");
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
