/**
 * Makes calls through the real gate over the real stores, and the same commits bare, side
 * by side in one process on one disk; prints what it measured as JSON. Started by
 * `npm run bench -- gate`, which cannot reach into the gateway itself:
 *
 *   node gate-cost.ts <folder> <rounds> <calls per round>
 */
import { join } from "node:path";
import { defineTool } from "@elwood/sdk/tool";
import type { ToolCallContext } from "@elwood/runtime/ports";
import { z } from "zod";
import { statePaths } from "../config/paths.ts";
import { openReceipts } from "../receipts/open-receipts.ts";
import { fileVault } from "../state/file-vault.ts";
import { systemClock, systemIds } from "../state/system.ts";
import { openStores } from "../store/open-stores.ts";
import { makeActing } from "../tools/acting.ts";
import { BareCommits } from "./bare-commits.ts";

const TENANT = "default";
const OWNER = { id: "owner", surface: "bench" };

const [folder = "", rounds = "12", perRound = "50"] = process.argv.slice(2);
const paths = statePaths(join(folder, "home"));
const clock = systemClock;
const ids = systemIds(clock);
const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const stores = await openStores({ paths, clock, log: quiet });
const { desk: receipts, sealer } = await openReceipts(stores, { keys: paths.keys, clock, log: quiet });
let begun = 0;
const labels = { egress: "none", output: "trusted", critical: ["text"], content: [] } as const;
const tool = (id: string) =>
  defineTool({
    id,
    risk: "write",
    labels,
    input: z.strictObject({ text: z.string() }),
    handler: () => {
      begun = performance.now();
      return { done: true };
    },
  });
const { gate, desk, approvals } = await makeActing({
  ledger: stores.ledger,
  vault: fileVault(paths.vault, (text) => text),
  blobs: stores.blobs,
  clock,
  ids,
  log: quiet,
  redact: (text) => text,
  shelves: async () => [{ source: "built-in", tools: [tool("bench.free.write"), tool("bench.asked.write")] }],
  rules: [{ tool: "bench.free.write", decision: "allow", origin: "bench" }],
  mode: "balanced",
  approver: true,
  approvalMs: 3_600_000,
  head: (tenant) => receipts.head(tenant).line,
  journal: stores.programs,
  calls: "native",
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
const verdict = await receipts.verify(TENANT);
const verifyMs = performance.now() - began;
sealer.stop();
await stores.close();
process.stdout.write(`${JSON.stringify({ measured, startsMs, verdict, verifyMs })}\n`);

async function perCall(act: () => Promise<unknown> | void): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < Number(perRound); i++) await act();
  return (performance.now() - started) / Number(perRound);
}

function made(toolId: string) {
  return gate.call({ callId: ids.next("call"), toolId, input: { text: "x".repeat(200) } }, context());
}

async function askedAndApproved(): Promise<void> {
  const asked = Promise.withResolvers<string>();
  const deaf = approvals.onEvent(({ kind, approval }) => kind === "requested" && asked.resolve(approval.id));
  const outcome = made("bench.asked.write");
  const approvalId = await asked.promise;
  deaf();
  const decided = performance.now();
  await desk.allow(TENANT, approvalId, OWNER, { decision: "once" });
  await outcome;
  startsMs.push(begun - decided);
}

function context(): ToolCallContext {
  const nothing = () => undefined;
  const signal = new AbortController().signal;
  const run = { runId: "run_bench", sessionId: "ses_bench", surface: "bench" };
  return {
    tenant: TENANT,
    ...run,
    signal,
    entered: nothing,
    progress: nothing,
    started: nothing,
    waiting: nothing,
  };
}
