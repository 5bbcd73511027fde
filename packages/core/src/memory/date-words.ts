/** A day of the calendar; `month` counts from 1. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface CalendarSpan {
  readonly from: Day;
  /** The first day after it. */
  readonly to: Day;
  readonly grain: "day" | "week" | "month" | "year";
  readonly named: boolean;
}

/** The stretches of time that a text names in English or German, seen from `today`. */
export function calendarSpans(text: string, today: Day): CalendarSpan[] {
  const spans: CalendarSpan[] = [];
  let rest = text.toLowerCase();
  if (!NEEDED.test(rest)) return spans;
  // What one pattern has read is blanked, so that "7 May 2023" is not also "May 2023" and "2023".
  for (const { pattern, read } of PATTERNS) {
    rest = rest.replace(pattern, (...match: unknown[]) => {
      const groups = match.at(-1);
      const span = read(isGroups(groups) ? groups : {}, today);
      if (span === undefined) return String(match[0]);
      spans.push(span);
      return " ".repeat(String(match[0]).length);
    });
  }
  return spans;
}

type Groups = Readonly<Record<string, string | undefined>>;

interface Pattern {
  readonly pattern: RegExp;
  readonly read: (groups: Groups, today: Day) => CalendarSpan | undefined;
}

const MONTHS: readonly (readonly string[])[] = [
  ["january", "jan", "januar", "jänner"],
  ["february", "feb", "februar"],
  ["march", "mar", "märz"],
  ["april", "apr"],
  ["may", "mai"],
  ["june", "jun", "juni"],
  ["july", "jul", "juli"],
  ["august", "aug"],
  ["september", "sept", "sep"],
  ["october", "oct", "oktober", "okt"],
  ["november", "nov"],
  ["december", "dec", "dezember", "dez"],
];
const WEEKDAYS: readonly (readonly string[])[] = [
  ["sunday", "sonntag"],
  ["monday", "montag"],
  ["tuesday", "dienstag"],
  ["wednesday", "mittwoch"],
  ["thursday", "donnerstag"],
  ["friday", "freitag"],
  ["saturday", "samstag", "sonnabend"],
];
const NUMBERS: readonly (readonly string[])[] = [
  [],
  ["a", "an", "one", "ein", "eine", "einem", "einer"],
  ["two", "a couple of", "zwei"],
  ["three", "a few", "drei", "ein paar"],
  ["four", "vier"],
  ["five", "fünf"],
  ["six", "sechs"],
  ["seven", "sieben"],
  ["eight", "acht"],
  ["nine", "neun"],
  ["ten", "zehn"],
];
const SEASONS: Readonly<Record<string, number>> = {
  spring: 3,
  frühling: 3,
  frühjahr: 3,
  summer: 6,
  sommer: 6,
  autumn: 9,
  fall: 9,
  herbst: 9,
  winter: 12,
};

const any = (lists: readonly (readonly string[])[]) =>
  lists
    .flat()
    .sort((a, b) => b.length - a.length)
    .join("|");
