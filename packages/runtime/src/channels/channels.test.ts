import { createHash } from "node:crypto";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import type { Approval } from "@elwood/core/policy/approval";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { memoryChannels } from "@elwood/testkit/memory-channels";
import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { memoryLog } from "@elwood/testkit/memory-log";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { SCRIPTED_DEFINITION, ScriptedChannel } from "@elwood/testkit/scripted-channel";
import { expect, test } from "vitest";
import type { CallRow } from "../ports/gate-ports.ts";
import type { Engine } from "../run/engine.ts";
import { Feeds } from "../run/feed.ts";
import { Channels } from "./channels.ts";

const T = "default";

function world() {
  const clock = new ManualClock();
  const ids = new FixedIds();
  const stores = { ...memoryStores(), ...memoryChannels() };
  const connection = new ScriptedChannel();
  const calls: CallRow[] = [];
  const called: string[] = [];
  /** An approval as everybody may know it. */
  const known: { approval?: Approval } = {};
  const ledger = { ...memoryLedger({ clock }), callsOfRun: async () => calls };
  const feeds = new Feeds();
  // What runs are started with; replies are followed by their feeds alone.
  const engine = { feeds } as unknown as Engine;
  const channels = new Channels({
    tenant: T,
    stores,
    ledger,
    engine,
    activity: async () => [],
    approvals: { onEvent: () => () => undefined, find: async () => known.approval },
    methods: {
      async call(_who, method) {
        called.push(method);
        throw new FailureError(failure("CONFLICT", "It was decided a moment before."));
      },
    },
    clock,
    ids,
    log: memoryLog(),
    localTime: new LocalTime("UTC"),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    random: (bytes) => new Uint8Array(bytes),
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
    defaultAgentId: "assistant",
    pageLink: (path) => `http://elwood.test${path}`,
  });
  const access = () => ({ approverIds: ["100"], allowedChatIds: ["-500"] });
  const channel = { definition: SCRIPTED_DEFINITION, connection, access };
  const attach = () => channels.attach(channel);
  return { clock, ids, stores, ledger, calls, called, known, connection, feeds, channels, channel, attach };
}

/** Polls, with a bound: everything that can happen without time passing has happened by then. */
async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await nextEventLoopTurn();
}

test("a text of the gateway's own is delivered once per key, and its end is told", async () => {
  const { channels, connection, attach } = world();
  await attach();
  const ends: unknown[] = [];
  channels.onSettled((tenant, key, outcome) => ends.push([tenant, key, outcome]));
  const delivery = { key: "occ_1", target: "telegram:100", text: "Call the landlord." };
  expect(await channels.deliver(T, delivery)).toEqual({ ok: true, value: "accepted" });
  await settle();
  expect(ends).toEqual([[T, "occ_1", { ok: true, value: "delivered" }]]);
  expect(await channels.deliver(T, delivery)).toEqual({ ok: true, value: "delivered" });
  await settle();
  expect(connection.texts("100")).toEqual(["Call the landlord."]);
});

test("a text that cannot be delivered says so, also when it is handed over again", async () => {
  const { channels, connection, attach } = world();
  await attach();
  const ends: unknown[] = [];
  channels.onSettled((_tenant, key, outcome) => ends.push([key, outcome.ok]));
  connection.fates.push({ kind: "gone", why: "The bot was blocked." });
  const delivery = { key: "occ_1", target: "telegram:-500:7", text: "x" };
  await channels.deliver(T, delivery);
  await settle();
  expect(ends).toEqual([["occ_1", false]]);
  expect(await channels.deliver(T, delivery)).toMatchObject({
    ok: false,
    error: {
      message: "The message to telegram:-500:7 could not be delivered. The bot was blocked.",
    },
  });
});

test("nothing is sent to a chat that nobody knows, nor to a channel that is not connected", async () => {
  const { channels, connection, attach, stores, ids } = world();
  const delivery = { key: "occ_1", target: "telegram:100", text: "x" };
  expect(await channels.deliver(T, delivery)).toMatchObject({ ok: false });
  await attach();
  expect(await channels.deliver(T, { ...delivery, target: "telegram:666" })).toMatchObject({ ok: false });
  expect(await channels.deliver(T, { ...delivery, target: "pigeon:1" })).toMatchObject({ ok: false });
  await settle();
  expect(connection.shown).toEqual([]);
  // A chat in which a conversation is held is known.
  const id = ids.next("session");
  await stores.sessions.create(T, { id, agentId: "assistant", title: "x", at: 1 });
  await stores.sessions.bind(T, id, { channel: "telegram", chat: "666" });
  expect(await channels.deliver(T, { ...delivery, target: "telegram:666" })).toMatchObject({ ok: true });
});

