/** The tools against a real CalDAV server: `npm run test:real -- radicale`. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testContext, type ToolDefinition } from "@elwood/sdk/tool";
import { afterAll, beforeAll, expect, test } from "vitest";
import integration from "./index.ts";

const START_TRIES_MAX = 200;
const TRY_MS = 100;
const signal = () => new AbortController().signal;
const authorization = `Basic ${Buffer.from("ada:app-password").toString("base64")}`;
let folder: string;
let server: ChildProcess;
let url: string;
let tools: ReadonlyMap<string, ToolDefinition>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elwood-radicale-"));
  writeFileSync(join(folder, "users"), "ada:app-password\n");
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const settings = {
    "server-hosts": `127.0.0.1:${port}`,
    "auth-type": "htpasswd",
    "auth-htpasswd-filename": join(folder, "users"),
    "auth-htpasswd-encryption": "plain",
    "storage-filesystem-folder": join(folder, "files"),
    "logging-level": "warning",
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  server = spawn("radicale", ["--config", "", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  await untilReady();
  for (const name of ["work", "home"]) {
    const made = await fetch(`${url}/ada/${name}/`, {
      method: "MKCALENDAR",
      headers: { authorization },
      body: `<?xml version="1.0"?><c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:displayname>${name}</d:displayname></d:prop></d:set></c:mkcalendar>`,
    });
    expect(made.status).toBe(201);
  }
  const found = await integration.check(context(), signal());
  if (!found.ok || found.found === undefined) throw new Error(JSON.stringify(found));
  tools = new Map(integration.tools(context(found.found)).map((tool) => [tool.id, tool]));
});
afterAll(async () => {
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill();
  await gone;
  rmSync(folder, { recursive: true, force: true });
});

function context(given: Readonly<Record<string, unknown>> = {}, password = "app-password") {
  const settings = integration.settings({ url, username: "ada", calendars: ["work", "home"], ...given });
  if (!settings.ok) throw new Error(settings.error);
  return {
    settings: settings.value,
    secrets: { password },
    fetch: globalThis.fetch,
    timeZone: "Europe/Berlin",
    now: () => Date.UTC(2026, 10, 16, 8, 0),
  };
}

async function call(id: string, input: object, idempotencyKey = "key") {
  const tool = tools.get(id)!;
  const parsed = (tool.input as { parse(value: unknown): unknown }).parse(input);
  const { value } = (await tool.handler(parsed, testContext({ idempotencyKey }))) as { value: unknown };
  return value as { id: string; events: { id: string; title: string; start: string }[]; free: unknown[] };
}
const undo = async (id: string, value: unknown) => tools.get(id)!.undo!({}, value, testContext());
const list = async (from: string, to: string) => (await call("calendar.event.list", { from, to })).events;
const starts = async (from: string, to: string) => (await list(from, to)).map(({ start }) => start);

test("a wrong password is refused in words", async () => {
  expect(await integration.check(context({}, "wrong"), signal())).toMatchObject({
    ok: false,
    problem: expect.stringContaining("app password"),
  });
});

test("an event is created once, listed, moved, moved back, deleted and put back", async () => {
  const input = { title: "Dentist", start: "2026-11-20T14:00", location: "High Street" };
  const made = await call("calendar.event.create", input, "a");
  await expect(call("calendar.event.create", input, "a")).rejects.toThrow("Nothing was changed");
  expect(await tools.get("calendar.event.create")!.reconcile!(input, "a")).toBe("happened");
  expect(await starts("2026-11-20", "2026-11-21")).toEqual(["2026-11-20T14:00"]);
  const moved = await call("calendar.event.move", { event: made.id, start: "2026-11-21T09:00" });
  expect(await starts("2026-11-20", "2026-11-22")).toEqual(["2026-11-21T09:00"]);
  await undo("calendar.event.move", moved);
  expect(await starts("2026-11-20", "2026-11-22")).toEqual(["2026-11-20T14:00"]);
  const gone = await call("calendar.event.delete", { event: made.id });
  expect(await list("2026-11-20", "2026-11-22")).toEqual([]);
  await undo("calendar.event.delete", gone);
  expect(await list("2026-11-20", "2026-11-22")).toHaveLength(1);
});

test("a series keeps its hour over the change of clocks, loses one time, moves another, and free time goes around it", async () => {
  const weekly = {
    title: "Choir",
    start: "2026-10-19T19:00",
    end: "2026-10-19T21:00",
    repeat: "FREQ=WEEKLY;COUNT=4",
  };
  await call("calendar.event.create", { ...weekly, calendar: "home" }, "b");
  const [, second, third] = await list("2026-10-15", "2026-11-12");
  await call("calendar.event.delete", { event: second!.id });
  await call("calendar.event.move", { event: third!.id, start: "2026-11-03T18:00" });
  expect(await starts("2026-10-15", "2026-11-12")).toEqual([
    "2026-10-19T19:00",
    "2026-11-03T18:00",
    "2026-11-09T19:00",
  ]);
  const { free } = await call("calendar.time.findFree", {
    from: "2026-11-09",
    to: "2026-11-09",
    minutes: 60,
    dayStart: "18:00",
    dayEnd: "22:00",
  });
  expect(free).toMatchObject([{ start: "2026-11-09T18:00" }, { start: "2026-11-09T21:00" }]);
});

test("what another program changed meanwhile is not written over", async () => {
  const made = await call("calendar.event.create", { title: "Lunch", start: "2026-12-01T12:00" }, "c");
  const moved = await call("calendar.event.move", { event: made.id, start: "2026-12-01T13:00" });
  const place = `${url}${made.id}`;
  const text = await (await fetch(place, { headers: { authorization } })).text();
  const changed = await fetch(place, {
    method: "PUT",
    headers: { authorization, "content-type": "text/calendar" },
    body: text.replace("Lunch", "Late lunch"),
  });
  expect(changed.ok).toBe(true);
  await expect(undo("calendar.event.move", moved)).rejects.toThrow("changed meanwhile");
  expect(await list("2026-12-01", "2026-12-02")).toMatchObject([
    { title: "Late lunch", start: "2026-12-01T13:00" },
  ]);
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A process of another project has no event for "ready": its port is asked, with a bound. */
async function untilReady(): Promise<void> {
  const failed: Error[] = [];
  server.once("error", (error) => failed.push(error));
  for (let at = 0; at < START_TRIES_MAX && failed.length === 0; at++) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
  throw new Error(
    `radicale does not answer. Install it: apt-get install radicale. ${failed[0]?.message ?? ""}`,
  );
}
