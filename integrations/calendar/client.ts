import type { IntegrationContext } from "@elwood/sdk/integration";
import { ToolError } from "@elwood/sdk/tool";
import { BrokenCalendar, CalendarFiles, type CalendarFile, type Occurrence } from "./ics.ts";
import { Zones } from "./zones.ts";

export interface CalendarSettings {
  readonly url: string;
  readonly username: string;
  /** Names; empty for all. */
  readonly calendars: readonly string[];
  /** Where the calendars are, once that was found out. */
  readonly home?: string;
}

export interface Calendar {
  readonly name: string;
  readonly url: string;
}

/** A file on the server, as it was read. */
export interface Stored {
  readonly calendar: Calendar;
  readonly path: string;
  readonly etag: string;
  readonly text: string;
}

export interface Found extends Occurrence {
  readonly id: string;
  readonly calendar: string;
  readonly repeats: boolean;
}

/** What is kept of an event: as much as a card shows. */
export type Seen = Pick<Occurrence, "title" | "from" | "to" | "allDay" | "attendees" | "key" | "location"> & {
  readonly repeats: boolean;
};

type Dav = Pick<
  typeof import("tsdav"),
  | "serviceDiscovery"
  | "fetchPrincipalUrl"
  | "fetchHomeUrl"
  | "propfind"
  | "calendarQuery"
  | "DAVNamespaceShort"
>;

const CALENDARS_MS = 60_000;
const SEEN_MAX = 5_000;
const QUOTED_CHARS_MAX = 300;
const FILE_BYTES_MAX = 1024 * 1024;

/**
 * The owner's calendars over CalDAV. An event's id is the path of its file on the server, and behind a `#`
 * which time of a series is meant. tsdav and ical.js are loaded with the first request.
 *
 * K1 A write names the version it was made from (`If-Match`), or that there must be none: what somebody
 *    changed meanwhile is never written over.
 * K2 A refusal of the server is a ToolError: nothing happened. Anything else after a write was sent is not.
 */
export class CalendarClient {
  readonly zones = new Zones();
  readonly #context: IntegrationContext<CalendarSettings>;
  #libraries: Promise<{ readonly dav: Dav; readonly files: CalendarFiles }> | undefined;
  #calendars: { readonly at: number; readonly list: readonly Calendar[] } | undefined;
  /** The events that were listed or looked at, for deciding about a call and showing it without asking the server. */
  readonly #seen = new Map<string, Seen>();

  constructor(context: IntegrationContext<CalendarSettings>) {
    this.#context = context;
  }

  /** An event as it was when it was listed since the start; undefined where it was not. */
  seen(id: string): Seen | undefined {
    return this.#seen.get(id);
  }

