import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { ReceiptFactory } from "@elwood/runtime/gate/receipt-factory";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { openReceipts } from "./receipts/open-receipts.ts";
import { sha256 } from "@elwood/platform/system";
import { openStores } from "./open-stores.ts";
import { sweepTrash } from "./sweep-trash.ts";

async function scene() {
  const home = await mkdtemp(join(tmpdir(), "elwood-trash-"));
  const paths = statePaths(home);
  const clock = new ManualClock();
  const log = memoryLog();
  const stores = await openStores({ paths, clock, log });
  const { receiptService, signer } = await openReceipts(stores, { keys: paths.keys, clock, log });
  onTestFinished(async () => {
    signer.stop();
    await stores.close();
    await rm(home, { recursive: true });
  });
  const script = new LedgerScript(stores.ledger);
  const talk = new StoreScript(stores);
  const facts = new ReceiptFactory(sha256, () => "salt of its own");
  /** A run with one call, whose input and output hold the words. */
  const ran = async (words: string) => {
    const run = await talk.turn((await talk.session()).id);
    const call = script.call({
      sessionId: run.sessionId,
      runId: run.id,
      state: "started",
      requestedInput: { words },
    });
    const origin = { runId: run.id, surface: "web", actor: "model" };
    const { receipt, change } = facts.requested(origin, call);
    const body = facts.body({ answer: words });
    const { callId, toolId } = call;
    await script.write([receipt], [{ kind: "call.new", call }, change]);
    await script.write(
      [facts.receipt("tool.call.succeeded", origin, callId, { toolId, outputCommit: body.commit })],
      [
        { kind: "body.put", body },
        { kind: "call.move", callId, from: ["started"], to: "succeeded", at: script.tick() },
      ],
    );
    return run;
  };
  const holds = async (words: string) => {
    const names = (await readdir(home)).filter((name) => name.startsWith("elwood.db"));
    const files = await Promise.all(names.map((name) => readFile(join(home, name))));
    return files.some((bytes) => bytes.includes(words));
  };
  return { stores, clock, log, receiptService, ran, holds };
}

test("with a purged session goes the content behind its receipts, from the files too; the log stays whole", async () => {
  const { stores, clock, log, receiptService, ran, holds } = await scene();
  const gone = await ran("a private sentence");
  await ran("another thing");
  const before = stores.receiptLog.size(TENANT);
  await stores.sessions.trash(TENANT, gone.sessionId, clock.now());
  expect(await sweepTrash({ stores, clock, log }, TENANT)).toBe(0);
  expect(await holds("a private sentence")).toBe(true);

  await clock.advance(LIMITS.trashKeptMs + 1);
  expect(await sweepTrash({ stores, clock, log }, TENANT)).toBe(1);
  expect(await holds("a private sentence")).toBe(false);
  expect(await holds("another thing")).toBe(true);
  expect(stores.receiptLog.size(TENANT)).toBe(before);
  expect(await receiptService.verify(TENANT)).toMatchObject({ status: "intact" });
});

test("a clock that leaps two years ahead destroys nothing, until something is said again", async () => {
  const { stores, clock, log, ran } = await scene();
  const gone = await ran("a private sentence");
  await stores.sessions.trash(TENANT, gone.sessionId, clock.now());
  await clock.advance(2 * 365 * 24 * 60 * 60_000);
  expect(await sweepTrash({ stores, clock, log }, TENANT)).toBe(0);
  expect(await stores.sessions.restore(TENANT, gone.sessionId, clock.now())).toBeDefined();
  await stores.sessions.trash(TENANT, gone.sessionId, clock.now());
  await clock.advance(LIMITS.trashKeptMs + 1);
  expect(await sweepTrash({ stores, clock, log }, TENANT)).toBe(1);
});
