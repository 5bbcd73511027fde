import { readFileSync } from "node:fs";
import type { IntegrationJob } from "@elwood/sdk/integration";
import { testContext, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { CaldavServer } from "@elwood/testkit/caldav-server";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import integration from "./index.ts";

const NOW = Date.UTC(2026, 10, 16, 8, 0);
const signal = () => new AbortController().signal;
let server: CaldavServer;
let tools: ReadonlyMap<string, ToolDefinition>;
const made: { job: IntegrationJob; key: string }[] = [];
beforeAll(async () => {
  server = await new CaldavServer().start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.clear();
  tools = new Map(integration.tools(contextAt(server)).map((tool) => [tool.id, tool]));
});

function contextAt(at: CaldavServer, given: Record<string, unknown> = {}, password = "app-password") {
  const settings = integration.settings({
    url: at.url,
    username: "ada",
    home: `${at.url}/dav/ada/`,
    ...given,
  });
  if (!settings.ok) throw new Error(settings.error);
  const planned = (job: IntegrationJob) => ({
    ok: true as const,
    value: { id: "job_1", name: "reminder", when: `at ${job.at}`, next: [] },
  });
  return {
    settings: settings.value,
    secrets: { password },
    fetch: globalThis.fetch,
    timeZone: "Europe/Berlin",
    now: () => NOW,
    jobs: {
      plan: async (job: IntegrationJob) => planned(job),
      create: async (job: IntegrationJob, { key }: { key: string }) => {
        made.push({ job, key });
        return planned(job);
      },
      wasCreated: async (key: string) => made.some((each) => each.key === key),
      remove: async () => planned(made.pop()!.job),
    },
  };
}

/** What the tools answer, as far as these tests look at it. */
interface Answer {
  readonly id: string;
  readonly start: string;
  readonly end: string;
  readonly more: boolean;
  readonly unreadable: number;
  readonly events: readonly { id: string; title: string; start: string; end: string }[];
  readonly free: readonly unknown[];
}

async function call(id: string, input: object, given: Parameters<typeof testContext>[0] = {}) {
  const tool = tools.get(id)!;
  const parsed = (tool.input as { parse(value: unknown): unknown }).parse(input);
  return (await tool.handler(parsed, testContext(given))) as { value: Answer; text: string };
}
const undo = async (id: string, value: unknown) => tools.get(id)!.undo!({}, value, testContext());
const list = async (from: string, to: string) =>
  (await call("calendar.event.list", { from, to })).value.events;

function ics(lines: string): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\n${lines
    .trim()
    .split(/\s*\n\s*/)
    .join("\r\n")}\r\nEND:VCALENDAR\r\n`;
}
const event = (uid: string, lines: string) =>
  ics(`BEGIN:VEVENT\nUID:${uid}\nDTSTAMP:20261101T000000Z\n${lines.trim()}\nEND:VEVENT`);

test("the guide has an address for each of the large services, and each is taken as it stands there", () => {
  const guide = readFileSync(new URL("../../docs/calendar.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (\w+) +\| `(https:[^`]+)`/gm)].map(([, service, url]) => ({
    service,
    url,
  }));
  expect(rows.map(({ service }) => service)).toEqual(["iCloud", "Fastmail", "Google", "Nextcloud"]);
  for (const { url } of rows)
    expect(integration.settings({ url, username: "you@example.com" })).toMatchObject({
      ok: true,
      value: { url },
    });
});

test("OA-13: an account is found by its address, and says which calendars hold events", async () => {
  const { home: _home, ...settings } = contextAt(server).settings;
  const found = await integration.check({ ...contextAt(server), settings }, signal());
  expect(found).toEqual({ ok: true, account: "ada", notes: [], found: { home: `${server.url}/dav/ada/` } });
  expect(await integration.check(contextAt(server), signal())).toMatchObject({
    ok: true,
    notes: ["Calendars: Work, Home. New events go to the first."],
  });
});

