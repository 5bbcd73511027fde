import { LIMITS } from "@elwood/core/base/limits";
import type { RenderedMessage } from "@elwood/core/channel/channel";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { memoryChannels } from "@elwood/testkit/memory-channels";
import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { memoryLog } from "@elwood/testkit/memory-log";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { ScriptedChannel } from "@elwood/testkit/scripted-channel";
import { expect, test } from "vitest";
import type { ChannelStores, NewOutboxItem } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { BlobStore } from "../ports/ports.ts";
import { OutboxWorker } from "./outbox-worker.ts";

const T = "default";

interface World {
  readonly clock: ManualClock;
  readonly ids: FixedIds;
  readonly stores: ChannelStores;
  readonly blobs: BlobStore;
  readonly ledger: Ledger;
  readonly channel: ScriptedChannel;
  readonly moved: string[];
  open: boolean;
  worker: OutboxWorker;
}

function world(): World {
  const clock = new ManualClock();
  const w = {
    clock,
    ids: new FixedIds(),
    stores: memoryChannels(),
    blobs: memoryStores().blobs,
    ledger: memoryLedger({ clock }),
    channel: new ScriptedChannel(),
    moved: [] as string[],
    open: true,
  };
  return Object.assign(w, started(w));
}

/** A gateway process over the same disk and platform. */
function started(w: Omit<World, "worker">): Pick<World, "worker"> {
  const { clock, ids, ledger } = w;
  const worker = new OutboxWorker({
    tenant: T,
    outbox: w.stores.outbox,
    blobs: w.blobs,
    ledger,
    clock,
    ids,
    log: memoryLog(),
    connection: () => (w.open ? w.channel : undefined),
    moved: async (_channel, from, to) => {
      w.moved.push(`${from}→${to}`);
    },
    pageLink: (path) => `http://elwood.test${path}`,
  });
  return { worker };
}

const texts = (...all: string[]): RenderedMessage[] => all.map((text) => ({ text }));

async function owe(w: World, more: Partial<NewOutboxItem> = {}): Promise<string> {
  const { id, channel, chat } = await w.stores.outbox.open(T, {
    id: w.ids.next("outbox"),
    channel: "telegram",
    chat: "42",
    kind: "reply",
    subject: w.ids.next("run"),
    runId: "run_1",
    messages: texts("Hello."),
    at: w.clock.now(),
    ...more,
  });
  w.worker.wake(channel, chat);
  return id;
}

/** Polls, with a bound: everything that can happen without time passing has happened by then. */
async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await nextEventLoopTurn();
}

const receipts = async (w: World) =>
  (await w.ledger.receipts(T, { limit: 50 })).map(({ type, payload }) => ({ type, payload })).toReversed();

test("a reply is delivered message by message, and leaves one receipt", async () => {
  const w = world();
  const id = await owe(w, { messages: texts("one", "two") });
  await settle();
  expect(w.channel.texts("42")).toEqual(["one", "two"]);
  expect(await w.stores.outbox.get(T, id)).toMatchObject({
    state: "delivered",
    messages: [
      { state: "shown", messageId: "m1" },
      { state: "shown", messageId: "m2" },
    ],
  });
  expect(await receipts(w)).toEqual([{ type: "reply.delivered", payload: { itemId: id, messages: 2 } }]);
  expect(await w.stores.outbox.unclosed(T, 10)).toEqual([]);
});

test("a platform that asks to wait 126 seconds is left alone for that long, and then gets the reply", async () => {
  const w = world();
  w.channel.fates.push({ kind: "retry", why: "Telegram asks to wait.", afterMs: 126_000 });
  await owe(w);
  await owe(w, { messages: texts("later") });
  await settle();
  await w.clock.advance(125_999);
  await settle();
  expect(w.channel.requests).toHaveLength(1);
  await w.clock.advance(1);
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello.", "later"]);
});

