import { HALF, LETTER, NUMBER, SPACELESS, spelled } from "../base/letters.ts";

/** "Milk, bread and eggs": what is listed in one breath. */
export function listedIn(plain: string): string[] {
  // Looking for a whole list takes long where there is none.
  if (!LIST_END.test(plain)) return [];
  spelled.spell(plain);
  const found = spelled.met & SPACELESS ? (LISTED.exec(plain)?.[0] ?? "") : latinList(plain);
  return found === "" ? [] : found.split(LIST_JOINT).filter((item) => item.trim() !== "");
}

/** Where words are parted by spaces a list begins with a word; a long one counts from its end. */
function latinList(plain: string): string {
  const { codes, kinds, length } = spelled;
  let from = 0;
  for (let at = 0; at <= length; at += 1) {
    const code = codes[at]!;
    if (kinds[at]! & (LETTER | NUMBER | HALF) || code === FULL_STOP || code === QUOTE || code === HYPHEN)
      continue;
    if (at - from >= LIST_WORD.min) {
      LATIN_LISTED.lastIndex = Math.max(from, at - LIST_WORD.max);
      const found = LATIN_LISTED.exec(plain)?.[0];
      if (found !== undefined) return found;
    }
    from = at + 1;
  }
  return "";
}

const FULL_STOP = 0x2e;

const QUOTE = 0x27;

const HYPHEN = 0x2d;

const LIST_WORD = { min: 2, max: 24 } as const;

const LIST_ITEM = "[\\p{L}\\p{N}.'-]{2,24}(?:\\s[\\p{L}\\p{N}.'-]{2,24})?";

/** A comma alone joins clauses as well: a list ends in "and", or in scripts without one has its own comma. */
const LISTED = new RegExp(
  `${LIST_ITEM}(?:,\\s${LIST_ITEM}){0,8},?\\s(?:and|und|et|y|e|en|i|oraz)\\s${LIST_ITEM}|${LIST_ITEM}(?:、${LIST_ITEM}){0,8}(?:[和与及]|、${LIST_ITEM}、)${LIST_ITEM}|\\p{Script=Hangul}{1,24}(?:, ?\\p{Script=Hangul}{1,24}){0,8}[와과] \\p{Script=Hangul}{1,24}`,
  "u",
);

/** The same for words that spaces part: each but the last goes on to its end. */
const WHOLE_WORD = "[\\p{L}\\p{N}.'-]{2,24}(?![\\p{L}\\p{N}.'-])";

const WHOLE_ITEM = `${WHOLE_WORD}(?:\\s${WHOLE_WORD})?`;

const LATIN_LISTED = new RegExp(
  `${WHOLE_ITEM}(?:,\\s${WHOLE_ITEM}){0,8},?\\s(?:and|und|et|y|e|en|i|oraz)\\s(?:\\p{L}\\s)?${LIST_ITEM}`,
  "uy",
);

const LIST_END = /\s(?:and|und|et|y|e|en|i|oraz)\s|[、和与及]|[와과] /u;

const LIST_JOINT = /,?\s(?:and|und|et|y|e|en|i|oraz)\s|[、和与及]|(?<=\p{Script=Hangul}[와과])\s|,\s?/u;
