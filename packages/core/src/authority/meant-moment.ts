import { readInstant, ZoneClock } from "../base/zone-clock.ts";
import { zoneNamed } from "../schedule/zone-name.ts";
import type { Language } from "../request/language.ts";
import { spansAhead, spansMoved } from "./spoken-spans.ts";
import { daysMeant, meansDay, readMoment, spokenTimes, type SpokenDay } from "./spoken-times.ts";
import { zonesNamed } from "./spoken-zones.ts";

/** By which clock the owner lives, and what it shows. */
export interface OwnersClock {
  readonly now: number;
  readonly timeZone: string;
}

/** What a time in a call is held against, besides the words. */
export interface MomentContext {
  /** The days that may be today. */
  readonly today: readonly string[];
  readonly clock?: OwnersClock | undefined;
  /** The zone that the call itself names for its times. */
  readonly zone?: string | undefined;
  /** When the thing is now that is to be moved, as `2026-11-17 09:00` by the owner's clock. */
  readonly before?: string | undefined;
  /** It can be undone and stays here: a day without an hour leaves the hour to whoever does it. */
  readonly loose?: boolean | undefined;
  /** The words' own: by it "3/4" is a day of April or of March. */
  readonly language?: Language | undefined;
}

/** Whether words mean the moment that a call names, by the clock of the place that they speak of. */
export function meansMoment(value: string, text: string, context: MomentContext): boolean {
  const zones = zonesNamed(text);
  const [said] = zones;
  if (zones.size > 1 || said === "unknown") return false;
  const moment = onTheirClock(value, said, context);
  if (moment === undefined) return false;
  const today = todays(context, said);
  const days = daysMeant(text, today, context.language);
  const isTheDay = days.some((day) => meansDay(day, moment.day));
  if (moment.minutes === undefined) return isTheDay;
  if (isSoLongFromNow(value, text, context) || isMovedSoFar(moment, text, context)) return true;
  const times = spokenTimes(text);
  const isTheTime = times.includes(moment.minutes);
  const before = context.before === undefined ? undefined : readMoment(context.before);
  if (isTheDay && isTheTime) return true;
  if (isTheDay && times.length === 0 && spansMoved(text).length === 0)
    return before === undefined
      ? moment.minutes === 0 || (context.loose === true && isWithin(moment.minutes, text))
      : before.minutes === moment.minutes;
  if (!isTheTime || days.length > 0) return false;
  return before === undefined ? isNext(moment, text, context, said) : meansDay(before.day, moment.day);
}

interface WallMoment {
  readonly day: SpokenDay;
  readonly minutes?: number;
}

const OFFSET = /[T ]\d{1,2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/u;

/** The call's moment as a clock shows it that the owner spoke of: that of the place they named, or their own. */
function onTheirClock(
  value: string,
  said: string | undefined,
  { clock, zone: named }: MomentContext,
): WallMoment | undefined {
  const written = readMoment(value);
  if (written?.minutes === undefined) return written;
  if (named === undefined && said === undefined && !OFFSET.test(value.trim())) return written;
  const zone = named === undefined ? undefined : zoneNamed(named);
  if (zone === undefined && named !== undefined) return undefined;
  // Without the owner's own clock only the same zone can be compared with itself.
  if (clock === undefined) return said === zone ? written : undefined;
  const instant = readInstant(value, new ZoneClock(zone ?? clock.timeZone));
  if (instant === undefined) return undefined;
  const wall = new ZoneClock(said ?? clock.timeZone).wallTime(instant);
  return readMoment(new Date(wall).toISOString());
}

/** A message may be a few minutes old when it is read. */
const AGO_MS = 15 * 60_000;

function todays({ today, clock }: MomentContext, said: string | undefined): readonly string[] {
  if (clock === undefined) return today;
  const zones = said === undefined ? [clock.timeZone] : [clock.timeZone, said];
  return [
    ...new Set(
      zones.flatMap((zone) =>
        [clock.now, clock.now - AGO_MS].map((at) =>
          new Date(new ZoneClock(zone).wallTime(at)).toISOString().slice(0, 10),
        ),
      ),
    ),
  ];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEAR_MS_MIN = 3 * MINUTE_MS;
const NEAR_MS_MAX = 20 * MINUTE_MS;

/** "In 20 minutes" was said some minutes ago, and times are written in whole minutes. */
function isSoLongFromNow(value: string, text: string, { clock, zone }: MomentContext): boolean {
  const named = zone === undefined ? clock?.timeZone : zoneNamed(zone);
  if (clock === undefined || named === undefined) return false;
  const at = readInstant(value, new ZoneClock(named));
  if (at === undefined) return false;
  return spansAhead(text).some(({ ms, days, months }) => {
    if (days !== undefined || months !== undefined) return false;
    const near = Math.min(NEAR_MS_MAX, Math.max(NEAR_MS_MIN, ms / 10));
    return Math.abs(at - clock.now - ms) <= near;
  });
}

/** "An hour later", of what is at nine: ten. */
function isMovedSoFar(moment: WallMoment, text: string, { before }: MomentContext): boolean {
  const was = before === undefined ? undefined : wallOf(readMoment(before));
  const is = wallOf(moment);
  if (was === undefined || is === undefined) return false;
  return spansMoved(text).some(({ ms, months }) => months === undefined && was + ms === is);
}

function wallOf(moment: WallMoment | undefined): number | undefined {
  if (moment?.minutes === undefined || moment.day.year === undefined) return undefined;
  const { year, month, day } = moment.day;
  return Date.UTC(year, month - 1, day, 0, moment.minutes);
}

/** A time without a day means the next one; where that is tomorrow and the words leave the half of the day open, nobody can tell. */
function isNext(
  moment: WallMoment,
  text: string,
  { clock }: MomentContext,
  said: string | undefined,
): boolean {
  const wall = wallOf(moment);
  if (clock === undefined || wall === undefined || moment.minutes === undefined) return false;
  const now = new ZoneClock(said ?? clock.timeZone).wallTime(clock.now);
  if (wall <= now || wall - now > DAY_MS) return false;
  const isToday = Math.floor(wall / DAY_MS) === Math.floor(now / DAY_MS);
  return isToday || moment.minutes >= NOON || MORNING.test(text) || /\d\s?a\.?m\b/iu.test(text);
}

const NOON = 12 * 60;
const MORNING =
  /(?<!\p{L})(?:morning|früh|morgens|vormittags?|por la mañana|de la mañana|matin|mattina|manhã|ochtend|rano)(?!\p{L})|早上|上午|清晨|朝|午前|아침|오전/iu;
const EVENING =
  /(?<!\p{L})(?:tonight|evening|abends?|noche|soir|sera|stasera|noite|avond|vanavond|wieczor\p{L}*)(?!\p{L})|晚上|今晚|夜|今夜|晩|저녁|밤/iu;
const AFTERNOON =
  /(?<!\p{L})(?:afternoon|nachmittags?|tarde|après-midi|pomeriggio|middag|popołudni\p{L}*)(?!\p{L})|下午|午後|오후/iu;

/** The part of a day that words name; without one, the hours in which people are up. */
function isWithin(minutes: number, text: string): boolean {
  const hours = EVENING.test(text)
    ? [17, 22.5]
    : AFTERNOON.test(text)
      ? [12, 18]
      : MORNING.test(text)
        ? [6, 12]
        : [7, 21];
  return minutes >= hours[0]! * 60 && minutes <= hours[1]! * 60;
}
