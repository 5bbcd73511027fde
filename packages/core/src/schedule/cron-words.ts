import { counted } from "../base/relative-time.ts";

/**
 * A cron expression in words: "every weekday at 08:00". Undefined where it is one that words would
 * not make plainer; it is then shown as it is written. The expression has been checked.
 */
export function cronWords(expression: string): string | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fieldsOf(expression);
  const time = timeWords(minute, hour);
  const days = dayWords(day, month, weekday);
  if (time === undefined || days === undefined) return undefined;
  // "every 15 minutes on weekdays", but "every weekday at 08:00"
  if (time.often) return days.on === "" ? time.words : `${time.words} ${days.on}`;
  return `${days.every} ${time.words}`;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

function fieldsOf(expression: string): readonly string[] {
  const text = expression.trim().toLowerCase();
  return (NICKNAMES[text] ?? text).split(/\s+/u);
}

/** So many times of day are still read as a list. */
const TIMES_MAX = 4;

function timeWords(
  minute: string,
  hour: string,
): { readonly words: string; readonly often: boolean } | undefined {
  const often = (words: string) => ({ words, often: true });
  const step = /^\*\/(\d+)$/u;
  const everyMinutes = minute === "*" ? 1 : Number(step.exec(minute)?.[1] ?? 0);
  if (everyMinutes > 0) {
    if (HOUR % everyMinutes !== 0) return undefined;
    const words = everyMinutes === 1 ? "every minute" : `every ${counted(everyMinutes, "minute")}`;
    if (hour === "*") return often(words);
    const [from, to] = rangeOf(hour) ?? [];
    if (from === undefined || to === undefined) return undefined;
    return often(`${words} from ${clock(from, 0)} to ${clock(to, HOUR - 1)}`);
  }
  const minutes = listOf(minute);
  if (minutes === undefined) return undefined;
  const [only] = minutes.length === 1 ? minutes : [];
  if (hour === "*" && only !== undefined)
    return often(only === 0 ? "every hour" : `every hour at ${past(only)}`);
  const everyHours = Number(step.exec(hour)?.[1] ?? 0);
  if (everyHours > 1 && DAY % everyHours === 0 && only !== undefined)
    return often(`every ${counted(everyHours, "hour")}${only === 0 ? "" : ` at ${past(only)}`}`);
  const hours = listOf(hour);
  if (hours === undefined || hours.length * minutes.length > TIMES_MAX) return undefined;
  const times = hours.flatMap((each) => minutes.map((past) => clock(each, past)));
  return { words: `at ${listWords(times)}`, often: false };
}

const HOUR = 60;
const DAY = 24;

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function dayWords(
  day: string,
  month: string,
  weekday: string,
): { readonly every: string; readonly on: string } | undefined {
  const months = month === "*" ? [] : listOf(month, MONTHS, 1);
  const weekdays = weekday === "*" ? [] : listOf(weekday, WEEKDAYS, 0);
  // A day of the month and one of the week mean either; that is no plain sentence.
  if (months === undefined || weekdays === undefined || (day !== "*" && weekdays.length > 0))
    return undefined;
  const inMonths = months.length === 0 ? "" : ` in ${listWords(months.map((each) => MONTHS[each - 1]!))}`;
  if (day !== "*") {
    const which = monthDays(day);
    if (which === undefined) return undefined;
    const of =
      months.length === 0 ? "of every month" : `of ${listWords(months.map((each) => MONTHS[each - 1]!))}`;
    return { every: `on the ${which} ${of}`, on: `on the ${which} ${of}` };
  }
  const names = [...new Set(weekdays.map((each) => each % WEEKDAYS.length))].sort((a, b) => a - b);
  if (names.length === 0 || names.length === WEEKDAYS.length)
    return { every: `every day${inMonths}`, on: inMonths.trimStart() };
  const key = names.join("");
  if (key === "12345") return { every: `every weekday${inMonths}`, on: `on weekdays${inMonths}` };
  if (key === "06") return { every: `every Saturday and Sunday${inMonths}`, on: `at weekends${inMonths}` };
  // A week begins on Monday.
  const inOrder = [...names.filter((each) => each > 0), ...names.filter((each) => each === 0)];
  const list = inOrder.map((each) => WEEKDAYS[each]!);
  return {
    every: `every ${listWords(list)}${inMonths}`,
    on: `on ${listWords(list.map((name) => `${name}s`))}${inMonths}`,
  };
}

function monthDays(day: string): string | undefined {
  if (day === "l") return "last day";
  const days = listOf(day);
  return days && days.length <= TIMES_MAX ? listWords(days.map(ordinal)) : undefined;
}

function ordinal(day: number): string {
  const teen = day >= 11 && day <= 13;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}

/** A list or a range as numbers; undefined for steps and stars. */
function listOf(field: string, names: readonly string[] = [], first = 0): readonly number[] | undefined {
  const out: number[] = [];
  for (const part of field.split(",")) {
    const range = rangeOf(part, names, first);
    if (range === undefined) return undefined;
    for (let each = range[0]; each <= range[1]; each++) out.push(each);
  }
  return [...new Set(out)].sort((a, b) => a - b);
}

function rangeOf(
  part: string,
  names: readonly string[] = [],
  first = 0,
): readonly [number, number] | undefined {
  const ends = part.split("-").map((text) => {
    if (/^\d+$/u.test(text)) return Number(text);
    const at = names.findIndex((name) => name.slice(0, 3).toLowerCase() === text);
    return at < 0 ? undefined : at + first;
  });
  if (ends.length > 2 || ends.includes(undefined)) return undefined;
  return [ends[0]!, ends.at(-1)!];
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** ":30" */
function past(minute: number): string {
  return `:${String(minute).padStart(2, "0")}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
