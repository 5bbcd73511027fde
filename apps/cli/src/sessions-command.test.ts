import { describe, expect, test } from "vitest";
import { EXIT } from "./io.ts";
import { reporting } from "./failure-text.ts";
import {
  listSessions,
  pinSession,
  renameSession,
  searchSessions,
  type SessionsDeps,
} from "./sessions-command.ts";
import { TEST_NOW, testGateway, wireSession, type Answers } from "./test-gateway.ts";
import { displayWidth } from "./terminal-text.ts";
import { testIo } from "./test-io.ts";

const OLD = wireSession({
  sessionKey: "ses_01k9zzzzzzaaaaaaaaaaaaaaa1",
  title: "Holiday plans",
  pinned: true,
  updatedAt: TEST_NOW - 3 * 86_400_000,
  messageCount: 14,
});
const NEW = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });

async function gateway(answers: Answers) {
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [NEW, OLD] }),
    ...answers,
  });
  const deps: SessionsDeps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  return { deps, calls };
}

describe("sessions list", () => {
  test("shows a short key, title, agent, how long ago and how many messages, pinned ones marked", async () => {
    const { deps } = await gateway({});
    const io = testIo();
    expect(await listSessions(io, deps, { json: false })).toBe(EXIT.ok);
    expect(io.out().split("\n")).toEqual([
      "SESSION   TITLE            AGENT      WHEN        MESSAGES",
      "bbbbbbb2  Tax letter       assistant  5 min ago          2",
      "aaaaaaa1  ★ Holiday plans  assistant  3 days ago        14",
      "",
    ]);
  });

  test("gives whole keys and exact times as one JSON document", async () => {
    const { deps } = await gateway({});
    const io = testIo();
    await listSessions(io, deps, { json: true });
    expect(io.json()).toEqual({ sessions: [NEW, OLD], more: false });
  });

  test("asks for page after page until the limit is reached, and says that there is more", async () => {
    const { deps, calls } = await gateway({
      "sessions.list": ({ limit = 0, before }) => ({
        sessions: Array.from({ length: limit }, (_, i) =>
          wireSession({ sessionKey: `ses_${before ?? "first"}_${i}` }),
        ),
        next: "next",
      }),
    });
    const io = testIo();
    await listSessions(io, deps, { limit: 250, json: false });
    expect(calls.map((call) => call.params)).toEqual([{ limit: 200 }, { limit: 50, before: "next" }]);
    expect(io.out().trimEnd().split("\n")).toHaveLength(251);
    expect(io.err()).toContain("sessions list --limit 1250");
  });

  test("passes the query on, and says where else to look when no title fits", async () => {
    const { deps, calls } = await gateway({ "sessions.list": () => ({ sessions: [] }) });
    const io = testIo();
    await listSessions(io, deps, { query: "boat", json: false });
    expect(calls[0]?.params).toMatchObject({ query: "boat" });
    expect(io.out()).toContain("elwood sessions search boat");
  });

  test("says how to begin where there are none", async () => {
    const { deps } = await gateway({ "sessions.list": () => ({ sessions: [] }) });
    const io = testIo();
    await listSessions(io, deps, { json: false });
    expect(io.out()).toBe('No sessions yet. Begin one with: elwood "hello"\n');
  });

  test("keeps to the width of the terminal by cutting titles", async () => {
    const long = wireSession({
      sessionKey: NEW.sessionKey,
      title: "A very long title 漢字漢字 that goes on",
    });
    const { deps } = await gateway({ "sessions.list": () => ({ sessions: [long] }) });
    const io = testIo({ tty: true, columns: 60 });
    await listSessions(io, deps, { json: false });
    const row = io.out().split("\n")[1]!;
    expect(row).toContain("…");
    expect(displayWidth(row)).toBeLessThanOrEqual(60);
    expect(row).toMatch(/assistant {2}5 min ago +2$/);
  });

  test("never sends a title's escape sequences to the terminal", async () => {
    const evil = wireSession({ sessionKey: NEW.sessionKey, title: "a\u001b]0;owned\u0007b" });
    const { deps } = await gateway({ "sessions.list": () => ({ sessions: [evil] }) });
    const io = testIo({ tty: true });
    await listSessions(io, deps, { json: false });
    expect(io.out()).not.toContain("\u001b");
    expect(io.out()).toContain("a ]0;owned b");
  });

  test.each([0, 1.5, -3, Number.NaN, 10_001])("refuses --limit %d as wrong usage", async (limit) => {
    const { deps } = await gateway({});
    const io = testIo();
    const code = await reporting(io, false, () => listSessions(io, deps, { limit, json: false }));
    expect(code).toBe(EXIT.usage);
    expect(io.err()).toContain("--limit must be a whole number from 1 to 10000");
  });
});

