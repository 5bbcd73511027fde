import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchReport, BenchRow } from "./main.ts";
import { quantile } from "./processes.ts";
import { checkRows } from "./programs-check.ts";

/** What one part of programs measured: rows for the table, fields for the document. */
interface Part {
  readonly rows: readonly BenchRow[];
  readonly fields: Readonly<Record<string, unknown>>;
  /** Memory of the processes it keeps warm, each. */
  readonly pssMb?: readonly number[];
}

/** Each measures in a process of its own, in an empty folder, one after the other. */
const PARTS: readonly ((folder: string) => Promise<Part>)[] = [sandbox, journaled, check];

/** What programs cost: the sandbox they run in, the check before. */
export async function bench(): Promise<BenchReport> {
  const parts: Part[] = [];
  for (const measure of PARTS) {
    const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
    try {
      parts.push(await measure(folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const warmSetMb = parts.flatMap(({ pssMb = [] }) => pssMb).reduce((sum, mb) => sum + mb, 0);
  const whole: BenchRow = {
    what: "memory of all these processes, warm (PSS)",
    value: `${warmSetMb.toFixed(0)} MB`,
    reach: `≤ ${WARM_SET_MB_MAX} MB`,
    ok: warmSetMb <= WARM_SET_MB_MAX,
  };
  return {
    ...Object.assign({}, ...parts.map(({ fields }) => fields)),
    name: "programs",
    warmSetMb,
    rows: [...parts.flatMap(({ rows }) => rows), whole],
  };
}

const WARM_SET_MB_MAX = 250;

const PROGRAMS = 200;
const ROUNDS = 5;
const CALLS_PER_ROUND = 1_000;
const PROGRAM_MS_MAX = 10;
const CALL_RATIO_MAX = 5;
const REPLAY_MS_MAX = 1_000;

interface SandboxCost {
  readonly coldMs: number;
  readonly programMs: readonly number[];
  /** Milliseconds per call. */
  readonly bridgeMs: number;
  readonly gated: readonly number[];
  readonly direct: readonly number[];
  readonly pssMb: readonly number[];
}

async function sandbox(folder: string): Promise<Part> {
  const cost = (await measured("sandbox-cost.ts", [
    folder,
    String(PROGRAMS),
    String(ROUNDS),
    String(CALLS_PER_ROUND),
  ])) as SandboxCost;
  const program = { p50: quantile(cost.programMs, 0.5), p95: quantile(cost.programMs, 0.95) };
  // Round by round, so that a disk that is slow for a while is slow for both.
  const ratio = quantile(
    cost.gated.map((each, round) => each / cost.direct[round]!),
    0.5,
  );
  const gatedMs = quantile(cost.gated, 0.5);
  const directMs = quantile(cost.direct, 0.5);
  const rows: BenchRow[] = [
    {
      what: `a program with two calls, warm pool, p50 / p95 of ${PROGRAMS}`,
      value: `${ms(program.p50)} / ${ms(program.p95)}`,
      reach: `≤ ${PROGRAM_MS_MAX} ms`,
      ok: program.p50 <= PROGRAM_MS_MAX,
    },
    { what: "the first program, its process included", value: ms(cost.coldMs) },
    {
      what: `${CALLS_PER_ROUND} calls in a row through the gate, each (p50 of ${ROUNDS} rounds)`,
      value: `${ms(gatedMs)} = ${ratio.toFixed(2)}×`,
      baseline: `without a sandbox ${ms(directMs)}`,
      reach: `≤ ${CALL_RATIO_MAX}×`,
      ok: ratio <= CALL_RATIO_MAX,
    },
    { what: "of that the way out of the sandbox and back, each", value: ms(cost.bridgeMs) },
    {
      what: "memory of each sandbox process, warm (PSS)",
      value: cost.pssMb.map((mb) => `${mb.toFixed(0)} MB`).join(", "),
    },
  ];
  const calls = { ms: gatedMs, withoutMs: directMs, ratio, bridgeMs: cost.bridgeMs };
  const fields = { programMs: program, coldMs: cost.coldMs, calls, sandboxPssMb: cost.pssMb };
  return { rows, fields, pssMb: cost.pssMb };
}

interface JournaledCost {
  /** Milliseconds per call, round by round: of a program, and the same calls made by the gateway's own code. */
  readonly whole: readonly number[];
  readonly direct: readonly number[];
  /** Milliseconds for all recorded calls. */
  readonly replayMs: readonly number[];
}

async function journaled(folder: string): Promise<Part> {
  const args = [folder, String(ROUNDS), String(CALLS_PER_ROUND)];
  const cost = (await measured("program-cost.ts", args)) as JournaledCost;
  const ratios = cost.whole.map((each, round) => each / cost.direct[round]!);
  const ratio = quantile(ratios, 0.5);
  const wholeMs = quantile(cost.whole, 0.5);
  const directMs = quantile(cost.direct, 0.5);
  const replayMs = quantile(cost.replayMs, 0.5);
  const rows: BenchRow[] = [
    {
      what: `${CALLS_PER_ROUND} calls in a row through journal and gate, each (p50 of ${ROUNDS} rounds)`,
      value: `${ms(wholeMs)} = ${ratio.toFixed(2)}×`,
      baseline: `without a program ${ms(directMs)}`,
      reach: `≤ ${CALL_RATIO_MAX}×`,
      ok: ratio <= CALL_RATIO_MAX,
    },
    {
      what: `${CALLS_PER_ROUND} recorded calls run again from the journal, in all (p50 of ${ROUNDS})`,
      value: ms(replayMs),
      baseline: `made the first time ${ms(wholeMs * CALLS_PER_ROUND)}`,
      reach: `≤ ${REPLAY_MS_MAX} ms`,
      ok: replayMs <= REPLAY_MS_MAX,
    },
  ];
  return { rows, fields: { journaled: { wholeMs, directMs, ratio, replayMs } }, pssMb: [] };
}

async function check(): Promise<Part> {
  const { rows, ...fields } = await checkRows();
  return { rows, fields: { check: fields }, pssMb: fields.memory.map((each) => each.pssMb) };
}

async function measured(script: string, args: readonly string[]): Promise<unknown> {
  const path = fileURLToPath(new URL(`../apps/gateway/bench/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
