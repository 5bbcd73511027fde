import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { onTestFinished } from "vitest";
import { statePaths, type StatePaths } from "../config/paths.ts";
import { openStores, type OpenedStores } from "../store/open-stores.ts";
import { openSigningKey, type SigningKey } from "./log-key.ts";
import { Sealer, type SealerDeps } from "./seal.ts";

export interface TestLog {
  readonly paths: StatePaths;
  readonly clock: ManualClock;
  readonly stores: OpenedStores;
  readonly key: SigningKey;
  readonly sealer: Sealer;
  readonly logger: ReturnType<typeof memoryLog>;
  readonly script: LedgerScript;
}

export function testHome(): StatePaths {
  const folder = mkdtempSync(join(tmpdir(), "elwood-receipts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return statePaths(folder);
}

/** A real database with a key and a sealer that listens, gone when the test ends. */
export async function testLog(
  options: { paths?: StatePaths; clock?: ManualClock; deps?: Partial<SealerDeps> } = {},
): Promise<TestLog> {
  const paths = options.paths ?? testHome();
  const clock = options.clock ?? new ManualClock();
  const logger = memoryLog();
  const stores = await openStores({ paths, clock, log: logger });
  const key = await openSigningKey(paths.keys);
  const { ledger, checkpoints } = stores;
  const log = stores.receiptLog;
  const sealer = new Sealer({ log, checkpoints, ledger, key, clock, logger, ...options.deps });
  ledger.watch((tenant, receipts) => sealer.noted(tenant, receipts));
  onTestFinished(async () => {
    sealer.stop();
    await stores.close();
  });
  return { paths, clock, stores, key, sealer, logger, script: new LedgerScript(ledger) };
}

/** A copy of a state directory, as a thief or a backup would take it. The stores must be closed. */
export function copyOf(paths: StatePaths): StatePaths {
  const copy = testHome();
  cpSync(paths.home, copy.home, { recursive: true });
  return copy;
}
