import { once } from "node:events";
import { ok } from "@elwood/core/base/result";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { GatewayClient } from "@elwood/sdk/client";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { Feeds } from "@elwood/runtime/run/feed";
import { memoryLog } from "@elwood/testkit/memory-log";
import type { Dispatcher } from "../methods/dispatch.ts";
import type { Services } from "../methods/services.ts";
import { startTestGateway } from "../../test/test-gateway.ts";
import { FailedAuthLimiter } from "../auth/failed-auth.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";

const DAY_MS = 86_400_000;

/** A gateway, its owner, and the token of a program that lives one day. */
async function scene(clock: ManualClock) {
  const started = await startTestGateway({ clock });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  const { token } = await owner.call("tokens.create", {
    name: "program",
    scopes: ["chat"],
    expiresInDays: 1,
  });
  return { started, url, owner, token };
}

test("a connection ends with its token's time, though it says nothing", async () => {
  const clock = new ManualClock();
  const { started, url, owner, token } = await scene(clock);
  await using _ = started;
  const program = await GatewayClient.connect({ url, token });
  await clock.advance(DAY_MS - 1_000);
  await program.call("sessions.list", {});
  await clock.advance(1_000);
  expect(await program.closed).toEqual({ code: 1008, reason: "token expired" });
  await expect(GatewayClient.connect({ url, token })).rejects.toThrow("not accepted");
  await owner.call("sessions.list", {});
});

test("a frame after the token's time is refused in words, and pushes stop, even where no timer woke", async () => {
  const clock = new ManualClock();
  const { started, url, owner, token } = await scene(clock);
  await using _ = started;
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const frames: string[] = [];
  socket.on("message", (data: Buffer) => frames.push(data.toString("utf8")));
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "auth", token }));
  await once(socket, "message");
  clock.set(clock.now() + DAY_MS); // The machine slept, and its timers with it.
  const { sessionKey } = await owner.call("sessions.create", {});
  await owner.call("sessions.rename", { sessionKey, title: "Private" });
  socket.send(JSON.stringify({ id: "1", method: "sessions.list", params: {} }));
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  await nextEventLoopTurn();
  expect([code, reason.toString("utf8")]).toEqual([1008, "token expired"]);
  expect(frames.slice(1).map((frame) => JSON.parse(frame) as unknown)).toEqual([
    { id: null, error: expect.objectContaining({ message: expect.stringContaining("time is over") }) },
  ]);
});

test("half a character in the name of a client or a token breaks neither its way in nor the log", async () => {
  await using started = await startTestGateway();
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken, client: { name: "left \ud83d" } });
  const made = await owner.call("tokens.create", {
    name: "\ude00 right",
    scopes: ["chat", "approve", "admin", "execute"],
  });
  expect(made.info.name.isWellFormed()).toBe(true);
  const other = await GatewayClient.connect({ url, token: made.token, client: { name: "\ud83d\ud83d" } });
  const { receipts } = await other.call("receipts.list", { types: ["auth.accepted"] });
  const seen = receipts.map(({ actor, surface }) => ({ actor, surface }));
  expect(seen).toContainEqual({ actor: "\ufffd right", surface: "\\ufffd\\ufffd" });
  expect(seen).toContainEqual({ actor: "owner", surface: "left \\ufffd" });
  expect((await other.call("receipts.verify", {})).verdict.status).toBe("intact");
  expect(started.complaints).toEqual([]);
});

test.each(["chat.send", "sessions.list"])(
  "an answer to %s that cannot be sent closes its connection, and no other",
  async (method) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const clock = new ManualClock();
    const log = memoryLog();
    const dispatcher: Dispatcher = {
      isOpen: () => true,
      // JSON has no form for the first.
      call: async (_, params) => ok(params === undefined ? { size: 1n } : { size: 1 }),
    };
    // What these frames do not reach is not there.
    const services = {
      runs: { engine: { feeds: new Feeds() } },
      system: { log, clock },
    } as unknown as Services;
    const deps: ConnectionDeps = {
      services,
      dispatcher,
      authenticator: {} as ConnectionDeps["authenticator"],
      limiter: new FailedAuthLimiter(clock),
      build: async () => undefined,
    };
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => {
      server.close();
    });
    server.on("connection", (socket) => new Connection(socket, "127.0.0.1", deps));
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const [broken, other] = await Promise.all(
      [1, 2].map(async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}`);
        await once(socket, "open");
        return socket;
      }),
    );
    broken!.send(JSON.stringify({ id: "1", method }));
    const [code] = (await once(broken!, "close")) as [number];
    expect(code).toBe(1011);
    await nextEventLoopTurn();
    expect(unhandled).toEqual([]);
    expect(log.entries).toMatchObject([{ level: "error", message: "a frame could not be handled" }]);
    other!.send(JSON.stringify({ id: "2", method, params: {} }));
    const [data] = (await once(other!, "message")) as [Buffer];
    expect(JSON.parse(data.toString("utf8"))).toEqual({ id: "2", result: { size: 1 } });
    other!.terminate();
  },
);
