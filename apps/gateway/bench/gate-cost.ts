/**
 * Makes calls through the real gate over the real stores, and then the very same commits
 * bare, by turns in one process on one disk; prints what it measured as JSON. Started by
 * `npm run bench -- gate`, which cannot reach into the gateway itself:
 *
 *   node gate-cost.ts <folder> <rounds> <calls per round>
 */
import { join } from "node:path";
import { BareCommits, type Committed } from "./bare-commits.ts";
import { BENCH_TENANT, openBenchGate } from "./bench-gate.ts";

const OWNER = { id: "owner", surface: "bench" };

const [folder = "", rounds = "12", perRound = "50"] = process.argv.slice(2);
/** What the gate has committed, and was not made bare yet. */
const commits: Committed[] = [];
let begun = 0;
const { approvals, close, approvalService, made, receipts } = await openBenchGate(folder, {
  begun: () => {
    begun = performance.now();
  },
  committed: (commit) => commits.push(commit),
});
const bare = new BareCommits(join(folder, "bare.db"));
const startsMs: number[] = [];
const measured = {
  allowed: [] as number[],
  allowedBare: [] as number[],
  asked: [] as number[],
  askedBare: [] as number[],
};
const commitsPerCall = { allowed: 0, asked: 0 };
// Round 0 warms everything up and does not count.
for (let round = 0; round <= Number(rounds); round++) {
  for (const [what, act] of [
    ["allowed", () => made("bench.free.write")],
    ["asked", askedAndApproved],
  ] as const) {
    const { gatedMs, bareMs, committed } = await byTurns(act);
    if (round === 0) continue;
    measured[what].push(gatedMs);
    measured[`${what}Bare`].push(bareMs);
    commitsPerCall[what] = committed;
  }
  if (round === 0) startsMs.length = 0;
}
const began = performance.now();
const verdict = await receipts.verify(BENCH_TENANT);
const verifyMs = performance.now() - began;
await close();
process.stdout.write(`${JSON.stringify({ measured, commitsPerCall, startsMs, verdict, verifyMs })}\n`);

/** A call, then its commits bare, then the next call: whatever slows one down slows down both. */
async function byTurns(act: () => Promise<unknown>) {
  let [gatedMs, bareMs, committed] = [0, 0, 0];
  const calls = Number(perRound);
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    await act();
    const ended = performance.now();
    // As they were written: of two that share a sync, the second is told of first.
    commits.sort((a, b) => numberOf(a) - numberOf(b));
    const again = performance.now();
    for (const each of commits) bare.commit(each);
    bareMs += performance.now() - again;
    gatedMs += ended - started;
    committed += commits.splice(0).length;
    // What waits for its turn, such as the seals, has it here: it is no part of a call.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { gatedMs: gatedMs / calls, bareMs: bareMs / calls, committed: committed / calls };
}

function numberOf({ receipts: [first] }: Committed): number {
  return first?.seq ?? 0;
}

async function askedAndApproved(): Promise<void> {
  const asked = Promise.withResolvers<string>();
  const deaf = approvals.onEvent(({ kind, approval }) => kind === "requested" && asked.resolve(approval.id));
  const outcome = made("bench.asked.write");
  const approvalId = await asked.promise;
  deaf();
  const decided = performance.now();
  await approvalService.allow(BENCH_TENANT, approvalId, OWNER, { decision: "once" });
  await outcome;
  startsMs.push(begun - decided);
}