test("a wrong password, a calendar that is not there and a server that is none are told in words", async () => {
  expect(await integration.check(contextAt(server, {}, "wrong"), signal())).toMatchObject({
    ok: false,
    problem: expect.stringContaining("Make a new app password"),
  });
  expect(await integration.check(contextAt(server, { calendars: ["Sport"] }), signal())).toMatchObject({
    ok: false,
    problem: expect.stringContaining("“Work”, “Home”"),
  });
  expect(
    await integration.check(contextAt(server, { home: `${server.url}/nothing/` }), signal()),
  ).toMatchObject({
    ok: false,
    problem: expect.stringContaining("no calendar at this address"),
  });
});

test("where a server says that the calendars are on another site, nothing is sent there", async () => {
  const liar = await new CaldavServer({ home: () => "https://evil.example/dav/" }).start();
  onTestFinished(() => liar.close());
  const { home: _home, ...settings } = contextAt(liar).settings;
  expect(await integration.check({ ...contextAt(liar), settings }, signal())).toMatchObject({
    ok: false,
    problem: expect.stringContaining("another site"),
  });
});

test("events of all calendars are listed by the owner's clock, whatever zone they were written in", async () => {
  server.put(
    "work",
    "a.ics",
    event(
      "a",
      "SUMMARY:Call\nDTSTART;TZID=America/New_York:20261117T090000\nDTEND;TZID=America/New_York:20261117T093000",
    ),
  );
  server.put(
    "home",
    "b.ics",
    event("b", "SUMMARY:Train\nDTSTART:20261117T050000Z\nDURATION:PT1H30M\nLOCATION:Bahnhof"),
  );
  server.put(
    "home",
    "c.ics",
    event("c", "SUMMARY:Holiday\nDTSTART;VALUE=DATE:20261117\nDTEND;VALUE=DATE:20261119"),
  );
  expect(
    (await list("2026-11-17", "2026-11-18")).map(({ title, start, end }) => [title, start, end]),
  ).toEqual([
    ["Holiday", "2026-11-17", "2026-11-18"],
    ["Train", "2026-11-17T06:00", "2026-11-17T07:30"],
    ["Call", "2026-11-17T15:00", "2026-11-17T15:30"],
  ]);
  const found = await call("calendar.event.list", { from: "2026-11-17", to: "2026-11-18", search: "bahn" });
  expect(found.value.events).toHaveLength(1);
  expect(found.text).toContain("- Tue 2026-11-17T06:00 to 2026-11-17T07:30: Train");
});

test("a series stays at nine o'clock when clocks change, leaves out what was cancelled, and shows what was moved", async () => {
  server.put(
    "work",
    "series.ics",
    ics(`BEGIN:VEVENT
      UID:s
      DTSTAMP:20260101T000000Z
      SUMMARY:Stand-up
      DTSTART;TZID=Europe/Berlin:20261023T090000
      DTEND;TZID=Europe/Berlin:20261023T091500
      RRULE:FREQ=DAILY;COUNT=6
      EXDATE;TZID=Europe/Berlin:20261024T090000
      END:VEVENT
      BEGIN:VEVENT
      UID:s
      DTSTAMP:20260101T000000Z
      RECURRENCE-ID;TZID=Europe/Berlin:20261027T090000
      SUMMARY:Stand-up, later
      DTSTART;TZID=Europe/Berlin:20261027T140000
      DTEND;TZID=Europe/Berlin:20261027T143000
      END:VEVENT`),
  );
  const found = await list("2026-10-20", "2026-11-01");
  expect(found.map(({ start, title }) => [start, title])).toEqual([
    ["2026-10-23T09:00", "Stand-up"],
    ["2026-10-25T09:00", "Stand-up"],
    ["2026-10-26T09:00", "Stand-up"],
    ["2026-10-27T14:00", "Stand-up, later"],
    ["2026-10-28T09:00", "Stand-up"],
  ]);
  expect(new Set(found.map(({ id }) => id)).size).toBe(5);
});

test("a zone with a name of its own counts by the rules that stand beside it", async () => {
  server.put(
    "work",
    "outlook.ics",
    ics(`BEGIN:VTIMEZONE
      TZID:Somewhere Standard Time
      BEGIN:STANDARD
      DTSTART:16010101T000000
      TZOFFSETFROM:+0530
      TZOFFSETTO:+0530
      END:STANDARD
      END:VTIMEZONE
      BEGIN:VEVENT
      UID:o
      DTSTAMP:20260101T000000Z
      SUMMARY:Far away
      DTSTART;TZID=Somewhere Standard Time:20261117T130000
      DTEND;TZID=Somewhere Standard Time:20261117T140000
      END:VEVENT`),
  );
  expect(await list("2026-11-17", "2026-11-18")).toMatchObject([
    { start: "2026-11-17T08:30", end: "2026-11-17T09:30" },
  ]);
});