const MONTH = `(?<month>${any(MONTHS)})\\b\\.?`;
const YEAR = "(?<year>(?:19|20)\\d\\d)\\b";
const DAY = "(?<day>0?[1-9]|[12]\\d|3[01])";
const LAST = "(?:last|past|previous|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)";
const THIS = "(?:this|diese[nrsm]?)";
const COUNT = `(?<count>\\d{1,3}|${any(NUMBERS)})`;
const UNIT = "(?<unit>day|week|month|year|tag|woche|monat|jahr)(?:s|e|en|n)?\\b";
const words = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])${source}`, "giu");

/** From the most telling to the least; each reads what those before it left. */
const PATTERNS: readonly Pattern[] = [
  {
    pattern: words("(?<year>(?:19|20)\\d\\d)-(?<month>0[1-9]|1[0-2])-(?<day>0[1-9]|[12]\\d|3[01])\\b"),
    read: (g) => dayNamed(Number(g["year"]), Number(g["month"]), Number(g["day"])),
  },
  {
    pattern: words(`${DAY}\\.\\s?(?<month>0?[1-9]|1[0-2])\\.\\s?(?<year>(?:19|20)\\d\\d)?(?!\\d)`),
    read: (g, today) => monthDay(Number(g["month"]), g, today),
  },
  {
    pattern: words(`${DAY}(?:st|nd|rd|th|\\.)?\\s?(?:of )?${MONTH}(?:,?\\s?${YEAR})?`),
    read: (g, today) => monthDay(monthOf(g), g, today),
  },
  {
    pattern: words(`${MONTH}\\s?${DAY}(?:st|nd|rd|th)?\\b(?:,?\\s?${YEAR})?`),
    read: (g, today) => monthDay(monthOf(g), g, today),
  },
  {
    pattern: words(`${MONTH},?\\s?(?:of )?${YEAR}`),
    read: (g) => monthSpan(Number(g["year"]), monthOf(g), 1, true),
  },
  {
    pattern: words(
      `(?:in|during|since|until|by|early|late|mid|of|im|seit|bis|anfang|mitte|ende|${LAST}) ${MONTH}`,
    ),
    read: (g, today) => monthSpan(lastYearOf(monthOf(g), 1, today), monthOf(g), 1, true),
  },
  {
    pattern: words(`(?<season>${Object.keys(SEASONS).join("|")})(?: of)? ${YEAR}`),
    read: (g) => monthSpan(Number(g["year"]), SEASONS[g["season"] ?? ""] ?? 1, 3, true),
  },
  {
    pattern: words(`(?:${LAST}|${THIS}|in|im) (?<season>${Object.keys(SEASONS).join("|")})\\b`),
    read: (g, today) => {
      const month = SEASONS[g["season"] ?? ""] ?? 1;
      return monthSpan(lastYearOf(month, 1, today), month, 3, false);
    },
  },
  {
    pattern: words(`(?:in|during|since|of|im jahr|seit) ${YEAR}`),
    read: (g) => monthSpan(Number(g["year"]), 1, 12, true),
  },
  { pattern: words("(?:the day before yesterday|vorgestern)\\b"), read: (_, today) => dayAgo(today, 2) },
  { pattern: words("(?:yesterday|last night|gestern)\\b"), read: (_, today) => dayAgo(today, 1) },
  { pattern: words("(?:today|tonight|this morning|heute)\\b"), read: (_, today) => dayAgo(today, 0) },
  { pattern: words(`(?:${LAST} weekend|${LAST} wochenende)\\b`), read: (_, today) => lastWeekend(today) },
  { pattern: words(`${COUNT} ${UNIT} ago\\b`), read: ago },
  { pattern: words(`vor ${COUNT} ${UNIT}`), read: ago },
  { pattern: words(`(?:the )?${LAST} ${COUNT} ${UNIT}`), read: lastMany },
  { pattern: words(`${LAST} ${UNIT}`), read: (g, today) => wholeUnit(g, today, -1) },
  { pattern: words(`${THIS} ${UNIT}`), read: (g, today) => wholeUnit(g, today, 0) },
  {
    pattern: words(`(?:on|${LAST}|${THIS}|am|since|seit) (?<weekday>${any(WEEKDAYS)})\\b`),
    read: (g, today) => {
      const wanted = WEEKDAYS.findIndex((names) => names.includes(g["weekday"] ?? ""));
      return dayAgo(today, ((weekdayOf(today) - wanted + 6) % 7) + 1);
    },
  },
];

/** What each of the patterns needs one of: most messages with a number in them name no time. */
const NEEDED = new RegExp(
  [
    "\\d-\\d|\\d\\.\\s?\\d|(?:19|20)\\d\\d|day|night|gestern|morning|heute|weekend|week|month|year|tag|woche|monat|jahr",
    `(?:${any(MONTHS)})\\b`,
    any([Object.keys(SEASONS), ...WEEKDAYS]),
  ].join("|"),
  "iu",
);

function isGroups(value: unknown): value is Groups {
  return typeof value === "object" && value !== null;
}

function monthDay(month: number, g: Groups, today: Day): CalendarSpan | undefined {
  const day = Number(g["day"]);
  return dayNamed(g["year"] === undefined ? lastYearOf(month, day, today) : Number(g["year"]), month, day);
}

/** Nothing for the 31st of June. */
function dayNamed(year: number, month: number, day: number): CalendarSpan | undefined {
  const from = plusDays({ year, month, day }, 0);
  if (from.day !== day || from.month !== month) return undefined;
  return { from, to: plusDays(from, 1), grain: "day", named: true };
}

function monthSpan(year: number, month: number, months: number, named: boolean): CalendarSpan {
  const from = { year, month, day: 1 };
  return { from, to: plusMonths(from, months), grain: months === 12 ? "year" : "month", named };
}

function dayAgo(today: Day, days: number): CalendarSpan {
  const from = plusDays(today, -days);
  return { from, to: plusDays(from, 1), grain: "day", named: false };
}

function lastWeekend(today: Day): CalendarSpan {
  const sinceSaturday = (weekdayOf(today) + 1) % 7;
  const from = plusDays(today, -(sinceSaturday < 2 ? sinceSaturday + 7 : sinceSaturday));
  return { from, to: plusDays(from, 2), grain: "day", named: false };
}

/** "Three weeks ago" is said loosely: the stretch is as wide as the unit itself. */
function ago(g: Groups, today: Day): CalendarSpan | undefined {
  const count = countOf(g);
  if (isUnit(g, "day")) return dayAgo(today, count);
  if (isUnit(g, "week")) {
    const middle = plusDays(today, -7 * count);
    return { from: plusDays(middle, -3), to: plusDays(middle, 4), grain: "week", named: false };
  }
  if (isUnit(g, "month")) {
    const { year, month } = plusMonths({ ...today, day: 1 }, -count);
    return monthSpan(year, month, 1, false);
  }
  return monthSpan(today.year - count, 1, 12, false);
}

function lastMany(g: Groups, today: Day): CalendarSpan {
  const count = countOf(g);
  const to = plusDays(today, 1);
  if (isUnit(g, "day")) return { from: plusDays(today, -count), to, grain: "week", named: false };
  if (isUnit(g, "week")) return { from: plusDays(today, -7 * count), to, grain: "week", named: false };
  const months = isUnit(g, "month") ? count : 12 * count;
  return { from: plusMonths({ ...today, day: 1 }, -months), to, grain: "month", named: false };
}

/** The week, month or year that is now, or the one before it. Weeks begin on Monday. */
function wholeUnit(g: Groups, today: Day, step: -1 | 0): CalendarSpan | undefined {
  if (isUnit(g, "day")) return dayAgo(today, -step);
  if (isUnit(g, "week")) {
    const monday = plusDays(today, -((weekdayOf(today) + 6) % 7) + 7 * step);
    return { from: monday, to: plusDays(monday, 7), grain: "week", named: false };
  }
  if (isUnit(g, "month")) {
    const { year, month } = plusMonths({ ...today, day: 1 }, step);
    return monthSpan(year, month, 1, false);
  }
  return monthSpan(today.year + step, 1, 12, false);
}

const UNITS = {
  day: ["day", "tag"],
  week: ["week", "woche"],
  month: ["month", "monat"],
  year: ["year", "jahr"],
};

function isUnit(g: Groups, unit: keyof typeof UNITS): boolean {
  return UNITS[unit].includes(g["unit"] ?? "");
}

function countOf(g: Groups): number {
  const word = g["count"] ?? "";
  const spelled = NUMBERS.findIndex((names) => names.includes(word));
  return spelled > 0 ? spelled : Number(word);
}

function monthOf(g: Groups): number {
  return MONTHS.findIndex((names) => names.includes(g["month"] ?? "")) + 1;
}

function lastYearOf(month: number, day: number, today: Day): number {
  const begun = month < today.month || (month === today.month && day <= today.day);
  return begun ? today.year : today.year - 1;
}

function weekdayOf({ year, month, day }: Day): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

function plusDays({ year, month, day }: Day, days: number): Day {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function plusMonths({ year, month, day }: Day, months: number): Day {
  const date = new Date(Date.UTC(year, month - 1 + months, day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
