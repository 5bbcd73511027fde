/**
 * Accounts and codes in a readable text, in whatever grouping: digits that stand together count
 * together, whatever is between them. What people write with digits in plain words (days, times of
 * day, sums, a place's postcode, small numbers) is none where it stands alone.
 */

const GROUPS = /[\p{L}\p{N}]{0,64}\p{N}[\p{L}\p{N}]{0,64}/gu;
/** More signs than these between two groups, a line's end or a word end a chain. */
const SEPARATOR_CHARS_MAX = 4;
const CHAIN_CHARS_MAX = 1_000;
const CODE_CHARS_MAX = 128;
/** Five digits are a code; four are a year, a price, a house. Shorter ones count only where a private result has them. */
const DIGITS_MIN = 5;
const PRIVATE_DIGITS_MIN = 4;
const MIXED_CHARS_MIN = 6;
/** More small numbers than these in a row are a code that was taken apart. */
const SMALL_NUMBERS_MAX = 3;

/** What may be an account or a code, each as its letters and digits alone. */
export function codesIn(text: string): string[] {
  const codes: string[] = [];
  for (const chain of chainsIn(withoutSums(text))) {
    const short: string[] = [];
    for (const segment of segmentsOf(chain)) {
      const code = looseOf(segment).join("").slice(0, CODE_CHARS_MAX);
      if (isCode(code, segment)) codes.push(code);
      else if (/^\d+$/u.test(code)) short.push(code);
    }
    const small = piecesOf(chain).filter((piece) => SMALL.test(piece));
    const apart = [...short, ...(small.length > SMALL_NUMBERS_MAX ? small : [])].map(lettersOf).join("");
    if (digitCount(apart) >= DIGITS_MIN) codes.push(apart.slice(0, CODE_CHARS_MAX));
  }
  return codes;
}

/** Every code that somebody who typed the text has said, also as a part of a longer row of groups. */
export function spokenCodes(text: string): ReadonlySet<string> {
  const said = new Set<string>();
  for (const chain of chainsIn(text)) {
    const groups = groupsOf(chain);
    for (let from = 0; from < groups.length; from++)
      for (let to = from + 1; to <= Math.min(groups.length, from + RUN_GROUPS_MAX); to++)
        said.add(groups.slice(from, to).join("").slice(0, CODE_CHARS_MAX));
  }
  return said;
}

const RUN_GROUPS_MAX = 24;

/** The codes of a private text, short ones such as a PIN included; days, times of day and years are none. */
export function privateCodes(text: string): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const chain of chainsIn(text)) {
    if (codes.size >= PRIVATE_CODES_MAX) break;
    const loose = piecesOf(chain).filter((piece) => !isPlain(piece) || SMALL.test(piece));
    for (const each of [loose.join(""), ...loose, ...loose.flatMap(groupsOf)]) {
      const code = lettersOf(each).slice(0, CODE_CHARS_MAX);
      if (isPrivate(code)) codes.add(code);
    }
  }
  return codes;
}

const PRIVATE_CODES_MAX = 100_000;

/** Each code of the text that may repeat a private one, in whatever spelling: also "11:47" for 1147. */
export function* repeatable(text: string): Iterable<string> {
  for (const chain of chainsIn(text)) {
    yield lettersOf(chain);
    for (const segment of segmentsOf(chain)) {
      yield lettersOf(segment);
      yield looseOf(segment).join("");
      for (const piece of piecesOf(segment)) {
        yield lettersOf(piece);
        yield* groupsOf(piece);
      }
    }
  }
}

function isPrivate(code: string): boolean {
  if (/^(?:19|20)\d{2}$/u.test(code) || /^\d0{3,}$/u.test(code)) return false;
  const isMixed = code.length >= MIXED_CHARS_MIN && (turnsOf(code) >= 3 || digitCount(code) >= 3);
  return /^\p{N}+$/u.test(code) ? code.length >= PRIVATE_DIGITS_MIN : isMixed;
}

function isCode(code: string, segment: string): boolean {
  return (
    digitCount(code) >= DIGITS_MIN ||
    piecesOf(segment).some((piece) => !isPlain(piece) && groupsOf(piece).some(isMixedCode))
  );
}

/** Letters and digits in turns, such as x7k2q9: "iphone15" and "q3" are words. */
function isMixedCode(group: string): boolean {
  const turns = turnsOf(group);
  return (group.length >= MIXED_CHARS_MIN && turns >= 4) || (group.length >= 20 && turns >= 2);
}

function turnsOf(text: string): number {
  return text.replaceAll(/\p{L}+/gu, "a").replaceAll(/\p{N}+/gu, "1").length;
}

function digitCount(text: string): number {
  return text.replaceAll(/[^\p{N}]/gu, "").length;
}

