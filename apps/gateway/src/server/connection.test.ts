import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayClient } from "@elwood/sdk/client";
import { ManualClock, turnOfTheLoop } from "@elwood/testkit/manual-clock";
import { startTestGateway } from "../test-gateway.ts";

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
  await turnOfTheLoop();
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
    scopes: ["chat", "approve", "admin"],
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