test("broken entries hide no other, and a rule without an end is cut off", async () => {
  server.put("work", "ok.ics", event("ok", "SUMMARY:Fine\nDTSTART:20261117T100000Z\nDTEND:20261117T110000Z"));
  server.put("work", "cut.ics", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:cut o");
  server.put("work", "html.ics", "<html>not a calendar</html>");
  server.put("work", "noday.ics", event("n", "SUMMARY:No time"));
  server.put("work", "odd.ics", event("o", "SUMMARY:Odd\nDTSTART:20261345T990000Z"));
  server.put("work", "rule.ics", event("r", "SUMMARY:Rule\nDTSTART:20261101T000000Z\nRRULE:FREQ=NEVER;X=1"));
  server.put("work", "often.ics", event("f", "SUMMARY:Often\nDTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY"));
  const { value, text } = await call("calendar.event.list", {
    from: "2026-11-17T08:00",
    to: "2026-11-17T20:00",
  });
  expect(value.events.map(({ title }: { title: string }) => title)).toContain("Fine");
  expect(value.unreadable).toBeGreaterThanOrEqual(3);
  expect(value.more).toBe(true);
  expect(text).toContain("could not be read");
  expect(text).toContain("repeats so often");
});

test("a calendar of 10,000 events answers for its month, and says that there are more", async () => {
  const many = await new CaldavServer().start();
  onTestFinished(() => many.close());
  for (let at = 0; at < 10_000; at++) {
    const day = new Date(Date.UTC(2026, 0, 1) + Math.floor(at / 25) * 86_400_000);
    const stamp = day.toISOString().slice(0, 10).replaceAll("-", "");
    many.put(
      "work",
      `${at}.ics`,
      event(String(at), `SUMMARY:Event ${at}\nDTSTART:${stamp}T100000Z\nDTEND:${stamp}T103000Z`),
    );
  }
  tools = new Map(integration.tools(contextAt(many)).map((tool) => [tool.id, tool]));
  const { value, text } = await call("calendar.event.list", { from: "2026-03-01", to: "2026-04-01" });
  expect(value.events).toHaveLength(100);
  expect(value.more).toBe(true);
  expect(text).toContain("675 more");
});

test("free time lies between what is busy, within the hours of the day, and not over what is cancelled or marked as free", async () => {
  server.put("work", "a.ics", event("a", "SUMMARY:A\nDTSTART:20261117T090000Z\nDTEND:20261117T100000Z"));
  server.put("home", "b.ics", event("b", "SUMMARY:B\nDTSTART:20261117T093000Z\nDTEND:20261117T110000Z"));
  server.put(
    "home",
    "c.ics",
    event("c", "SUMMARY:C\nSTATUS:CANCELLED\nDTSTART:20261117T120000Z\nDTEND:20261117T160000Z"),
  );
  server.put("home", "d.ics", event("d", "SUMMARY:D\nTRANSP:TRANSPARENT\nDTSTART;VALUE=DATE:20261117"));
  const { value } = await call("calendar.time.findFree", {
    from: "2026-11-17",
    to: "2026-11-18",
    minutes: 60,
  });
  expect(value.free).toEqual([
    { start: "2026-11-17T09:00", end: "2026-11-17T10:00", minutes: 60 },
    { start: "2026-11-17T12:00", end: "2026-11-17T18:00", minutes: 360 },
    { start: "2026-11-18T09:00", end: "2026-11-18T18:00", minutes: 540 },
  ]);
});

test("an event is created once under its key, shown before, found again and taken back", async () => {
  const input = { title: "Dentist", start: "2026-11-20T14:00", location: "High Street 1" };
  const shown = await tools.get("calendar.event.create")!.preview!(input, signal(), {});
  expect(shown).toMatchObject({
    sentence: "Put “Dentist” into your calendar.",
    creates: true,
    undoable: true,
  });
  expect(shown.after).toBe("Dentist\n2026-11-20T14:00 to 15:00\nWhere: High Street 1");
  const { value } = await call("calendar.event.create", input, { idempotencyKey: "k1" });
  expect(server.text(value.id)).toContain("DTSTART:20261120T130000Z");
  expect(await list("2026-11-20", "2026-11-21")).toMatchObject([
    { title: "Dentist", start: "2026-11-20T14:00", end: "2026-11-20T15:00" },
  ]);
  await expect(call("calendar.event.create", input, { idempotencyKey: "k1" })).rejects.toThrow(ToolError);
  const { reconcile } = tools.get("calendar.event.create")!;
  expect(await reconcile!(input, "k1")).toBe("happened");
  expect(await reconcile!(input, "k2")).toBe("did-not-happen");
  await undo("calendar.event.create", value);
  expect(await list("2026-11-20", "2026-11-21")).toEqual([]);
});

test("a series that is created in a zone carries that zone's rules, and whole days end on their last day", async () => {
  const weekly = await call("calendar.event.create", {
    title: "Choir",
    start: "2026-10-19T19:00",
    end: "2026-10-19T21:00",
    repeat: "FREQ=WEEKLY;COUNT=3",
  });
  const text = server.text(weekly.value.id)!;
  expect(text).toContain("DTSTART;TZID=Europe/Berlin:20261019T190000");
  expect(text).toMatch(
    /BEGIN:VTIMEZONE[^]*TZID:Europe\/Berlin[^]*DTSTART:20261025T030000\r\nTZOFFSETFROM:\+0200\r\nTZOFFSETTO:\+0100/,
  );
  expect((await list("2026-10-15", "2026-11-10")).map(({ start }) => start)).toEqual([
    "2026-10-19T19:00",
    "2026-10-26T19:00",
    "2026-11-02T19:00",
  ]);
  const days = await call(
    "calendar.event.create",
    { title: "Away", start: "2026-12-23", end: "2026-12-27" },
    { idempotencyKey: "days" },
  );
  expect(server.text(days.value.id)).toMatch(/DTSTART;VALUE=DATE:20261223[^]*DTEND;VALUE=DATE:20261228/);
  expect(days.value).toMatchObject({ start: "2026-12-23", end: "2026-12-27" });
});

test.each([
  [{ title: "x", start: "soon-ish-x" }, "no time"],
  [{ title: "x", start: "2026-02-30T10:00" }, "no time"],
  [{ title: "x", start: "2026-11-20T14:00", end: "2026-11-20T13:00" }, "before it begins"],
  [{ title: "x", start: "2026-11-20T14:00", end: "2026-11-21" }, "both be dates"],
  [{ title: "x", start: "2026-11-20T14:00", repeat: "FREQ=SECONDLY" }, "no rule"],
  [{ title: "x", start: "2026-11-20T14:00", repeat: "often" }, "no rule"],
  [{ title: "x", start: "2026-11-20T14:00", timeZone: "Mars/Base" }, "no time zone"],
  [{ title: "x", start: "2026-11-20T14:00", calendar: "Sport" }, "no calendar “Sport”"],
])("%j is refused, and nothing is stored", async (input, words) => {
  const before = server.paths().length;
  await expect(call("calendar.event.create", input)).rejects.toThrow(words);
  expect(server.paths().length).toBe(before);
});

test("an event is moved in its own zone with everything else kept, and put back", async () => {
  const path = server.put(
    "work",
    "m.ics",
    event(
      "m",
      "SUMMARY:Lunch\nX-COLOR:red\nDTSTART;TZID=America/New_York:20261117T120000\nDTEND;TZID=America/New_York:20261117T130000",
    ),
  );
  const before = server.text(path);
  await list("2026-11-17", "2026-11-18");
  const tool = tools.get("calendar.event.move")!;
  expect(await tool.facts!({ event: path, start: "", all: false }, {})).toEqual([]);
  const shown = await tool.preview!({ event: path, start: "2026-11-18T20:00", all: false }, signal(), {});
  expect(shown).toMatchObject({
    before: "Lunch\n2026-11-17T18:00 to 19:00",
    after: "Lunch\n2026-11-18T20:00 to 21:00",
    undoable: true,
  });
  const { value } = await call("calendar.event.move", { event: path, start: "2026-11-18T20:00" });
  expect(server.text(path)).toContain("DTSTART;TZID=America/New_York:20261118T140000");
  expect(server.text(path)).toContain("X-COLOR:red");
  expect(await tool.reconcile!({ event: path, start: "2026-11-18T20:00", all: false }, "k")).toBe("happened");
  await undo("calendar.event.move", value);
  expect(server.text(path)).toBe(before);
  expect(await tool.reconcile!({ event: path, start: "2026-11-18T20:00", all: false }, "k")).toBe(
    "did-not-happen",
  );
});

const SERIES = event(
  "s",
  "SUMMARY:Gym\nDTSTART;TZID=Europe/Berlin:20261116T180000\nDTEND;TZID=Europe/Berlin:20261116T190000\nRRULE:FREQ=WEEKLY;COUNT=4",
);

test("one time of a series is moved or deleted alone, and each can be undone", async () => {
  const path = server.put("work", "s.ics", SERIES);
  const [, second, third] = await list("2026-11-16", "2026-12-20");
  const moved = await call("calendar.event.move", { event: second!.id, start: "2026-11-24T07:00" });
  for (const tool of ["calendar.event.move", "calendar.event.delete", "calendar.event.remind"])
    expect(await tools.get(tool)!.target!({ event: third!.id })).toBe("Gym");
  const deleted = await call("calendar.event.delete", { event: third!.id });
  expect((await list("2026-11-16", "2026-12-20")).map(({ start }) => start)).toEqual([
    "2026-11-16T18:00",
    "2026-11-24T07:00",
    "2026-12-07T18:00",
  ]);
  expect(await tools.get("calendar.event.delete")!.reconcile!({ event: third!.id }, "k")).toBe("happened");
  await undo("calendar.event.delete", deleted.value);
  expect(await list("2026-11-16", "2026-12-20")).toHaveLength(4);
  expect(moved.value.id).toBe(second!.id);
  expect(server.text(path)).toContain("RECURRENCE-ID;TZID=Europe/Berlin:20261123T180000");
});

test("a whole series is moved to another hour and not to another day, and deleting it always asks", async () => {
  server.put("work", "s.ics", SERIES);
  const [first] = await list("2026-11-16", "2026-12-20");
  await expect(
    call("calendar.event.move", { event: first!.id, start: "2026-11-17T18:00", all: true }),
  ).rejects.toThrow("not to another day");
  await call("calendar.event.move", { event: first!.id, start: "2026-11-16T17:30", all: true });
  expect((await list("2026-11-16", "2026-12-20")).map(({ start }) => start.slice(11))).toEqual([
    "17:30",
    "17:30",
    "17:30",
    "17:30",
  ]);
  const [again] = await list("2026-11-16", "2026-12-20");
  const tool = tools.get("calendar.event.delete")!;
  expect(await tool.facts!({ event: again!.id, all: true }, {})).toMatchObject([
    { kind: "ask", rule: "ask.series" },
  ]);
  const { value } = await call("calendar.event.delete", { event: again!.id, all: true });
  expect(await list("2026-11-16", "2026-12-20")).toEqual([]);
  await undo("calendar.event.delete", value);
  expect(await list("2026-11-16", "2026-12-20")).toHaveLength(4);
});

test("what another program changed meanwhile is never written over", async () => {
  const path = server.put(
    "work",
    "m.ics",
    event("m", "SUMMARY:Lunch\nDTSTART:20261117T110000Z\nDTEND:20261117T120000Z"),
  );
  const { value } = await call("calendar.event.move", { event: path, start: "2026-11-18T13:00" });
  const theirs = server.text(path)!.replace("Lunch", "Late lunch");
  server.put("work", "m.ics", theirs);
  await expect(undo("calendar.event.move", value)).rejects.toThrow("changed meanwhile");
  expect(server.text(path)).toBe(theirs);
});

test("an event with guests, and one that was not listed, always asks; the card says who may be told", async () => {
  const path = server.put(
    "work",
    "g.ics",
    event(
      "g",
      "SUMMARY:Review\nATTENDEE:mailto:a@example.com\nATTENDEE:mailto:b@example.com\nDTSTART:20261117T110000Z\nDTEND:20261117T120000Z",
    ),
  );
  const tool = tools.get("calendar.event.delete")!;
  expect(await tool.facts!({ event: path, all: false }, {})).toMatchObject([
    { kind: "ask", rule: "ask.invited" },
  ]);
  await list("2026-11-17", "2026-11-18");
  expect(await tool.facts!({ event: path, all: false }, {})).toMatchObject([
    { reason: expect.stringContaining("Others are invited") },
  ]);
  const shown = await tool.preview!({ event: path, all: false }, signal(), {});
  expect(shown.sentence).toContain("2 people are invited");
});

test("a refusal means that nothing happened, and no answer leaves that open until it is looked up", async () => {
  const path = server.put(
    "work",
    "m.ics",
    event("m", "SUMMARY:Lunch\nDTSTART:20261117T110000Z\nDTEND:20261117T120000Z"),
  );
  server.failNext(403);
  await expect(call("calendar.event.delete", { event: path })).rejects.toThrow(
    /does not let this calendar be changed. Nothing was changed/,
  );
  server.failNext(500, true);
  const failed = await call("calendar.event.delete", { event: path }).catch((cause: unknown) => cause);
  expect(failed).not.toBeInstanceOf(ToolError);
  expect(await tools.get("calendar.event.delete")!.reconcile!({ event: path }, "k")).toBe("happened");
});

test.each([
  "/dav/eve/work/x.ics",
  "https://evil.example/dav/ada/work/x.ics",
  "/dav/ada/work/../../eve/x.ics",
  "/dav/ada/work/..%2f..%2feve/x.ics",
  "x?y",
])("an id outside of the calendars (%s) is refused before anything is asked about it", async (id) => {
  await list("2026-11-17", "2026-11-18");
  const count = server.requests.length;
  await expect(call("calendar.event.delete", { event: id })).rejects.toThrow("no such event");
  expect(server.requests.length).toBe(count);
});

test("a reminder is set before an event begins, and not for one that has", async () => {
  const path = server.put(
    "work",
    "m.ics",
    event("m", "SUMMARY:Lunch\nDTSTART:20261117T110000Z\nDTEND:20261117T120000Z"),
  );
  const { value } = await call(
    "calendar.event.remind",
    { event: path, minutesBefore: 30 },
    { idempotencyKey: "r" },
  );
  expect(made).toMatchObject([
    {
      key: "r",
      job: { kind: "reminder", at: "2026-11-17T11:30", message: "Lunch, 2026-11-17T12:00 to 13:00" },
    },
  ]);
  await undo("calendar.event.remind", value);
  expect(made).toEqual([]);
  const past = server.put(
    "work",
    "p.ics",
    event("p", "SUMMARY:Past\nDTSTART:20261101T110000Z\nDTEND:20261101T120000Z"),
  );
  await expect(call("calendar.event.remind", { event: past })).rejects.toThrow("That time has passed");
});

test("before a decision the server is not asked: an event is shown as it was listed, and looked at once it is allowed", async () => {
  const path = server.put(
    "work",
    "m.ics",
    event("m", "SUMMARY:Lunch\nDTSTART:20261117T110000Z\nDTEND:20261117T120000Z"),
  );
  const inputs = {
    "calendar.event.move": { event: path, start: "2026-11-18T20:00", all: false },
    "calendar.event.delete": { event: path, all: false },
    "calendar.event.remind": { event: path, minutesBefore: 15 },
  };
  const shown = async (about: { approved?: boolean }) =>
    Promise.all(
      Object.entries(inputs).map(
        async ([id, input]) => (await tools.get(id)!.preview!(input, signal(), about)).sentence,
      ),
    );
  const asked = server.requests.length;
  for (const sentence of await shown({})) expect(sentence).toContain("has not listed since it was started");
  expect(server.requests.length).toBe(asked);
  await list("2026-11-17", "2026-11-18");
  const listed = server.requests.length;
  const known = await shown({});
  for (const sentence of known) expect(sentence).toContain("Lunch");
  expect(server.requests.length).toBe(listed);
  // What was shown is what is there: the digest of the allowed call stays the same.
  expect(await shown({ approved: true })).toEqual(known);
  expect(server.requests.length).toBeGreaterThan(listed);
  server.put("work", "m.ics", server.text(path)!.replace("Lunch", "Trial"));
  expect((await shown({ approved: true }))[0]).toContain("Trial");
});
