import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { GatheringSocket } from "./sockets.ts";

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
});
afterAll(() => server.close());

async function connected() {
  const accepted = once(server, "connection") as Promise<[WebSocket, IncomingMessage]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => client.terminate());
  const got: string[] = [];
  client.on("message", (data: Buffer) => got.push(data.toString("utf8")));
  const closed = once(client, "close");
  const [socket, { socket: stream }] = await accepted;
  return { socket: new GatheringSocket(socket, stream), stream, got, closed };
}

test("frames of one moment wait for each other and leave together, in order", async () => {
  const { socket, stream, got } = await connected();
  const before = stream.bytesWritten;
  socket.send("one");
  const held = stream.writableLength;
  socket.send("two");
  socket.send(Buffer.from("three"), { binary: false }, () => undefined);
  expect(held).toBeGreaterThan(0);
  expect(stream.writableLength).toBeGreaterThan(held);
  expect(socket.bufferedAmount).toBe(stream.writableLength);
  await nextTurn();
  expect([stream.writableCorked, stream.writableLength]).toEqual([0, 0]);
  expect(stream.bytesWritten).toBeGreaterThan(before);
  socket.send("four");
  await expect.poll(() => got).toEqual(["one", "two", "three", "four"]);
});

test("a close comes behind what was sent before it", async () => {
  const { socket, stream, got, closed } = await connected();
  socket.send("last words");
  socket.close(4001, "over");
  expect(stream.writableCorked).toBe(0);
  expect((await closed)[0]).toBe(4001);
  expect(got).toEqual(["last words"]);
});