function groupsOf(text: string): string[] {
  return [...text.matchAll(GROUPS)].map(([group]) => group.toLowerCase());
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Groups of letters and digits with a digit in each, with nothing but signs and blanks between them. */
function chainsIn(text: string): string[] {
  const chains: string[] = [];
  let [start, end] = [-1, -1];
  const close = () => {
    if (start >= 0) chains.push(text.slice(start, end));
  };
  for (const match of text.matchAll(GROUPS)) {
    const gap = end < 0 ? "" : text.slice(end, match.index);
    const goesOn =
      start >= 0 &&
      gap.length <= SEPARATOR_CHARS_MAX &&
      !/[\p{L}|\n]/u.test(gap) &&
      match.index - start < CHAIN_CHARS_MAX;
    if (!goesOn) {
      close();
      start = match.index;
    }
    end = match.index + match[0].length;
  }
  close();
  return chains;
}

/** Commas and semicolons part one number from the next. */
function segmentsOf(text: string): string[] {
  return text.split(/[,;]\s+/u);
}

function piecesOf(text: string): string[] {
  return text
    .split(/[,;]?\s+(?:-\s+)?/u)
    .map((piece) => piece.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((piece) => /\p{N}/u.test(piece));
}

/** The groups of a segment that no day, time of day or year accounts for; with one such group, small numbers beside it count too. */
function looseOf(segment: string): string[] {
  const pieces = piecesOf(segment);
  const small = pieces.filter((piece) => SMALL.test(piece)).flatMap(groupsOf);
  if (pieces.every((piece) => isPlain(piece)))
    return small.length > 1 && digitCount(small.join("")) >= DIGITS_MIN ? small : [];
  return pieces.filter((piece) => !isPlain(piece) || SMALL.test(piece)).flatMap(groupsOf);
}

const DAY = "(?:0?[1-9]|[12]\\d|3[01])";
const MONTH = "(?:0?[1-9]|1[0-2])";
const YEAR = "(?:19|20)\\d{2}";
const CLOCK = "(?:[01]?\\d|2[0-4])[:.][0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,3})?)?(?:[ap]m|uhr|h)?";
const MOMENTS: readonly RegExp[] = [
  `${YEAR}([-/.])${MONTH}\\1${DAY}(?:t${CLOCK})?(?:z|[+-]\\d{2}:?\\d{2})?`,
  `${DAY}([-/.])${MONTH}\\1(?:${YEAR}|\\d{2})?`,
  `${DAY}[./]${MONTH}`,
  `${MONTH}/${DAY}(?:/(?:${YEAR}|\\d{2}))?`,
  `(?:${YEAR}年)?${MONTH}月(?:${DAY}日)?`,
  `(?:[01]?\\d|2[0-4])[時点시](?:[0-5]?\\d[分분])?`,
  `${YEAR}(?:[-/](?:${YEAR}|\\d{2}))?`,
  CLOCK,
].map((source) => new RegExp(`^${source}$`, "iu"));
const SMALL = /^\d{1,3}(?:[.,]\d{1,2})?(?:st|nd|rd|th)?$/iu;
/** A round number in thousands tells a size, and one of two small ones a share. */
const ROUND = /^\d{1,3}(?:[.,'’]000){1,3}$|^\d{1,2}\/\d{1,2}$/u;

function isPlain(piece: string): boolean {
  if (SMALL.test(piece) || ROUND.test(piece) || isMoment(piece)) return true;
  // From one to the other, such as 10:00-11:30; "123-456" is no range.
  const [from = "", to = "", ...more] = piece.split("-");
  return more.length === 0 && to !== "" && isEnd(from) && isEnd(to) && (isMoment(from) || isMoment(to));
}

function isMoment(piece: string): boolean {
  return MOMENTS.some((pattern) => pattern.test(piece));
}

function isEnd(piece: string): boolean {
  return isMoment(piece) || /^\d{1,2}\.?$/u.test(piece);
}

const AMOUNT = "\\d{1,3}(?:[.,'’ ]\\d{3}){1,3}(?:[.,]\\d{1,2})?|\\d{1,7}(?:[.,]\\d{1,2})?";
const CURRENCY =
  "[$€£¥₹]|EUR|USD|CHF|GBP|JPY|CNY|Euros?|euros?|dollars?|Dollar|Franken|francs?|pounds?|Pfund|pesos?|reais|yen|yuan|元|円|원";
/** A sum with its currency, and the postcode before or behind the name of its place; nothing that a digit goes on from. */
const SUMS = new RegExp(
  `(?<!\\p{N}[^\\p{L}\\n,;]{0,2}|[\\p{L}\\p{N}])(?:(?:${CURRENCY})\\s?(?:${AMOUNT})(?![^\\p{L}\\n]{0,2}\\p{N})|(?:${AMOUNT})\\s?(?:${CURRENCY})(?![\\p{L}\\p{N}])|\\d{4,5}(?=\\s\\p{Lu}\\p{Ll})|\\p{Lu}{2}\\s\\d{5}(?:-\\d{4})?(?!\\p{N}))`,
  "gu",
);

function withoutSums(text: string): string {
  return text.replace(SUMS, " | ");
}
