import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { Assistant, GatewayEngine, type ICoreEngineClient } from "@elwood/sdk";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { LocalEngine } from "@elwood/sdk/local";
import type { BenchReport } from "./main.ts";
import { freePort, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MODEL = "claude-sonnet-5-5";
const WARM = 50;
const ROUNDS = 300;
/** Before each: what the one before has left to do, in this process or the gateway's, is not counted. */
const REST_MS = 10;
/** What ask() may take beyond the gateway's own figure for a turn, through each engine. */
const ABOVE_MS_MAX = { gateway: 1, local: 0.5 };

type Ways = "direct" | "turn" | "gateway" | "localFolder" | "localMemory";

/** Gets ready, and answers with what is to be measured. */
type Way = (n: number) => Promise<() => Promise<void>>;

/**
 * What ask() of the SDK takes, by way of a gateway and in this process, in a folder and in memory, against the
 * gateway's own figure for a turn and a direct call of the provider's library. Each round measures all of them once,
 * with a model that answers at once, in a process of its own.
 *
 * The gateway's own figure is a message of the same assistant, from `chat.send` to `chat.final`, in a session that is
 * there already; opening one is a part of ask().
 */
export async function bench(): Promise<BenchReport> {
  const model = await startModel();
  const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const localHome = mkdtempSync(join(tmpdir(), "elwood-bench-local-"));
  const port = await freePort();
  const config = join(home, "bench.yaml");
  // The daily cost limit would end it early; the model here costs nothing.
  writeFileSync(config, "limits:\n  dayCostUsd: 1000000\n");
  const env = {
    ...process.env,
    CI: "1",
    ELWOOD_CONFIG: config,
    ELWOOD_MODEL: `anthropic/${MODEL}`,
    ANTHROPIC_API_KEY: "bench-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
  };
  const args = [
    join(ROOT, "apps/cli/bin/elwood.mjs"),
    "--home",
    home,
    "up",
    "--no-open",
    "--port",
    String(port),
  ];
  const { child } = await startAndTime("node", args, `http://127.0.0.1:${port}/readyz`, env);
  const engines: ICoreEngineClient[] = [];
  try {
    const url = `http://127.0.0.1:${port}`;
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const client = await GatewayClient.connect({ url, token, client: { name: "bench", drafts: true } });
    const asking = (engine: ICoreEngineClient) => {
      engines.push(engine);
      const about = { id: "bench", name: "Bench", role: "answers", personality: "brief", tools: [] };
      const assistant = new Assistant({ ...about, coreEngineClient: engine });
      return async (n: number) => async () => void (await assistant.ask(`hello ${n}`));
    };
    const ways: Readonly<Record<Ways, Way>> = {
      direct: directTurn(model.url),
      gateway: asking(new GatewayEngine({ url, token })),
      localFolder: asking(new LocalEngine({ home: localHome, env })),
      localMemory: asking(new LocalEngine({ env })),
      turn: gatewayTurn(client),
    };
    const figures = await byTurns(ways);
    await client.close();
    return report(figures);
  } finally {
    for (const engine of engines) await engine.close();
    await stop(child);
    model.stop();
    for (const folder of [home, localHome]) rmSync(folder, { recursive: true, force: true });
  }
}

async function startModel(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = fork(fileURLToPath(new URL("./instant-model-process.ts", import.meta.url)));
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  return { url, stop: () => child.disconnect() };
}

async function byTurns(
  ways: Readonly<Record<Ways, Way>>,
): Promise<Readonly<Record<Ways, readonly number[]>>> {
  const names = Object.keys(ways) as Ways[];
  const times: Record<Ways, number[]> = {
    direct: [],
    turn: [],
    gateway: [],
    localFolder: [],
    localMemory: [],
  };
  for (let round = 0; round < WARM + ROUNDS; round += 1)
    for (const name of names) {
      const measured = await ways[name](round);
      await rest(REST_MS);
      const began = performance.now();
      await measured();
      if (round >= WARM) times[name].push(performance.now() - began);
    }
  return times;
}

function directTurn(baseURL: string): Way {
  const sdk = new Anthropic({ apiKey: "bench-key-not-a-secret", baseURL, maxRetries: 0 });
  return async (n) => async () => {
    const messages = [{ role: "user" as const, content: `hello ${n}` }];
    const stream = await sdk.messages.create({ model: MODEL, max_tokens: 1024, stream: true, messages });
    for await (const event of stream) if (event.type === "message_stop") break;
  };
}

/** A message of the same assistant, as the protocol has it. */
function gatewayTurn(client: GatewayClient): Way {
  return async (n) => {
    const { sessionKey } = await client.call("sessions.create", { agentId: "app.bench" });
    return async () => {
      const ended = Promise.withResolvers<void>();
      const off = client.onPush((push) => {
        if (isPush(push, "chat.error")) ended.reject(new Error(push.data.message));
        if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve();
      });
      await client.call("chat.send", { sessionKey, message: `hello ${n}` });
      await ended.promise;
      off();
    };
  };
}

function report(times: Readonly<Record<Ways, readonly number[]>>): BenchReport {
  const p50 = (name: Ways) => quantile([...times[name]], 0.5);
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const baseline = `gateway's own turn ${ms(p50("turn"))}, direct call ${ms(p50("direct"))}`;
  const row = (what: string, name: Ways, limit: number) => {
    const above = p50(name) - p50("turn");
    return {
      what,
      value: `${ms(p50(name))} (${above < 0 ? "−" : "+"}${ms(Math.abs(above))})`,
      baseline,
      reach: `≤ ${limit} ms above the gateway's own turn`,
      ok: above <= limit,
    };
  };
  return {
    name: "sdk",
    p50: Object.fromEntries((Object.keys(times) as Ways[]).map((name) => [name, p50(name)])),
    rows: [
      row("ask() through GatewayEngine, p50", "gateway", ABOVE_MS_MAX.gateway),
      row("ask() through LocalEngine in a folder, p50", "localFolder", ABOVE_MS_MAX.local),
      row("ask() through LocalEngine in memory, p50", "localMemory", ABOVE_MS_MAX.local),
    ],
  };
}
