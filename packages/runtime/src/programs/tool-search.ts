import { matchesTool, resolveToolName, type Risk, type ToolContract } from "@elwood/core/tool/tool";
import { declarationText } from "./declarations.ts";
import { commentText } from "./schema-type.ts";

export interface ToolHit {
  readonly id: string;
  /** How a program begins the call. */
  readonly call: string;
  readonly risk: Risk;
  readonly description: string;
}

const HITS_DEFAULT = 10;
const HITS_MAX = 25;
const HIT_DESCRIPTION_CHARS_MAX = 160;
const QUERY_WORDS_MAX = 16;
const DESCRIBED_MAX = 20;
const DESCRIBED_CHARS_MAX = 32 * 1024;

/**
 * Tools by words: a word of the id counts more than one of the description, a whole word
 * more than its beginning, and a word that few tools have more than one that many have.
 * Equal ones come in the order of their ids, so the same question has the same answer.
 */
export function searchTools(
  contracts: readonly ToolContract[],
  query: string,
  limit = HITS_DEFAULT,
): ToolHit[] {
  const asked = [...new Set(wordsOf(query))].slice(0, QUERY_WORDS_MAX);
  const docs = contracts.map((contract) => ({
    contract,
    id: new Set(wordsOf(contract.id)),
    said: new Set(wordsOf(contract.description)),
  }));
  const scores = docs.map(() => 0);
  for (const word of asked) {
    const fits = docs.map(({ id, said }) => Math.max(fit(id, word) * 3, fit(said, word)));
    const found = fits.filter((each) => each > 0).length;
    const rarity = Math.log(1 + docs.length / Math.max(1, found));
    for (const [i, each] of fits.entries()) scores[i]! += each * rarity;
  }
  return [...docs.keys()]
    .filter((i) => scores[i]! > 0)
    .toSorted((a, b) => scores[b]! - scores[a]! || (docs[a]!.contract.id < docs[b]!.contract.id ? -1 : 1))
    .slice(0, Math.min(Math.max(1, Math.floor(limit)), HITS_MAX))
    .map((i) => hitOf(docs[i]!.contract));
}

export interface DescribedTools {
  /** TypeScript. */
  readonly declarations: string;
  readonly notFound: readonly string[];
}

/** The declarations of tools by id, old name, or pattern (`files.*`); what goes beyond the cap is named as not found. */
export function describeTools(contracts: readonly ToolContract[], ids: readonly string[]): DescribedTools {
  const found = new Map<string, ToolContract>();
  const notFound: string[] = [];
  for (const asked of ids.slice(0, DESCRIBED_MAX)) {
    const name = asked.trim().replace(/^tools\./, "");
    const id = resolveToolName(name) ?? name;
    const matches = contracts.filter((contract) => matchesTool(id, contract.id));
    if (matches.length === 0) notFound.push(asked.slice(0, 100));
    for (const contract of matches) {
      const next = [...found.values(), contract];
      const fits = next.length <= DESCRIBED_MAX && declarationText(next).length <= DESCRIBED_CHARS_MAX;
      if (fits) found.set(contract.id, contract);
      else notFound.push(`${contract.id} (too much at once: ask for fewer)`);
    }
  }
  return {
    declarations: found.size === 0 ? "" : declarationText([...found.values()]),
    notFound: notFound.slice(0, DESCRIBED_MAX),
  };
}

/** The names nearest to a misspelt one, nearest first. */
export function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const cap = Math.max(2, Math.floor(name.length / 3));
  const near = known
    .map((each) => ({ each, distance: editDistance(name.toLowerCase(), each.toLowerCase(), cap) }))
    .filter(({ distance }) => distance <= cap)
    .toSorted((a, b) => a.distance - b.distance || (a.each < b.each ? -1 : 1));
  const best = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= best + 1)
    .slice(0, count)
    .map(({ each }) => each);
}

function hitOf({ id, risk, description }: ToolContract): ToolHit {
  return {
    id,
    call: `tools.${id}(input)`,
    risk,
    description: commentText(description, HIT_DESCRIPTION_CHARS_MAX),
  };
}

/** 2 for the word itself, 1 for one that begins with it or that it begins with. */
function fit(words: ReadonlySet<string>, word: string): number {
  if (words.has(word)) return 2;
  if (word.length < 3) return 0;
  for (const each of words) {
    if (each.startsWith(word) || (each.length >= 4 && word.startsWith(each))) return 1;
  }
  return 0;
}

function wordsOf(text: string): string[] {
  const split = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  const words = split.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}

/** Levenshtein, given up beyond `cap`. */
function editDistance(a: string, b: string, cap: number): number {
  if (Math.abs(a.length - b.length) > cap) return cap + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, change));
    }
    if (Math.min(...next) > cap) return cap + 1;
    row = next;
  }
  return row[b.length]!;
}
