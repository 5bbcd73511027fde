import type { SpokenSentence } from "./sentences.ts";

/**
 * Sentences by the English that stands in the code, with `{0}` for its first value. Those with most words come first: a
 * sentence that is nearly all places fits too much.
 */
export function sentencesBy(table: Readonly<Record<string, string>>): SpokenSentence[] {
  return Object.entries(table)
    .toSorted(([one], [other]) => wordsIn(other) - wordsIn(one))
    .map(([english, words]) => {
      const places: string[] = [];
      const source = english
        .split(/\{(\d)\}/)
        .map((part, at) => {
          if (at % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
          places.push(part);
          return "([^]*?)";
        })
        .join("");
      return [
        new RegExp(`^${source}$`),
        words
          .replaceAll("$", "$$$$")
          .replaceAll(/\{(\d)\}/g, (_, place: string) => `$${places.indexOf(place) + 1}`),
      ];
    });
}

function wordsIn(english: string): number {
  return english.replaceAll(/\{\d\}/g, "").length;
}
