import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchReport, BenchRow } from "./main.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../apps/gateway/bench/checker-cost.ts", import.meta.url));
const CHECKS = 100;
const TOOLS = 100;
const WARM_MS_MAX = 15;

interface Measured {
  readonly tools: number;
  readonly coldMs: number;
  readonly warmMs: readonly number[];
  readonly wrongMs: readonly number[];
  readonly commandMs: readonly number[];
  readonly memory: readonly { readonly pid: number; readonly pssMb: number }[];
}

/** What it costs to check a program before it runs, against starting the compiler for each one. */
export async function bench(): Promise<BenchReport> {
  const { rows, ...measured } = await checkRows();
  return { name: "programs-check", ...measured, rows };
}

/** The same as rows for another report. */
export async function checkRows(): Promise<Measured & { readonly rows: readonly BenchRow[] }> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, String(CHECKS), String(TOOLS)]);
  const measured = JSON.parse(stdout) as Measured;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const p50 = (values: readonly number[]) => quantile(values, 0.5);
  const warm = p50(measured.warmMs);
  const pss = measured.memory.reduce((sum, each) => sum + each.pssMb, 0);
  const rows: BenchRow[] = [
    {
      what: `check of a program, warm, ${measured.tools} tools (p50 / p95 of ${measured.warmMs.length})`,
      value: `${ms(warm)} / ${ms(quantile(measured.warmMs, 0.95))}`,
      baseline: `compiler started anew ${ms(p50(measured.commandMs))}`,
      reach: `≤ ${WARM_MS_MAX} ms`,
      ok: warm <= WARM_MS_MAX,
    },
    { what: "the same with a mistake in it (p50)", value: ms(p50(measured.wrongMs)) },
    { what: "first check, processes started for it", value: ms(measured.coldMs) },
    {
      what: "PSS of the checker's processes",
      value: `${measured.memory.map((each) => each.pssMb.toFixed(0)).join(" + ")} = ${pss.toFixed(0)} MB`,
    },
  ];
  return { ...measured, rows };
}
