import {
  ANTHROPIC_ROUTE,
  anthropic,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { BrokenInput } from "./broken-input.ts";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, ask, contentsOf, openSession } from "./conversation.ts";
import { clientFrame, RawSocket, upgradeRequest } from "./raw-socket.ts";

const FRAMES_OF_CLIENTS = 3_000;
const FRAMES_OF_STRANGERS = 800;
const HTTP_REQUESTS = 1_200;
const SEED = Number(process.env["ELWOOD_FUZZ_SEED"] ?? Date.now() % 1_000_000);

let server: AnthropicServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, echo);
  gateway = await startGatewayProcess({ env: anthropicEnv(server) });
});
afterAll(async () => {
  await gateway.kill();
  await server.close();
});

/** Answers with what was said last, so that a right answer can be told from any other. */
const echo: Answer = (exchange) => {
  const { messages } = exchange.request.body as { messages: { content: { text?: string }[] }[] };
  const said = messages.at(-1)!.content.findLast((block) => block.text !== undefined)!.text!;
  return anthropic.reply(`You said: ${said.replace(/^\[[^\]]*\] /, "")}`)(exchange);
};

test("thousands of broken frames and requests change nothing for a client that works on", async () => {
  onTestFailed(() => {
    process.stderr.write(
      `\nReproduce with ELWOOD_FUZZ_SEED=${SEED}\n${gateway.output().stderr.slice(-2_000)}\n`,
    );
  });
  const owner = await Wire.authenticated(gateway.url, gateway.token);
  const { token } = (await owner.result("tokens.create", { name: "rude", scopes: ["chat"] })) as {
    token: string;
  };
  const storm = { over: false };
  const attacks = Promise.all([
    rudeClient(token, new BrokenInput(SEED)),
    rudeClient(token, new BrokenInput(SEED + 1)),
    rudeStrangers(new BrokenInput(SEED + 2)),
    brokenSockets(new BrokenInput(SEED + 3)),
    brokenRequests(new BrokenInput(SEED + 4)),
  ]).finally(() => (storm.over = true));

  const said = await workOn(owner, storm);
  await attacks;
  expect(said).toBeGreaterThan(5);

  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  const again = await Wire.authenticated(gateway.url, gateway.token);
  expect((await ask(again, await openSession(again), "after the storm")).data).toMatchObject({
    text: "You said: after the storm",
  });
  expectQuietLog();
});

/** Chats on until the storm is over; every answer must be the right one, and the history whole. */
async function workOn(wire: Wire, storm: { over: boolean }): Promise<number> {
  const key = await openSession(wire);
  const expected: string[] = [];
  do {
    const message = `What is number ${expected.length / 2}?`;
    expect((await ask(wire, key, message)).data).toMatchObject({ text: `You said: ${message}` });
    expected.push(message, `You said: ${message}`);
    // The list of frames would otherwise be searched anew, and longer, for every answer.
    wire.frames.length = 0;
  } while (!storm.over);
  expect(await contentsOf(wire, key)).toEqual(expected.slice(-50));
  return expected.length / 2;
}

/** A client with a token that sends nonsense; every answer must be in the protocol's shape, and none INTERNAL. */
async function rudeClient(token: string, broken: BrokenInput): Promise<void> {
  let wire = await Wire.authenticated(gateway.url, token);
  const sessionKey = await openSession(wire);
  const runId = `run_${"0".repeat(26)}`;
  const valid = [
    { id: "1", method: "health.check", params: {} },
    { id: "2", method: "sessions.list", params: { query: "a", limit: 5, before: "x" } },
    { id: "3", method: "sessions.get", params: { sessionKey } },
    { id: "4", method: "sessions.rename", params: { sessionKey, title: "t" } },
    { id: "5", method: "sessions.search", params: { query: "words" } },
    { id: "6", method: "sessions.export", params: { sessionKey, format: "json" } },
    { id: "7", method: "chat.history", params: { sessionKey, limit: 3 } },
    { id: "8", method: "chat.resume", params: { runId, afterSeq: 0 } },
    { id: "9", method: "chat.abort", params: { runId } },
    { id: "10", method: "runs.list", params: { sessionKey, status: "done" } },
    {
      id: "11",
      method: "chat.send",
      params: {
        sessionKey: `${sessionKey}x`,
        message: "m",
        parts: [{ kind: "text", text: "t", origin: "quoted" }],
        idempotencyKey: "k",
      },
    },
    { id: "12", method: "blobs.ticket", params: { blobId: "blob_1" } },
    { id: "13", method: "tokens.create", params: { name: "n", scopes: ["admin"] } },
    { type: "auth", token },
  ];
  for (let sent = 0; sent < FRAMES_OF_CLIENTS / 2; sent++) {
    const kind = broken.number(20);
    if (kind === 0) wire.send(broken.bytes(400));
    else wire.send(broken.frame(broken.pick(valid)).toWellFormed());
    if (sent % 40 !== 39) continue;
    const alive = await calmed(wire);
    expect(wire.frames.filter((f) => f.error?.code === -32000)).toEqual([]);
    wire.frames.length = 0;
    if (!alive) wire = await Wire.authenticated(gateway.url, token);
  }
  await wire.close();
}

