import type { WireSession } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { aroundMatch, datedRows, foundRows, type SessionRow } from "./session-rows.ts";

const session = (sessionKey: string, more: Partial<WireSession> = {}): WireSession => ({
  sessionKey,
  agentId: "default",
  title: sessionKey,
  titledBy: "message",
  preview: "",
  pinned: false,
  createdAt: 0,
  updatedAt: 0,
  messageCount: 2,
  ...more,
});
const hit = (sessionKey: string, snippet: string) => ({
  session: session(sessionKey),
  runId: `run_${snippet}`,
  ts: 0,
  role: "assistant" as const,
  snippet,
});

test("what is found is one row a session, with what was said in it last, however often it was", () => {
  const rows = foundRows([session("a"), session("b")], [hit("c", "1"), hit("a", "2"), hit("c", "3")]);
  expect(rows.map((row) => [row.session.sessionKey, row.hit?.snippet])).toEqual([
    ["a", "2"],
    ["b", undefined],
    ["c", "1"],
  ]);
});

test("sessions stand under the days of their last words, by the calendar and not by hours; pinned ones first", () => {
  const day = (date: number, hour: number) => new Date(2026, 10, date, hour).getTime();
  const rows = datedRows(
    [
      session("p", { pinned: true, updatedAt: day(1, 9) }),
      session("a", { updatedAt: day(17, 0) }),
      session("b", { updatedAt: day(16, 23) }),
      session("c", { updatedAt: day(16, 0) }),
      session("d", { updatedAt: day(10, 1) }),
      session("e", { updatedAt: day(9, 23) }),
      session("f", { updatedAt: new Date(2025, 10, 1).getTime() }),
    ],
    day(17, 1),
    { isOpen: () => false, wanted: () => false },
  );
  const month = (year: number, options: Intl.DateTimeFormatOptions) =>
    new Date(year, 10, 5).toLocaleDateString(undefined, options);
  expect(rows.map(shown)).toEqual([
    "Pinned",
    "p",
    "Today",
    "a",
    "Yesterday",
    "b",
    "c",
    "Last 7 days",
    "d",
    month(2026, { month: "long" }),
    "e",
    month(2025, { month: "long", year: "numeric" }),
    "f",
  ]);
});

test("what was asked once from the terminal is one line, unless it is wanted, little, or went on", () => {
  const now = Date.now();
  const once = (sessionKey: string, more = {}) =>
    session(sessionKey, { surface: "cli", updatedAt: now, ...more });
  const sessions = [
    session("web", { updatedAt: now }),
    once("a"),
    once("b"),
    once("waits"),
    once("talk", { messageCount: 4 }),
    once("named", { titledBy: "owner" }),
    once("c"),
  ];
  const rows = (open: boolean, all = sessions) =>
    datedRows(all, now, { isOpen: () => open, wanted: ({ sessionKey }) => sessionKey === "waits" }).map(
      shown,
    );
  expect(rows(false)).toEqual([3, "Today", "web", "waits", "talk", "named"]);
  expect(rows(true)).toEqual([3, "› a", "› b", "› c", "Today", "web", "waits", "talk", "named"]);
  expect(rows(false, sessions.slice(0, 3))).toEqual(["Today", "web", "a", "b"]);
});

test("folders stand before the days, by their names, with what is in them once they are opened or it is wanted", () => {
  const now = new Date(2026, 10, 17, 12).getTime();
  const all = [
    session("loose", { updatedAt: now }),
    session("rome", { updatedAt: now, folder: "Trips" }),
    session("oslo", { updatedAt: 0, folder: "Trips" }),
    session("tax", { updatedAt: now, folder: "Home" }),
    session("pin", { updatedAt: now, folder: "Home", pinned: true }),
  ];
  const rows = (open: string) =>
    datedRows(all, now, {
      isOpen: (folder) => folder === open,
      wanted: ({ sessionKey }) => sessionKey === "oslo",
    }).map(shown);
  expect(rows("Home")).toEqual(["Pinned", "pin", 1, "› tax", 2, "› oslo", "Today", "loose"]);
  expect(rows("Trips")).toEqual(["Pinned", "pin", 1, 2, "› rome", "› oslo", "Today", "loose"]);
});

function shown(row: SessionRow): string | number {
  if ("fold" in row) return row.fold.length;
  if ("heading" in row) return row.heading;
  if ("inside" in row) return `› ${row.inside.sessionKey}`;
  return "sessionKey" in row ? row.sessionKey : "";
}

test("a line begins close before what was searched for, so that it is seen, and knows where that stands", () => {
  const line = "Once upon a time, far away from every town, there stood a Lighthouse by the sea";
  expect(aroundMatch(line, " lighthouse ")).toEqual({
    before: "…there stood a ",
    match: "Lighthouse",
    after: " by the sea",
  });
  expect(aroundMatch("A lighthouse", "light")).toEqual({ before: "A ", match: "light", after: "house" });
  expect(aroundMatch(`${"x".repeat(80)}y`, "y")).toEqual({ before: "…", match: "y", after: "" });
  expect(aroundMatch(line, "harbour")).toBeUndefined();
});
