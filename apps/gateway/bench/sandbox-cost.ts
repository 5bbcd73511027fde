/**
 * Programs in the real sandbox: what one costs in a warm pool, and what a call costs that a
 * program makes through the gate, against the same call made by the gateway's own code, by
 * turns in one process on one disk. Prints what it measured as JSON. Started by
 * `npm run bench -- programs`:
 *
 *   node sandbox-cost.ts <folder> <programs> <rounds> <calls per round>
 */
import { readFileSync } from "node:fs";
import { PROGRAM_LIMITS, type CallResult } from "@elwood/core/tool/program";
import type { ProgramCall, ProgramControls, ProgramEnding } from "@elwood/runtime/ports/sandbox";
import { SandboxPool } from "@elwood/isolation/quickjs/pool";
import { systemClock } from "@elwood/platform/system";
import { openBenchGate } from "./bench-gate.ts";

const [folder = "", programs = "100", rounds = "5", perRound = "1000"] = process.argv.slice(2);
const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const pool = new SandboxPool({ clock: systemClock, log: quiet });
const { made, close } = await openBenchGate(folder);
const done: CallResult = { ok: true, value: { done: true } };

/** Two calls and a little to compute: what a model tends to write. */
const ORDINARY = `
  const [a, b] = await Promise.all([tools.bench.write({ text: "a" }), tools.bench.write({ text: "b" })]);
  if (!a.ok || !b.ok) return "failed";
  return [a, b].map((each) => JSON.stringify(each.value)).join();`;
const SEQUENTIAL = `for (let i = 0; i < ${Number(perRound)}; i++) await tools.bench.write({ text: "x".repeat(200) });`;

const coldMs = await timed(() => run(ORDINARY, (_, settle) => settle()));
const programMs: number[] = [];
for (let n = 0; n < Number(programs); n++) {
  programMs.push(await timed(() => run(ORDINARY, (_, settle) => settle())));
}
const bridgeMs = await perCall(() => run(SEQUENTIAL, (_, settle) => settle()));
const gated: number[] = [];
const direct: number[] = [];
// Round 0 warms everything up and does not count.
for (let round = 0; round <= Number(rounds); round++) {
  const inSandbox = await perCall(() => run(SEQUENTIAL, (_, settle) => void call().then(settle)));
  const without = await perCall(async () => {
    for (let i = 0; i < Number(perRound); i++) await call();
  });
  if (round === 0) continue;
  gated.push(inSandbox);
  direct.push(without);
}
// Side by side, so that all processes there may be are warm.
for (let n = 0; n < Number(programs) / 4; n++) {
  await Promise.all([1, 2, 3, 4].map(() => run(ORDINARY, (_, settle) => settle())));
}
const pssMb = pool.pids.map(pssOf);
await pool.close();
await close();
process.stdout.write(`${JSON.stringify({ coldMs, programMs, bridgeMs, gated, direct, pssMb })}\n`);

async function call(): Promise<void> {
  const { status, text } = await made("bench.free.write");
  if (status !== "ok") throw new Error(`the call failed: ${text}`);
}

async function run(
  source: string,
  answer: (call: ProgramCall, settle: () => void) => void,
): Promise<ProgramEnding> {
  let controls: ProgramControls | undefined;
  const ending = await pool.run(
    {
      source,
      toolIds: ["bench.free.write"],
      startedAt: systemClock.now(),
      timeZone: "UTC",
      seed: "bench",
      limits: { ...PROGRAM_LIMITS, calls: Number(perRound) + 2 },
    },
    {
      begin: (given) => (controls = given),
      call: (asked) => answer(asked, () => controls?.settle(asked.index, done, systemClock.now())),
      line: () => undefined,
    },
    new AbortController().signal,
  );
  if (!ending.outcome.ok) throw new Error(ending.outcome.error.message);
  return ending;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

async function perCall(act: () => Promise<unknown>): Promise<number> {
  return (await timed(act)) / Number(perRound);
}

/** Proportional set size in MB, where the system tells. */
function pssOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}
