import { isTelling, wordsOf } from "./query-words.ts";
import { placeOf, type RecalledItem } from "./recalled.ts";

/** Which of the items a reply used, by the lines that it was given of them. */
export function withUse(
  items: readonly RecalledItem[],
  told: { readonly recalled: string; readonly message: string; readonly reply: string },
): RecalledItem[] {
  const known = wordsOf(told.message);
  const said = new Set(wordsOf(told.reply));
  const lines = told.recalled.split("\n");
  return items.map((item) => {
    const place = `[${placeOf(item)}]: `;
    const line = lines.find((each) => each.includes(place)) ?? "";
    const words = new Set(wordsOf(line.slice(line.indexOf("]: ") + "]: ".length)));
    const shared = [...words].filter((word) => said.has(word) && isTelling(word) && !isKnown(word, known));
    const sure = shared.some((word) => word.length >= SURE_CHARS || /\p{N}/u.test(word));
    return sure || shared.length >= SHARED_MIN ? { ...item, used: true } : item;
  });
}

/** A long word or a number is no coincidence; of others it takes some. */
const SURE_CHARS = 7;
const SHARED_MIN = 2;
const STEM_CHARS = 5;

/** Also in another form, such as the plural. */
function isKnown(word: string, known: readonly string[]): boolean {
  return known.some((each) => each === word || each.slice(0, STEM_CHARS) === word.slice(0, STEM_CHARS));
}