describe("sessions search", () => {
  const hit = { session: OLD, runId: "run_1", ts: TEST_NOW - 7_200_000, role: "user" as const };

  test("shows who said it, when, and the words around it", async () => {
    const { deps, calls } = await gateway({
      "sessions.search": () => ({ hits: [{ ...hit, snippet: "we take the night Ferry\nhome" }] }),
    });
    const io = testIo({ env: { NO_COLOR: "", FORCE_COLOR: "1" } });
    await searchSessions(io, deps, { words: " ferry ", json: false });
    expect(calls[0]?.params).toEqual({ query: "ferry", limit: 20 });
    expect(io.out()).toContain("aaaaaaa1");
    expect(io.out()).toContain("· you, 2 h ago");
    expect(io.out()).toContain("night \u001b[1mFerry\u001b[22m home");
  });

  test("says so when nothing was found", async () => {
    const { deps } = await gateway({ "sessions.search": () => ({ hits: [] }) });
    const io = testIo();
    expect(await searchSessions(io, deps, { words: "x", json: false })).toBe(EXIT.ok);
    expect(io.out()).toContain('Nobody said "x"');
  });

  test("without words is wrong usage", async () => {
    const { deps, calls } = await gateway({});
    const io = testIo();
    const code = await reporting(io, false, () => searchSessions(io, deps, { words: " ", json: false }));
    expect(code).toBe(EXIT.usage);
    expect(calls).toEqual([]);
  });
});

describe("sessions rename, pin and unpin", () => {
  test("rename finds the session by the end of its key", async () => {
    const { deps, calls } = await gateway({
      "sessions.rename": ({ title }) => ({ session: { ...NEW, title } }),
    });
    const io = testIo();
    await renameSession(io, deps, { session: "bbb2", title: "  Taxes ", json: false });
    expect(calls.at(-1)).toEqual({
      method: "sessions.rename",
      params: { sessionKey: NEW.sessionKey, title: "Taxes" },
    });
    expect(io.out()).toBe('"Tax letter" is now "Taxes".\n');
  });

  test.each(["", "x".repeat(121)])("rename refuses a title that cannot be one", async (title) => {
    const { deps, calls } = await gateway({});
    const io = testIo();
    const code = await reporting(io, false, () =>
      renameSession(io, deps, { session: "bbb2", title, json: false }),
    );
    expect(code).toBe(EXIT.usage);
    expect(io.err()).toContain("Nothing was changed");
    expect(calls).toEqual([]);
  });

  test.each([true, false])("pin says what is so now (%s)", async (pinned) => {
    const { deps, calls } = await gateway({ "sessions.pin": () => ({ session: { ...NEW, pinned } }) });
    const io = testIo();
    await pinSession(io, deps, { session: "tax", pinned, json: false });
    expect(calls.at(-1)?.params).toEqual({ sessionKey: NEW.sessionKey, pinned });
    expect(io.out()).toBe(`"Tax letter" is ${pinned ? "pinned" : "no longer pinned"}.\n`);
  });

  test("an unknown session is reported as a JSON document too", async () => {
    const { deps } = await gateway({});
    const io = testIo();
    const code = await reporting(io, true, () =>
      pinSession(io, deps, { session: "nope", pinned: true, json: true }),
    );
    expect(code).toBe(EXIT.failed);
    expect(io.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
  });
});
