import type { ChannelConnection, ChannelEvent, ChannelHealth } from "@elwood/core/channel/channel";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TelegramServer } from "@elwood/testkit/telegram-server";
import { expect, onTestFinished, test } from "vitest";
import telegram from "./index.ts";

const OLGA = { id: 100, first_name: "Olga" };

async function open(
  options: {
    receive?: (event: ChannelEvent) => Promise<void>;
    token?: string;
    state?: Map<string, string>;
  } = {},
) {
  const server = await new TelegramServer().start();
  const state = options.state ?? new Map<string, string>();
  const events: ChannelEvent[] = [];
  const health: ChannelHealth[] = [];
  const stop = new AbortController();
  const clock = new ManualClock();
  const connect = () =>
    telegram.open({
      settings: { apiRoot: server.url },
      secrets: { TELEGRAM_BOT_TOKEN: options.token ?? server.token },
      clock,
      log: memoryLog(),
      commands: [{ name: "new", description: "Begin" }],
      state: { read: async (key) => state.get(key), write: async (key, value) => void state.set(key, value) },
      receive: async (event) => {
        events.push(event);
        await options.receive?.(event);
      },
      report: (now) => void health.push(now),
      signal: stop.signal,
    });
  const connection = await connect();
  onTestFinished(async () => {
    stop.abort();
    await connection.close();
    await server.close();
  });
  return { server, connection, events, health, clock, state, connect };
}

const send = (connection: ChannelConnection, text: string, repeat = false) =>
  connection.send({ chat: "100", message: { text }, key: "k", repeat }, new AbortController().signal);

test.each([
  [
    {
      error: 400,
      description: "Bad Request: group chat was upgraded",
      parameters: { migrate_to_chat_id: -7 },
    },
    { kind: "moved", to: "-7" },
  ],
  [{ error: 413, description: "Request Entity Too Large" }, { kind: "refused" }],
  [{ error: 500, description: "Internal Server Error" }, { kind: "retry" }],
  [{ cut: "before" as const }, { kind: "unknown" }],
])("what Telegram answers to a message becomes an outcome: %o", async (fate, outcome) => {
  const { server, connection } = await open();
  server.fate("sendMessage", fate);
  expect(await send(connection, "hello")).toMatchObject(outcome);
});

test("formatting that Telegram cannot read is left out rather than the message", async () => {
  const { server, connection } = await open();
  server.fate("sendMessage", { error: 400, description: "Bad Request: can't parse entities: x" });
  const message = { text: "bold", form: { entities: [{ type: "bold", offset: 0, length: 4 }] } };
  const request = { chat: "100", message, key: "k", repeat: false };
  expect(await connection.send(request, new AbortController().signal)).toMatchObject({ kind: "sent" });
  expect(server.messages).toMatchObject([{ text: "bold", entities: [] }]);
});

test("a repeat says that it may be one, and is sent only once Telegram answers something harmless", async () => {
  const { server, connection } = await open();
  server.fate("sendMessage", { cut: "after" });
  expect(await send(connection, "hello")).toMatchObject({ kind: "unknown" });
  server.fate("getMe", { cut: "before" });
  expect(await send(connection, "hello", true)).toMatchObject({ kind: "retry", offline: true });
  expect(server.texts(100)).toEqual(["hello"]);
  expect(await send(connection, "hello", true)).toMatchObject({ kind: "sent" });
  expect(server.texts(100)).toEqual(["hello", "(may be a repeat)\nhello"]);
});

test("an update that cannot be stored is offered again, and confirmed only once it is", async () => {
  let broken = true;
  const { server, events, clock, state } = await open({
    receive: () => (broken ? Promise.reject(new Error("the disk is full")) : Promise.resolve()),
  });
  server.say(OLGA, "one");
  await expect.poll(() => events.length).toBe(1);
  expect(server.unconfirmed).toBe(1);
  expect(state.get("offset")).toBeUndefined();
  broken = false;
  await clock.advance(1_000);
  await expect.poll(() => events.length).toBe(2);
  await expect.poll(() => server.unconfirmed).toBe(0);
  expect(state.get("offset")).toBe("1001");
});

test("a poll that hangs is begun again", async () => {
  const { server, clock } = await open();
  await expect.poll(() => server.requestsOf("getUpdates").length).toBe(1);
  await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
  await clock.advance(90_000);
  await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
  await clock.advance(1_000);
  // One that is answered at once, and the next long one.
  await expect
    .poll(() => server.requestsOf("getUpdates").map(({ params }) => params["timeout"]))
    .toEqual([50, 0, 50]);
});
