import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Feeds } from "@elwood/runtime/run/feed";
import { memoryLog } from "@elwood/testkit/memory-log";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LIMITS } from "@elwood/core/base/limits";
import { PushStream } from "./push-stream.ts";

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: { readonly seq: number; readonly firstSeq?: number; readonly text: string };
}

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
});
afterAll(() => server.close());

/** A gateway's stream of a run, and the frames that its client got. */
async function following() {
  const accepted = once(server, "connection") as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => client.terminate());
  const frames: Frame[] = [];
  client.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString("utf8")) as Frame));
  const [socket] = await accepted;
  const feeds = new Feeds();
  const feed = feeds.open("run_1", "ses_1");
  const stream = new PushStream(socket, feeds, memoryLog());
  stream.drafts = true;
  stream.follow("run_1");
  const got = async (count: number) => {
    await expect.poll(() => frames.length).toBeGreaterThanOrEqual(count);
    return frames;
  };
  return { feed, stream, got };
}

test("words that come in the same moment are one frame, which says what numbers it stands for", async () => {
  const { feed, got } = await following();
  for (const text of ["one ", "two ", "three"]) feed.emit("chat.delta", { text, draft: true });
  await got(1);
  feed.emit("chat.delta", { text: " four", draft: true });
  const frames = await got(2);
  expect(frames.map(({ data: { firstSeq, seq, text } }) => ({ firstSeq, seq, text }))).toEqual([
    { firstSeq: 1, seq: 3, text: "one two three" },
    { firstSeq: undefined, seq: 4, text: " four" },
  ]);
});

test("no other frame overtakes words that came before it", async () => {
  const { feed, stream, got } = await following();
  feed.emit("chat.delta", { text: "one", draft: true });
  stream.answer({ id: "7", ok: true });
  feed.emit("chat.delta", { text: " two", draft: true });
  feed.emit("chat.notice", { code: "INTERNAL", message: "a notice" });
  const frames = await got(4);
  expect(frames.map(({ id, event }) => id ?? event)).toEqual([
    "chat.delta",
    "7",
    "chat.delta",
    "chat.notice",
  ]);
});

test("an answer of many megabytes in one moment leaves in pieces, and its client is not taken for a slow one", async () => {
  const { feed, got } = await following();
  const piece = "x".repeat(LIMITS.sendBufferSoftBytes / 4);
  for (let at = 0; at < 12; at++) feed.emit("chat.delta", { text: piece, draft: true });
  feed.emit("chat.notice", { code: "INTERNAL", message: "the end" });
  await expect.poll(async () => (await got(1)).at(-1)?.event).toBe("chat.notice");
  const deltas = (await got(1)).filter(({ event }) => event === "chat.delta");
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.map(({ data }) => data.text).join("").length).toBe(12 * piece.length);
});
