import { createHash } from "node:crypto";
import { defineIntegration, settingText, type IntegrationContext } from "@elwood/sdk/integration";
import {
  defineTool,
  err,
  ok,
  result,
  ToolError,
  type CallAbout,
  type CallFact,
  type ToolDefinition,
} from "@elwood/sdk/tool";
import { z } from "zod";
import { CalendarClient, type CalendarSettings, type Found, type Seen, type Stored } from "./client.ts";
import { findFreeTime } from "./free-time.ts";
import { BrokenCalendar, type CalendarFile, type Occurrence } from "./ics.ts";
import * as schemas from "./schemas.ts";
import { readTime, writeWall } from "./zones.ts";

export default defineIntegration<CalendarSettings>({
  name: "calendar",
  settings({ url, username, calendars = [], home }) {
    const address = URL.parse(settingText(url));
    if (address === null || !/^https?:$/.test(address.protocol))
      return err("The server must be an address such as https://caldav.fastmail.com/.");
    if (address.username !== "" || address.password !== "")
      return err("The address must not hold a user name or a password; each has a place of its own.");
    if (settingText(username) === "") return err("A user name is needed, often your mail address.");
    const found = settingText(home);
    return ok({
      url: address.href,
      username: settingText(username),
      calendars: (Array.isArray(calendars) ? calendars : [calendars])
        .map(settingText)
        .filter((name) => name !== ""),
      ...(found === "" ? {} : { home: found }),
    });
  },
  tools(context) {
    const kit: Kit = { client: new CalendarClient(context), context };
    return [
      calendarsTool(kit),
      listTool(kit),
      freeTool(kit),
      createTool(kit),
      moveTool(kit),
      deleteTool(kit),
      remindTool(kit),
    ];
  },
  async check(context, signal) {
    const client = new CalendarClient(context);
    const { settings } = context;
    try {
      if (settings.home === undefined) {
        const home = await client.discover(signal);
        const problem = homeProblem(settings.url, home);
        if (problem !== undefined) return { ok: false, problem };
        return { ok: true, account: settings.username, notes: [], found: { home } };
      }
      const calendars = await client.calendars(signal);
      const names = calendars.map(({ name }) => name).join(", ");
      if (calendars.length === 0)
        return {
          ok: false,
          problem: "The account works, and has no calendar for events. Make one there first.",
        };
      return {
        ok: true,
        account: `${settings.username} at ${new URL(settings.home).host}`,
        notes: [`Calendars: ${names}. New events go to the first.`],
      };
    } catch (cause) {
      if (cause instanceof ToolError) return { ok: false, problem: cause.message };
      throw cause;
    }
  },
});

/** The password goes to where the server says the calendars are; that must be a place of the same owner. */
function homeProblem(url: string, home: string): string | undefined {
  const [given, found] = [new URL(url), new URL(home)];
  if (given.origin === found.origin) return undefined;
  const site = (host: string) => host.split(".").slice(-2).join(".");
  const isSame = site(given.hostname) === site(found.hostname) && !/^[\d.:[\]]+$/.test(given.hostname);
  if (isSame && found.protocol === "https:") return undefined;
  return `${given.host} says that your calendars are at ${found.host}. That is another site, so nothing was sent there. If you know it, set that address up instead.`;
}

interface Kit {
  readonly client: CalendarClient;
  readonly context: IntegrationContext<CalendarSettings>;
}

const HARMLESS: readonly CallFact[] = [
  { kind: "harmless", rule: "read.own-service", reason: "It only reads your own calendar." },
];
const reads = { egress: "owner", output: "untrusted", ids: {}, content: [], sensitive: true } as const;
const writes = { egress: "owner", output: "untrusted", content: [] as string[], sensitive: true } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SPAN_DAYS_MAX = 400;
const FREE_MAX = 50;