test("a chat that has to wait holds up no other", async () => {
  const w = world();
  w.channel.fates.push({ kind: "retry", why: "wait", afterMs: 126_000 });
  await owe(w);
  await settle();
  await owe(w, { chat: "43" });
  await settle();
  expect(w.channel.texts("43")).toEqual(["Hello."]);
});

test("a send without an answer is repeated once, marked, and never again", async () => {
  const w = world();
  w.channel.fates.push({ kind: "shown-without-answer" }, { kind: "shown-without-answer" });
  const id = await owe(w);
  for (let i = 0; i < 20; i++) {
    await w.clock.advance(LIMITS.outboxRetryMaxMs);
    await settle();
  }
  expect(w.channel.texts("42")).toEqual(["Hello.", "(may be a repeat) Hello."]);
  expect(await w.stores.outbox.get(T, id)).toMatchObject({ state: "undeliverable", reason: "unconfirmed" });
  expect(await receipts(w)).toEqual([
    { type: "reply.undeliverable", payload: { itemId: id, why: "unconfirmed" } },
  ]);
});

test("a repeat that certainly was not sent does not use up the one repeat", async () => {
  const w = world();
  w.channel.fates.push(
    { kind: "unknown", why: "no answer" },
    { kind: "retry", why: "offline", offline: true },
    { kind: "retry", why: "offline", offline: true },
  );
  const id = await owe(w);
  for (let i = 0; i < 4; i++) {
    await w.clock.advance(LIMITS.outboxRetryMaxMs);
    await settle();
  }
  expect(w.channel.texts("42")).toEqual(["(may be a repeat) Hello."]);
  expect(await receipts(w)).toEqual([
    { type: "reply.delivered", payload: { itemId: id, messages: 1, repeated: true } },
  ]);
});

test("a process that dies between send and confirmation leads to one marked repeat", async () => {
  const w = world();
  w.channel.fates.push({ kind: "process-dies" });
  await owe(w);
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello."]);
  const next = { ...w, ...started(w) };
  await next.worker.recover();
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello.", "(may be a repeat) Hello."]);
  expect(await receipts(w)).toMatchObject([{ type: "reply.delivered", payload: { repeated: true } }]);
});

test("what was not sent yet when the process died is sent by the next, unmarked", async () => {
  const w = world();
  w.open = false;
  await owe(w);
  await settle();
  expect(w.channel.requests).toEqual([]);
  w.open = true;
  await started(w).worker.recover("telegram");
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello."]);
});

test("a receipt that the process died before is written by the next, once", async () => {
  const w = world();
  const id = await owe(w);
  await settle();
  const again = { ...w, stores: memoryChannels(), ledger: memoryLedger({ clock: w.clock }) };
  await again.stores.outbox.open(T, {
    id,
    channel: "telegram",
    chat: "42",
    kind: "reply",
    subject: "run_1",
    runId: "run_1",
    messages: texts("Hello."),
    at: 1,
  });
  await again.stores.outbox.mark(T, id, 0, { state: "shown" });
  await again.stores.outbox.settle(T, id, { state: "delivered", at: 2 });
  for (let i = 0; i < 2; i++) await started(again).worker.recover();
  expect(await receipts(again)).toHaveLength(1);
});

test("without a network a message waits with growing pauses, and is given up after two days in words", async () => {
  const w = world();
  for (let i = 0; i < 10_000; i++)
    w.channel.fates.push({ kind: "retry", why: "Telegram cannot be reached." });
  const id = await owe(w);
  await settle();
  for (const ms of [1_000, 2_000, 4_000]) {
    await w.clock.advance(ms);
    await settle();
  }
  expect(w.channel.requests).toHaveLength(4);
  // An hour without a network costs about one try a minute.
  for (let i = 0; i < 60; i++) {
    await w.clock.advance(60_000);
    await settle();
  }
  expect(w.channel.requests.length).toBeLessThan(70);
  await w.clock.advance(LIMITS.outboxAgeMaxMs);
  await settle();
  expect(await w.stores.outbox.get(T, id)).toMatchObject({
    state: "undeliverable",
    reason: "too-late",
    problem: "It could not be sent for 48 hours. Telegram cannot be reached.",
  });
});

