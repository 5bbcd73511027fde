import { aJob, anOccurrence } from "@elwood/testkit/jobs-contract";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shownMessages } from "@elwood/core/compaction/shown";
import { commitment } from "@elwood/core/receipts/receipt";
import { LocalTime } from "@elwood/core/base/local-time";
import type { Message } from "@elwood/core/message/message";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { StoreScript, TENANT as T } from "@elwood/testkit/store-script";
import { describe, expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { fileNotes } from "@elwood/memory/notes/notes";
import { sha256 } from "@elwood/platform/system";
import { openDatabase } from "@elwood/store-sqlite/database";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { EraseService } from "@elwood/memory/erase/erase-service";
import { holders } from "./test-scene.ts";

const BY = { id: "owner", surface: "test" };
const quiet = () => undefined;
const log: Log = { error: quiet, warn: quiet, info: quiet, debug: quiet };

/** The stores alone, with rows that no demo would write. */
async function scene() {
  const home = mkdtempSync(join(tmpdir(), "elwood-forget-"));
  const paths = statePaths(home);
  const clock: Clock = { now: () => 1_763_300_000_000, sleep: async () => undefined };
  const stores = await openStores({ paths, clock, log });
  const script = new StoreScript(stores);
  const ledger = new LedgerScript(stores.ledger);
  const forgotten: string[][] = [];
  const eraseService = new EraseService({
    home,
    open: () => stores.forgetting.open(),
    pending: (tenant) => stores.forgetting.pending(tenant),
    notes: fileNotes(paths.memory),
    origins: stores.noteOrigins,
    sessions: stores.sessions,
    runs: stores.runs,
    transcripts: stores.transcripts,
    ledger: stores.ledger,
    index: async () => undefined,
    engine: { clearCache: (_tenant, sessions) => void forgotten.push([...sessions]), announce: quiet },
    conversations: () => ({ clearCache: quiet }),
    forgetLog: quiet,
    clock,
    ids: script.ids,
    log,
  });
  onTestFinished(async () => {
    await stores.close();
    rmSync(home, { recursive: true, force: true });
  });
  /** A run from its message to its place in the file. */
  async function said(sessionId: string, text: string, rest: readonly Message[] = []): Promise<string> {
    const run = script.newRun(sessionId, text);
    await stores.runs.accept(T, run);
    await stores.runs.claim(T, run.id, script.tick());
    await stores.runs.end(T, run.id, rest, {
      status: "done",
      at: script.tick(),
      transcriptOffset: await stores.transcripts.size(T, sessionId),
    });
    const { steps } = await stores.runs.journal(T, run.id);
    await stores.transcripts.append(T, sessionId, script.lines(run.id, steps));
    await stores.runs.commit(T, run.id, steps, script.tick());
    return run.id;
  }
  const session = async () => {
    const id = script.ids.next("session");
    await stores.sessions.create(T, { id, agentId: "assistant", title: "New session", at: script.tick() });
    return id;
  };
  const forget = async (word: string) => eraseService.forget(T, { kind: "word", word }, BY);
  return { home, paths, stores, script, ledger, eraseService, said, session, forget, forgotten };
}

const COMPACTION = (script: StoreScript, from: string, to: string, summary: string): Message => ({
  id: script.ids.next("message"),
  ts: script.tick(),
  role: "assistant",
  origin: "gateway",
  blocks: [
    { type: "text", text: "Summed up earlier messages." },
    { type: "compaction", summary, from, to, quotes: [{ ts: 1, text: "never on a Sunday" }] },
  ],
});

describe("what was made of a forgotten message goes too", () => {
  test("a summary that covers it is emptied wherever it stands, and the model sees the messages again", async () => {
    const { home, stores, script, eraseService, said, session } = await scene();
    const sessionId = await session();
    const first = await said(sessionId, "The vault opens with the word pomegranate");
    const second = await said(sessionId, "Paint the fence green");
    const ids = (await stores.transcripts.load(T, sessionId)).lines.map(({ id }) => id);
    await said(sessionId, "go on", [
      COMPACTION(script, ids[0]!, ids[1]!, "They spoke of a vault and of a fence."),
    ]);
    await said(sessionId, "and on", [COMPACTION(script, ids[1]!, ids[1]!, "They spoke of a fence.")]);
    const report = await eraseService.forget(T, { kind: "turn", session: sessionId, run: first }, BY);
    expect(report.removed).toMatchObject({ messages: 1, summaries: 1 });
    expect(holders(home, "pomegranate")).toEqual([]);
    expect(holders(home, "of a vault")).toEqual([]);
    // The one that covers only the other message stays.
    expect(holders(home, "They spoke of a fence.").length).toBeGreaterThan(0);
    const { lines } = await stores.transcripts.load(T, sessionId);
    const time = new LocalTime("UTC");
    expect(JSON.stringify(shownMessages(lines, { time, intact: () => true }))).toContain(
      "They spoke of a fence.",
    );
    expect(lines.find(({ run }) => run === second)?.blocks).toMatchObject([
      { text: "Paint the fence green" },
    ]);
  });

  test("the file keeps its length and its lines, and a run that waits to be written is not cut off", async () => {
    const { stores, eraseService, said, session, paths } = await scene();
    const sessionId = await session();
    const first = await said(sessionId, "The vault opens with the word pomegranate");
    await said(sessionId, "hello");
    const path = join(paths.sessions, T, `${sessionId}.jsonl`);
    const before = readFileSync(path);
    await eraseService.forget(T, { kind: "turn", session: sessionId, run: first }, BY);
    const after = readFileSync(path);
    expect(after.length).toBe(before.length);
    expect((await stores.transcripts.load(T, sessionId)).damage).toEqual([]);
    expect((await stores.transcripts.load(T, sessionId)).lines).toHaveLength(2);
    expect((await stores.transcripts.load(T, sessionId)).lines[0]!.meta).toEqual({ forgotten: true });
  });
});

test("rows of every kind lose the word, grants that hold it are revoked, and the log still verifies", async () => {
  const { home, stores, ledger, said, session, forget, forgotten, paths } = await scene();
  const sessionId = await session();
  const runId = await said(sessionId, "Write to Zebedee about the party");
  const input = { to: "zebedee@example.com", text: "hi" };
  const body = { commit: commitment("salt", input, sha256), salt: "salt", value: input };
  const call = ledger.call({
    runId,
    sessionId,
    requestedInput: input,
    executedInput: input,
    target: "Zebedee",
    state: "asked",
  });
  const approval = ledger.approval(call, {
    card: { ...ledger.approval(call).card, input, summary: "Mail to Zebedee" },
  });
  const grant = ledger.grant({
    scope: "call",
    match: { to: "zebedee@example.com" },
    words: "mails to Zebedee",
  });
  await ledger.write(
    [
      ledger.receipt("tool.call.requested", {
        runId,
        callId: call.callId,
        payload: { toolId: call.toolId, inputCommit: body.commit },
      }),
    ],
    [
      { kind: "call.new", call },
      { kind: "approval.new", approval },
      { kind: "body.put", body },
      { kind: "grant.new", grant },
    ],
  );
  const decidedBy = { kind: "owner", ...BY } as const;
  await ledger.write(
    [
      ledger.receipt("tool.call.asked", {
        runId,
        callId: call.callId,
        payload: { reason: "You did not mention “Zebedee” (to)." },
      }),
      ledger.receipt("grant.created", { runId, payload: { words: "mails to Zebedee" } }),
      ledger.receipt("tool.call.denied", {
        runId,
        callId: call.callId,
        payload: { note: "not to zebedee", reason: "Zebedee is not known." },
      }),
    ],
    [
      {
        kind: "approval.decide",
        approvalId: approval.id,
        status: "denied",
        decidedBy,
        at: ledger.tick(),
        note: "not to zebedee",
      },
      {
        kind: "call.move",
        callId: call.callId,
        from: ["asked"],
        to: "denied",
        at: ledger.tick(),
        outcome: { status: "error", text: "You may not write to Zebedee." },
      },
    ],
  );
  await stores.noteCopies.put(
    T,
    "key-1",
    { key: "people", before: "- Zebedee: a friend\n", afterSha: "x" },
    1,
  );
  expect(holders(home, "zebedee")).not.toEqual([]);

  const report = await forget("ZEBEDEE");
  expect(report).toMatchObject({ done: true, still: [] });
  expect(report.removed).toMatchObject({
    messages: 1,
    calls: 1,
    approvals: 1,
    bodies: 5,
    grants: 1,
    copies: 1,
    titles: 2,
  });
  expect(holders(home, "zebedee")).toEqual([]);
  expect(forgotten).toEqual([[sessionId]]);

  expect(await stores.ledger.call(T, call.callId)).toMatchObject({
    state: "denied",
    requestedInput: {},
    outcome: { status: "error", text: "" },
  });
  expect(await stores.ledger.approval(T, approval.id)).toMatchObject({
    status: "denied",
    decidedBy,
    card: { toolId: call.toolId, input: {} },
  });
  expect((await stores.ledger.grant(T, grant.id))?.revokedAt).toBeDefined();
  expect(await stores.sessions.get(T, sessionId)).toMatchObject({
    title: "New session",
    titledBy: "default",
    preview: "",
  });
  expect(await stores.ledger.body(T, body.commit)).toBeUndefined();
  // Once nothing is being forgotten any more, the rules hold again.
  await stores.close();
  const db = openDatabase(paths.database);
  onTestFinished(() => db.close());
  expect(() => db.transaction(() => db.run("UPDATE steps SET message = 'x'"))).toThrow();
  expect(() => db.transaction(() => db.run("UPDATE approvals SET note = 'x'"))).toThrow();
  expect(() => db.transaction(() => db.run("UPDATE grants SET words = 'x'"))).toThrow();
});

test("what receipts themselves say, such as the name of a tool, cannot be changed, and that is told", async () => {
  const { ledger, said, session, forget } = await scene();
  const runId = await said(await session(), "Write to Zebedee about the party");
  await ledger.write([
    ledger.receipt("tool.call.denied", { runId, payload: { toolId: "zebedee.card.send" } }),
  ]);
  const report = await forget("zebedee");
  expect(report.still).toMatchObject([{ path: "elwood.db", why: expect.stringMatching(/receipts/) }]);
});

test("while a run that holds it is going, nothing of it is forgotten", async () => {
  const { home, stores, script, said, session, forget } = await scene();
  await said(await session(), "Write to Zebedee about the party");
  const going = await session();
  const run = script.newRun(going, "And ring Zebedee");
  await stores.runs.accept(T, run);
  const before = holders(home, "zebedee");
  await expect(forget("zebedee")).rejects.toThrow(new RegExp(going));
  expect(holders(home, "zebedee")).toEqual(before);
  expect(stores.forgetting.pending(T)).toBe(false);
  // Others are not kept from being forgotten by it.
  await said(await session(), "Paint the fence");
  expect(await forget("fence")).toMatchObject({ done: true });
});

test("a line that was torn goes too, and copies that file tools keep for undoing", async () => {
  const { home, paths, said, session, forget } = await scene();
  const sessionId = await session();
  await said(sessionId, "Paint the fence");
  const path = join(paths.sessions, T, `${sessionId}.jsonl`);
  writeFileSync(
    path,
    `${readFileSync(path, "utf8")}{"v":1,"id":"msg_torn","blocks":[{"type":"text","text":"Zebed`,
    { flag: "w" },
  );
  writeFileSync(join(home, "memory.db.corrupt"), "old bytes about Zebedee");
  mkdirSync(join(home, "undo", "content"), { recursive: true });
  writeFileSync(join(home, "undo", "content", "abc"), "a file that names zebedee");
  const report = await forget("zebed");
  expect(report).toMatchObject({ still: [], removed: { messages: 1, copies: 1 } });
  expect(holders(home, "zebed")).toEqual([]);
  expect(readFileSync(path, "utf8")).toContain("Paint the fence");
});

test("a job that names a forgotten word goes with its history, and reasons lose it", async () => {
  const { home, stores, forget, session, said } = await scene();
  await said(await session(), "My doctor is called Zacharias");
  await stores.jobs.create(T, aJob({ id: "job_1", name: "call", message: "Call Zacharias." }));
  await stores.jobs.create(T, aJob({ id: "job_2", name: "other", message: "Water the plants." }));
  const failed = { status: "failed", reason: "There is no agent Zacharias.", endedAt: 1 } as const;
  await stores.jobs.record(T, anOccurrence({ id: "occ_1", jobId: "job_2", ...failed }));
  const report = await forget("Zacharias");
  expect(report).toMatchObject({ still: [], removed: { jobs: 1, messages: 1 } });
  expect((await stores.jobs.list(T)).map(({ id }) => id)).toEqual(["job_2"]);
  expect((await stores.jobs.history(T, { limit: 1 }))[0]).not.toHaveProperty("reason");
  expect(holders(home, "zacharias")).toEqual([]);
});

describe("what is owed to a chat", () => {
  const item = (id: string, text: string, runId = "run_other") => ({
    id,
    channel: "telegram",
    chat: "42",
    kind: "reply" as const,
    subject: id,
    runId,
    messages: [{ text, form: { entities: [], text } }],
    at: 1,
  });

  test("is not sent once it is forgotten, and whoever was let in is kept without a forgotten name", async () => {
    const { home, stores, forget, session, said } = await scene();
    await said(await session(), "I keep a tortoise called Methuselah");
    await stores.outbox.open(T, item("out_1", "Methuselah eats dandelions."));
    await stores.outbox.open(T, item("out_2", "The weather is fine."));
    await stores.pairings.put(T, {
      channel: "telegram",
      senderId: "7",
      name: "Methuselah",
      state: "paired",
      at: 1,
    });
    await forget("Methuselah");
    expect(await stores.outbox.get(T, "out_1")).toMatchObject({
      state: "undeliverable",
      reason: "erased",
      messages: [{ state: "waiting" }],
    });
    expect(await stores.outbox.get(T, "out_2")).toMatchObject({ state: "ready" });
    expect(await stores.pairings.find(T, "telegram", "7")).toMatchObject({ state: "paired", name: "" });
    expect(holders(home, "methuselah")).toEqual([]);
  });

  test("goes with its session", async () => {
    const { stores, said, session } = await scene();
    const sessionId = await session();
    const runId = await said(sessionId, "hello");
    await stores.outbox.open(T, item("out_1", "Hello to you.", runId));
    await stores.sessions.purge(T, sessionId);
    expect(await stores.outbox.get(T, "out_1")).toBeUndefined();
  });
});
