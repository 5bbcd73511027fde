import type ICAL from "ical.js";
import { Zones, type WallTime } from "./zones.ts";

type Ical = typeof ICAL;
type Component = InstanceType<Ical["Component"]>;
type Property = InstanceType<Ical["Property"]>;
type IcalTime = InstanceType<Ical["Time"]>;

/** One event at one time; of a series, one of its times. */
export interface Occurrence {
  /** Which of a series, by its original beginning; undefined where the event does not repeat. */
  readonly key?: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly allDay: boolean;
  readonly location?: string;
  readonly description?: string;
  /** How many people are invited. */
  readonly attendees: number;
  /** Takes up time: not cancelled, and not marked as free. */
  readonly busy: boolean;
}

export interface NewEvent {
  readonly uid: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly allDay: boolean;
  readonly zone: string;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  /** Such as `FREQ=WEEKLY;COUNT=4`. */
  readonly repeat?: string | undefined;
  readonly now: number;
}

/** Where nobody sees the end of a series: so many of its times are looked at. */
const STEPS_MAX = 20_000;
const TEXT_CHARS_MAX = 2_000;
const ZONE_YEARS = 12;
const DAY_MS = 86_400_000;

/** A file with what it says cannot be read, in words. */
export class BrokenCalendar extends Error {}

/**
 * Reads and changes calendar files (RFC 5545).
 *
 * I1 A time with the name of a zone that this machine knows is that zone's; one with another name is what
 *    the file itself says about that zone; one without any zone, and a whole day, is the owner's.
 * I2 A series is counted by the wall clock of its own zone, so that nine o'clock stays nine o'clock.
 * I3 What is changed keeps everything else: properties, alarms and people that this module does not know.
 */
export class CalendarFiles {
  readonly #ical: Ical;
  readonly #zones: Zones;
  readonly #ownZone: string;

  constructor(ical: Ical, zones: Zones, ownZone: string) {
    this.#ical = ical;
    this.#zones = zones;
    this.#ownZone = ownZone;
  }

  read(text: string): CalendarFile {
    try {
      const root = new this.#ical.Component(
        this.#ical.parse(text) as unknown[] as ConstructorParameters<Ical["Component"]>[0],
      );
      if (root.name !== "vcalendar") throw new BrokenCalendar("it holds no calendar");
      return new CalendarFile(this.#ical, root, this.#zones, this.#ownZone);
    } catch (cause) {
      if (cause instanceof BrokenCalendar) throw cause;
      throw new BrokenCalendar(cause instanceof Error ? cause.message : "it is not a calendar file");
    }
  }

