import { describe, expect, test, onTestFinished } from "vitest";
import { EXIT } from "./io.ts";
import { reporting } from "./failure-text.ts";
import {
  listSessions,
  pinSession,
  renameSession,
  searchSessions,
  type SessionsDeps,
  exportSession,
  forkSession,
} from "./sessions-command.ts";
import { TEST_NOW, testGateway, wireSession, type Answers } from "./test-gateway.ts";
import { displayWidth } from "./terminal-text.ts";
import { testIo, type TestIo } from "./test-io.ts";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WireMessage } from "@elwood/core/protocol/shapes";

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

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });

async function exportScene() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.export": ({ format }) => ({
      filename: format === "json" ? "s.json" : "s.md",
      mime: "text/plain",
      content: format === "json" ? "{}\n" : "# Tax\u001b letter\n",
    }),
  });
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const run = (io: TestIo, more: { format?: string; output?: string; force?: boolean }) =>
    reporting(io, false, () => exportSession(io, deps, { session: "tax", force: false, ...more }));
  return { folder, run, calls };
}

test("export writes Markdown to stdout, byte for byte where a program reads it", async () => {
  const { run } = await exportScene();
  for (const output of [undefined, "-"]) {
    const io = testIo();
    expect(await run(io, output ? { output } : {})).toBe(EXIT.ok);
    expect(io.out()).toBe("# Tax\u001b letter\n");
    expect(io.err()).toBe("");
  }
  const terminal = testIo({ tty: true });
  await run(terminal, {});
  expect(terminal.out()).toBe("# Tax letter\n");
});

test("export writes a file that only its owner can read, relative to where one stands", async () => {
  const { run, folder } = await exportScene();
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "out.md" })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "out.md"), "utf8")).toContain("# Tax");
  expect(statSync(join(folder, "out.md")).mode & 0o777).toBe(0o600);
  expect(io.out()).toBe("");
  expect(io.err()).toBe(`Wrote ${join(folder, "out.md")}\n`);
});

test("export takes its format from the flag, else from the file's ending", async () => {
  const { run, folder, calls } = await exportScene();
  const io = testIo({ cwd: folder });
  await run(io, { output: "a.json" });
  await run(io, { output: "b.json", format: "markdown" });
  await run(io, { format: "json" });
  const formats = calls.filter((call) => call.method === "sessions.export").map((call) => call.params);
  expect(formats).toEqual([
    expect.objectContaining({ format: "json" }),
    expect.objectContaining({ format: "markdown" }),
    expect.objectContaining({ format: "json" }),
  ]);
  expect(await run(io, { format: "pdf" })).toBe(EXIT.usage);
});

test("export leaves a file that is there alone, unless it is forced", async () => {
  const { run, folder } = await exportScene();
  writeFileSync(join(folder, "out.md"), "mine");
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "out.md" })).toBe(EXIT.failed);
  expect(io.err()).toContain("add --force");
  expect(readFileSync(join(folder, "out.md"), "utf8")).toBe("mine");
  expect(await run(io, { output: "out.md", force: true })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "out.md"), "utf8")).toContain("# Tax");
});

test("export names the file itself where a folder is given", async () => {
  const { run, folder } = await exportScene();
  mkdirSync(join(folder, "sub"));
  expect(await run(testIo({ cwd: folder }), { output: "sub" })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "sub", "s.md"), "utf8")).toContain("# Tax");
});

test("export writes through a link, and into a device instead of over it", async () => {
  const { run, folder } = await exportScene();
  writeFileSync(join(folder, "real.md"), "old");
  symlinkSync("real.md", join(folder, "link.md"));
  symlinkSync("/dev/null", join(folder, "null"));
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "link.md", force: true })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "real.md"), "utf8")).toContain("# Tax");
  expect(await run(io, { output: "null", force: true })).toBe(EXIT.ok);
  expect(lstatSync(join(folder, "null")).isSymbolicLink()).toBe(true);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("export says what is wrong with a place that cannot be written", async () => {
  const { run, folder } = await exportScene();
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "no/such/folder/out.md" })).toBe(EXIT.failed);
  expect(io.err()).toContain("Choose another file.");
});

const FORK = wireSession({
  sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb3",
  title: "Tax letter (fork)",
  messageCount: 4,
  forkedFrom: { sessionKey: SESSION.sessionKey, runId: "run_2" },
});

const message = (runId: string): WireMessage => ({
  id: `msg_${runId}`,
  runId,
  ts: TEST_NOW,
  role: "user",
  origin: "owner",
  content: "x",
  blocks: [{ type: "text", text: "x" }],
});

async function fork(options: { run?: string; before?: boolean; json?: boolean }, runs = ["run_1", "run_2"]) {
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.get": () => ({ session: SESSION, messages: runs.map(message), runs: [], damage: [] }),
    "sessions.fork": () => ({ sessionKey: FORK.sessionKey, session: FORK }),
  });
  const io = testIo();
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const given = { session: "tax", before: false, json: false, ...options };
  const code = await forkSession(io, deps, given);
  return { code, out: io.out(), asked: calls.find(({ method }) => method === "sessions.fork")?.params };
}

test("sessions fork copies up to the last run and says how to go on", async () => {
  const { code, out, asked } = await fork({});
  expect(code).toBe(EXIT.ok);
  expect(asked).toEqual({ sessionKey: SESSION.sessionKey, runId: "run_2", include: true });
  expect(out).toContain('"Tax letter (fork)" is a copy with 4 messages.');
  expect(out).toContain(`elwood -s ${FORK.sessionKey}`);
});

test("sessions fork takes a run by the end of its id, and cuts before it where asked", async () => {
  const { asked } = await fork({ run: "_1", before: true });
  expect(asked).toEqual({ sessionKey: SESSION.sessionKey, runId: "run_1", include: false });
});

test("sessions fork prints the new session as JSON", async () => {
  expect(JSON.parse((await fork({ json: true })).out)).toMatchObject({
    session: { sessionKey: FORK.sessionKey },
  });
});

test("sessions fork says what is missing, and copies nothing", async () => {
  await expect(fork({ run: "nowhere" })).rejects.toThrow('No run of "Tax letter" fits "nowhere"');
  await expect(fork({}, [])).rejects.toThrow("Nothing was answered");
});
