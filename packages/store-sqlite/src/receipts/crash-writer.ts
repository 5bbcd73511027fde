/**
 * A process that writes receipts and seals them until it is killed. Started by crash.test.ts:
 *
 *   node crash-writer.ts <home> <point> <nth>
 *
 * It kills itself, without warning, the nth time it reaches the point; with the point `none`
 * it goes on until somebody else does. It says on standard output which receipts and which
 * checkpoints it was promised, each only once the store had answered.
 */
import { writeSync } from "node:fs";
import { makeId } from "@elwood/core/base/ids";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores } from "../open-stores.ts";
import { openReceipts } from "./open-receipts.ts";

const TENANT = "default";
const CALLS_MAX = 5_000;
const [home = "", point = "none", nth = "1"] = process.argv.slice(2);
let left = Number(nth);

function reach(name: string): void {
  if (name !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const clock: Clock = { now: () => Date.now(), sleep: () => new Promise(() => undefined) };
const log: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const paths = statePaths(home);
const stores = await openStores({ paths, clock, log });
const { checkpoints } = stores;
const pointed: typeof stores = {
  ...stores,
  checkpoints: {
    add(tenant, checkpoint) {
      reach("seal:before");
      checkpoints.add(tenant, checkpoint);
      writeSync(1, `sealed ${checkpoint.size}\n`);
      reach("seal:after");
    },
  },
};
const { signer } = await openReceipts(pointed, { keys: paths.keys, clock, log });
signer.start(TENANT);

for (let i = 0; i < CALLS_MAX; i++) {
  const callId = makeId("call", clock.now(), crypto.getRandomValues(new Uint8Array(10)));
  const toolId = `crash.call.n${i}`;
  const common = { runId: "run_1", callId, actor: "model", surface: "test" };
  const requested = {
    toolId,
    risk: "write" as const,
    contractHash: "",
    inputHash: "",
    inputCommit: "",
    idempotencyKey: callId,
  };
  const receipts: readonly NewReceipt[] = [
    { ...common, type: "tool.call.requested", payload: requested },
    { ...common, type: "tool.call.started", payload: { toolId } },
    { ...common, type: "tool.call.succeeded", payload: { toolId } },
  ];
  for (const receipt of receipts) {
    reach("write:before");
    const written = await stores.ledger.write(TENANT, { receipts: [receipt], changes: [] });
    if (written.ok) for (const { id } of written.value) writeSync(1, `written ${id}\n`);
    reach("write:after");
  }
  await new Promise((resolve) => setImmediate(resolve));
}
