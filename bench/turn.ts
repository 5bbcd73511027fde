import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { startInstantModel, type InstantModel } from "./instant-model.ts";
import type { BenchOptions, BenchReport, BenchRow } from "./main.ts";
import { variedTurns, type VariedBlock, type VariedRun } from "./turn-varied.ts";
import { cpuSeconds, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WARM_TURNS = 20;
const SERIAL_TURNS = 100;
const PARALLEL = { sessions: 8, turns: 50 };
const MEMORY = { sessions: 10, turns: 100, firstAt: 200 };
/** Of the varied part, unless `--turns` says otherwise: enough to see that it works, too few to see growth. */
const VARIED_TURNS = 500;
/** Of the rate without recall. */
const RECALL_SHARE_MIN = 0.9;
const TURNS_PER_SECOND_MIN = 200;
const CPU_MS_MAX = 8;
const ADDED_MS_MAX = 8;
const MEMORY_MB_MAX = 150;
/** From the first thousand turns to the last: what a heap is off by anyway. */
const GROWN_MB_MAX = 10;

interface Timing {
  readonly toProviderMs: number;
  readonly allMs: number;
}

/**
 * What a turn costs over a direct call of the provider's SDK: time until the provider
 * has the request, time in all, CPU, turns per second with sessions side by side, memory
 * over a thousand turns. The model answers at once, so that only Elwood is measured.
 *
 * Then the same with messages as varied as real ones, in a hundred sessions with recall, notes and tools, against
 * the same without recall: `--turns 5000` makes so many turns and prints figures for each thousand of them, and
 * `--indexed 100000` begins with a memory of so many earlier turns.
 */
export async function bench(_args: readonly string[], options: BenchOptions): Promise<BenchReport> {
  const count = options["turns"] === undefined ? VARIED_TURNS : Number(options["turns"]);
  if (!Number.isInteger(count) || count < 1) throw new Error("--turns takes a whole number of at least 1.");
  const indexed = Number(options["indexed"] ?? 0);
  if (!Number.isInteger(indexed) || indexed < 0) throw new Error("--indexed takes a whole number.");
  const simple = await simpleTurns();
  const varied = await variedTurns(count, indexed);
  return { ...simple, varied, rows: [...simple.rows, ...variedRows(varied, simple.direct.allMs)] };
}

/** Rows for each thousand turns; without recall is the baseline. */
function variedRows({ on, off }: { on: VariedRun; off: VariedRun }, directMs: number): BenchRow[] {
  const rows = on.blocks.flatMap((block, at) => blockRows(block, off.blocks[at]!, directMs));
  const told = `${on.recalls} of ${on.blocks.at(-1)!.turns} turns, ${on.requests} requests to the model`;
  return [
    ...rows,
    ...wholeRows(on, off),
    ...grownRows(on),
    { what: "recalled in", value: told, baseline: `none, ${off.requests} requests` },
  ];
}

/** The rate over all turns: of single blocks one may fall into a slow moment of the machine, and the first is of cold code. */
function wholeRows(on: VariedRun, off: VariedRun): BenchRow[] {
  if (on.blocks.length < 2) return [];
  const rate = ({ blocks }: VariedRun) => {
    const seconds = blocks.map(({ turns, turnsPerSecond }, at) => {
      const before = blocks[at - 1]?.turns ?? 0;
      return (turns - before) / turnsPerSecond;
    });
    return blocks.at(-1)!.turns / seconds.reduce((sum, each) => sum + each, 0);
  };
  const share = rate(on) / rate(off);
  return [
    {
      what: "over all turns: turns per second",
      value: rate(on).toFixed(0),
      baseline: `without recall ${rate(off).toFixed(0)}`,
      reach: `≥ ${RECALL_SHARE_MIN * 100} % of without (${(share * 100).toFixed(0)} %), ≥ ${TURNS_PER_SECOND_MIN}`,
      ok: share >= RECALL_SHARE_MIN && rate(on) >= TURNS_PER_SECOND_MIN,
    },
  ];
}

/** Whether memory stays as it was after the first block. */
function grownRows({ blocks }: VariedRun): BenchRow[] {
  const [first, last] = [blocks[0]!, blocks.at(-1)!];
  const { restedRssMb: before } = first;
  const { restedRssMb: after } = last;
  if (first === last || before === undefined || after === undefined) return [];
  const grown = after - before;
  return [
    {
      what: `memory grown since turn ${first.turns.toLocaleString("en")}, after a rest (RSS)`,
      value: `${grown.toFixed(0)} MB (${before.toFixed(0)} → ${after.toFixed(0)})`,
      reach: `≤ ${GROWN_MB_MAX} MB`,
      ok: grown <= GROWN_MB_MAX,
    },
  ];
}

function blockRows(on: VariedBlock, off: VariedBlock, directMs: number): BenchRow[] {
  const until = `to turn ${on.turns.toLocaleString("en")}`;
  const row = (what: string, of: (block: VariedBlock) => number, unit: string, digits = 1) => ({
    what: `${until}: ${what}`,
    value: `${of(on).toFixed(digits)}${unit}`,
    baseline: `without recall ${of(off).toFixed(digits)}${unit}`,
  });
  const share = on.turnsPerSecond / off.turnsPerSecond;
  return [
    {
      ...row("turns per second", (block) => block.turnsPerSecond, "", 0),
      reach: `≥ ${RECALL_SHARE_MIN * 100} % of without (${(share * 100).toFixed(0)} %)`,
      ok: share >= RECALL_SHARE_MIN,
    },
    {
      ...row("CPU per turn", (block) => block.cpuMsPerTurn, " ms"),
      reach: `≤ ${CPU_MS_MAX} ms`,
      ok: on.cpuMsPerTurn <= CPU_MS_MAX,
    },
    {
      ...row("added in all, p50", (block) => block.allMs - directMs, " ms"),
      reach: `≤ ${ADDED_MS_MAX} ms`,
      ok: on.allMs - directMs <= ADDED_MS_MAX,
    },
    {
      ...row("memory (RSS)", (block) => block.rssMb, " MB", 0),
      reach: `≤ ${MEMORY_MB_MAX} MB`,
      ok: on.rssMb <= MEMORY_MB_MAX,
    },
    ...restedRows(until, on, off),
  ];
}

function restedRows(until: string, on: VariedBlock, off: VariedBlock): BenchRow[] {
  const { restedRssMb } = on;
  if (restedRssMb === undefined) return [];
  return [
    {
      what: `${until}: memory after a rest (RSS)`,
      value: `${restedRssMb.toFixed(0)} MB`,
      baseline: `without recall ${(off.restedRssMb ?? Number.NaN).toFixed(0)} MB`,
      reach: `≤ ${MEMORY_MB_MAX} MB`,
      ok: restedRssMb <= MEMORY_MB_MAX,
    },
  ];
}

type SimpleReport = ReturnType<typeof report>;

async function simpleTurns(): Promise<SimpleReport> {
  const model = await startInstantModel();
  const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const port = await freePort();
  const env = {
    ...process.env,
    CI: "1",
    ELWOOD_HOME: home,
    ELWOOD_SESSION_TITLES: "off",
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_API_KEY: "bench-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
  };
  // The daily cost limit would end a thousand turns early; the model here costs nothing.
  const args = [
    join(ROOT, "apps/cli/bin/elwood.mjs"),
    "--config",
    writeConfig(home),
    "up",
    "--no-open",
    "--port",
    String(port),
  ];
  const { child } = await startAndTime("node", args, `http://127.0.0.1:${port}/readyz`, env);
  try {
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const client = await GatewayClient.connect({
      url: `http://127.0.0.1:${port}`,
      token,
      client: { name: "bench", drafts: true },
    });
    const direct = await directTurns(model);
    await turns(client, model, await newSession(client), WARM_TURNS);

    const cpuBefore = cpuSeconds(child.pid!);
    const serial = await turns(client, model, await newSession(client), SERIAL_TURNS);
    const cpuMs = ((cpuSeconds(child.pid!) - cpuBefore) * 1000) / SERIAL_TURNS;

    const began = performance.now();
    const sessions = await Promise.all(Array.from({ length: PARALLEL.sessions }, () => newSession(client)));
    await Promise.all(sessions.map((session) => turns(client, model, session, PARALLEL.turns)));
    const perSecond = (PARALLEL.sessions * PARALLEL.turns) / ((performance.now() - began) / 1000);

    const memory = await memoryOverTurns(client, model, child.pid!);
    await client.close();
    return report(direct, serial, cpuMs, perSecond, memory);
  } finally {
    await stop(child);
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function report(
  direct: Timing[],
  serial: Timing[],
  cpuMs: number,
  perSecond: number,
  memory: { at200: number; at1000: number },
) {
  const pick = (timings: Timing[], field: keyof Timing, q: number) =>
    quantile(
      timings.map((t) => t[field]),
      q,
    );
  const added = (field: keyof Timing, q: number) => pick(serial, field, q) - pick(direct, field, q);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const growth = memory.at1000 - memory.at200;
  const summary = (field: keyof Timing) => ({ p50: added(field, 0.5), p95: added(field, 0.95) });
  return {
    name: "turn",
    addedToProviderMs: summary("toProviderMs"),
    addedInAllMs: summary("allMs"),
    direct: { toProviderMs: pick(direct, "toProviderMs", 0.5), allMs: pick(direct, "allMs", 0.5) },
    cpuMsPerTurn: cpuMs,
    turnsPerSecond: perSecond,
    memoryMb: memory,
    rows: [
      {
        what: "added until the provider has it, p50 / p95",
        value: `${ms(added("toProviderMs", 0.5))} / ${ms(added("toProviderMs", 0.95))}`,
        baseline: `SDK ${ms(pick(direct, "toProviderMs", 0.5))}`,
        reach: "p50 ≤ 10 ms",
        ok: added("toProviderMs", 0.5) <= 10,
      },
      {
        what: "added in all, p50 / p95",
        value: `${ms(added("allMs", 0.5))} / ${ms(added("allMs", 0.95))}`,
        baseline: `SDK ${ms(pick(direct, "allMs", 0.5))}`,
        reach: "p50 ≤ 8 ms",
        ok: added("allMs", 0.5) <= 8,
      },
      { what: "CPU per turn", value: ms(cpuMs), reach: "≤ 8 ms", ok: cpuMs <= 8 },
      {
        what: `turns per second, ${PARALLEL.sessions} sessions`,
        value: perSecond.toFixed(0),
        reach: `≥ ${TURNS_PER_SECOND_MIN}`,
        ok: perSecond >= TURNS_PER_SECOND_MIN,
      },
      {
        what: "memory grown from turn 200 to 1,000 (PSS)",
        value: `${growth.toFixed(1)} MB (${memory.at200.toFixed(0)} → ${memory.at1000.toFixed(0)})`,
        reach: "≤ 15 MB",
        ok: growth <= 15,
      },
    ],
  };
}

async function directTurns(model: InstantModel): Promise<Timing[]> {
  const sdk = new Anthropic({ apiKey: "bench-key-not-a-secret", baseURL: model.url, maxRetries: 0 });
  const timings: Timing[] = [];
  for (let turn = 0; turn < WARM_TURNS + SERIAL_TURNS; turn++) {
    const began = performance.now();
    const stream = await sdk.messages.create({
      model: "claude-sonnet-5-5",
      max_tokens: 1024,
      stream: true,
      messages: [{ role: "user", content: "hello" }],
    });
    for await (const event of stream) if (event.type === "message_stop") break;
    timings.push({ toProviderMs: model.arrivedAt() - began, allMs: performance.now() - began });
  }
  return timings.slice(WARM_TURNS);
}

async function newSession(client: GatewayClient): Promise<string> {
  return (await client.call("sessions.create", {})).sessionKey;
}

async function turns(
  client: GatewayClient,
  model: InstantModel,
  sessionKey: string,
  count: number,
): Promise<Timing[]> {
  const timings: Timing[] = [];
  for (let turn = 0; turn < count; turn++) {
    const began = performance.now();
    const ended = Promise.withResolvers<void>();
    let runId = "";
    const early: string[] = [];
    const off = client.onPush((push) => {
      if (isPush(push, "chat.error")) ended.reject(new Error(push.data.message));
      if (!isPush(push, "chat.final")) return;
      if (runId === "") early.push(push.data.runId);
      else if (push.data.runId === runId) ended.resolve();
    });
    ({ runId } = await client.call("chat.send", { sessionKey, message: `hello ${turn}` }));
    if (early.includes(runId)) ended.resolve();
    await ended.promise;
    off();
    timings.push({ toProviderMs: model.arrivedAt() - began, allMs: performance.now() - began });
  }
  return timings;
}

async function memoryOverTurns(
  client: GatewayClient,
  model: InstantModel,
  pid: number,
): Promise<{ at200: number; at1000: number }> {
  let at200 = 0;
  for (let session = 0; session < MEMORY.sessions; session++) {
    await turns(client, model, await newSession(client), MEMORY.turns);
    if ((session + 1) * MEMORY.turns === MEMORY.firstAt) at200 = pssMb(pid);
  }
  return { at200, at1000: pssMb(pid) };
}

function writeConfig(home: string): string {
  const path = join(home, "bench.yaml");
  writeFileSync(path, "limits:\n  dayCostUsd: 1000000\n");
  return path;
}
