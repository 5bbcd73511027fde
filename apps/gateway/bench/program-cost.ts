/**
 * Programs as they run: sandbox, journal and gate over the real stores. What a call of a
 * program costs, against the same call made through the same gate by the gateway's own code,
 * by turns in one process on one disk; and what it takes to run a program again from its
 * journal. Prints what it measured as JSON. Started by `npm run bench -- programs`:
 *
 *   node program-cost.ts <folder> <rounds> <calls per round>
 */
import { PROGRAM_LIMITS } from "@elwood/core/tool/program";
import { programCallPort } from "@elwood/runtime/gate/program-calls";
import { Execution } from "@elwood/runtime/programs/execution";
import { SandboxPool } from "@elwood/isolation/quickjs/pool";
import { sha256, systemClock } from "@elwood/platform/system";
import { BENCH_TENANT, openBenchGate } from "./bench-gate.ts";

const [folder = "", rounds = "5", perRound = "1000"] = process.argv.slice(2);
const calls = Number(perRound);
const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const SOURCE = `for (let i = 0; i < ${calls}; i++) {
  const made = await tools.bench.free.write({ text: "x".repeat(200) });
  if (!made.ok) throw new Error(made.error.message);
}
return ${calls};`;

const pool = new SandboxPool({ clock: systemClock, log: quiet });
const { made, close, gate, ledger, stores, context } = await openBenchGate(folder);
const journal = stores.programs;
const deps = {
  sandbox: pool,
  journal,
  blobs: stores.blobs,
  clock: systemClock,
  sha256,
  timeZone: "UTC",
  limits: { ...PROGRAM_LIMITS, calls: calls + 2 },
  redact: (text: string) => text,
  callPort: programCallPort({ ledger }, gate),
  find: () => ({ ok: true as const, value: null }),
};

const whole: number[] = [];
const direct: number[] = [];
const replayMs: number[] = [];
// Round 0 warms everything up and does not count.
for (let round = 0; round <= Number(rounds); round++) {
  const callId = `call_bench${round}`;
  const programMs = await timed(() => execute(callId));
  const gateMs = await timed(async () => {
    for (let i = 0; i < calls; i++) await made("bench.free.write");
  });
  const againMs = await timed(() => execute(callId));
  await journal.drop(BENCH_TENANT, callId);
  if (round === 0) continue;
  whole.push(programMs / calls);
  direct.push(gateMs / calls);
  replayMs.push(againMs);
}
await pool.close();
await close();
process.stdout.write(`${JSON.stringify({ whole, direct, replayMs })}\n`);

/** A second time, everything is there already, and is only told again. */
async function execute(callId: string): Promise<void> {
  const { start, steps } = await journal.begin(BENCH_TENANT, {
    callId,
    runId: context.runId,
    startedAt: systemClock.now(),
    seed: "bench",
    javascript: SOURCE,
    toolIds: ["bench.free.write"],
    sourceHash: "",
    declarationsHash: "",
  });
  const executed = await new Execution(deps, start, steps, context).run(SOURCE);
  if (executed.kind !== "ended" || !executed.ending.outcome.ok)
    throw new Error(`the program did not end well: ${JSON.stringify(executed)}`);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