  /** A single event is written in UTC; a series by its zone's wall clock, with the zone's rules beside it. */
  write(event: NewEvent): string {
    const { Component: Make } = this.#ical;
    const root = new Make("vcalendar");
    root.updatePropertyWithValue("version", "2.0");
    root.updatePropertyWithValue("prodid", "-//Elwood//Calendar//EN");
    const part = new Make("vevent");
    part.updatePropertyWithValue("uid", event.uid);
    part.updatePropertyWithValue("dtstamp", this.#utc(event.now));
    part.updatePropertyWithValue("summary", event.title);
    if (event.location !== undefined) part.updatePropertyWithValue("location", event.location);
    if (event.description !== undefined) part.updatePropertyWithValue("description", event.description);
    const zone = event.repeat === undefined || event.allDay ? undefined : event.zone;
    if (zone !== undefined && zone !== "UTC") root.addSubcomponent(this.#zoneRules(zone, event.from));
    for (const [name, at] of [
      ["dtstart", event.from],
      ["dtend", event.to],
    ] as const)
      part.addProperty(this.#timeProperty(name, at, event.allDay ? "date" : (zone ?? "UTC"), event.zone));
    if (event.repeat !== undefined)
      part.updatePropertyWithValue("rrule", this.#ical.Recur.fromString(event.repeat));
    root.addSubcomponent(part);
    return `${root.toString()}\r\n`;
  }

  /** Whether a rule is one that can be counted. */
  isRule(rule: string): boolean {
    try {
      const read = this.#ical.Recur.fromString(rule);
      return ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"].includes(read.freq);
    } catch {
      return false;
    }
  }

  #utc(instant: number): IcalTime {
    return this.#ical.Time.fromJSDate(new Date(instant), true);
  }

  #timeProperty(name: string, at: number, form: string, ownZone: string): Property {
    return timeProperty(this.#ical, this.#zones, name, at, form, ownZone);
  }

  /** The zone's changes from a year before on, each written out. */
  #zoneRules(zone: string, from: number): Component {
    const { Component: Make } = this.#ical;
    const rules = new Make("vtimezone");
    rules.updatePropertyWithValue("tzid", zone);
    const begin = from - 366 * DAY_MS;
    const changes = this.#changes(zone, begin, from + ZONE_YEARS * 366 * DAY_MS);
    for (const { at, before, after } of [
      { at: begin, before: this.#zones.offsetAt(begin, zone), after: this.#zones.offsetAt(begin, zone) },
      ...changes,
    ]) {
      const part = new Make(after > before ? "daylight" : "standard");
      const wall = new Date(at + before).toISOString().slice(0, 19);
      part.updatePropertyWithValue("dtstart", this.#ical.Time.fromDateTimeString(wall));
      part.updatePropertyWithValue("tzoffsetfrom", this.#ical.UtcOffset.fromSeconds(before / 1_000));
      part.updatePropertyWithValue("tzoffsetto", this.#ical.UtcOffset.fromSeconds(after / 1_000));
      rules.addSubcomponent(part);
    }
    return rules;
  }

  #changes(zone: string, from: number, to: number) {
    const found: { at: number; before: number; after: number }[] = [];
    for (let at = from; at < to; at += 7 * DAY_MS) {
      const before = this.#zones.offsetAt(at, zone);
      const after = this.#zones.offsetAt(at + 7 * DAY_MS, zone);
      if (before === after) continue;
      let [low, high] = [at, at + 7 * DAY_MS];
      while (high - low > 60_000) {
        const middle = Math.floor((low + high) / 2 / 60_000) * 60_000;
        if (this.#zones.offsetAt(middle, zone) === before) low = Math.max(middle, low + 60_000);
        else high = middle;
        if (low >= high) break;
      }
      found.push({ at: Math.round(high / 60_000) * 60_000, before, after });
    }
    return found;
  }
}

/** One file of a calendar: an event, or a series with the times of it that differ. */
export class CalendarFile {
  readonly #ical: Ical;
  readonly #root: Component;
  readonly #zones: Zones;
  readonly #ownZone: string;

  constructor(ical: Ical, root: Component, zones: Zones, ownZone: string) {
    this.#ical = ical;
    this.#root = root;
    this.#zones = zones;
    this.#ownZone = ownZone;
  }

  get text(): string {
    return `${this.#root.toString()}\r\n`;
  }

  get repeats(): boolean {
    return this.#masters().some(isSeries);
  }

  /** Those that lie in a span, in no order. `cut`: a series has more times than are looked at. */
  occurrences(span: { readonly from: number; readonly to: number }): {
    readonly list: Occurrence[];
    readonly cut: boolean;
  } {
    const list: Occurrence[] = [];
    let cut = false;
    const keep = (found: Occurrence) => {
      const end = Math.max(found.to, found.from + 1);
      if (found.from < span.to && end > span.from) list.push(found);
    };
    const moved = this.#moved();
    for (const [, part] of moved) keep(this.#occurrence(part, this.#keyOf(part)));
    for (const master of this.#masters()) {
      if (!isSeries(master)) {
        keep(this.#occurrence(master, undefined));
        continue;
      }
      const plain = this.#occurrence(master, undefined);
      const length = plain.to - plain.from;
      const complete = this.#each(master, span.from - length, (_time, from, key) => {
        if (from >= span.to) return false;
        if (!moved.has(key)) keep({ ...plain, key, from, to: from + length });
        return true;
      });
      cut ||= !complete;
    }
    return { list, cut };
  }

  /** One of them, wherever it lies; undefined where there is none. */
  find(key: string | undefined): Occurrence | undefined {
    const moved = key === undefined ? undefined : this.#moved().get(key);
    if (moved) return this.#occurrence(moved, key);
    const [master] = this.#masters();
    if (!master) return undefined;
    if (key === undefined) {
      const only = this.#occurrence(master, undefined);
      return only;
    }
    if (!isSeries(master)) return undefined;
    const plain = this.#occurrence(master, undefined);
    const time = this.#timeOf(master, key);
    return time && { ...plain, key, from: time.from, to: time.from + plain.to - plain.from };
  }

  /** Moves one time of a series, or an event that does not repeat. */
  move(
    key: string | undefined,
    to: { readonly from: number; readonly to: number; readonly allDay: boolean },
  ): void {
    const part = key === undefined ? this.#masters()[0] : this.#exception(key);
    if (!part) throw new BrokenCalendar("there is no such event in it");
    this.#setTimes(part, to);
  }

  /** Moves all times of a series by as much as its clock is moved; the day stays. False where it would not. */
  moveSeries(
    first: { readonly from: number; readonly to: number },
    to: { readonly from: number; readonly to: number },
  ): boolean {
    const [master] = this.#masters();
    if (!master) return false;
    const zone = this.#zoneOf(master.getFirstProperty("dtstart"));
    const [before, after] = [this.#zones.wallAt(first.from, zone), this.#zones.wallAt(to.from, zone)];
    if (before.day !== after.day || before.month !== after.month || before.year !== after.year) return false;
    const minutes = (after.hour - before.hour) * 60 + after.minute - before.minute;
    const length = to.to - to.from;
    const start = this.#occurrence(master, undefined);
    const wall = this.#zones.wallAt(start.from, zone);
    const moved = this.#zones.instantOf(shifted(wall, minutes), zone);
    this.#setTimes(master, { from: moved, to: moved + length, allDay: false });
    for (const name of ["exdate", "rdate"] as const)
      for (const property of master.getAllProperties(name)) this.#shift(property, minutes);
    for (const [, part] of this.#moved()) {
      const property = part.getFirstProperty("recurrence-id");
      if (property) this.#shift(property, minutes);
    }
    return true;
  }

  /** Takes one time out of a series. */
  skip(key: string): void {
    const [master] = this.#masters();
    const time = master && this.#timeOf(master, key);
    const moved = this.#moved().get(key);
    if (!master || (!time && !moved)) throw new BrokenCalendar("there is no such time in it");
    if (moved) this.#root.removeSubcomponent(moved);
    const start = master.getFirstProperty("dtstart");
    const at = time?.from ?? instantOfKey(key, this.#ownZone, this.#zones);
    master.addProperty(
      timeProperty(this.#ical, this.#zones, "exdate", at, this.#formOf(start), this.#ownZone),
    );
    this.#touch(master);
  }

  #masters(): Component[] {
    return this.#root
      .getAllSubcomponents("vevent")
      .filter((part) => !part.hasProperty("recurrence-id") && part.hasProperty("dtstart"));
  }

  /** Times of a series that differ from its rule, by their original beginning. */
  #moved(): Map<string, Component> {
    const parts = this.#root
      .getAllSubcomponents("vevent")
      .filter((part) => part.hasProperty("recurrence-id") && part.hasProperty("dtstart"));
    return new Map(parts.map((part) => [this.#keyOf(part), part]));
  }

  #keyOf(part: Component): string {
    const property = part.getFirstProperty("recurrence-id");
    return property ? this.#key(property, property.getFirstValue() as IcalTime) : "";
  }

  #key(property: Property | null, time: IcalTime): string {
    if (time.isDate) return time.toICALString();
    return new Date(this.#instant(property, time)).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  }

  /**
   * Goes through the times of a series from a moment on, until told to stop; false where it has more than
   * are looked at. What lies well before that moment is only counted: turning it into a moment costs more.
   */
  #each(
    master: Component,
    since: number,
    visit: (time: IcalTime, from: number, key: string) => boolean,
  ): boolean {
    const start = master.getFirstProperty("dtstart");
    const first = start?.getFirstValue() as IcalTime | undefined;
    if (!start || !first) return true;
    const expansion = new this.#ical.RecurExpansion({ component: master, dtstart: first });
    for (let step = 0; step < STEPS_MAX; step++) {
      const time = expansion.next() as IcalTime | null | undefined;
      if (!time) return true;
      const about = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute);
      if (about < since - 2 * DAY_MS) continue;
      const from = this.#instant(start, time);
      if (!visit(time, from, this.#key(start, time))) return true;
    }
    return false;
  }

  #timeOf(master: Component, key: string): { readonly time: IcalTime; readonly from: number } | undefined {
    const wanted = instantOfKey(key, this.#ownZone, this.#zones);
    let found: { time: IcalTime; from: number } | undefined;
    this.#each(master, wanted, (time, from, own) => {
      if (own === key) found = { time: time.clone(), from };
      return found === undefined && from <= wanted + DAY_MS;
    });
    return found;
  }

  /** The part for one time of a series; made from the series where that time did not differ yet. */
  #exception(key: string): Component | undefined {
    const known = this.#moved().get(key);
    if (known) return known;
    const [master] = this.#masters();
    const time = master && this.#timeOf(master, key);
    if (!master || !time) return undefined;
    const part = new this.#ical.Component(structuredClone(master.toJSON()));
    for (const name of ["rrule", "rdate", "exdate", "exrule"]) part.removeAllProperties(name);
    const start = master.getFirstProperty("dtstart");
    part.addProperty(
      timeProperty(this.#ical, this.#zones, "recurrence-id", time.from, this.#formOf(start), this.#ownZone),
    );
    this.#root.addSubcomponent(part);
    return part;
  }

  #setTimes(
    part: Component,
    { from, to, allDay }: { readonly from: number; readonly to: number; readonly allDay: boolean },
  ): void {
    const form = this.#formOf(part.getFirstProperty("dtstart"));
    const next = allDay ? "date" : form === "date" ? "UTC" : form;
    for (const name of ["dtstart", "dtend", "duration"]) part.removeAllProperties(name);
    part.addProperty(timeProperty(this.#ical, this.#zones, "dtstart", from, next, this.#ownZone));
    part.addProperty(timeProperty(this.#ical, this.#zones, "dtend", to, next, this.#ownZone));
    this.#touch(part);
  }

  /** A changed event counts up, so that other programs take it for the newer one. */
  #touch(part: Component): void {
    const sequence = Number(part.getFirstPropertyValue("sequence") ?? 0);
    part.updatePropertyWithValue("sequence", Number.isSafeInteger(sequence) ? sequence + 1 : 1);
  }

  #shift(property: Property, minutes: number): void {
    const zone = this.#zoneOf(property);
    const form = this.#formOf(property);
    if (form === "date") return;
    const values = property.getValues().map((value) => {
      const at = this.#instant(property, value as IcalTime);
      const next = this.#zones.instantOf(shifted(this.#zones.wallAt(at, zone), minutes), zone);
      return timeProperty(
        this.#ical,
        this.#zones,
        property.name,
        next,
        form,
        this.#ownZone,
      ).getFirstValue() as IcalTime;
    });
    property.setValues(values);
  }

  #occurrence(part: Component, key: string | undefined): Occurrence {
    const start = part.getFirstProperty("dtstart");
    const begin = start?.getFirstValue() as IcalTime | undefined;
    if (!start || !begin?.toICALString) throw new BrokenCalendar("an event in it has no beginning");
    const from = this.#instant(start, begin);
    const location = textOf(part, "location");
    const description = textOf(part, "description");
    return {
      ...(key === undefined || key === "" ? {} : { key }),
      title: textOf(part, "summary") ?? "(no title)",
      from,
      to: Math.max(from, this.#end(part, start, begin, from)),
      allDay: begin.isDate,
      ...(location === undefined ? {} : { location }),
      ...(description === undefined ? {} : { description }),
      attendees: part.getAllProperties("attendee").length,
      busy:
        textOf(part, "status")?.toUpperCase() !== "CANCELLED" &&
        textOf(part, "transp")?.toUpperCase() !== "TRANSPARENT",
    };
  }

  #end(part: Component, start: Property, begin: IcalTime, from: number): number {
    const end = part.getFirstProperty("dtend");
    if (end) return this.#instant(end, end.getFirstValue() as IcalTime);
    const duration = part.getFirstPropertyValue("duration") as InstanceType<Ical["Duration"]> | null;
    const later = begin.clone();
    if (duration) {
      later.addDuration(duration);
      return this.#instant(start, later);
    }
    if (!begin.isDate) return from;
    later.adjust(1, 0, 0, 0);
    return this.#instant(start, later);
  }

  /** I1 */
  #instant(property: Property | null, time: IcalTime): number {
    const wall: WallTime = {
      year: time.year,
      month: time.month,
      day: time.day,
      hour: time.isDate ? 0 : time.hour,
      minute: time.isDate ? 0 : time.minute,
      second: time.isDate ? 0 : time.second,
    };
    if (time.isDate) return this.#zones.instantOf(wall, this.#ownZone);
    if (time.zone === this.#ical.Timezone.utcTimezone)
      return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
    const name = nameOfZone(property);
    if (name === undefined) return this.#zones.instantOf(wall, this.#ownZone);
    if (this.#zones.isKnown(name)) return this.#zones.instantOf(wall, name);
    const rules = this.#root.getAllSubcomponents("vtimezone").find((part) => textOf(part, "tzid") === name);
    if (!rules) return this.#zones.instantOf(wall, this.#ownZone);
    const offset = new this.#ical.Timezone(rules).utcOffset(time);
    return (
      Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) - offset * 1_000
    );
  }

  /** How a time is written: `date`, `UTC`, or a zone that this machine knows. */
  #formOf(property: Property | null): string {
    const time = property?.getFirstValue() as IcalTime | undefined;
    if (time?.isDate) return "date";
    const name = nameOfZone(property);
    return name !== undefined && this.#zones.isKnown(name) ? name : "UTC";
  }

  #zoneOf(property: Property | null): string {
    const form = this.#formOf(property);
    return form === "date" || form === "UTC" ? this.#ownZone : form;
  }
}

function isSeries(part: Component): boolean {
  return part.hasProperty("rrule") || part.hasProperty("rdate");
}

function nameOfZone(property: Property | null): string | undefined {
  const name = property?.getParameter("tzid");
  return typeof name === "string" && name !== "" ? name : undefined;
}

function textOf(part: Component, name: string): string | undefined {
  const value = part.getFirstPropertyValue(name);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.length > TEXT_CHARS_MAX ? `${value.slice(0, TEXT_CHARS_MAX)}…` : value;
}

function shifted(wall: WallTime, minutes: number): WallTime {
  const at = new Date(
    Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute + minutes, wall.second),
  );
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

/** `20261117T080000Z`, or `20261117` for a whole day of the owner's. */
function instantOfKey(key: string, ownZone: string, zones: Zones): number {
  const [, year = "0", month = "1", day = "1", hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(key) ?? [];
  const wall = { year: Number(year), month: Number(month), day: Number(day) };
  if (hour === undefined) return zones.instantOf({ ...wall, hour: 0, minute: 0, second: 0 }, ownZone);
  return Date.UTC(wall.year, wall.month - 1, wall.day, Number(hour), Number(minute), Number(second));
}

/** `form` is `date`, `UTC` or a zone's name. A whole day is one of the owner's. */
function timeProperty(
  ical: Ical,
  zones: Zones,
  name: string,
  at: number,
  form: string,
  ownZone: string,
): Property {
  const property = new ical.Property(name);
  if (form === "UTC") {
    property.setValue(ical.Time.fromJSDate(new Date(at), true));
    return property;
  }
  const { year, month, day, hour, minute, second } = zones.wallAt(at, form === "date" ? ownZone : form);
  if (form === "date") {
    property.resetType("date");
    property.setValue(ical.Time.fromData({ year, month, day, isDate: true }));
    return property;
  }
  property.setValue(ical.Time.fromData({ year, month, day, hour, minute, second, isDate: false }));
  property.setParameter("tzid", form);
  return property;
}
