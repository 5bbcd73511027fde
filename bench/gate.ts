import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchReport } from "./main.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../apps/gateway/bench/gate-cost.ts", import.meta.url));
const ROUNDS = 31;
const CALLS_PER_ROUND = 30;
const RATIO_MAX = 1.7;

interface Measured {
  /** Milliseconds per call, one number a round. */
  readonly measured: Readonly<Record<"allowed" | "allowedBare" | "asked" | "askedBare", readonly number[]>>;
  readonly commitsPerCall: Readonly<Record<"allowed" | "asked", number>>;
  readonly startsMs: readonly number[];
  readonly verdict: { readonly status: string; readonly size: number };
  readonly verifyMs: number;
}

/**
 * What acting with proof costs: a call through the gate with its receipts on disk, against the
 * same commits done bare; how fast the receipts are verified; how long it takes from the
 * owner's yes to the handler.
 *
 * Bare is each commit of the very call that was just measured, made again: the same rows with
 * the same content, as many in a commit and as durable (WAL, synchronous=FULL), into plain
 * tables with their key and nothing else. Each has a sync of its own, also where the gate lets
 * two share one. A call and its bare commits take turns in one process on one disk. Each round's
 * ratio is of sums over its calls; shown is the median.
 */
export async function bench(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  try {
    const args = [MEASURE, folder, String(ROUNDS), String(CALLS_PER_ROUND)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    return report(JSON.parse(stdout) as Measured);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report({ measured, commitsPerCall, startsMs, verdict, verifyMs }: Measured): BenchReport {
  const cost = (gated: "allowed" | "asked", bare: "allowedBare" | "askedBare") => {
    const ms = quantile(measured[gated], 0.5);
    const bareMs = quantile(measured[bare], 0.5);
    // Round by round, so that a disk that is slow for a while is slow for both.
    const ratios = measured[gated].map((each, round) => each / (measured[bare][round] ?? bareMs));
    return { ms, bareMs, ratio: quantile(ratios, 0.5) };
  };
  const allowed = cost("allowed", "allowedBare");
  const asked = cost("asked", "askedBare");
  const start = { p50: quantile(startsMs, 0.5), p95: quantile(startsMs, 0.95) };
  const receiptsPerSecond = verdict.size / (verifyMs / 1_000);
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const row = (what: string, commits: number, of: typeof allowed) => ({
    what: `${what} call, receipts on disk (p50 of ${ROUNDS} rounds of ${CALLS_PER_ROUND})`,
    value: `${ms(of.ms)} = ${of.ratio.toFixed(2)}×`,
    baseline: `the same ${commits} commits bare ${ms(of.bareMs)}`,
    reach: `≤ ${RATIO_MAX}×`,
    ok: of.ratio <= RATIO_MAX,
  });
  return {
    name: "gate",
    allowedCall: allowed,
    askedCall: asked,
    commitsPerCall,
    approvalToStartMs: start,
    receipts: verdict.size,
    receiptsVerifiedPerSecond: receiptsPerSecond,
    verdict: verdict.status,
    rows: [
      row("an allowed", commitsPerCall.allowed, allowed),
      row("an asked", commitsPerCall.asked, asked),
      { what: "from approval to start, p50 / p95", value: `${ms(start.p50)} / ${ms(start.p95)}` },
      {
        what: `receipts verified per second (${verdict.size}, ${verdict.status})`,
        value: receiptsPerSecond.toFixed(0),
        ok: verdict.status === "intact",
      },
    ],
  };
}