function calendarsTool({ client }: Kit): ToolDefinition {
  return defineTool({
    id: "calendar.calendar.list",
    description: "The owner's calendars. New events go to the first.",
    risk: "read",
    input: z.strictObject({}),
    output: schemas.calendarsOutput,
    labels: { ...reads, critical: [], time: [] },
    idempotent: true,
    facts: () => HARMLESS,
    async handler(_input, { signal }) {
      return { calendars: (await client.calendars(signal)).map(({ name }) => ({ name })) };
    },
  });
}

function listTool(kit: Kit): ToolDefinition {
  const { client, context } = kit;
  return defineTool({
    id: "calendar.event.list",
    description: "Events of the owner's calendars in a span of time, each with the id that other tools take.",
    risk: "read",
    input: schemas.listInput,
    output: schemas.listOutput,
    labels: { ...reads, critical: [], time: ["from", "to"], local: ["limit"], lists: "event" },
    idempotent: true,
    target: ({ calendar }) => calendar ?? "calendar",
    facts: () => HARMLESS,
    async handler({ from, to, calendar, search, limit }, { signal }) {
      const begin = from === undefined ? context.now() : timeOf(kit, from, "from").instant;
      const end = to === undefined ? begin + 7 * DAY_MS : timeOf(kit, to, "to").instant;
      const span = checkedSpan(begin, end);
      const { events, unreadable, cut } = await client.events(span, calendar, signal);
      const words = search?.toLowerCase();
      const wanted = events.filter(
        ({ title, location = "", description = "" }) =>
          words === undefined || `${title}\n${location}\n${description}`.toLowerCase().includes(words),
      );
      const shown = wanted.slice(0, limit).map((each) => listed(kit, each));
      const more = wanted.length > shown.length || cut;
      const notes = [
        ...(wanted.length > shown.length
          ? [`${wanted.length - shown.length} more; ask for a shorter span.`]
          : []),
        ...(cut ? ["A series repeats so often that not all of its times are listed."] : []),
        ...(unreadable > 0
          ? [`${unreadable} ${unreadable === 1 ? "entry" : "entries"} could not be read.`]
          : []),
      ];
      const lines = shown.length === 0 ? ["There are none."] : shown.map(lineOf);
      const value = { events: shown, timeZone: context.timeZone, more, unreadable };
      return result(value, { text: [...lines, ...notes].join("\n"), truncated: more });
    },
  });
}

function freeTool(kit: Kit): ToolDefinition {
  const { client, context } = kit;
  return defineTool({
    id: "calendar.time.findFree",
    description: "Times between which nothing stands in the owner's calendars, within the hours of a day.",
    risk: "read",
    input: schemas.freeInput,
    output: schemas.freeOutput,
    labels: { ...reads, output: "trusted", critical: [], time: ["from", "to"] },
    idempotent: true,
    facts: () => HARMLESS,
    async handler({ from, to, minutes, dayStart, dayEnd, weekdays }, { signal }) {
      const span = checkedSpan(timeOf(kit, from, "from").instant, endOf(kit, to));
      const [first, last] = [minuteOf(dayStart), minuteOf(dayEnd)];
      if (first >= last) throw new ToolError("invalid", "dayEnd must be after dayStart.");
      const { events, cut } = await client.events(span, undefined, signal);
      if (cut)
        throw new ToolError(
          "too_many",
          "A series repeats so often that free time cannot be told. Ask for a shorter span.",
        );
      const busy = events.filter((event) => event.busy);
      const question = { ...span, minutes, dayStart: first, dayEnd: last, weekdays, zone: context.timeZone };
      const free = findFreeTime(question, busy, client.zones).slice(0, FREE_MAX);
      const shown = free.map((gap) => ({
        start: wall(kit, gap.from, false),
        end: wall(kit, gap.to, false),
        minutes: Math.round((gap.to - gap.from) / 60_000),
      }));
      const text =
        shown.length === 0
          ? "There is no such time."
          : shown.map(({ start, end }) => `- ${start} to ${end}`).join("\n");
      return result({ free: shown, timeZone: context.timeZone }, { text });
    },
  });
}