test("an answer grows by edits at the platform's pace, and is whole in the end", async () => {
  const { connection, attach, stores, clock, ids, feeds } = world();
  await attach();
  const sessionId = ids.next("session");
  await stores.sessions.create(T, { id: sessionId, agentId: "assistant", title: "x", at: 1 });
  const runId = ids.next("run");
  await stores.runs.accept(T, {
    id: runId,
    sessionId,
    surface: "telegram",
    requestHash: "h",
    inbound: { id: ids.next("message"), ts: 1, role: "user", origin: "owner", blocks: [] },
    at: 1,
  });
  await stores.outbox.open(T, {
    id: ids.next("outbox"),
    channel: "telegram",
    chat: "100",
    kind: "reply",
    subject: runId,
    runId,
    at: clock.now(),
  });
  // As after a restart: the slower pace of groups, four seconds.
  await attach();
  await settle();
  expect(connection.typed).toEqual([]);
  await clock.advance(LIMITS.channelTypingAfterMs);
  await settle();
  expect(connection.typed).toEqual(["100"]);
  const feed = feeds.open(runId, sessionId);
  feed.startAttempt(1);
  const words = "A beginning that is long enough to be worth a message";
  feed.emit("chat.delta", { text: words });
  await clock.advance(3_999);
  await settle();
  expect(connection.shown).toEqual([]);
  await clock.advance(1);
  await settle();
  expect(connection.texts("100")).toEqual([`${words} …`]);
  // What receipts have not confirmed yet is not shown.
  feed.hold();
  feed.emit("chat.delta", { text: ", a draft" });
  await clock.advance(4_000);
  await settle();
  expect(connection.texts("100")).toEqual([`${words} …`]);
  feed.emit("chat.final", {
    sessionKey: sessionId,
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    text: "Whole.",
    segments: [{ text: "Whole.", by: "model" }],
    activity: [],
    evidence: "",
    stopReason: "end_turn",
    model: "m",
    demo: false,
  });
  await settle();
  expect(connection.shown.map(({ messageId, text }) => [messageId, text])).toEqual([["m1", "Whole."]]);
});

test("the reply of a run that is delivered to a chat leaves its receipt, with evidence and a link, and its files go along", async () => {
  const { channels, connection, stores, ledger, calls, attach } = world();
  await attach();
  const { blobId } = await stores.blobs.put(T, Uint8Array.of(1), "application/pdf", 1);
  calls.push({
    callId: "call_1",
    runId: "run_7",
    sessionId: "ses_7",
    toolId: "mcp.report.make",
    contractHash: "h",
    risk: "read",
    requestedInput: {},
    executedInput: {},
    idempotencyKey: "k",
    createdAt: 1,
    state: "succeeded",
    outcome: { status: "ok", text: "", files: [{ blobId, mime: "application/pdf", name: "a.pdf" }] },
  });
  const of = { key: "occ_2", target: "telegram:100", runId: "run_7" };
  const delivery = { ...of, text: "Done.", evidence: "1 local read" };
  expect(await channels.deliver(T, delivery)).toEqual({ ok: true, value: "accepted" });
  await settle();
  expect(connection.texts("100")).toEqual([
    "Done.\n---\n1 local read\nhttp://elwood.test/runs/run_7",
    "a.pdf",
  ]);
  const receipts = await ledger.receipts(T, { runId: "run_7", limit: 10 });
  expect(receipts).toMatchObject([{ type: "reply.delivered", payload: { messages: 2 } }]);
});

test("a reply that is owed while its channel is away comes once it is open, unless that took days", async () => {
  const { clock, channels, connection, stores, ledger, attach } = world();
  const ended = async (id: string) => {
    await stores.sessions.create(T, { id: `ses_${id}`, agentId: "assistant", title: "x", at: clock.now() });
    const inbound = { id: `msg_${id}`, ts: 1, role: "user", origin: "webhook", blocks: [] } as const;
    const run = {
      id,
      sessionId: `ses_${id}`,
      surface: "webhook",
      requestHash: "h",
      inbound,
      at: clock.now(),
    };
    await stores.runs.accept(T, run);
    await stores.runs.claim(T, id, clock.now());
    await stores.runs.end(T, id, [], {
      status: "done",
      stopReason: "end_turn",
      at: clock.now(),
      transcriptOffset: 0,
    });
    await channels.owe(id, "telegram:100");
  };
  await ended("run_old");
  await clock.advance(LIMITS.outboxAgeMaxMs + 1);
  await ended("run_new");
  await channels.owe("run_new", "telegram:100");
  await attach();
  await settle();
  expect(connection.texts("100")).toEqual(["There is no answer to show."]);
  const told = async (runId: string) =>
    (await ledger.receipts(T, { runId, limit: 10 })).map(({ type, payload }) => [type, payload]);
  expect(await told("run_old")).toMatchObject([["reply.undeliverable", { why: "too-late" }]]);
  expect(await told("run_new")).toMatchObject([["reply.delivered", {}]]);
});

test("a button under a card whose approval is not on disk yet goes the way of every answer, and reads nothing of it", async () => {
  const { channels, channel, attach, connection, ledger, called, known } = world();
  await attach();
  const script = new LedgerScript(ledger);
  const pending = script.approval(script.call(), { id: `apr_${"0".repeat(26)}`, digest: "0".repeat(64) });
  known.approval = pending;
  await channels.cards.show(pending, "telegram", "100");
  await settle();
  const [card] = connection.shown;
  const press = (id: string) =>
    channels.receive(channel, {
      kind: "press",
      id,
      chat: { id: "100", kind: "private" },
      from: { id: "100", name: "Ann", bot: false },
      messageId: card!.messageId,
      data: card!.buttons.find((data) => data.startsWith("no:"))!,
    });
  const decided = {
    status: "approved",
    decidedAt: 2,
    decidedBy: { kind: "owner", id: "owner", surface: "web" },
  } as const;
  // What the ledger has already is not what may be told.
  await script.write([], [{ kind: "approval.new", approval: { ...pending, ...decided } }]);
  await press("one").catch(() => undefined);
  expect(called).toEqual(["exec.deny"]);
  known.approval = { ...pending, ...decided };
  await press("two");
  expect(called).toEqual(["exec.deny"]);
  expect(connection.answers.at(-1)).toContain("Allowed by you");
});
