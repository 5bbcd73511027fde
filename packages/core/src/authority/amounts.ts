import type { Language } from "../request/language.ts";
import { withoutTimes } from "./spoken-times.ts";

/** A number in a text, as its writer meant it. */
export interface Amount {
  /** Undefined where two readings are possible, as of "1.000" in an English sentence. */
  readonly value?: number;
  readonly at: number;
  readonly end: number;
  /** A currency stands beside it. */
  readonly currency?: string;
  readonly percent: boolean;
  /** It says how much at most, at least or about, and not how much. */
  readonly bound?: true;
}

/** Currencies by their code: what stands before or after an amount. */
const CURRENCIES: readonly (readonly [string, RegExp])[] = [
  ["EUR", /^(?:€|eur|euros?|欧元|ユーロ|유로)$/u],
  ["USD", /^(?:\$|us\$|usd|dollars?|bucks?|dólares|美元|美金|ドル|달러)$/u],
  ["GBP", /^(?:£|gbp|pounds?|quid|英镑|ポンド)$/u],
  ["CHF", /^(?:chf|franken|fr\.|sfr)$/u],
  ["JPY", /^(?:jpy|yen|円|엔)$/u],
  ["CNY", /^(?:cny|rmb|yuan|元|块|人民币|위안)$/u],
  ["KRW", /^(?:krw|won|₩|원)$/u],
  ["PLN", /^(?:pln|zł|złotych|złote|złoty)$/u],
  ["BRL", /^(?:brl|r\$|reais|real)$/u],
  ["", /^¥$/u],
];
const CURRENCY_BEFORE = /(us\$|r\$|[$€£¥₩]|(?<!\p{L})(?:eur|usd|gbp|chf|jpy|cny|pln|brl|rmb))\s?$/iu;
const CURRENCY_AFTER =
  /^\s?([$€£¥₩]|(?:euros?|eur|us\$|usd|dollars?|bucks?|dólares|pounds?|quid|gbp|franken|chf|sfr|yen|jpy|yuan|rmb|cny|won|krw|złotych|złote|złoty|zł|pln|reais|real|brl)(?!\p{L})|欧元|美元|美金|英镑|人民币|元|块|円|ユーロ|ドル|ポンド|엔|원|유로|달러|위안)/iu;
const HUNDREDTHS =
  /^\s?(?:cents?|ct|céntimos|centimes|centesimi|centavos|rappen|pence|p|grosz[ye]|groszy|分)(?!\p{L})/iu;
const SCALE: readonly (readonly [RegExp, number])[] = [
  [/^\s?(?:k|thousand|tausend|mil|mille|mila|duizend|tysi[ąę]c[ey]?|千|천)(?!\p{Script=Latin})/iu, 1_000],
  [
    /^\s?(?:m|mio\.?|million(?:en|s)?|millón|millones|milione|milioni|milhão|milhões|miljoen|milion[yó]?w?|百万)(?!\p{Script=Latin})/iu,
    1_000_000,
  ],
  [/^\s?[万萬만]/u, 10_000],
  [/^\s?[百백]/u, 100],
  [/^\s?[億亿억]/u, 100_000_000],
];
/** A run of digits with what may stand between them; what begins or goes on like a word, a code or a phone number is none. */
const RUN = /(?<![\p{L}\p{N}_#/@+.,:-])[-−]?\d(?:[\d.,'\u00a0\u202f ]*\d)?(?![\d]|[.,:]\d)/gu;
/** What a number word or sign may touch on its right side. */
const GLUED = /^(?:[\p{L}_@/\\]|-\p{L})/u;
const GLUE_ALLOWED = /^(?:[k°%€$£¥]|eur|usd|gbp|chf|mio|mal|x(?!\p{L})|th|st|nd|rd)/iu;
const WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "one eins ein eine una uno un une 1",
    "two zwei dos deux due dois duas twee dwa 2",
    "three drei tres trois tre três drie trzy 3",
    "four vier cuatro quatre quattro quatro cztery 4",
    "five fünf cinco cinq cinque vijf pięć 5",
    "six sechs seis sei zes sześć 6",
    "seven sieben siete sept sette sete zeven siedem 7",
    "eight acht ocho huit otto oito osiem 8",
    "nine neun nueve neuf nove negen dziewięć 9",
    "ten zehn diez dix dieci dez tien dziesięć 10",
    "eleven elf once onze undici jedenaście 11",
    "twelve zwölf doce douze dodici doze twaalf dwanaście 12",
    "fifteen fünfzehn quince quinze quindici vijftien piętnaście 15",
    "twenty zwanzig veinte vingt venti vinte twintig dwadzieścia 20",
    "thirty dreißig treinta trente trenta trinta dertig trzydzieści 30",
    "forty vierzig cuarenta quarante quaranta quarenta veertig czterdzieści 40",
    "fifty fünfzig cincuenta cinquante cinquanta cinquenta vijftig pięćdziesiąt 50",
    "hundred hundert cien cent cento cem honderd sto 100",
    "thousand tausend mil mille duizend tysiąc 1000",
  ].flatMap((line) => {
    const names = line.split(" ");
    return names.slice(0, -1).map((name) => [name, Number(names.at(-1))] as const);
  }),
);
/** Articles and small words that only look like numbers. */
const NOT_ALONE = new Set([
  "ein",
  "eine",
  "una",
  "uno",
  "un",
  "une",
  "one",
  "once",
  "sei",
  "due",
  "mil",
  "sept",
  "cent",
  "sto",
  "acht",
  "elf",
  "onze",
  "dix",
  "tre",
  "nove",
  "sete",
]);
const AMOUNTS_MAX = 200;