  async files(): Promise<CalendarFiles> {
    return (await this.#load()).files;
  }

  /** Finds the calendars of the account, beginning at the address that the owner gave. */
  async discover(signal: AbortSignal): Promise<string> {
    const { dav } = await this.#load();
    const { url } = this.#context.settings;
    const options = this.#options(signal);
    const account = { serverUrl: url, accountType: "caldav" as const, credentials: {} };
    return this.#asked(url, async () => {
      const rootUrl = here(url, await dav.serviceDiscovery({ account, ...options }));
      const principal = await dav.fetchPrincipalUrl({ account: { ...account, rootUrl }, ...options });
      const principalUrl = here(url, principal);
      const home = await dav.fetchHomeUrl({ account: { ...account, rootUrl, principalUrl }, ...options });
      return new URL(home, principalUrl).href;
    });
  }

  /** Those that hold events and that the settings do not leave out, in the order of the settings. */
  async calendars(signal: AbortSignal): Promise<readonly Calendar[]> {
    const { settings, now } = this.#context;
    if (this.#calendars && now() - this.#calendars.at < CALENDARS_MS) return this.#calendars.list;
    const { dav } = await this.#load();
    const home = settings.home ?? settings.url;
    const answers = await this.#asked(home, () =>
      dav.propfind({
        url: home,
        props: {
          [`${dav.DAVNamespaceShort.DAV}:displayname`]: {},
          [`${dav.DAVNamespaceShort.DAV}:resourcetype`]: {},
          [`${dav.DAVNamespaceShort.CALDAV}:supported-calendar-component-set`]: {},
        },
        depth: "1",
        ...this.#options(signal),
      }),
    );
    const all = checkedAnswers(answers, home).flatMap(({ href, props }): Calendar[] => {
      if (href === undefined || !keysOf(props?.["resourcetype"]).includes("calendar")) return [];
      const kinds = componentsOf(props?.["supportedCalendarComponentSet"]);
      if (kinds.length > 0 && !kinds.includes("VEVENT")) return [];
      const url = new URL(href, home).href;
      return [{ url, name: nameOf(props?.["displayname"], url) }];
    });
    const wanted = settings.calendars.map((name) => {
      const found = all.find((each) => same(each.name, name));
      if (!found)
        throw new ToolError(
          "not_found",
          `There is no calendar “${name}”. There are ${all.map((each) => `“${each.name}”`).join(", ") || "none"}.`,
        );
      return found;
    });
    const list = wanted.length > 0 ? wanted : all;
    this.#calendars = { at: now(), list };
    return list;
  }

  async calendar(name: string | undefined, signal: AbortSignal): Promise<Calendar> {
    const list = await this.calendars(signal);
    const found = name === undefined ? list[0] : list.find((each) => same(each.name, name));
    if (found) return found;
    if (list.length === 0) throw new ToolError("not_found", "This account has no calendar for events.");
    throw new ToolError(
      "not_found",
      `There is no calendar “${name ?? ""}”. There are ${list.map((each) => `“${each.name}”`).join(", ")}.`,
    );
  }

  /** All that lies in a span, by its beginning. */
  async events(
    span: { readonly from: number; readonly to: number },
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly Found[]; readonly unreadable: number; readonly cut: boolean }> {
    const calendars = name === undefined ? await this.calendars(signal) : [await this.calendar(name, signal)];
    const events: Found[] = [];
    let [unreadable, cut] = [0, false];
    for (const calendar of calendars) {
      for (const { path, text } of await this.#query(calendar, span, signal)) {
        const read = await this.#read(text);
        const found = read && inSpan(read, span);
        if (!read || !found) {
          unreadable += 1;
          continue;
        }
        cut ||= found.cut;
        const repeats = read.repeats;
        for (const each of found.list) {
          const id = each.key === undefined ? path : `${path}#${each.key}`;
          this.remember(id, { ...each, repeats });
          events.push({ ...each, id, calendar: calendar.name, repeats });
        }
      }
    }
    return { events: events.toSorted((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1)), unreadable, cut };
  }

  /** The file of an event; undefined where there is none. */
  async stored(id: string, signal: AbortSignal): Promise<Stored | undefined> {
    const { calendar, url, path } = await this.place(id, signal);
    const response = await this.#send(url, { method: "GET" }, signal);
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) throw refusal(response.status, url);
    const text = await response.text();
    if (text.length > FILE_BYTES_MAX)
      throw new ToolError("too_large", "This event is too large to be changed here. Nothing was changed.");
    return { calendar, path, text, etag: response.headers.get("etag") ?? "" };
  }

  /** Where an event is: within one of the calendars, and nowhere else. */
  async place(
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly calendar: Calendar; readonly url: string; readonly path: string }> {
    const [path = ""] = id.split("#", 1);
    const list = await this.calendars(signal);
    for (const calendar of list) {
      const url = URL.parse(path, calendar.url);
      const folder = new URL(calendar.url);
      if (
        url &&
        url.origin === folder.origin &&
        url.pathname.startsWith(slashed(folder.pathname)) &&
        url.search === "" &&
        !/%2f|%5c/i.test(url.pathname)
      )
        return { calendar, url: url.href, path: url.pathname };
    }
    throw new ToolError(
      "not_found",
      "There is no such event in your calendars. List the events, and use an id from there. Nothing was changed.",
    );
  }

  /** K1: `etag` is the version it was made from; without one there must be no file yet. */
  async put(url: string, text: string, etag: string | undefined, signal: AbortSignal): Promise<string> {
    const condition: Record<string, string> =
      etag === undefined ? { "if-none-match": "*" } : etag === "" ? {} : { "if-match": etag };
    const headers = { "content-type": "text/calendar; charset=utf-8", ...condition };
    const response = await this.#send(url, { method: "PUT", body: text, headers }, signal);
    if (!response.ok) throw writeRefusal(response.status, url);
    return response.headers.get("etag") ?? (await this.#etag(url, signal));
  }

  async remove(url: string, etag: string, signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = etag === "" ? {} : { "if-match": etag };
    const response = await this.#send(url, { method: "DELETE", headers }, signal);
    if (!response.ok) throw writeRefusal(response.status, url);
  }

  /** Some servers say only afterwards which version it is. */
  async #etag(url: string, signal: AbortSignal): Promise<string> {
    const response = await this.#send(url, { method: "GET" }, signal);
    await response.arrayBuffer();
    return response.headers.get("etag") ?? "";
  }

  async #query(
    calendar: Calendar,
    { from, to }: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ): Promise<readonly { readonly path: string; readonly text: string }[]> {
    const { dav } = await this.#load();
    const range = { start: basic(from), end: basic(to) };
    const filter = {
      "comp-filter": {
        _attributes: { name: "VCALENDAR" },
        "comp-filter": { _attributes: { name: "VEVENT" }, "time-range": { _attributes: range } },
      },
    };
    const answers = await this.#asked(calendar.url, () =>
      dav.calendarQuery({
        url: calendar.url,
        props: {
          [`${dav.DAVNamespaceShort.DAV}:getetag`]: {},
          [`${dav.DAVNamespaceShort.CALDAV}:calendar-data`]: {},
        },
        filters: [filter],
        depth: "1",
        ...this.#options(signal),
      }),
    );
    return checkedAnswers(answers, calendar.url).flatMap(({ href, props }) => {
      if (href === undefined) return [];
      const data: unknown = props?.["calendarData"];
      const text = typeof data === "string" ? data : cdataOf(data);
      return text === undefined ? [] : [{ path: new URL(href, calendar.url).pathname, text }];
    });
  }

  /** Undefined where it cannot be read: one broken entry must not hide the others. */
  async #read(text: string): Promise<CalendarFile | undefined> {
    try {
      return (await this.files()).read(text);
    } catch (cause) {
      if (cause instanceof BrokenCalendar) return undefined;
      throw cause;
    }
  }

  remember(id: string, { title, from, to, allDay, attendees, key, location, repeats }: Seen): void {
    this.#seen.delete(id);
    this.#seen.set(id, {
      title,
      from,
      to,
      allDay,
      attendees,
      key,
      repeats,
      ...(location === undefined ? {} : { location }),
    });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > SEEN_MAX && oldest !== undefined) this.#seen.delete(oldest);
  }

  async #send(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#authorization(), ...(init.headers as Record<string, string> | undefined) };
    return this.#context.fetch(url, { ...init, headers, redirect: "error", signal });
  }

  #authorization(): Record<string, string> {
    const { settings, secrets } = this.#context;
    const pair = Buffer.from(`${settings.username}:${secrets["password"] ?? ""}`, "utf8").toString("base64");
    return { authorization: `Basic ${pair}` };
  }

  #options(signal: AbortSignal) {
    const { fetch } = this.#context;
    return { headers: this.#authorization(), fetchOptions: { signal }, fetch };
  }

  /** tsdav tells what went wrong as an Error of few words. Asking changes nothing, so it did not happen. */
  async #asked<T>(url: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof ToolError || !(cause instanceof Error) || cause.name === "AbortError") throw cause;
      if (/invalid credentials|unauthorized|401/i.test(cause.message)) throw refusal(401, url);
      throw notCaldav(url, cause.message.slice(0, QUOTED_CHARS_MAX));
    }
  }

  #load() {
    return (this.#libraries ??= Promise.all([import("tsdav"), import("ical.js")]).then(([dav, ical]) => ({
      dav,
      files: new CalendarFiles(ical.default, this.zones, this.#context.timeZone),
    })));
  }
}

