/** How long from now, or from a time that was: "in 20 minutes", "in einer halben Stunde", "两小时后", "an hour later". */
export interface SpokenSpan {
  readonly ms: number;
  /** Days, weeks and months are counted by the calendar, and leave the time of day open. */
  readonly days?: number;
  readonly months?: number;
}

const COUNTS: readonly (readonly [number, string])[] = [
  [0.5, "half an?|a half|(?:(?:einer?|'?ner) )?halben?|media|une demi-?|mezz['a]|meia|een half"],
  [1, "an?|one|'?ner|eine[rnm]?|ein|una?|une?|um|uma|een|één"],
  [1.5, "one and a half|an hour and a half|anderthalb|eineinhalb|una y media|anderhalf"],
  [2, "two|a couple of|zwei|dos|deux|due|dois|duas|twee|dwie|dwa"],
  [3, "three|drei|tres|trois|tre|três|drie|trzy"],
  [4, "four|vier|cuatro|quatre|quattro|quatro|cztery"],
  [5, "five|fünf|cinco|cinq|cinque|vijf|pięć"],
  [6, "six|sechs|seis|sei|zes|sześć"],
  [7, "seven|sieben|siete|sept|sette|sete|zeven|siedem"],
  [8, "eight|acht|ocho|huit|otto|oito|osiem"],
  [10, "ten|zehn|diez|dix|dieci|dez|tien|dziesięć"],
  [12, "twelve|zwölf|doce|douze|dodici|doze|twaalf"],
  [15, "fifteen|fünfzehn|quince|quinze|quindici|vijftien|piętnaście"],
  [20, "twenty|zwanzig|veinte|vingt|venti|vinte|twintig|dwadzieścia"],
  [30, "thirty|dreißig|treinta|trente|trenta|trinta|dertig|trzydzieści"],
  [40, "forty|vierzig|cuarenta|quarante|quaranta|quarenta|veertig"],
  [45, "forty-five|fünfundvierzig|cuarenta y cinco|quarante-cinq"],
];
const COUNT = String.raw`(\d{1,4}(?:[.,]5)?|${COUNTS.map(([, names]) => names)
  .toSorted((a, b) => b.length - a.length)
  .join("|")})`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Unit = "minute" | "hour" | "day" | "week" | "month";
const UNITS: readonly (readonly [Unit, string])[] = [
  ["minute", "minutes?|mins?|minuten?|minutos?|minut[oi]|minuut|minuten|minuty?"],
  ["hour", "hours?|hrs?|stunden?|std|horas?|heures?|or[ae]|uur|uren|godzin[ęy]?"],
  ["day", "days?|tag(?:en?)?|d[ií]as?|jours?|giorn[oi]|dias?|dagen|dag|dni|dzień"],
  ["week", "weeks?|wochen?|semanas?|semaines?|settiman[ae]|weken|week|tygodni\\p{L}*|tydzień"],
  ["month", "months?|monat(?:en?)?|mes(?:es)?|mois|mes[ei]|mês|meses|maanden|maand|miesi\\p{L}+"],
];
const UNIT = String.raw`(${UNITS.map(([, names]) => names).join("|")})`;
const AHEAD = new RegExp(
  String.raw`(?<!\p{L})(?:in|within|dentro de|en|de aquí a|dans|d'ici|fra|tra|daqui a|em|over|za) ${COUNT}[\s-]?${UNIT}(?!\p{L})`,
  "giu",
);
const FROM_NOW = new RegExp(
  String.raw`(?<!\p{L})${COUNT} ${UNIT} (?:from now|ab jetzt|von jetzt an)(?!\p{L})`,
  "giu",
);
const QUARTER =
  /(?<!\p{L})in (?:a quarter of an hour|einer viertelstunde)|dans un quart d'heure|en un cuarto de hora/giu;
const THREE_QUARTERS =
  /(?<!\p{L})in (?:three quarters of an hour|einer dreiviertelstunde)|dans trois quarts d'heure/giu;
const SPACELESS =
  /(半|\d{1,4}|[一二两三四五六七八九十]{1,3})\s?(?:个|個)?(分钟|分鐘|小时|時間|钟头|天|日|周|週間|星期|个月|か月|ヶ月|分|분|시간|일|주)(半)?(?:之|以)?\s?(?:后|後|뒤|후)/gu;
