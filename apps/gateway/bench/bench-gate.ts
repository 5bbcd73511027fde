import { join } from "node:path";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { ToolCallContext } from "@elwood/runtime/ports/ports";
import { defineTool } from "@elwood/sdk/tool";
import { z } from "zod";
import { statePaths } from "@elwood/platform/state-paths";
import { openReceipts } from "@elwood/store-sqlite/receipts/open-receipts";
import { fileVault } from "@elwood/store-sqlite/file-vault";
import { systemClock, systemIds } from "@elwood/platform/system";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { buildToolSystem } from "../src/tools/tool-system.ts";
import type { Committed } from "./bare-commits.ts";

export const BENCH_TENANT = "default";

interface Told {
  /** The handler has begun. */
  readonly begun?: () => void;
  /** A commit of the gate's is on disk. */
  readonly committed?: (commit: Committed) => void;
}

/** The real gate over the real stores in a folder, with one tool that runs unasked and one that asks. */
export async function openBenchGate(folder: string, told: Told = {}) {
  const paths = statePaths(join(folder, "home"));
  const clock = systemClock;
  const ids = systemIds(clock);
  const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const stores = await openStores({ paths, clock, log: quiet });
  const { receiptService: receipts, signer } = await openReceipts(stores, {
    keys: paths.keys,
    clock,
    log: quiet,
  });
  const labels = { egress: "none", output: "trusted", critical: ["text"], content: [] } as const;
  const tool = (id: string) =>
    defineTool({
      id,
      risk: "write",
      labels,
      input: z.strictObject({ text: z.string() }),
      handler: () => {
        told.begun?.();
        return { done: true };
      },
    });
  const ledger: Ledger = {
    ...stores.ledger,
    async write(tenant, unit) {
      const written = await stores.ledger.write(tenant, unit);
      if (written.ok) told.committed?.({ changes: unit.changes, receipts: written.value });
      return written;
    },
  };
  const toolSystem = await buildToolSystem({
    timeZone: "UTC",
    ledger,
    vault: fileVault(paths.vault, (text) => text),
    blobs: stores.blobs,
    clock,
    ids,
    log: quiet,
    redact: (text) => text,
    toolGroups: async () => [
      { source: "built-in", tools: [tool("bench.free.write"), tool("bench.asked.write")] },
    ],
    rules: [{ tool: "bench.free.write", decision: "allow", origin: "bench" }],
    mode: "balanced",
    approver: true,
    knownDestinations: false,
    approvalMs: 3_600_000,
    head: (tenant) => receipts.head(tenant),
    journal: stores.programs,
    runs: stores.runs,
    calls: "native",
  });
  const { gate, approvalService, approvals } = toolSystem;
  return {
    approvals,
    approvalService,
    receipts,
    gate,
    ledger,
    stores,
    context: context(),
    /** One call through the gate. */
    made: (toolId: string) =>
      gate.call({ callId: ids.next("call"), toolId, input: { text: "x".repeat(200) } }, context()),
    close: async (): Promise<void> => {
      await toolSystem.close();
      signer.stop();
      await stores.close();
    },
  };
}

function context(): ToolCallContext {
  const nothing = () => undefined;
  return {
    tenant: BENCH_TENANT,
    runId: "run_bench",
    sessionId: "ses_bench",
    surface: "bench",
    signal: new AbortController().signal,
    entered: nothing,
    progress: nothing,
    started: nothing,
    waiting: nothing,
  };
}
