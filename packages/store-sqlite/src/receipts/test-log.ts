import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { onTestFinished } from "vitest";
import { statePaths, type StatePaths } from "@elwood/platform/state-paths";
import { openStores, type OpenedStores } from "../open-stores.ts";
import { openSigningKey, type SigningKey } from "./log-key.ts";
import { CheckpointSigner, type CheckpointSignerDeps } from "./checkpoint-signer.ts";

/** What tests bring: a clock they can move, a log they can read, and a way to play into the ledger. */
export interface TestKit<C extends Clock, L extends Log, S> {
  readonly clock: C;
  readonly logger: L;
  readonly script: (ledger: Ledger) => S;
}

export interface TestLog<C, L, S> {
  readonly paths: StatePaths;
  readonly clock: C;
  readonly stores: OpenedStores;
  readonly key: SigningKey;
  readonly signer: CheckpointSigner;
  readonly logger: L;
  readonly script: S;
}

export function testHome(): StatePaths {
  const folder = mkdtempSync(join(tmpdir(), "elwood-receipts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return statePaths(folder);
}

/** A real database with a key and a sealer that listens, gone when the test ends. */
export async function testLog<C extends Clock, L extends Log, S>(
  { clock, logger, script }: TestKit<C, L, S>,
  options: { paths?: StatePaths; deps?: Partial<CheckpointSignerDeps> } = {},
): Promise<TestLog<C, L, S>> {
  const paths = options.paths ?? testHome();
  const stores = await openStores({ paths, clock, log: logger });
  const key = await openSigningKey(paths.keys);
  const { ledger, checkpoints } = stores;
  const log = stores.receiptLog;
  const signer = new CheckpointSigner({ log, checkpoints, ledger, key, clock, logger, ...options.deps });
  ledger.watch((tenant, receipts) => signer.noted(tenant, receipts));
  onTestFinished(async () => {
    signer.stop();
    await stores.close();
  });
  return { paths, clock, stores, key, signer, logger, script: script(ledger) };
}

/** A copy of a state directory, as a thief or a backup would take it. The stores must be closed. */
export function copyOf(paths: StatePaths): StatePaths {
  const copy = testHome();
  cpSync(paths.home, copy.home, { recursive: true });
  return copy;
}