test("a clock that is set back by a day does not make a message wait for a day", async () => {
  const w = world();
  w.channel.fates.push({ kind: "retry", why: "wait", afterMs: 1_000 });
  await owe(w);
  await settle();
  w.clock.set(w.clock.now() - 24 * 60 * 60_000);
  w.worker.wake("telegram", "42");
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello."]);
});

test("a blocked bot makes a reply undeliverable, with a receipt", async () => {
  const w = world();
  w.channel.fates.push({ kind: "gone", why: "The bot was blocked by the user." });
  const id = await owe(w, { messages: texts("one", "two") });
  await settle();
  expect(w.channel.requests).toHaveLength(1);
  expect(await w.stores.outbox.get(T, id)).toMatchObject({
    state: "undeliverable",
    problem: "The bot was blocked by the user.",
    messages: [{ state: "waiting" }, { state: "waiting" }],
  });
  expect(await receipts(w)).toEqual([{ type: "reply.undeliverable", payload: { itemId: id, why: "gone" } }]);
});

test("of a message that the platform refuses the chat hears where it can be read", async () => {
  const w = world();
  w.channel.fates.push({ kind: "refused", why: "Bad Request." });
  await owe(w);
  await settle();
  expect(w.channel.texts("42")).toEqual([
    "A message could not be shown here, because it was refused: Bad Request. You can read it at http://elwood.test/runs/run_1",
  ]);
});

test("a notice that is refused leads to no other notice", async () => {
  const w = world();
  w.channel.fates.push({ kind: "refused", why: "no" }, { kind: "refused", why: "no" });
  await owe(w);
  await settle();
  expect(w.channel.requests).toHaveLength(2);
  expect(await w.stores.outbox.unsettled(T, 10)).toEqual([]);
});

test("a chat with another id gets its messages there", async () => {
  const w = world();
  w.channel.fates.push({ kind: "moved", to: "-100" });
  await owe(w);
  await settle();
  expect(w.moved).toEqual(["42→-100"]);
  expect(w.channel.texts("-100")).toEqual(["Hello."]);
});

test("a preview becomes the reply by an edit, and its rest is sent", async () => {
  const w = world();
  const item = await w.stores.outbox.open(T, {
    id: "out_1",
    channel: "telegram",
    chat: "42",
    kind: "reply",
    subject: "run_1",
    runId: "run_1",
    at: 1,
  });
  expect(await w.worker.preview(item, { text: "Hel …" })).toBe(true);
  expect(await w.worker.preview(item, { text: "Hello, th …" })).toBe(true);
  expect(w.channel.texts("42")).toEqual(["Hello, th …"]);
  await w.stores.outbox.revise(T, "out_1", { messages: texts("Hello, there.", "More."), at: w.clock.now() });
  w.worker.wake("telegram", "42");
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello, there.", "More."]);
});

test("after a 429 on a preview nothing is previewed, and the whole reply comes after the wait", async () => {
  const w = world();
  const item = await w.stores.outbox.open(T, {
    id: "out_1",
    channel: "telegram",
    chat: "42",
    kind: "reply",
    subject: "run_1",
    runId: "run_1",
    at: 1,
  });
  await w.worker.preview(item, { text: "Hel …" });
  w.channel.fates.push({ kind: "retry", why: "wait", afterMs: 126_000 });
  expect(await w.worker.preview(item, { text: "Hello …" })).toBe(false);
  expect(await w.worker.preview(item, { text: "Hello, th …" })).toBe(false);
  expect(w.channel.requests).toHaveLength(2);
  await w.stores.outbox.revise(T, "out_1", { messages: texts("Hello, there."), at: w.clock.now() });
  w.worker.wake("telegram", "42");
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hel …"]);
  await w.clock.advance(126_000);
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello, there."]);
});