const LATER = String.raw`later|später|más tarde|plus tard|più tardi|mais tarde|later`;
const EARLIER = String.raw`earlier|früher|antes|plus tôt|prima|mais cedo|eerder`;
const MOVED = new RegExp(
  String.raw`(?<!\p{L})(?:by |um |de |d'|di )?${COUNT}[\s-]?${UNIT} (${LATER}|back|nach hinten|${EARLIER}|forward|nach vorne?)(?!\p{L})`,
  "giu",
);
const MOVED_BY = new RegExp(
  String.raw`(?<!\p{L})(?:delay|postpone|push|aplaza|retrasa|repousse|décale|posticipa)\p{L}*\s.*(?:by|de|d'|di) ${COUNT} ${UNIT}(?!\p{L})`,
  "giu",
);
const MOVED_SPACELESS =
  /(推迟|延后|提前|遅らせ|早め)\s?(\d{1,4}|[一二两三四五六七八九十]{1,3}|半)\s?(?:个|個)?(分钟|小时|天|周|分|時間)|(\d{1,4}|[一二三四五六七八九十]{1,3})\s?(分|時間|日)(遅らせ|早め|後ろ|前倒)/gu;
const FOUND_MAX = 10;

/** From now on. */
export function spansAhead(text: string): SpokenSpan[] {
  const found: SpokenSpan[] = [];
  for (const pattern of [AHEAD, FROM_NOW])
    for (const [, count, unit] of text.matchAll(pattern))
      found.push(...spanOf(countOf(count!), unitOf(unit!)));
  for (const [,] of text.matchAll(QUARTER)) found.push({ ms: 15 * MINUTE_MS });
  for (const [,] of text.matchAll(THREE_QUARTERS)) found.push({ ms: 45 * MINUTE_MS });
  for (const [, count, unit, half] of text.matchAll(SPACELESS)) {
    const counted = hanCount(count!);
    found.push(
      ...spanOf(half === undefined || counted === undefined ? counted : counted + 0.5, hanUnit(unit!)),
    );
  }
  return found.slice(0, FOUND_MAX);
}

/** From when it was. */
export function spansMoved(text: string): SpokenSpan[] {
  const found: SpokenSpan[] = [];
  const back = new RegExp(`^(?:${EARLIER}|forward|nach vorne?)$`, "iu");
  for (const [, count, unit, way] of text.matchAll(MOVED))
    found.push(...spanOf(countOf(count!), unitOf(unit!), back.test(way!) ? -1 : 1));
  for (const [, count, unit] of text.matchAll(MOVED_BY))
    found.push(...spanOf(countOf(count!), unitOf(unit!)));
  for (const [, way, count, unit, count2, unit2, way2] of text.matchAll(MOVED_SPACELESS))
    found.push(
      ...spanOf(
        hanCount((count ?? count2)!),
        hanUnit((unit ?? unit2)!),
        /提前|早め|前倒/u.test((way ?? way2)!) ? -1 : 1,
      ),
    );
  return found.slice(0, FOUND_MAX);
}

function spanOf(count: number | undefined, unit: Unit | undefined, sign = 1): SpokenSpan[] {
  if (count === undefined || unit === undefined || count === 0) return [];
  const counted = count * sign;
  if (unit === "minute") return [{ ms: counted * MINUTE_MS }];
  if (unit === "hour") return [{ ms: counted * HOUR_MS }];
  if (unit === "month")
    return Number.isInteger(count) ? [{ ms: counted * 30 * DAY_MS, months: counted }] : [];
  const days = counted * (unit === "week" ? 7 : 1);
  return Number.isInteger(days) ? [{ ms: days * DAY_MS, days }] : [];
}

function countOf(word: string): number | undefined {
  if (/^\d/u.test(word)) return Number(word.replace(",", "."));
  return COUNTS.find(([, names]) => new RegExp(`^(?:${names})$`, "iu").test(word))?.[0];
}

function unitOf(word: string): Unit | undefined {
  return UNITS.find(([, names]) => new RegExp(`^(?:${names})$`, "iu").test(word))?.[0];
}

function hanUnit(word: string): Unit {
  if (/^(?:分|분)/u.test(word)) return "minute";
  if (/^(?:小时|時間|钟头|시간)/u.test(word)) return "hour";
  if (/^(?:周|週|星期|주)/u.test(word)) return "week";
  return /月/u.test(word) ? "month" : "day";
}

const HAN_DIGITS = "一二三四五六七八九";

function hanCount(word: string): number | undefined {
  if (/^\d+$/u.test(word)) return Number(word);
  if (word === "半") return 0.5;
  if (word === "两") return 2;
  const [tens, ones] = word.includes("十") ? word.split("十") : ["", word];
  const one = ones === "" ? 0 : HAN_DIGITS.indexOf(ones!) + 1;
  if (!word.includes("十")) return one === 0 ? undefined : one;
  return (tens === "" ? 1 : HAN_DIGITS.indexOf(tens!) + 1) * 10 + one;
}
