import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchOptions, BenchReport, BenchRow } from "./main.ts";
import { cpuSeconds, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GROWTH = fileURLToPath(new URL("../apps/gateway/bench/index-growth.ts", import.meta.url));

/** A million takes minutes: `--scale 1000000`. */
const SIZES = [1_000, 10_000, 100_000];
const STARTS = 5;
/** Long enough for the first look at all files, which begins two seconds after the start. */
const SETTLE_MS = 8_000;
/** What a larger index may cost more than the smallest one. */
const GROWTH_MAX = 1.5;
/** Of CPU until it is ready: the clock of the process counts in hundredths of a second. */
const START_CPU_MS_SLACK = 50;

const ONE_MORE = "one more turn";

interface Cost {
  readonly times: readonly number[];
  readonly cpuMs: number;
}

interface Growth {
  readonly turns: number;
  readonly indexMs: number;
  readonly append: Cost;
  readonly recall: Cost;
  readonly search: Cost;
  readonly sweepMs: number;
  readonly bytes: number;
}

interface Measured extends Growth {
  readonly readyMs: number;
  readonly readyCpuMs: number;
  readonly idlePssMb: number;
  /** Spent in the first seconds after the start, by which the index is in step. */
  readonly cpuS: number;
}

/**
 * How the index grows: what one more turn, a recall, a search and a start cost with so many turns in it. The smallest
 * index is the baseline. `--scale 1000000` adds that size.
 */
export async function bench(_args: readonly string[], options: BenchOptions): Promise<BenchReport> {
  const scale = Number(options["scale"] ?? 0);
  const sizes = scale > 0 ? [...new Set([...SIZES, scale])].sort((a, b) => a - b) : SIZES;
  const measured: Measured[] = [];
  for (const size of sizes) measured.push(await measure(size));
  return { name: "index", measured, rows: measured.flatMap((each) => rowsOf(each, measured[0]!)) };
}

async function measure(turns: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const home = join(folder, "home");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [GROWTH, home, String(turns)], {
      maxBuffer: 64 * 1024 * 1024,
    });
    // Printed by the script itself, in this shape.
    const growth = JSON.parse(stdout) as Growth;
    return { ...growth, ...(await starts(home)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function starts(home: string): Promise<Omit<Measured, keyof Growth>> {
  const env = { ...process.env, CI: "1", ELWOOD_HOME: home, ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" };
  const times: number[] = [];
  const cpuTimes: number[] = [];
  // Round 0 makes the rest of the state directory; it does not count.
  for (let round = 0; round <= STARTS; round++) {
    const port = await freePort();
    const args = [join(ROOT, "apps/cli/bin/elwood.mjs"), "up", "--no-open", "--port", String(port)];
    const { child, readyMs } = await startAndTime("node", args, `http://127.0.0.1:${port}/readyz`, env);
    try {
      const pid = child.pid!;
      if (round > 0) {
        times.push(readyMs);
        cpuTimes.push(cpuSeconds(pid) * 1_000);
      }
      if (round < STARTS) continue;
      await wait(SETTLE_MS);
      const ready = { readyMs: quantile(times, 0.5), readyCpuMs: quantile(cpuTimes, 0.5) };
      return { ...ready, idlePssMb: pssMb(pid), cpuS: cpuSeconds(pid) };
    } finally {
      await stop(child);
    }
  }
  throw new Error("no start was measured");
}

function rowsOf(each: Measured, smallest: Measured): BenchRow[] {
  const at = `${each.turns.toLocaleString("en")} turns`;
  const isBaseline = each === smallest;
  const row = (what: string, of: (measured: Measured) => Cost): BenchRow => {
    const { times, cpuMs } = of(each);
    const base = of(smallest);
    const spread = `p50 ${quantile(times, 0.5).toFixed(2)} ms, p95 ${quantile(times, 0.95).toFixed(2)} ms`;
    return {
      what: `${at}: ${what}`,
      value: `${cpuMs.toFixed(2)} ms of CPU; ${spread}`,
      ...(isBaseline
        ? {}
        : { baseline: `${base.cpuMs.toFixed(2)} ms of CPU among ${smallest.turns.toLocaleString("en")}` }),
      ...(isBaseline || what !== ONE_MORE
        ? {}
        : {
            reach: `≤ ${GROWTH_MAX} × (${(cpuMs / base.cpuMs).toFixed(2)} ×)`,
            ok: cpuMs <= base.cpuMs * GROWTH_MAX,
          }),
    };
  };
  return [
    row(ONE_MORE, ({ append }) => append),
    row("what a message recalls", ({ recall }) => recall),
    row("a search", ({ search }) => search),
    {
      what: `${at}: gateway ready`,
      value: `${each.readyMs.toFixed(0)} ms, ${each.readyCpuMs.toFixed(0)} ms of CPU`,
      ...(isBaseline
        ? {}
        : {
            baseline: `${smallest.readyMs.toFixed(0)} ms, ${smallest.readyCpuMs.toFixed(0)} ms of CPU`,
            reach: `≤ ${START_CPU_MS_SLACK} ms of CPU more`,
            ok: each.readyCpuMs <= smallest.readyCpuMs + START_CPU_MS_SLACK,
          }),
    },
    {
      what: `${at}: all files looked at again`,
      value: `${each.sweepMs.toFixed(0)} ms, in the background`,
      baseline: `indexed at first in ${(each.indexMs / 1_000).toFixed(1)} s, ${(each.bytes / 1e6).toFixed(0)} MB`,
    },
    {
      what: `${at}: after ${SETTLE_MS / 1_000} s`,
      value: `${each.idlePssMb.toFixed(0)} MB (PSS), ${each.cpuS.toFixed(2)} s of CPU`,
    },
  ];
}
