/**
 * Makes calls through the real gate over the real stores, and the same commits bare, side
 * by side in one process on one disk; prints what it measured as JSON. Started by
 * `npm run bench -- gate`, which cannot reach into the gateway itself:
 *
 *   node gate-cost.ts <folder> <rounds> <calls per round>
 */
import { join } from "node:path";
import { BareCommits } from "./bare-commits.ts";
import { BENCH_TENANT, openBenchGate } from "./bench-gate.ts";

const OWNER = { id: "owner", surface: "bench" };

const [folder = "", rounds = "12", perRound = "50"] = process.argv.slice(2);
let begun = 0;
const { approvals, close, desk, made, receipts } = await openBenchGate(folder, () => {
  begun = performance.now();
});
const bare = new BareCommits(join(folder, "bare.db"));
const startsMs: number[] = [];
const measured = {
  allowed: [] as number[],
  allowedBare: [] as number[],
  asked: [] as number[],
  askedBare: [] as number[],
};
// Round 0 warms everything up and does not count.
for (let round = 0; round <= Number(rounds); round++) {
  const once = {
    allowed: await perCall(() => made("bench.free.write")),
    allowedBare: await perCall(() => bare.allowedCall()),
    asked: await perCall(askedAndApproved),
    askedBare: await perCall(() => bare.askedCall()),
  };
  if (round === 0) startsMs.length = 0;
  else
    for (const what of ["allowed", "allowedBare", "asked", "askedBare"] as const)
      measured[what].push(once[what]);
}
const began = performance.now();
const verdict = await receipts.verify(BENCH_TENANT);
const verifyMs = performance.now() - began;
await close();
process.stdout.write(`${JSON.stringify({ measured, startsMs, verdict, verifyMs })}\n`);

async function perCall(act: () => Promise<unknown> | void): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < Number(perRound); i++) await act();
  return (performance.now() - started) / Number(perRound);
}

async function askedAndApproved(): Promise<void> {
  const asked = Promise.withResolvers<string>();
  const deaf = approvals.onEvent(({ kind, approval }) => kind === "requested" && asked.resolve(approval.id));
  const outcome = made("bench.asked.write");
  const approvalId = await asked.promise;
  deaf();
  const decided = performance.now();
  await desk.allow(BENCH_TENANT, approvalId, OWNER, { decision: "once" });
  await outcome;
  startsMs.push(begun - decided);
}