test("a preview without an answer is not sent again; the reply is, marked", async () => {
  const w = world();
  const item = await w.stores.outbox.open(T, {
    id: "out_1",
    channel: "telegram",
    chat: "42",
    kind: "reply",
    subject: "run_1",
    runId: "run_1",
    at: 1,
  });
  w.channel.fates.push({ kind: "shown-without-answer" });
  await w.worker.preview(item, { text: "Hel …" });
  expect(await w.worker.preview(item, { text: "Hello …" })).toBe(false);
  await w.stores.outbox.revise(T, "out_1", { messages: texts("Hello."), at: w.clock.now() });
  w.worker.wake("telegram", "42");
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hel …", "(may be a repeat) Hello."]);
});

test("a reply whose preview was deleted is sent anew, a deleted card is not", async () => {
  const w = world();
  for (const kind of ["reply", "card"] as const) {
    const id = await owe(w, { kind, subject: kind, messages: texts("first") });
    await settle();
    w.channel.shown.length = 0;
    await w.stores.outbox.revise(T, id, { messages: texts(`${kind} changed`), at: w.clock.now() });
    w.worker.wake("telegram", "42");
    await settle();
    expect(w.channel.texts("42")).toEqual(kind === "reply" ? ["reply changed"] : []);
    expect(await w.stores.outbox.get(T, id)).toMatchObject({ state: "delivered" });
    w.channel.shown.length = 0;
  }
});

test("a card that is decided while it is being sent says so in the end", async () => {
  const w = world();
  const send = w.channel.send.bind(w.channel);
  const card = { kind: "card", subject: "apr_1", messages: texts("Allow?") } as const;
  w.channel.send = async (request) => {
    const [item] = await w.stores.outbox.about(T, "card", "apr_1");
    await w.stores.outbox.revise(T, item!.id, { messages: texts("Allowed by you."), at: w.clock.now() });
    return send(request);
  };
  const id = await owe(w, card);
  await settle();
  expect(w.channel.texts("42")).toEqual(["Allowed by you."]);
  expect(await w.stores.outbox.get(T, id)).toMatchObject({ state: "delivered" });
});

test("stopping waits for what is being sent, and begins nothing new", async () => {
  const w = world();
  await owe(w);
  await owe(w, { messages: texts("two") });
  await w.worker.stop();
  await settle();
  expect(w.channel.requests.length).toBeLessThanOrEqual(1);
  await started(w).worker.recover();
  await settle();
  expect(w.channel.texts("42")).toEqual(["Hello.", "two"]);
});

test("a file is sent with its bytes, behind the text, and follows the same rule without an answer", async () => {
  const w = world();
  const { blobId } = await w.blobs.put(T, Uint8Array.of(1, 2, 3), "application/pdf", 1);
  const file = { blobId, name: "a.pdf", mime: "application/pdf", bytes: 3 };
  w.channel.fates.push({ kind: "sent", messageId: "m0" }, { kind: "shown-without-answer" });
  const id = await owe(w, { messages: [{ text: "Here." }, { text: "a.pdf", file }] });
  await settle();
  await w.clock.advance(LIMITS.outboxRetryMaxMs);
  await settle();
  expect(w.channel.shown).toMatchObject([
    { text: "a.pdf", repeat: false, fileBytes: Uint8Array.of(1, 2, 3) },
    { text: "(may be a repeat) a.pdf", repeat: true, fileBytes: Uint8Array.of(1, 2, 3) },
  ]);
  const payload = { itemId: id, messages: 2, repeated: true };
  expect(await receipts(w)).toEqual([{ type: "reply.delivered", payload }]);
});

test("a file that was forgotten before it was sent is told as such", async () => {
  const w = world();
  const file = { blobId: "blob_gone", name: "a.pdf", mime: "application/pdf", bytes: 3 };
  const id = await owe(w, { messages: [{ text: "a.pdf", file }] });
  await settle();
  expect(w.channel.requests).toEqual([]);
  expect(await receipts(w)).toEqual([
    { type: "reply.undeliverable", payload: { itemId: id, why: "erased" } },
  ]);
});
