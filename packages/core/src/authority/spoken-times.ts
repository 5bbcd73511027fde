import { clockWords, saysAfternoon } from "./clock-words.ts";
import type { Language } from "../request/language.ts";
import { spansAhead } from "./spoken-spans.ts";

/** Days and times of day in a text, in the ways people and machines write them. Where a part is left out it is undefined. */
export interface SpokenDay {
  readonly year?: number;
  readonly month: number;
  readonly day: number;
}

const MONTHS: readonly string[] = [
  "january|januar|januari|enero|janvier|gennaio|janeiro|stycznia|jan",
  "february|februar|februari|febrero|février|fevrier|febbraio|fevereiro|lutego|feb",
  "march|märz|maerz|maart|marzo|mars|março|marca|mar",
  "april|abril|avril|aprile|kwietnia|apr",
  "may|mai|mayo|maggio|maio|mei|maja",
  "june|juni|junio|juin|giugno|junho|czerwca|jun",
  "july|juli|julio|juillet|luglio|julho|lipca|jul",
  "august|agosto|août|aout|augustus|sierpnia|aug",
  "september|septiembre|septembre|settembre|setembro|września|sept|sep",
  "october|oktober|octubre|octobre|ottobre|outubro|października|oct|okt",
  "november|noviembre|novembre|novembro|listopada|nov",
  "december|dezember|diciembre|décembre|decembre|dicembre|dezembro|grudnia|dec|dez",
];
const MONTH = MONTHS.join("|");
const ISO = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/gu;
const DAY_FIRST_DOTS = /(?<!\d)(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(\d{4})?(?!\d)/gu;
/** "21/11": which is the day is plain where the other cannot be, and by the language otherwise. */
const SLASHED = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?(?![\d/])/gu;
const CJK = /(?:(\d{4})年)?(\d{1,2})月(\d{1,2})日/gu;
const MONTH_FIRST = new RegExp(
  `(?<!\\p{L})(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s+(\\d{4}))?`,
  "giu",
);
const DAY_FIRST = new RegExp(
  `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?(${MONTH})(?!\\p{L})(?:,?\\s+(?:de\\s+)?(\\d{4}))?`,
  "giu",
);
const TIME = /(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s*([ap])\.?m\b)?/giu;
/** "9.30 Uhr", "9.30 pm": with a dot only where a word behind it tells that it is a time. */
const DOTTED_TIME = /(?<![\d:.,])([01]?\d|2[0-3])\.([0-5]\d)\s?(?:uhr(?!\p{L})|([ap])\.?m\b)/giu;
/** "9 Uhr 30", "8 heures 15" */
const HOUR_AND_MINUTE =
  /(?<![\d:.,])([01]?\d|2[0-3])\s(?:uhr|heures?)\s([0-5]\d)(?!\d|\s?(?:%|euro?s?|€))/giu;
const HOUR = /(?<![\d:.])(\d{1,2})\s*([ap])\.?m\b/giu;
/** "um 15 Uhr", "à 15 h", "15時", "15点", "a las 15". */
const CLOCK =
  /(?<![\d:.,])(\d{1,2})(?:\s*(?:Uhr|h|heures?)(?![\p{L}\d]|\s(?:et (?:demie?|quart)|moins|[0-5]\d(?!\d)))|\s?(?:時|点|시)(?:\s?(\d{1,2})分|半)?|\s?h\s?(\d{2})(?!\d))/giu;

/** "at 9": an hour without its unit. It may as well be an amount, so it is looked for only where a time is expected. */
const BARE_HOUR =
  /(?<!\p{L})(?:at|by|around|um|gegen|a las|a la|alle|dalle|às|om|o)\s(\d{1,2})(?![\d:]|[.,]\d|\s?(?:%|[$€£¥°]|°|[ap]\.?m|(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|franken|percent|prozent|degrees|grad|people|personen|leute|of|x|mal|times|km|kg|uhr|h|heures?|minut\p{L}*|stunden?|hours?|days?|tage?n?|weeks?|wochen?)(?!\p{L})))/giu;
/** "from 3 to 4 pm", "von 15 bis 16 Uhr", "dalle 15 alle 16". */
const RANGE =
  /(?<!\p{L})(?:from|between|von|zwischen|de|desde las?|entre las?|entre|dalle|das|tra le|van|od)\s(\d{1,2})(?:[:.](\d{2}))?(?:\s?(?:uhr|h))?\s?(?:to|until|till|and|-|–|bis|und|a las?|a|y las?|à|et|alle|e le|às|tot|do)\s?(\d{1,2})(?:[:.](\d{2}))?(?!\d)(?:\s?([ap])\.?m\b)?/giu;

export function spokenDays(text: string, language?: Language): SpokenDay[] {
  const days: SpokenDay[] = [];
  const add = (year: string | undefined, month: number, day: string) =>
    days.push({ ...(year ? { year: Number(year) } : {}), month, day: Number(day) });
  for (const [, year, month, day] of text.matchAll(ISO)) add(year, Number(month), day!);
  for (const [, day, month, year] of text.matchAll(DAY_FIRST_DOTS)) add(year, Number(month), day!);
  for (const [, first, second, year] of text.matchAll(SLASHED)) {
    const [one, two] = [Number(first), Number(second)];
    const isDayFirst =
      one > 12 || one === two || (two <= 12 && language !== undefined && DAY_FIRST_LANGUAGES.has(language));
    const [day, month] = isDayFirst ? [one, two] : two > 12 ? [two, one] : [0, 0];
    if (day >= 1 && day <= 31 && month >= 1 && month <= 12)
      add(year?.length === 2 ? `20${year}` : year, month, String(day));
  }
  for (const [, year, month, day] of text.matchAll(CJK)) add(year, Number(month), day!);
  for (const [, month, day, year] of text.matchAll(MONTH_FIRST)) add(year, monthOf(month!), day!);
  for (const [, day, month, year] of text.matchAll(DAY_FIRST)) add(year, monthOf(month!), day!);
  return days;
}

const DAY_FIRST_LANGUAGES: ReadonlySet<Language> = new Set(["de", "es", "fr", "it", "pt", "nl", "pl"]);

/** Minutes since midnight. Where a text speaks of the afternoon, its small hours may be meant by either half of the day. */
export function spokenTimes(text: string): number[] {
  const times: number[] = [];
  const open: number[] = [];
  const add = (hour: string | undefined, minutes: number, half?: string) => {
    if (Number(hour) > 24) return;
    if (half === undefined) open.push((Number(hour) % 24) * 60 + minutes);
    else times.push(((Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60 + minutes);
  };
  for (const pattern of [TIME, DOTTED_TIME])
    for (const [, hour, minute, half] of text.matchAll(pattern)) add(hour, Number(minute), half);
  for (const [, hour, minute] of text.matchAll(HOUR_AND_MINUTE)) add(hour, Number(minute));
  for (const [, hour, half] of text.matchAll(HOUR)) add(hour, 0, half);
  for (const [whole, hour, minute, minuteAfterH] of text.matchAll(CLOCK))
    add(hour, whole.endsWith("半") ? 30 : Number(minute ?? minuteAfterH ?? 0));
  for (const [, hour] of text.matchAll(BARE_HOUR)) add(hour, 0);
  for (const [, from, fromMinute, to, toMinute, half] of text.matchAll(RANGE)) {
    add(from, Number(fromMinute ?? 0), half);
    add(to, Number(toMinute ?? 0), half);
  }
  open.push(...clockWords(text));
  const later = saysAfternoon(text)
    ? open.filter((minutes) => minutes < NOON).map((each) => each + NOON)
    : [];
  return [...new Set([...times, ...open, ...later])];
}

const NOON = 12 * 60;

/** The text without its days and times: a number in one of them is no amount and no id. */
export function withoutTimes(text: string, instead: (found: string) => string = () => " "): string {
  return [
    ISO,
    DAY_FIRST_DOTS,
    CJK,
    MONTH_FIRST,
    DAY_FIRST,
    TIME,
    DOTTED_TIME,
    HOUR_AND_MINUTE,
    HOUR,
    CLOCK,
  ].reduce((left, pattern) => left.replace(pattern, (found) => instead(found)), text);
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

const WEEKDAYS: readonly string[] = [
  "sunday|sonntag|domingo|dimanche|domenica|zondag|niedzielę|niedziela|일요일",
  "monday|montag|lunes|lundi|lunedì|segunda(?:-feira)?|maandag|poniedziałek|월요일",
  "tuesday|dienstag|martes|mardi|martedì|terça(?:-feira)?|dinsdag|wtorek|화요일",
  "wednesday|mittwoch|miércoles|mercredi|mercoledì|quarta(?:-feira)?|woensdag|środę|środa|수요일",
  "thursday|donnerstag|jueves|jeudi|giovedì|quinta(?:-feira)?|donderdag|czwartek|목요일",
  "friday|freitag|viernes|vendredi|venerdì|sexta(?:-feira)?|vrijdag|piątek|금요일",
  "saturday|samstag|sonnabend|sábado|samedi|sabato|zaterdag|sobotę|sobota|토요일",
];
const WEEKDAY_PATTERNS = WEEKDAYS.map(
  (names) => new RegExp(`(?<!\\p{L})(?:${names})(?!\\p{Script=Latin})`, "iu"),
);
/** Chinese and Japanese put no blank before them; what stands there may make it another week's. */
const SPACELESS_WEEKDAYS: readonly string[] = [
  "(?:星期|周|礼拜)[日天]|日曜",
  "(?:星期|周|礼拜)一|月曜",
  "(?:星期|周|礼拜)二|火曜",
  "(?:星期|周|礼拜)三|水曜",
  "(?:星期|周|礼拜)四|木曜",
  "(?:星期|周|礼拜)五|金曜",
  "(?:星期|周|礼拜)六|土曜",
];
const ANOTHER_WEEK = "(?<!(?:上|下|每|隔|前|后)(?:个|一)?|(?:先|来|毎|前|翌|再来|先々)週の?)";
const NEXT_WEEK = "(?<!下)下(?:个)?(?=(?:星期|周|礼拜))|(?<!再)来週の?(?=.曜)";
const SPACELESS_PATTERNS = SPACELESS_WEEKDAYS.map((day) => ({
  thisWeek: new RegExp(`${ANOTHER_WEEK}(?:${day})`, "u"),
  nextWeek: new RegExp(`(?:${NEXT_WEEK})(?:${day})`, "u"),
}));
const NEAR_DAYS: readonly (readonly [RegExp, number])[] = [
  [
    /(?<!\p{L})(?:today|tonight|this (?:morning|afternoon|evening)|heute|hoy|aujourd'hui|ce soir|oggi|stasera|hoje|vandaag|vanavond|dziś|dzisiaj)(?!\p{L})|今天|今晚|今早|今日|오늘/iu,
    0,
  ],
  [
    /(?<!\p{L}|guten |am |der |this |the |every |por la |de la )(?:tomorrow|tmrw|tmr|tmw|tomoz|morgen|mañana|demain|domani|amanhã|jutro)(?!\p{L})|明天|明日|明早|明晚|내일/iu,
    1,
  ],
  [
    /(?<!\p{L})(?:the day after tomorrow|übermorgen|pasado mañana|après-demain|dopodomani|depois de amanhã|overmorgen|pojutrze)(?!\p{L})|后天|明後日|모레/iu,
    2,
  ],
];
const DAY_MS = 86_400_000;
/** Short names count right before a time or behind a word that only days follow: "thu 14:00", "on fri". */
const SHORT_WEEKDAYS: readonly string[] = [
  "sun|so|dom|dim|zo",
  "mon|mo|lun|ma",
  "tues?|di|mar|mart",
  "wed|mi|mié|mie|mer|woe?",
  "thurs?|thu|do|jue|jeu|gio|don",
  "fri|fr|vie|ven|vri?",
  "sat|sa|sáb|sab|sam|za",
];
const SHORT_WEEKDAY_PATTERNS = SHORT_WEEKDAYS.map((names) => {
  const english = names.split("|")[0]!;
  return new RegExp(
    `(?<!\\p{L})(?:(?:${names})\\.?,? (?=(?:at |um |@ ?|à |a las )?\\d{1,2}(?::\\d{2}|\\s?[ap]\\.?m|\\s?uhr|\\s?h(?!\\p{L})))|(?<=(?:on|this|next) )${english}(?!\\p{L}))`,
    "iu",
  );
});

/** The days that a text names, by their date or as seen from today. */
export function daysMeant(text: string, today: readonly string[], language?: Language): SpokenDay[] {
  const days = spokenDays(text, language);
  const lower = text.toLowerCase();
  const after = (from: string, count: number) => {
    const date = new Date(Date.parse(`${from}T00:00:00Z`) + count * DAY_MS);
    days.push({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
  };
  const spans = spansAhead(text);
  for (const from of today) {
    for (const { days: count, months } of spans) {
      if (count !== undefined) after(from, count);
      if (months !== undefined) after(monthsAfter(from, months), 0);
    }
    const weekday = new Date(`${from}T00:00:00Z`).getUTCDay();
    for (const [words, count] of NEAR_DAYS) if (words.test(lower)) after(from, count);
    for (const [at, { thisWeek, nextWeek }] of SPACELESS_PATTERNS.entries()) {
      const ahead = (at - weekday + 7) % 7;
      if (thisWeek.test(lower)) {
        after(from, ahead);
        if (ahead === 0) after(from, 7);
      }
      // A week begins on Monday: next week's Sunday is the last day of it.
      const sinceMonday = (weekday + 6) % 7;
      if (nextWeek.test(lower)) after(from, 7 - sinceMonday + ((at + 6) % 7));
    }
    for (const [at, pattern] of WEEKDAY_PATTERNS.entries())
      if (pattern.test(lower) || SHORT_WEEKDAY_PATTERNS[at]!.test(lower)) {
        const ahead = (at - weekday + 7) % 7;
        after(from, ahead === 0 ? 7 : ahead);
        if (
          ahead !== 0 &&
          /next|nächst|próxim|prochain|prossim|volgende|następn|下周|下个|来週|다음/u.test(lower)
        )
          after(from, ahead + 7);
        if (ahead === 0) after(from, 0);
      }
  }
  return days;
}

/** The same day of a later month; its last day where that month is shorter. */
function monthsAfter(from: string, months: number): string {
  const [year, month, day] = from.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0));
  return new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day, last.getUTCDate())))
    .toISOString()
    .slice(0, 10);
}
