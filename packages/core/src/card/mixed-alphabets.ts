import type { CardEffect } from "./card.ts";

/**
 * Hosts and mail addresses in a call whose letters are not what they look like: several alphabets in
 * one name, or a name in another alphabet that reads like a Latin one. Each is said, with the name that the network knows.
 */
export function mixedAlphabets(values: readonly unknown[]): CardEffect[] {
  const found = new Map<string, string>();
  for (const text of textsIn(values))
    for (const [, host] of UNUSUAL.test(text) ? text.matchAll(HOST) : []) {
      const name = host!.toLowerCase();
      if (!UNUSUAL.test(name) || found.has(name) || found.size >= NAMES_MAX) continue;
      const how = howMixed(name);
      if (how !== undefined) found.set(name, how);
    }
  return [...found].map(([name, how]) => ({ words: `“${name}” ${how}${networkName(name)}`, tone: "bad" }));
}

const NAMES_MAX = 10;
/** More than a card can show. */
const TEXT_CHARS_MAX = 40_000;
/** A name with a dot, also behind an @. */
const HOST =
  /(?<![\p{L}\p{N}\p{M}_.-])((?:[\p{L}\p{N}\p{M}_-]{1,63}[.。．｡]){1,10}[\p{L}\p{M}\p{N}-]{2,63})/gu;
const UNUSUAL = /[^\p{ASCII}]|xn--/iu;

function howMixed(name: string): string | undefined {
  if (name.includes("xn--")) return "stands for a name in other letters";
  const labels = name.split(/[.。．｡]/u);
  for (const [at, label] of labels.entries()) {
    const alphabets = alphabetsOf(label);
    const [only = "Latin"] = alphabets;
    if (alphabets.length > 1 && !GOES_TOGETHER.some((set) => alphabets.every((each) => set.includes(each))))
      return `mixes alphabets (${alphabets.join(", ")})`;
    const letters = Array.from(label.replaceAll(/[^\p{L}]/gu, ""));
    if (at < labels.length - 1 && only !== "Latin" && letters.every((each) => LATIN_LIKE.has(each)))
      return `is written in ${only} letters that look like Latin ones`;
  }
  return undefined;
}

const ALPHABETS = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Hebrew",
  "Arabic",
  "Devanagari",
  "Thai",
  "Georgian",
  "Cherokee",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Bopomofo",
] as const;
const PATTERNS = ALPHABETS.map((name) => [name, new RegExp(`\\p{Script=${name}}`, "u")] as const);

/** Alphabets that languages write side by side. */
const GOES_TOGETHER: readonly (readonly string[])[] = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Hangul"],
  ["Latin", "Han", "Bopomofo"],
];

/** Small letters of Cyrillic, Greek, Armenian and Cherokee that pass for Latin ones. */
const LATIN_LIKE: ReadonlySet<string> = new Set(
  "аеорсухіјѕһԁԛԝӏгпкмтвнꙅοανρτικуυωεηбзօսհոցհᎪᏴᏟᎠᎬᎦᏀᎻᎥᎫᏦᏞᎷΝОᏢԚᎡᏚᎢᏌᏙᏔХᎩᏃ",
);

function alphabetsOf(label: string): string[] {
  return PATTERNS.filter(([, pattern]) => pattern.test(label)).map(([name]) => name);
}

function networkName(name: string): string {
  const host = URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : undefined;
  return host === undefined || host === name ? "" : `: its real name is ${host}`;
}

function* textsIn(values: readonly unknown[]): Iterable<string> {
  for (const value of values) {
    if (typeof value === "string") yield value.slice(0, TEXT_CHARS_MAX);
    else if (Array.isArray(value)) yield* textsIn(value);
    else if (typeof value === "object" && value !== null) yield* textsIn(Object.entries(value).flat());
  }
}
