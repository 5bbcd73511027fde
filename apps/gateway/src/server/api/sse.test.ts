import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { SseStream } from "./sse.ts";

/** A stream, and the raw connection of who reads it. */
async function open() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  const clock = new ManualClock();
  const stream = new SseStream(response, clock);
  return {
    clock,
    stream,
    socket,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

test("who does not read is waited for up to the limit, and then left; what is held for them stays small", async () => {
  await using scene = await open();
  scene.socket.pause();
  const piece = "x".repeat(64 * 1024);
  let sent = 0;
  const go = async () => {
    for (; !scene.stream.gone.aborted; sent++) await scene.stream.send(piece);
  };
  const done = go();
  // Each time a little more may have gone out; once nothing does, one whole wait is the last.
  const left = async () => {
    await scene.clock.advance(LIMITS.sseSlowReaderMs);
    return scene.stream.gone.aborted;
  };
  await expect.poll(left, { timeout: 60_000 }).toBe(true);
  // As much as the two ends of the connection hold, and no more.
  expect(sent).toBeLessThan(400);
  await done;
});

test("comments keep a quiet stream alive, and stop when it ends", async () => {
  await using scene = await open();
  let text = "";
  scene.socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  await scene.clock.advance(LIMITS.sseKeepAliveMs);
  await expect.poll(() => text, { timeout: 60_000 }).toContain(": still here\n\n");
  scene.stream.end();
  await expect.poll(() => scene.clock.sleeping, { timeout: 60_000 }).toBe(0);
});
