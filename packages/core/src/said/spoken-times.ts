/** Days and times of day in a text, in the ways people and machines write them. Where a part is left out it is undefined. */
export interface SpokenDay {
  readonly year?: number;
  readonly month: number;
  readonly day: number;
}

const MONTHS: readonly string[] = [
  "january|januar|enero|janvier|jan",
  "february|februar|febrero|février|fevrier|feb",
  "march|märz|maerz|marzo|mars|mar",
  "april|abril|avril|apr",
  "may|mai|mayo",
  "june|juni|junio|juin|jun",
  "july|juli|julio|juillet|jul",
  "august|agosto|août|aout|aug",
  "september|septiembre|septembre|sept|sep",
  "october|oktober|octubre|octobre|oct|okt",
  "november|noviembre|novembre|nov",
  "december|dezember|diciembre|décembre|decembre|dec|dez",
];
const MONTH = MONTHS.join("|");
const ISO = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/gu;
const DAY_FIRST_DOTS = /(?<!\d)(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(\d{4})?(?!\d)/gu;
const CJK = /(?:(\d{4})年)?(\d{1,2})月(\d{1,2})日/gu;
const MONTH_FIRST = new RegExp(
  `(?<!\\p{L})(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s+(\\d{4}))?`,
  "giu",
);
const DAY_FIRST = new RegExp(
  `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?(${MONTH})(?!\\p{L})(?:,?\\s+(?:de\\s+)?(\\d{4}))?`,
  "giu",
);
const TIME = /(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\d:])/gu;
const HOUR = /(?<![\d:.])(\d{1,2})\s*([ap])\.?m\b/giu;

export function spokenDays(text: string): SpokenDay[] {
  const days: SpokenDay[] = [];
  const add = (year: string | undefined, month: number, day: string) =>
    days.push({ ...(year ? { year: Number(year) } : {}), month, day: Number(day) });
  for (const [, year, month, day] of text.matchAll(ISO)) add(year, Number(month), day!);
  for (const [, day, month, year] of text.matchAll(DAY_FIRST_DOTS)) add(year, Number(month), day!);
  for (const [, year, month, day] of text.matchAll(CJK)) add(year, Number(month), day!);
  for (const [, month, day, year] of text.matchAll(MONTH_FIRST)) add(year, monthOf(month!), day!);
  for (const [, day, month, year] of text.matchAll(DAY_FIRST)) add(year, monthOf(month!), day!);
  return days;
}

/** Minutes since midnight. */
export function spokenTimes(text: string): number[] {
  const times = [...text.matchAll(TIME)].map(([, hour, minute]) => Number(hour) * 60 + Number(minute));
  for (const [, hour, half] of text.matchAll(HOUR))
    times.push(((Number(hour) % 12) + (half!.toLowerCase() === "p" ? 12 : 0)) * 60);
  return times;
}

/** The text without its days and times: a number in one of them is no amount and no id. */
export function withoutTimes(text: string): string {
  return [ISO, DAY_FIRST_DOTS, CJK, MONTH_FIRST, DAY_FIRST, TIME, HOUR].reduce(
    (left, pattern) => left.replace(pattern, " "),
    text,
  );
}

const MOMENT =
  /^(\d{4}-\d{1,2}-\d{1,2})(?:[T ](\d{1,2}:\d{2})(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?$/u;

/** A value that is a day, or a day with a time of day. */
export function readMoment(
  value: string,
): { readonly day: SpokenDay; readonly minutes?: number } | undefined {
  const found = MOMENT.exec(value.trim());
  const [day] = found ? spokenDays(found[1]!) : [];
  if (!found || !day) return undefined;
  const [minutes] = found[2] ? spokenTimes(found[2]) : [];
  return { day, ...(minutes === undefined ? {} : { minutes }) };
}

/** Whether somebody who said `spoken` meant this day; the year only counts where they said one. */
export function meansDay(spoken: SpokenDay, day: SpokenDay): boolean {
  return (
    spoken.month === day.month &&
    spoken.day === day.day &&
    (spoken.year === undefined || spoken.year === day.year)
  );
}

function monthOf(name: string): number {
  return MONTHS.findIndex((names) => names.split("|").includes(name.toLowerCase())) + 1;
}