function inSpan(file: CalendarFile, span: { readonly from: number; readonly to: number }) {
  try {
    return file.occurrences(span);
  } catch {
    // Rules and dates that ical.js cannot count; whatever it throws, the entry is unreadable and nothing else.
    return undefined;
  }
}

interface DavAnswer {
  readonly href?: string;
  readonly ok: boolean;
  readonly status: number;
  readonly props?: Record<string, unknown>;
  /** What came, where it was no list of answers. */
  readonly raw?: unknown;
}

/** tsdav hands on a refusal as if it were an answer. */
function checkedAnswers(answers: readonly DavAnswer[], url: string): readonly DavAnswer[] {
  const [first] = answers;
  if (first === undefined || first.props !== undefined || typeof first.raw !== "string") return answers;
  if (!first.ok) throw refusal(first.status, url);
  throw notCaldav(url);
}

function notCaldav(url: string, quoted?: string): ToolError {
  const { host } = new URL(url);
  return new ToolError(
    "protocol",
    `${host} does not answer as a calendar server does (CalDAV). Look at the address.`,
    quoted === undefined ? {} : { quoted },
  );
}

/** Before it is known where the calendars are, the password goes to the address that the owner gave and no other. */
function here(given: string, found: string): string {
  const [own, url] = [new URL(given), new URL(found, given)];
  if (own.origin === url.origin) return url.href;
  throw new ToolError(
    "elsewhere",
    `${own.host} says that its calendars are served by ${url.host}. Nothing was sent there. If you know it, set up the address ${url.origin} instead.`,
  );
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** `<comp name="VEVENT"/>`, one or several. */
function componentsOf(set: unknown): readonly string[] {
  const comp: unknown = typeof set === "object" && set !== null && "comp" in set ? set.comp : [];
  return (Array.isArray(comp) ? (comp as unknown[]) : [comp]).flatMap((each) => {
    const attributes: unknown =
      typeof each === "object" && each !== null && "_attributes" in each ? each._attributes : {};
    const name: unknown =
      typeof attributes === "object" && attributes !== null && "name" in attributes ? attributes.name : "";
    return typeof name === "string" && name !== "" ? [name.toUpperCase()] : [];
  });
}

function nameOf(displayName: unknown, url: string): string {
  // A name of digits alone comes as a number.
  const given = typeof displayName === "number" ? String(displayName) : (cdataOf(displayName) ?? displayName);
  const text = typeof given === "string" ? given.trim() : "";
  if (text !== "") return text.slice(0, NAME_CHARS_MAX);
  const last = new URL(url).pathname.split("/").findLast((part) => part !== "") ?? "calendar";
  try {
    return decodeURIComponent(last);
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    return last;
  }
}

const NAME_CHARS_MAX = 200;

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function slashed(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function basic(instant: number): string {
  return new Date(instant).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

function cdataOf(data: unknown): string | undefined {
  const text: unknown =
    typeof data === "object" && data !== null && "_cdata" in data ? data._cdata : undefined;
  return typeof text === "string" ? text : undefined;
}

function refusal(status: number, url: string): ToolError {
  const { host } = new URL(url);
  if (status === 401)
    return new ToolError(
      "unauthorized",
      `${host} does not accept the user name or the password. Make a new app password, and set the calendar up again: elwood integrations setup calendar`,
    );
  if (status === 403) return new ToolError("forbidden", `${host} does not let this account in there.`);
  if (status === 404) return new ToolError("not_found", `${host} has no calendar at this address.`);
  if (status === 429)
    return new ToolError("rate_limited", `${host} takes no more requests for now. Try again later.`, {
      retryable: true,
    });
  return new ToolError("upstream", `${host} answered with ${status}.`, { retryable: status >= 500 });
}

/** K2 */
function writeRefusal(status: number, url: string): Error {
  const { host } = new URL(url);
  if (status === 412)
    return new ToolError(
      "changed",
      "The event was changed meanwhile, by another program or person. Nothing was changed. List it again, then decide.",
    );
  if (status === 404 || status === 410)
    return new ToolError("not_found", "The event is not there any more. Nothing was changed.");
  if (status === 403 || status === 405)
    return new ToolError("forbidden", `${host} does not let this calendar be changed. Nothing was changed.`);
  if (status >= 400 && status < 500) {
    const why = refusal(status, url);
    return new ToolError(why.code, `${why.message} Nothing was changed.`, { retryable: why.retryable });
  }
  return new Error(`${host} answered with ${status}; it is not known whether the event was changed.`);
}
