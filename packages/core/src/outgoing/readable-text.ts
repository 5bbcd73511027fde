/**
 * A text as whoever receives it would read it: compatible characters in their plain form, nothing
 * invisible, digits of every script as 0 to 9, and what is written in code (entities, percent
 * signs, backslashes, "[dot]") as what it stands for.
 */
export function readableText(text: string): string {
  let read = plainCharacters(text);
  for (let round = 0; round < DECODE_ROUNDS_MAX; round++) {
    const decoded = plainCharacters(decodeOnce(read));
    if (decoded === read) break;
    read = decoded;
  }
  return read;
}

/** Letters and digits alone, by which copies are compared: blanks, marks and capitals make no other text. */
export function lettersAndDigits(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

const DECODE_ROUNDS_MAX = 4;

/** Format and control characters, variation selectors, enclosing marks (keycaps): nobody sees them as text of their own. */
const INVISIBLE = /(?![\n\t\r])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Me}]/gu;

function plainCharacters(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(INVISIBLE, "")
    .replaceAll(/\p{Nd}|\p{No}/gu, (digit) => (digit >= "0" && digit <= "9" ? digit : plainDigit(digit)))
    .replaceAll(HAN_DIGITS, (run) => Array.from(run, (digit) => hanDigit(digit)).join(""))
    .replaceAll(DIGIT_WORDS, (run) => run.replaceAll(/\p{L}+/gu, (word) => wordDigit(word)))
    .replaceAll(OTHER_DOT, ".")
    .replaceAll(/[‐‑‒–—―−﹘]/gu, "-")
    .replaceAll(/[⁄∕⧸]/gu, "/");
}

/** Digits of a script stand in a row from zero on, and circled ones from one on. */
function plainDigit(character: string): string {
  const code = character.codePointAt(0)!;
  const circled = CIRCLED.find(([start, , count]) => code >= start && code < start + count);
  if (circled) return String(code - circled[0] + circled[1]);
  if (!/\p{Nd}/u.test(character)) return character;
  let before = 0;
  while (before < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before);
}

/** Circled digits that have no compatible form: where they begin, with which digit, and how many there are. */
const CIRCLED: readonly (readonly [start: number, first: number, count: number])[] = [
  [0x24_eb, 11, 10],
  [0x24_f5, 1, 10],
  [0x24_ff, 0, 1],
  [0x27_76, 1, 10],
  [0x27_80, 1, 10],
  [0x27_8a, 1, 10],
  [0x1_f1_0b, 0, 1],
  [0x1_f1_0c, 0, 1],
];

const HAN = "〇一二三四五六七八九";
const HAN_FORMAL = "零壹贰叁肆伍陆柒捌玖";
const HAN_DIGITS = new RegExp(`[${HAN}${HAN_FORMAL}]{4,}`, "gu");

function hanDigit(digit: string): string {
  const at = Math.max(HAN.indexOf(digit), HAN_FORMAL.indexOf(digit));
  return String(at);
}

const WORDS: readonly (readonly string[])[] = [
  ["zero", "oh", "null", "cero", "zéro"],
  ["one", "eins", "uno", "un"],
  ["two", "zwei", "zwo", "dos", "deux", "due", "dois"],
  ["three", "drei", "tres", "trois", "tre", "três"],
  ["four", "vier", "cuatro", "quatre", "quattro", "quatro"],
  ["five", "fünf", "cinco", "cinq", "cinque"],
  ["six", "sechs", "seis", "sei"],
  ["seven", "sieben", "siete", "sept", "sette", "sete"],
  ["eight", "acht", "ocho", "huit", "otto", "oito"],
  ["nine", "neun", "nueve", "neuf", "nove"],
];
const WORD = WORDS.flat().join("|");
/** Four or more in a row are a number that is spelled out, as nobody counts. */
const DIGIT_WORDS = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${WORD})(?:[\\s,.;/-]{1,3}(?:${WORD})){3,}(?![\\p{L}\\p{N}])`,
  "giu",
);

function wordDigit(word: string): string {
  const at = WORDS.findIndex((words) => words.includes(word.toLowerCase()));
  return at < 0 ? word : String(at);
}

/** Dots of other scripts where a host has one: before a small letter or between Latin ones. They also end sentences. */
const OTHER_DOT = /(?<=[\p{L}\p{N}])[。·‧・•∙⋅۔።](?=[a-z0-9])|(?<=[A-Za-z0-9])[。·‧・•∙⋅۔።](?=[A-Za-z0-9])/gu;

const NAMED: Readonly<Record<string, string>> = {
  period: ".",
  colon: ":",
  sol: "/",
  bsol: "\\",
  commat: "@",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  num: "#",
  quest: "?",
  equals: "=",
  amp: "&",
  nbsp: " ",
  shy: "",
  zwnj: "",
  zwj: "",
};

const BRACKET = "[\\[({<\u3010\u300c]";
const UNBRACKET = "[\\])}>\u3011\u300d]";
const BRACKETED_DOT = new RegExp(
  `\\s?${BRACKET}\\s?(?:\\.|dot|punkt|punto|point|点)\\s?${UNBRACKET}\\s?`,
  "giu",
);
const BRACKETED_AT = new RegExp(`\\s?${BRACKET}\\s?(?:@|at|ät|arroba|arobase)\\s?${UNBRACKET}\\s?`, "giu");

function decodeOnce(text: string): string {
  return text
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/giu, (whole, hex?: string, decimal?: string) =>
      character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), whole),
    )
    .replaceAll(/&([a-z]{2,8});/giu, (whole, name: string) => NAMED[name.toLowerCase()] ?? whole)
    .replaceAll(/(?:%[0-9a-f]{2}){1,64}/giu, percentDecoded)
    .replaceAll(
      /\\u\{([0-9a-f]{1,6})\}|\\[ux]([0-9a-f]{4}|[0-9a-f]{2})/giu,
      (whole, long?: string, short?: string) => character(Number.parseInt(long ?? short ?? "", 16), whole),
    )
    .replaceAll(/\\(?=[.:/@_#-])/gu, "")
    .replaceAll(/<!--[^>]{0,200}-->|<\/?[a-z][a-z0-9]{0,12}(?:\s[^<>.:]{0,40})?>(?=[\p{L}\p{N}.])/giu, "")
    .replaceAll(BRACKETED_DOT, ".")
    .replaceAll(BRACKETED_AT, "@")
    .replaceAll(SPELLED_DOT, (_, host: string, ending: string) => `${host}.${ending}`)
    .replaceAll(/(?<![\p{L}\p{N}])h(?:xx|\*\*)p(s?)(?=\s?:)/giu, "http$1");
}

/** "evil dot com", "evil . com": only before endings that hosts really have, since people write dots and "dot" too. */
const ENDINGS =
  "com|net|org|info|biz|io|co|app|dev|xyz|top|site|online|shop|club|live|me|tv|cc|ly|ai|eu|de|at|ch|fr|es|it|pt|nl|be|pl|uk|ru|cn|jp|br|in|us|ca|au|example|test";
const SPELLED_DOT = new RegExp(
  `([\\p{L}\\p{N}-]{1,63})(?:\\s{1,3}(?:dot|punkt|punto|point)\\s{1,3}|\\s{1,3}\\.\\s{0,3}|\\.\\s{1,3}(?=(?:com|net|org|io|info)(?![\\p{L}\\p{N}])))(${ENDINGS})(?![\\p{L}\\p{N}])`,
  "gu",
);

function character(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff)
    ? String.fromCodePoint(code)
    : otherwise;
}

function percentDecoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
