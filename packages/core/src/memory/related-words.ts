import type { QueryWord } from "./query-words.ts";
import { RELATED_LINES } from "./related-lists.ts";
import { STOP_WORDS } from "./word-lists.ts";

/** So many words are looked for in place of one that was asked, and of all that were. */
export const RELATED_PER_WORD_MAX = 12;
export const RELATED_MAX = 24;
const STEM_CHARS_MIN = 3;

/** For each word of a question that has any, words and phrases that may stand in its place. None of them was asked itself. */
export function relatedWords(words: readonly QueryWord[]): string[][] {
  const asked = new Set(words.flatMap(({ word, forms }) => [word, ...forms]).map(stemOf));
  let left = RELATED_MAX;
  const groups: string[][] = [];
  for (const { word } of words) {
    const known = RELATED.get(stemOf(word)) ?? [];
    const group = known
      .filter((term) => !asked.has(stemOf(term)))
      .slice(0, Math.min(left, RELATED_PER_WORD_MAX));
    if (group.length === 0) continue;
    left -= group.length;
    groups.push(group);
  }
  return groups;
}

/** What a wider word leads to goes first, then the wider words that a narrower one belongs to. */
function readLines(): ReadonlyMap<string, readonly string[]> {
  const narrower = new Map<string, Set<string>>();
  const wider = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, word: string, terms: readonly string[]) => {
    const known = to.get(stemOf(word)) ?? new Set();
    for (const term of terms) if (term !== word && !STOP_WORDS.has(term)) known.add(term);
    to.set(stemOf(word), known);
  };
  for (const line of RELATED_LINES.split("\n")) {
    const [heads = [], members = []] = line.split(":").map((side) => side.trim().split(" ").map(spaced));
    for (const head of heads) add(narrower, head, [...heads, ...members]);
    for (const member of members) add(wider, member, heads);
  }
  const all = new Set([...narrower.keys(), ...wider.keys()]);
  return new Map(
    [...all].map((stem) => [stem, [...new Set([...(narrower.get(stem) ?? []), ...(wider.get(stem) ?? [])])]]),
  );
}

function spaced(term: string): string {
  return term.replaceAll("_", " ");
}

/** The index stems what it looks for; here it is enough that "pets" finds the line of "pet". */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ies|ied)$/u, "y").replace(/(?:ings?|ers|ed|es|s|e)$/u, "");
  return stem.length >= STEM_CHARS_MIN ? stem : word;
}

const RELATED = readLines();