function createTool(kit: Kit): ToolDefinition {
  const { client, context } = kit;
  const place = async (calendar: string | undefined, key: string, signal: AbortSignal) => {
    const into = await client.calendar(calendar, signal);
    const name = `elwood-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
    const folder = into.url.endsWith("/") ? into.url : `${into.url}/`;
    return { into, uid: name, url: `${folder}${name}.ics` };
  };
  return defineTool({
    id: "calendar.event.create",
    description: "Puts an event into the owner's calendar. Nobody is invited by it.",
    risk: "write",
    input: schemas.createInput,
    output: schemas.createOutput,
    labels: {
      ...writes,
      ids: {},
      critical: [],
      content: ["title", "description", "location"],
      time: ["start", "end"],
    },
    target: ({ title }) => title,
    facts: ({ repeat }): readonly CallFact[] =>
      repeat === undefined
        ? []
        : [{ kind: "ask", rule: "ask.recurring", reason: "An event that repeats always asks first." }],
    async preview(input) {
      const planned = await plannedEvent(kit, input);
      const lines = [
        input.title,
        whenWords(kit, planned),
        ...(input.repeat === undefined ? [] : [`Repeats: ${input.repeat}`]),
        ...(input.location === undefined ? [] : [`Where: ${input.location}`]),
        ...(input.description === undefined ? [] : ["", input.description]),
      ];
      const where = input.calendar === undefined ? "your calendar" : `the calendar “${input.calendar}”`;
      return {
        sentence: `Put “${input.title}” into ${where}.`,
        after: lines.join("\n"),
        creates: true,
        undoable: true,
      };
    },
    async handler(input, { idempotencyKey, signal }) {
      const planned = await plannedEvent(kit, input);
      const { into, uid, url } = await place(input.calendar, idempotencyKey, signal);
      const text = (await client.files()).write({ ...input, ...planned, uid, now: context.now() });
      const etag = await client.put(url, text, undefined, signal);
      const times = { start: wall(kit, planned.from, planned.allDay), end: endWall(kit, planned) };
      const value = { id: new URL(url).pathname, title: input.title, calendar: into.name, etag, ...times };
      return result(value, {
        text: `Created in “${into.name}”: ${input.title}, ${whenWords(kit, planned)}.`,
      });
    },
    async undo(_input, output, { signal }) {
      const { url } = await client.place(output.id, signal);
      await client.remove(url, output.etag, signal);
      return result({ ...output }, { text: `Removed “${output.title}” again.` });
    },
    async reconcile({ calendar }, key) {
      const signal = AbortSignal.timeout(RECONCILE_MS);
      const { url } = await place(calendar, key, signal);
      return (await client.stored(new URL(url).pathname, signal)) === undefined
        ? "did-not-happen"
        : "happened";
    },
  });
}

const RECONCILE_MS = 20_000;

function moveTool(kit: Kit): ToolDefinition {
  const { client } = kit;
  return defineTool({
    id: "calendar.event.move",
    description:
      "Moves an event to another time; of a series one time, or with all the whole series to another hour.",
    risk: "write",
    input: schemas.moveInput,
    output: schemas.moveOutput,
    labels: { ...writes, ids: { event: "event" }, critical: ["event"], time: ["start", "end"] },
    target: ({ event }) => kit.client.seen(event)?.title ?? "an event",
    facts: ({ event }) => invitedFacts(kit, event),
    async preview(input, signal, about) {
      const event = await shownEvent(kit, input.event, signal, about);
      if (event === undefined) {
        const from = timeOf(kit, input.start, "start");
        return { sentence: `Move ${UNLISTED}.`, after: wall(kit, from.instant, from.allDay), undoable: true };
      }
      const planned = plannedMove(kit, input, event);
      if (input.all && event.file?.repeats && !event.file.moveSeries(event, planned)) throw seriesDay();
      const people = peopleWords(event);
      return {
        sentence: `Move “${event.title}”${input.all && event.key !== undefined ? ", all of the series" : ""}.${people}`,
        // An approval is bound to what was there before: to the event, not only to its time.
        before: `${event.title}\n${whenWords(kit, event)}`,
        after: `${event.title}\n${whenWords(kit, planned)}`,
        subject: event.title,
        undoable: true,
      };
    },
    async handler(input, { signal }) {
      const { stored, occurrence, file } = await eventOf(kit, input.event, signal);
      const planned = plannedMove(kit, input, occurrence);
      if (input.all && file.repeats) {
        if (!file.moveSeries(occurrence, planned)) throw seriesDay();
      } else file.move(occurrence.key, planned);
      const { url } = await client.place(input.event, signal);
      const etag = await client.put(url, file.text, stored.etag, signal);
      const value = {
        id: input.event,
        title: occurrence.title,
        calendar: stored.calendar.name,
        etag,
        before: stored.text,
        start: wall(kit, planned.from, planned.allDay),
        end: endWall(kit, planned),
      };
      return result(value, { text: `Moved “${occurrence.title}” to ${whenWords(kit, planned)}.` });
    },
    async undo(_input, output, { signal }) {
      const { url } = await client.place(output.id, signal);
      const etag = await client.put(url, output.before ?? "", output.etag, signal);
      return result({ ...output, etag }, { text: `“${output.title}” is where it was.` });
    },
    async reconcile(input) {
      const { occurrence } = await eventOf(kit, input.event, AbortSignal.timeout(RECONCILE_MS));
      const wanted = timeOf(kit, input.start, "start");
      return occurrence.from === wanted.instant ? "happened" : "did-not-happen";
    },
  });
}

function deleteTool(kit: Kit): ToolDefinition {
  const { client } = kit;
  return defineTool({
    id: "calendar.event.delete",
    description: "Deletes an event; of a series one time, or with all the whole series.",
    risk: "write",
    input: schemas.deleteInput,
    output: schemas.deleteOutput,
    labels: { ...writes, ids: { event: "event" }, critical: ["event"], time: [], verbs: ["delete"] },
    target: ({ event }) => kit.client.seen(event)?.title ?? "an event",
    facts: ({ event, all }): readonly CallFact[] => [
      ...invitedFacts(kit, event),
      ...(all
        ? [{ kind: "ask" as const, rule: "ask.series", reason: "Deleting a whole series always asks." }]
        : []),
    ],
    async preview({ event, all }, signal, about) {
      const shown = await shownEvent(kit, event, signal, about);
      if (shown === undefined) return { sentence: `Delete ${UNLISTED}.`, undoable: true };
      const whole = all && shown.repeats ? ", all of the series" : "";
      return {
        sentence: `Delete “${shown.title}”${whole}.${peopleWords(shown)}`,
        before: [shown.title, whenWords(kit, shown), shown.location ?? ""].join("\n").trim(),
        after: "",
        subject: shown.title,
        undoable: true,
      };
    },
    async handler({ event, all }, { signal }) {
      const { stored, occurrence, file } = await eventOf(kit, event, signal);
      const { url } = await client.place(event, signal);
      const one = occurrence.key !== undefined && !all;
      if (one) file.skip(occurrence.key);
      const etag = one ? await client.put(url, file.text, stored.etag, signal) : "";
      if (!one) await client.remove(url, stored.etag, signal);
      const value = {
        id: event,
        title: occurrence.title,
        calendar: stored.calendar.name,
        etag,
        before: stored.text,
      };
      return result(value, { text: `Deleted “${occurrence.title}”, ${whenWords(kit, occurrence)}.` });
    },
    async undo(_input, output, { signal }) {
      const { url } = await client.place(output.id, signal);
      // Where the whole file was removed, there must be none again.
      const etag = await client.put(
        url,
        output.before ?? "",
        output.etag === "" ? undefined : output.etag,
        signal,
      );
      return result({ ...output, etag }, { text: `Put back: “${output.title}”.` });
    },
    async reconcile({ event }) {
      const signal = AbortSignal.timeout(RECONCILE_MS);
      const stored = await client.stored(event, signal);
      if (!stored) return "happened";
      const found = (await client.files()).read(stored.text).find(keyIn(event));
      return found === undefined ? "happened" : "did-not-happen";
    },
  });
}

function remindTool(kit: Kit): ToolDefinition {
  const { context, client } = kit;
  const known = () => {
    if (context.jobs) return context.jobs;
    throw new ToolError("refused", "There are no reminders here. Nothing was stored.");
  };
  const jobOf = (occurrence: Seen, { minutesBefore }: { minutesBefore: number }) => {
    const at = new Date(occurrence.from - minutesBefore * 60_000).toISOString();
    if (Date.parse(at) <= context.now())
      throw new ToolError("past", "That time has passed. Nothing was stored.");
    const local = writeWall(client.zones.wallAt(Date.parse(at), context.timeZone), false);
    const message = `${occurrence.title}, ${whenWords(kit, occurrence)}`;
    return { kind: "reminder" as const, at: local, message };
  };
  return defineTool({
    id: "calendar.event.remind",
    description: "Sets a reminder of Elwood's own before an event begins.",
    risk: "write",
    input: schemas.remindInput,
    output: schemas.remindOutput,
    labels: {
      ...writes,
      egress: "none",
      ids: { event: "event" },
      critical: ["event"],
      time: [],
      verbs: ["schedule", "write"],
    },
    target: ({ event }) => kit.client.seen(event)?.title ?? "an event",
    async preview(input, signal, about) {
      const event = await shownEvent(kit, input.event, signal, about);
      if (event === undefined)
        return {
          sentence: `Remind you ${input.minutesBefore} minutes before ${UNLISTED}.`,
          creates: true,
          undoable: true,
        };
      const job = jobOf(event, input);
      const planned = orThrow(await known().plan(job));
      return {
        sentence: `Remind you, ${planned.when}: ${job.message}.`,
        after: job.message,
        creates: true,
        undoable: true,
      };
    },
    async handler(input, { idempotencyKey, session, signal }) {
      const { occurrence, file } = await eventOf(kit, input.event, signal);
      const job = jobOf({ ...occurrence, repeats: file.repeats }, input);
      const { id, name, when } = orThrow(await known().create(job, { key: idempotencyKey, session }));
      return result({ id, name, when }, { text: `Set: a reminder, ${when}.` });
    },
    async undo(_input, output) {
      const { id, name, when } = orThrow(await known().remove(output.id));
      return result({ id, name, when }, { text: "Removed the reminder." });
    },
    reconcile: async (_input, key) => ((await known().wasCreated(key)) ? "happened" : "did-not-happen"),
  });
}

/** Decided without asking the server: what was not listed since the start may have guests. */
function invitedFacts({ client }: Kit, id: string): readonly CallFact[] {
  const people = client.seen(id)?.attendees;
  if (people === 0) return [];
  const reason =
    people === undefined
      ? "Elwood has not listed this event since it was started."
      : "Others are invited, and your calendar server may tell them.";
  return [{ kind: "ask", rule: "ask.invited", reason }];
}

const UNLISTED = "an event that Elwood has not listed since it was started";

/**
 * What a card shows of an event. Before the owner has decided the server is not asked: it is what the last
 * listing said, if any. Once they allowed the call it is looked at, and what is there by then must be what they saw.
 */
async function shownEvent(
  kit: Kit,
  id: string,
  signal: AbortSignal,
  { approved }: CallAbout,
): Promise<(Seen & { readonly file?: CalendarFile }) | undefined> {
  if (approved !== true) return kit.client.seen(id);
  const { occurrence, file } = await eventOf(kit, id, signal);
  const seen = { ...occurrence, repeats: file.repeats };
  kit.client.remember(id, seen);
  return { ...seen, file };
}

function peopleWords({ attendees }: Pick<Occurrence, "attendees">): string {
  return attendees === 0
    ? ""
    : ` ${attendees} ${attendees === 1 ? "person is" : "people are"} invited; your calendar server may tell them, which cannot be undone.`;
}

async function eventOf(
  { client }: Kit,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly stored: Stored; readonly file: CalendarFile; readonly occurrence: Occurrence }> {
  const stored = await client.stored(id, signal);
  if (!stored) throw new ToolError("not_found", "The event is not there any more. Nothing was changed.");
  try {
    const file = (await client.files()).read(stored.text);
    const occurrence = file.find(keyIn(id));
    if (occurrence) return { stored, file, occurrence };
  } catch (cause) {
    if (!(cause instanceof BrokenCalendar)) throw cause;
    throw new ToolError(
      "unreadable",
      "This entry of the calendar cannot be read, so it is left as it is. Nothing was changed.",
    );
  }
  throw new ToolError(
    "not_found",
    "The series has no such time any more. Nothing was changed. List the events again.",
  );
}

function keyIn(id: string): string | undefined {
  const at = id.indexOf("#");
  return at < 0 ? undefined : id.slice(at + 1);
}

interface Planned {
  readonly from: number;
  readonly to: number;
  readonly allDay: boolean;
}

async function plannedEvent(
  kit: Kit,
  {
    start,
    end,
    timeZone,
    repeat,
  }: { start: string; end?: string | undefined; timeZone?: string | undefined; repeat?: string | undefined },
): Promise<Planned & { readonly zone: string }> {
  const zone = timeZone ?? kit.context.timeZone;
  if (!kit.client.zones.isKnown(zone))
    throw new ToolError("invalid", `There is no time zone “${zone}”. Nothing was stored.`);
  if (repeat !== undefined && !(await kit.client.files()).isRule(repeat))
    throw new ToolError(
      "invalid",
      `“${repeat}” is no rule for repeating by days, weeks, months or years, such as FREQ=WEEKLY;COUNT=10. Nothing was stored.`,
    );
  const from = timeOf(kit, start, "start", zone);
  return { ...spanFrom(kit, from, end, from.allDay ? DAY_MS : HOUR_MS, zone), zone };
}

function plannedMove(
  kit: Kit,
  { start, end }: { start: string; end?: string | undefined },
  before: Pick<Occurrence, "from" | "to" | "allDay">,
): Planned {
  const from = timeOf(kit, start, "start");
  const usual = from.allDay === before.allDay ? before.to - before.from : from.allDay ? DAY_MS : HOUR_MS;
  return spanFrom(kit, from, end, usual, kit.context.timeZone);
}

function spanFrom(
  kit: Kit,
  from: { readonly instant: number; readonly allDay: boolean },
  end: string | undefined,
  usualMs: number,
  zone: string,
): Planned {
  const { zones } = kit.client;
  if (end === undefined) {
    // Days have 23 or 25 hours where clocks change: a whole day ends at the next midnight.
    const days = Math.max(1, Math.round(usualMs / DAY_MS));
    const to = from.allDay ? midnightAfter(zones, from.instant, days, zone) : from.instant + usualMs;
    return { from: from.instant, to, allDay: from.allDay };
  }
  const until = timeOf(kit, end, "end", zone);
  if (until.allDay !== from.allDay)
    throw new ToolError(
      "invalid",
      "start and end must both be dates, or both be times. Nothing was changed.",
    );
  // People say the last day; the file says the day after it.
  const to = until.allDay ? midnightAfter(zones, until.instant, 1, zone) : until.instant;
  if (to <= from.instant)
    throw new ToolError("invalid", "The event would end before it begins. Nothing was changed.");
  return { from: from.instant, to, allDay: from.allDay };
}

function midnightAfter(zones: CalendarClient["zones"], instant: number, days: number, zone: string): number {
  const { year, month, day } = zones.wallAt(instant, zone);
  const date = new Date(Date.UTC(year, month - 1, day + days));
  const next = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  return zones.instantOf({ ...next, hour: 0, minute: 0, second: 0 }, zone);
}

function timeOf({ client, context }: Kit, text: string, name: string, zone = context.timeZone) {
  const read = readTime(text, zone, client.zones);
  if (read) return read;
  throw new ToolError(
    "invalid",
    `${name} is no time: “${text}”. Write 2026-11-17T09:00, or 2026-11-17 for a whole day. Nothing was changed.`,
  );
}

/** A date means to the end of that day. */
function endOf(kit: Kit, text: string): number {
  const { instant, allDay } = timeOf(kit, text, "to");
  return allDay ? midnightAfter(kit.client.zones, instant, 1, kit.context.timeZone) : instant;
}

function checkedSpan(from: number, to: number) {
  if (to <= from) throw new ToolError("invalid", "The span ends before it begins.");
  if (to - from > SPAN_DAYS_MAX * DAY_MS)
    throw new ToolError("invalid", `The span is longer than ${SPAN_DAYS_MAX} days. Ask for a shorter one.`);
  return { from, to };
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

function wall({ client, context }: Kit, instant: number, allDay: boolean): string {
  return writeWall(client.zones.wallAt(instant, context.timeZone), allDay);
}

/** The last day of whole days, as people say it. */
function endWall(kit: Kit, { from, to, allDay }: Planned): string {
  return wall(kit, allDay ? Math.max(from, to - 1) : to, allDay);
}

function whenWords(kit: Kit, { from, to, allDay }: Planned): string {
  const begin = wall(kit, from, allDay);
  const end = endWall(kit, { from, to, allDay });
  if (begin === end) return allDay ? `${begin}, all day` : begin;
  return `${begin} to ${end.slice(0, 10) === begin.slice(0, 10) && !allDay ? end.slice(11) : end}`;
}

function listed(kit: Kit, found: Found): schemas.ListedEvent {
  const { id, calendar, title, from, allDay, repeats, location, description, attendees } = found;
  return {
    id,
    calendar,
    title,
    start: wall(kit, from, allDay),
    end: endWall(kit, found),
    allDay,
    repeats,
    ...(location === undefined ? {} : { location }),
    ...(description === undefined ? {} : { description: description.slice(0, DESCRIPTION_CHARS_MAX) }),
    people: attendees,
  };
}

const DESCRIPTION_CHARS_MAX = 500;

function lineOf({ id, title, start, end, allDay, calendar, location, people }: schemas.ListedEvent): string {
  const when = allDay ? (start === end ? `${start} all day` : `${start} to ${end}`) : `${start} to ${end}`;
  const more = [
    calendar,
    ...(location === undefined ? [] : [`at ${location}`]),
    ...(people > 0 ? [`${people} invited`] : []),
  ];
  return `- ${weekday(start)} ${when}: ${title} (${more.join(", ")}) [${id}]`;
}

/** Said, so that nobody has to work it out: `Wed` for 2026-11-18. */
function weekday(wallTime: string): string {
  const day = new Date(`${wallTime.slice(0, 10)}T00:00:00Z`);
  return day.toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
}

function seriesDay(): ToolError {
  return new ToolError(
    "refused",
    "A whole series can be moved to another hour, not to another day: its rule would no longer say the same. Move single times of it, or change the rule in your calendar program. Nothing was changed.",
  );
}

function orThrow<T>(answer: { ok: true; value: T } | { ok: false; error: string }): T {
  if (answer.ok) return answer.value;
  throw new ToolError("refused", answer.error);
}