/** The numbers in a text, without those that are part of a day, a time, a code or an address. Offsets are into the text as given. */
export function amountsIn(text: string, language: Language): Amount[] {
  const plain = blankTimes(text.replaceAll(/\p{Nd}/gu, digit));
  const found: Amount[] = [];
  for (const match of plain.matchAll(RUN)) {
    if (found.length >= AMOUNTS_MAX) break;
    let run = match[0];
    let end = match.index + run.length;
    const before = plain.slice(Math.max(0, match.index - 8), match.index);
    // "Anna 20 300" may be two numbers; a group after a plain blank counts only beside a currency.
    const after = () => plain.slice(end, end + 24);
    if (/\d \d/u.test(run) && !isGrouped(run)) {
      const values = run.split(" ");
      let at = match.index;
      for (const value of values) {
        if (/^[-−]?\d/u.test(value)) found.push(amountOf(value, at, plain, language, ""));
        at += value.length + 1;
      }
      continue;
    }
    if (/\d \d/u.test(run) && !CURRENCY_AFTER.test(after()) && !CURRENCY_BEFORE.test(before)) {
      found.push({ at: match.index, end, percent: false });
      continue;
    }
    run = run.replaceAll(/[ \u00a0\u202f]/gu, "'");
    if (
      GLUED.test(after()) &&
      !GLUE_ALLOWED.test(after()) &&
      !CURRENCY_AFTER.test(after()) &&
      !isSpaceless(after())
    )
      continue;
    end = match.index + run.length;
    found.push(amountOf(run, match.index, plain, language, before));
  }
  return [...found, ...wordsIn(plain), ...countsIn(plain)]
    .map((amount) => (isBound(plain, amount) ? { ...amount, bound: true as const } : amount))
    .toSorted((a, b) => a.at - b.at);
}

