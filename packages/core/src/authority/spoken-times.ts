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
/** "um 15 Uhr", "à 15 h", "15時", "15点", "a las 15". */
const CLOCK =
  /(?<![\d:.,])(\d{1,2})(?:\s*(?:Uhr|h|heures?)(?![\p{L}\d])|\s?(?:時|点|시)(?:\s?(\d{1,2})分|半)?|\s?h\s?(\d{2})(?!\d))/giu;

/** "at 9": an hour without its unit. It may as well be an amount, so it is looked for only where a time is expected. */
const BARE_HOUR =
  /(?<!\p{L})(?:at|by|around|um|gegen|a las|a la|alle|às|om|o)\s(\d{1,2})(?=\s*(?:[,;.!?]\s|[.!?]?$|(?:to|and|that|on|in|tomorrow|today|tonight|daran|an|morgen|heute|dass|zu|que|de|para|mañana|demain|domani|di|che|amanhã|om|dat|te|jutro)(?!\p{L})))/giu;
const EVENING =
  /(?<!\p{L})(?:tonight|evening|night|pm|abends?|heute abend|noche|tarde|soir|sera|noite|avond|wieczor\p{L}*)(?!\p{L})/iu;

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
  for (const [whole, hour, minute, minuteAfterH] of text.matchAll(CLOCK)) {
    const minutes = whole.endsWith("半") ? 30 : Number(minute ?? minuteAfterH ?? 0);
    times.push(Number(hour) * 60 + minutes);
    // Where people write the afternoon with small hours, both are meant by the same words.
    if (/(?:下午|晚上|午後|오후)\s?$/u.test(text.slice(0, text.indexOf(whole))) && Number(hour) < 12)
      times.push((Number(hour) + 12) * 60 + minutes);
  }
  for (const [, hour] of text.matchAll(BARE_HOUR)) {
    if (Number(hour) > 23) continue;
    times.push(Number(hour) * 60);
    if (Number(hour) < 12 && EVENING.test(text)) times.push((Number(hour) + 12) * 60);
  }
  return times;
}

/** The text without its days and times: a number in one of them is no amount and no id. */
export function withoutTimes(text: string, instead: (found: string) => string = () => " "): string {
  return [ISO, DAY_FIRST_DOTS, CJK, MONTH_FIRST, DAY_FIRST, TIME, HOUR, CLOCK].reduce(
    (left, pattern) => left.replace(pattern, (found) => instead(found)),
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

const WEEKDAYS: readonly string[] = [
  "sunday|sonntag|domingo|dimanche|domenica|zondag|niedzielę|niedziela|일요일",
  "monday|montag|lunes|lundi|lunedì|segunda(?:-feira)?|maandag|poniedziałek|월요일",
  "tuesday|dienstag|martes|mardi|martedì|terça(?:-feira)?|dinsdag|wtorek|화요일",
  "wednesday|mittwoch|miércoles|mercredi|mercoledì|quarta(?:-feira)?|woensdag|środę|środa|수요일",
  "thursday|donnerstag|jueves|jeudi|giovedì|quinta(?:-feira)?|donderdag|czwartek|목요일",
  "friday|freitag|viernes|vendredi|venerdì|sexta(?:-feira)?|vrijdag|piątek|금요일",
  "saturday|samstag|sonnabend|sábado|samedi|sabato|zaterdag|sobotę|sobota|토요일",
];
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
const NEAR_DAYS: readonly (readonly [RegExp, number])[] = [
  [
    /(?<!\p{L})(?:today|tonight|this (?:morning|afternoon|evening)|heute|hoy|aujourd'hui|ce soir|oggi|stasera|hoje|vandaag|vanavond|dziś|dzisiaj)(?!\p{L})|今天|今晚|今日|오늘/iu,
    0,
  ],
  [
    /(?<!\p{L}|guten |am |der |this |the |every |por la |de la )(?:tomorrow|morgen|mañana|demain|domani|amanhã|jutro)(?!\p{L})|明天|明日|내일/iu,
    1,
  ],
  [
    /(?<!\p{L})(?:the day after tomorrow|übermorgen|pasado mañana|après-demain|dopodomani|depois de amanhã|overmorgen|pojutrze)(?!\p{L})|后天|明後日|모레/iu,
    2,
  ],
];
const DAY_MS = 86_400_000;

/** The days that a text names, by their date or as seen from today. */
export function daysMeant(text: string, today: readonly string[]): SpokenDay[] {
  const days = spokenDays(text);
  const lower = text.toLowerCase();
  const after = (from: string, count: number) => {
    const date = new Date(Date.parse(`${from}T00:00:00Z`) + count * DAY_MS);
    days.push({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
  };
  for (const from of today) {
    const weekday = new Date(`${from}T00:00:00Z`).getUTCDay();
    for (const [words, count] of NEAR_DAYS) if (words.test(lower)) after(from, count);
    for (const [at, day] of SPACELESS_WEEKDAYS.entries()) {
      const ahead = (at - weekday + 7) % 7;
      if (new RegExp(`${ANOTHER_WEEK}(?:${day})`, "u").test(lower)) {
        after(from, ahead);
        if (ahead === 0) after(from, 7);
      }
      // A week begins on Monday: next week's Sunday is the last day of it.
      const sinceMonday = (weekday + 6) % 7;
      if (new RegExp(`(?:${NEXT_WEEK})(?:${day})`, "u").test(lower))
        after(from, 7 - sinceMonday + ((at + 6) % 7));
    }
    for (const [at, names] of WEEKDAYS.entries())
      if (new RegExp(`(?<!\\p{L})(?:${names})(?!\\p{Script=Latin})`, "iu").test(lower)) {
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