/** True once everything sent so far is answered; false where the gateway closed the connection. */
async function calmed(wire: Wire): Promise<boolean> {
  for (;;) {
    const answer = await wire.ask("health.check").catch((error: Error) => error);
    if (!(answer instanceof Error)) {
      if (answer.result) return true;
    } else if (/closed/.test(answer.message)) return false;
    else throw answer;
  }
}

/** Clients without a token, each from an address of its own, so that the limit on failures does not spare the rest. */
async function rudeStrangers(broken: BrokenInput): Promise<void> {
  for (let sent = 0; sent < FRAMES_OF_STRANGERS;) {
    const socket = await RawSocket.open(gateway.url, `127.0.1.${1 + broken.number(250)}`);
    socket.write(upgradeRequest(gateway.url));
    await socket.until(/\r\n\r\n/);
    for (let frames = 1 + broken.number(4); frames > 0; frames--, sent++) {
      const auth = { type: "auth", token: broken.text(40), client: { name: "x", drafts: true } };
      socket.write(clientFrame(broken.frame(auth)));
    }
    await Promise.race([socket.ended, moment()]);
    expect(socket.received()).not.toContain('"ok":true');
    socket.destroy();
  }
}

/** Bytes that are no WebSocket frames at all, behind a good handshake. */
async function brokenSockets(broken: BrokenInput): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const socket = await RawSocket.open(gateway.url, "127.0.2.1");
    socket.write(upgradeRequest(gateway.url));
    await socket.until(/\r\n\r\n/);
    const good = clientFrame('{"id":"1","method":"health.check"}', broken.number(16));
    const cut = good.subarray(0, broken.number(good.length));
    socket.write(broken.pick([broken.bytes(200), good, cut, Buffer.concat([cut, broken.bytes(20)])]));
    await Promise.race([socket.ended, moment()]);
    socket.destroy();
  }
}

async function brokenRequests(broken: BrokenInput): Promise<void> {
  const { host } = new URL(gateway.url);
  const valid = [
    `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET /app.js HTTP/1.1\r\nHost: ${host}\r\nIf-None-Match: "x"\r\n\r\n`,
    `GET /blobs/blob_1?ticket=abc HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer abc\r\n\r\n`,
    `POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"ticket":"abcd"}`,
    `POST /blobs HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n`,
    upgradeRequest(gateway.url),
  ];
  for (let sent = 0; sent < HTTP_REQUESTS; sent++) {
    const socket = await RawSocket.open(gateway.url, `127.0.3.${1 + broken.number(250)}`);
    const odd = `GET ${broken.target()} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const text = broken.number(3) === 0 ? odd : broken.damaged(broken.pick(valid));
    socket.write(broken.number(10) === 0 ? broken.bytes(300) : text);
    if (broken.number(3) === 0) socket.write(broken.damaged(broken.pick(valid)));
    await Promise.race([socket.ended, moment()]);
    expect(socket.received()).not.toMatch(/^HTTP\/1\.1 500/m);
    socket.destroy();
  }
}

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3));
}

function expectQuietLog(): void {
  const { stdout, stderr } = gateway.output();
  const lines = stdout.split("\n").filter((line) => line !== "");
  const records = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
  expect(records.filter(({ level }) => level === "ERROR")).toEqual([]);
  expect(stdout + stderr).not.toMatch(/\bat \S+ \(|\.ts:\d+:\d+|a method broke|Unhandled|Warning/);
}