const BOUND_BEFORE =
  /(?:^|[^\p{L}])(?:at (?:most|least)|up to|no (?:more|less|fewer) than|not more than|(?:more|less|fewer) than|under|over|about|around|approximately|roughly|almost|nearly|max(?:imum|imal)?\.?|min(?:imum|destens)?\.?|höchstens|bis zu|nicht mehr als|(?:mehr|weniger) als|etwa|ungefähr|rund|circa|ca\.|fast|knapp|como (?:máximo|mínimo)|hasta|(?:más|menos) de|unos|unas|alrededor de|cerca de|aproximadamente|casi|au (?:plus|moins|maximum)|jusqu'à|(?:plus|moins) de|environ|autour de|presque|al massimo|fino a|circa|no máximo|até|maximaal|hoogstens|ongeveer|maksymalnie|do|około)\s(?:the |die |los |las |les |a |an |de )?(?:[$€£¥]|us\$|r\$)?\s?$|(?:最多|至多|至少|最少|不超过|不到|大约|大概|约|差不多|将近|最大|最低|約|およそ|せいぜい|だいたい)\s?$/iu;
const BOUND_AFTER =
  /^\s?(?:[$€£¥]|\p{L}{1,8})?\s?(?:at (?:most|least)|max(?:imum|imal)?\.?|or (?:less|more|so)|tops|höchstens|oder (?:mehr|weniger|so)|como (?:máximo|mínimo)|o (?:más|menos)|au (?:plus|moins|maximum)|ou (?:plus|moins)|al massimo|no máximo)(?!\p{L})|^\s?(?:[元块円]|欧元|美元|ユーロ|ドル)?(?:以内|以下|以上|左右|まで|ほど|くらい|ぐらい|前後|上下)/iu;

function isBound(text: string, { at, end }: Amount): boolean {
  return (
    BOUND_BEFORE.test(text.slice(Math.max(0, at - 28), at)) || BOUND_AFTER.test(text.slice(end, end + 28))
  );
}

/** "三盒牛奶": a numeral before the word by which a thing is counted. */
function countsIn(text: string): Amount[] {
  return [...text.matchAll(COUNTED)].slice(0, AMOUNTS_MAX).map((match) => ({
    value: HAN[match[1]!]!,
    at: match.index,
    end: match.index + match[0].length,
    percent: false,
  }));
}

const COUNTED =
  /(?<![\p{N}一二两三四五六七八九十百千万第每星期周月])([一二两三四五六七八九])(?=[个盒瓶包袋本份杯条件只支双箱罐桶束台部套把片块斤張枚冊杯本袋箱缶])/gu;

/** Which currency a code or sign means. */
export function currencyOf(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  return CURRENCIES.find(([, names]) => names.test(plain))?.[0];
}

function amountOf(run: string, at: number, plain: string, language: Language, before: string): Amount {
  let end = at + run.length;
  let after = plain.slice(end, end + 24);
  let value = readNumber(run, language);
  for (const [scale, factor] of SCALE) {
    const scaled = scale.exec(after);
    if (!scaled || value === undefined) continue;
    value = Math.round(value * factor * 100) / 100;
    end += scaled[0].length;
    after = plain.slice(end, end + 24);
    break;
  }
  if (HUNDREDTHS.test(after) && value !== undefined)
    return { value: value / 100, at, end, percent: false, currency: "" };
  const beside = CURRENCY_AFTER.exec(after)?.[1] ?? CURRENCY_BEFORE.exec(before)?.[1];
  // "5 Euro 50" and "5€50" have two readings.
  const goesOn =
    /^\s?\S{1,8}\s?\d/u.test(after) &&
    CURRENCY_AFTER.test(after) &&
    /^\s?(?:[$€£¥]|euros?|dollars?|franken)\s?\d/iu.test(after);
  const currency = beside === undefined ? undefined : (currencyOf(beside) ?? "");
  return {
    ...(value === undefined || goesOn ? {} : { value }),
    at,
    end,
    percent: /^\s?(?:%|percent|prozent|por ciento|pour ?cent|per ?cento|procent|パーセント|퍼센트)/iu.test(
      after,
    ),
    ...(currency === undefined ? {} : { currency }),
  };
}

function isSpaceless(after: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(after);
}

function isGrouped(run: string): boolean {
  return /^[-−]?\d{1,3}(?:[ '\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?$/u.test(run);
}

/** By whom a single mark before three digits is meant to group them. */
const GROUPS_BY_DOT: ReadonlySet<Language> = new Set(["de", "es", "it", "pt", "nl"]);
const GROUPS_BY_COMMA: ReadonlySet<Language> = new Set(["en", "zh", "ja", "ko"]);

function readNumber(run: string, language: Language): number | undefined {
  const sign = /^[-−]/u.test(run) ? -1 : 1;
  const text = run.replace(/^[-−]/u, "");
  const apostrophes = text.includes("'");
  if (apostrophes && !/^\d{1,3}(?:'\d{3})+(?:[.,]\d{1,2})?$/u.test(text)) return undefined;
  const bare = text.replaceAll("'", "");
  const marks = bare.replaceAll(/\d/gu, "");
  if (marks === "") return bare.length > 15 ? undefined : sign * Number(bare);
  const last = marks.at(-1)!;
  if (new Set(marks).size === 2) {
    const other = last === "." ? "," : ".";
    const shape = new RegExp(`^\\d{1,3}(?:[${other}]\\d{3})+[${last}]\\d{1,2}$`, "u");
    return shape.test(bare) ? sign * Number(bare.replaceAll(other, "").replace(last, ".")) : undefined;
  }
  if (marks.length > 1)
    return new RegExp(`^\\d{1,3}(?:[${last}]\\d{3})+$`, "u").test(bare)
      ? sign * Number(bare.replaceAll(last, ""))
      : undefined;
  const [whole = "", part = ""] = bare.split(last);
  const decimal = sign * Number(`${whole}.${part}`);
  if (apostrophes || part.length < 3 || whole.startsWith("0")) return decimal;
  if (part.length > 3) return last === "." ? decimal : undefined;
  if (whole.length > 3) return undefined;
  const grouped = sign * Number(`${whole}${part}`);
  if (last === "." ? GROUPS_BY_DOT.has(language) : GROUPS_BY_COMMA.has(language)) return grouped;
  return undefined;
}

const HAN: Readonly<Record<string, number>> = {
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};

/** Numbers in words: one word, or a small one before "hundred" or "thousand". Longer ones have no reading. */
function wordsIn(text: string): Amount[] {
  const found: Amount[] = [];
  for (const match of text.matchAll(/(?<![\p{L}\p{N}_./@-])\p{L}+(?:[ -]\p{L}+){0,3}/gu)) {
    const words = match[0].toLowerCase().split(/[ -]/u);
    const values = words.map((word) => (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined));
    const from = values.findIndex((value) => value !== undefined);
    if (from < 0 || found.length >= AMOUNTS_MAX) continue;
    let to = from;
    while (to + 1 < values.length && values[to + 1] !== undefined) to += 1;
    const run = values.slice(from, to + 1) as number[];
    const at = match.index + words.slice(0, from).reduce((sum, word) => sum + word.length + 1, 0);
    const end = at + words.slice(from, to + 1).join(" ").length;
    const currency = CURRENCY_AFTER.exec(text.slice(end, end + 24))?.[1];
    if (currency === undefined && run.length === 1 && NOT_ALONE.has(words[from]!)) continue;
    const [first = 0, second] = run;
    const scaled = second !== undefined && (second === 100 || second === 1_000) && first < second;
    const tens = second !== undefined && first >= 20 && first < 100 && second < 10;
    const value = run.length === 1 ? first : scaled ? first * second : tens ? first + second : undefined;
    found.push({
      ...(value === undefined || run.length > 2 ? {} : { value }),
      at,
      end,
      percent: false,
      ...(currency === undefined ? {} : { currency: currencyOf(currency) ?? "" }),
    });
  }
  for (const match of text.matchAll(
    /(?<![\p{Script=Han}\d第]|\d\s)([一二两三四五六七八九])?([百千万])(?=[元块円]|欧元|美元|$|\s)/gu,
  )) {
    const factor = { 百: 100, 千: 1_000, 万: 10_000 }[match[2]!]!;
    const value = (match[1] === undefined ? 1 : HAN[match[1]]!) * factor;
    found.push({ value, at: match.index, end: match.index + match[0].length, percent: false, currency: "" });
  }
  return found;
}

function digit(letter: string): string {
  const code = letter.codePointAt(0)!;
  if (code < 0x80) return letter;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
  return letter.length === 1 ? String(code - zero) : letter;
}

/** Days and times become blanks, so that what is left keeps its place. */
function blankTimes(text: string): string {
  return withoutTimes(text, (found) => " ".repeat(found.length));
}
