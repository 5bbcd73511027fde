import { readFileSync } from "node:fs";
import { gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Wire, type Frame } from "./conformance/wire.ts";
import { anthropicEnv, ending, openSession, send, streamedText } from "./conversation.ts";

const PIECE = "0123456789abcdef".repeat(4_096);
const pieces = (mebibytes: number) =>
  Array.from({ length: mebibytes * 16 }, (_, i) => `${String(i).padStart(5, "0")}${PIECE}`);

let server: AnthropicServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  server = await startAnthropic();
  gateway = await startGatewayProcess({ env: anthropicEnv(server) });
});
afterAll(async () => {
  await gateway.kill();
  await server.close();
});

/** An answer of many megabytes that goes on behind its first words when the gate is opened. */
function longAnswer(text: readonly string[], door: ReturnType<typeof gate>): Answer {
  const [opened, first, ...rest] = anthropic.block({ type: "text", text: "", pieces: text }, 0);
  return anthropic.stream([anthropic.start(), opened!, first!, { wait: door }, ...rest, ...anthropic.end()]);
}

/** A client that can stop reading: nothing is taken off the wire then, and the gateway's buffer fills. */
class SlowReader {
  readonly frames: Frame[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  constructor(url: string, token: string) {
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    this.closed = new Promise((resolve) => this.#socket.on("close", resolve));
    const client = { name: "slow", drafts: true };
    this.#socket.on("open", () => this.ask({ type: "auth", token, client }));
    this.#socket.on("message", (data: Buffer) =>
      this.frames.push(JSON.parse(data.toString("utf8")) as Frame),
    );
  }

  ask(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  async until(matches: (frame: Frame) => boolean): Promise<Frame> {
    await expect.poll(() => this.frames.some(matches), { timeout: 60_000 }).toBe(true);
    return this.frames.find(matches)!;
  }

  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }
}

async function slowReader(): Promise<SlowReader> {
  const reader = new SlowReader(gateway.url, gateway.token);
  await reader.until((f) => f.type === "auth");
  return reader;
}

/** Has the slow client follow a run from its first words on, and then stop reading. */
async function followAndStop(slow: SlowReader, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    slow.ask({ id: runId, method: "chat.resume", params: { runId } });
    await slow.until((f) => f.id === runId);
  }
  slow.stopReading();
}

function expectEachNumberOnce(pushes: readonly Frame[], first: number): void {
  let next = first;
  for (const { data } of pushes) {
    expect(data!["firstSeq"] ?? data!["seq"]).toBe(next);
    next = Number(data!["seq"]) + 1;
  }
}

/** The most memory that the gateway ever had. */
const peakMb = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))![1]) / 1024;

test("a client that falls behind gets text in larger pieces than another, and both are told which numbers each stands for", async () => {
  const text = pieces(14);
  const door = gate();
  server.will(longAnswer(text, door));
  const fast = await Wire.authenticated(gateway.url, gateway.token, { name: "fast", drafts: true });
  const runId = await send(fast, await openSession(fast), "write a book");
  await fast.until((f) => f.event === "chat.delta");
  const slow = await slowReader();
  await followAndStop(slow, [runId]);

  door.open();
  const final = await ending(fast, runId);
  expect(final.data!["text"]).toBe(text.join(""));
  const seen = fast.pushesOf(runId).filter((f) => f.event === "chat.delta");
  expect(streamedText(seen)).toBe(text.join(""));
  expectEachNumberOnce(seen, Number(seen[0]!.data!["seq"]));

  slow.readOn();
  const { snapshot, seq } = slow.frames.find((f) => f.id === runId)!.result as {
    snapshot: { text: string };
    seq: number;
  };
  await slow.until((f) => f.event === "chat.final");
  const pushes = slow.frames.filter((f) => f.data?.["runId"] === runId);
  const merged = pushes.filter((f) => Number(f.data!["firstSeq"] ?? Infinity) < Number(f.data!["seq"]));
  expect(merged.length).toBeGreaterThan(0);
  expectEachNumberOnce(pushes, seq + 1);
  expect(snapshot.text + streamedText(pushes)).toBe(text.join(""));
  expect(pushes.length).toBeLessThan(seen.length);
  await fast.close();
});

test("a client that does not read at all is closed with 1013, its runs go on, and it can resume them", async () => {
  const text = pieces(12).join("");
  const doors = [gate(), gate()];
  server.will(...doors.map((door) => longAnswer(pieces(12), door)));
  const fast = await Wire.authenticated(gateway.url, gateway.token, { name: "fast", drafts: true });
  const runIds: string[] = [];
  for (const _ of doors) {
    runIds.push(await send(fast, await openSession(fast), "write a book"));
    await fast.until((f) => f.event === "chat.delta" && f.data?.["runId"] === runIds.at(-1));
  }
  const slow = await slowReader();
  await followAndStop(slow, runIds);
  // It learns why only within a few seconds, which a busy machine may take to end the second run.
  const readsOn = expect
    .poll(() => gateway.output().stdout, { timeout: 60_000 })
    .toContain('"msg":"closed a client that does not read"')
    .then(() => slow.readOn());
  for (const [i, door] of doors.entries()) {
    door.open();
    expect((await ending(fast, runIds[i]!)).data!["text"]).toBe(text);
  }
  await readsOn;
  expect(await slow.closed).toBe(1013);

  const back = await Wire.authenticated(gateway.url, gateway.token, { name: "slow", drafts: true });
  for (const runId of runIds) {
    const { snapshot } = (await back.result("chat.resume", { runId })) as {
      snapshot: { text: string; status: string };
    };
    expect(snapshot.status).toBe("done");
    expect(snapshot.text).toBe(text);
  }
  // Far above what is needed, far below what a buffer without an end would come to.
  if (process.platform === "linux") expect(peakMb()).toBeLessThan(1_200);
  await Promise.all([fast.close(), back.close()]);
});
