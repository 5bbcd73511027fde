import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tokensOfTool } from "@elwood/core/model/tokens";
import { GatewayClient } from "@elwood/sdk/client";
import type { BenchReport, BenchRow } from "./main.ts";
import { freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MEASURE = join(ROOT, "apps/gateway/bench/mcp-cost.ts");
const STDIO_SERVER = join(ROOT, "packages/testkit/src/mcp-stdio-server.ts");
const ROUNDS = 20;
const CALLS_PER_ROUND = 50;
const RATIO_MAX = 2;
const TOKENS_MAX = 6_000;
const SERVER_COUNTS = [0, 10, 50] as const;
const STARTS = 7;
/** Unchanged, as far as starts of one and the same gateway are. */
const START_RATIO_MAX = 1.1;
const MEMORY_MB_MAX = 5;
const REST_MS = 1_500;

interface Measured {
  readonly measured: Readonly<Record<"elwood" | "bare", readonly number[]>>;
  readonly tokens: { readonly tools: number; readonly whole: number; readonly catalog: number };
}

interface Started {
  readonly readyMs: number[];
  readonly memoryMb: number[];
}

/**
 * What MCP servers cost: a call by way of Elwood's client against the bare client library, by turns in one
 * process; a start and memory at rest with servers that are configured and known, and not started; and what 200
 * tools take of the prompt, Elwood's own tools included.
 */
export async function bench(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  try {
    const args = [MEASURE, folder, String(ROUNDS), String(CALLS_PER_ROUND)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
    const { measured, tokens } = JSON.parse(stdout) as Measured;
    const homes = new Map<number, string>();
    for (const count of SERVER_COUNTS) homes.set(count, await homeWith(folder, count));
    const own = await ownTokens(homes.get(0)!);
    const started = new Map<number, Started>(
      SERVER_COUNTS.map((count) => [count, { readyMs: [], memoryMb: [] }]),
    );
    for (let round = 0; round < STARTS; round++)
      for (const [count, home] of homes) await measureStart(home, started.get(count)!);
    return report(measured, { ...tokens, own }, started);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A home with so many servers, whose tools are known from one start before. */
async function homeWith(folder: string, count: number): Promise<string> {
  const home = join(folder, `home-${count}`);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const script = join(folder, "script.json");
  writeFileSync(
    script,
    JSON.stringify({ tools: [{ name: "echo", description: "Says it again." }], more: 3 }),
  );
  const servers = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `server${i}`,
      {
        command: process.execPath,
        args: [STDIO_SERVER, script, join(folder, "journal")],
        folders: [{ path: folder, write: true }],
      },
    ]),
  );
  writeFileSync(join(folder, "journal"), "");
  writeFileSync(
    join(home, "bench.yaml"),
    JSON.stringify({ mcpServers: servers, browser: { enabled: false } }),
  );
  await withGateway(home, async (client) => {
    for (let i = 0; i < count; i++) await client.call("mcp.test", { name: `server${i}` });
  });
  return home;
}

async function ownTokens(home: string): Promise<number> {
  return withGateway(home, async (client) => {
    const { tools } = await client.call("tools.list", {});
    const specs = await Promise.all(
      tools.map(async ({ toolId, description }) => {
        const { tool } = await client.call("tools.get", { toolId });
        return tokensOfTool({ toolId, description, inputSchema: tool.input });
      }),
    );
    return specs.reduce((sum, each) => sum + each, 0);
  });
}

async function measureStart(home: string, { readyMs, memoryMb }: Started): Promise<void> {
  await withGateway(home, async (_client, ms, pid) => {
    await wait(REST_MS);
    readyMs.push(ms);
    memoryMb.push(pssMb(pid));
  });
}

async function withGateway<T>(
  home: string,
  work: (client: GatewayClient, readyMs: number, pid: number) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const env = { ...process.env, CI: "1", ELWOOD_HOME: home };
  const launcher = join(ROOT, "apps/cli/bin/elwood.mjs");
  const config = join(home, "bench.yaml");
  const args = [launcher, "--config", config, "up", "--no-open", "--port", String(port)];
  const url = `http://127.0.0.1:${port}`;
  const { child, readyMs } = await startAndTime("node", args, `${url}/readyz`, env);
  try {
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const client = await GatewayClient.connect({ url, token, client: { name: "bench", drafts: true } });
    try {
      return await work(client, readyMs, child.pid!);
    } finally {
      await client.close();
    }
  } finally {
    await stop(child);
  }
}

function report(
  measured: Measured["measured"],
  tokens: Measured["tokens"] & { readonly own: number },
  started: ReadonlyMap<number, Started>,
): BenchReport {
  const ms = (values: readonly number[]) => `${quantile(values, 0.5).toFixed(2)} ms`;
  const ratio = quantile(
    measured.elwood.map((value, i) => value / (measured.bare[i] ?? value)),
    0.5,
  );
  const prompt = tokens.own + tokens.catalog;
  const none = started.get(0)!;
  const rows: BenchRow[] = [
    {
      what: "a call by way of Elwood's MCP client",
      value: `${ms(measured.elwood)}, ${ratio.toFixed(2)}×`,
      baseline: `bare client ${ms(measured.bare)}`,
      reach: `≤ ${RATIO_MAX}×`,
      ok: ratio <= RATIO_MAX,
    },
    {
      what: `prompt tokens of all tools, ${tokens.tools} of MCP servers among them`,
      value: `${prompt} (${tokens.own} of Elwood's own, ${tokens.catalog} for the catalog)`,
      baseline: `all schemas ${tokens.own + tokens.whole}`,
      reach: `≤ ${TOKENS_MAX}`,
      ok: prompt <= TOKENS_MAX,
    },
  ];
  for (const [count, { readyMs, memoryMb }] of started) {
    const startRatio = quantile(readyMs, 0.5) / quantile(none.readyMs, 0.5);
    const grown = quantile(memoryMb, 0.5) - quantile(none.memoryMb, 0.5);
    rows.push(
      {
        what: `start with ${count} configured servers`,
        value: `${ms(readyMs)}, ${startRatio.toFixed(2)}×`,
        ...(count === 0 ? {} : { reach: `≤ ${START_RATIO_MAX}×`, ok: startRatio <= START_RATIO_MAX }),
      },
      {
        what: `memory at rest with ${count} configured servers`,
        value: `${quantile(memoryMb, 0.5).toFixed(1)} MB`,
        ...(count === 0 ? {} : { reach: `≤ +${MEMORY_MB_MAX} MB`, ok: grown <= MEMORY_MB_MAX }),
      },
    );
  }
  return { name: "mcp", rows, measured, tokens, started: Object.fromEntries(started) };
}
