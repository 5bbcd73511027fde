import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isSignedBy, parseNote } from "@elwood/core/receipts/checkpoint";
import { failure, FailureError } from "@elwood/core/base/failure";
import { leafHash, merkleRoot } from "@elwood/core/receipts/merkle";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, TENANT } from "@elwood/testkit/store-script";
import { describe, expect, test, vi } from "vitest";
import { sha256 } from "@elwood/platform/system";
import type { CheckpointWriter, ReceiptLog } from "../receipt-log.ts";
import { keyPaths, openSigningKey } from "./log-key.ts";
import {
  CHECKPOINT_AFTER_MS,
  CHECKPOINT_DAILY_MS,
  CHECKPOINT_EVERY_RECEIPTS,
  CHECKPOINT_SHARED_MS,
  CheckpointSigner,
} from "./checkpoint-signer.ts";
import { testHome, testLog } from "./test-log.ts";
import { verifyReceipts } from "./verify.ts";

const kit = (clock = new ManualClock()) => ({
  clock,
  logger: memoryLog(),
  script: (ledger: Ledger) => new LedgerScript(ledger),
});
type Log = Awaited<ReturnType<typeof testLog<ManualClock, ReturnType<typeof memoryLog>, LedgerScript>>>;

const seals = ({ stores }: Log) =>
  stores.receiptLog.checkpoints(TENANT).map(({ size, reason }) => [size, reason]);

const verdict = ({ stores, key }: Log) =>
  verifyReceipts(stores.receiptLog, { tenant: TENANT, publicPem: key.publicPem });

describe("a head is signed", () => {
  test("when a run ends", async () => {
    const log = await testLog(kit());
    await log.script.write([log.script.receipt("run.started")]);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([]);
    await log.script.write([log.script.receipt("run.finished")]);
    expect(seals(log)).toEqual([]);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([[2, "run"]]);
    expect(await verdict(log)).toMatchObject({ status: "intact", unsealed: 0 });
  });

  test("once for runs that end while others are under way, and at once for the last of them", async () => {
    const log = await testLog(kit());
    let others = true;
    log.signer.shareWhile(() => others);
    const ended = () => log.script.write([log.script.receipt("run.finished")]);
    await ended();
    await log.clock.advance(CHECKPOINT_SHARED_MS - 1);
    await ended();
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([]);
    await log.clock.advance(1);
    expect(seals(log)).toEqual([[2, "run"]]);
    await ended();
    others = false;
    await ended();
    await nextEventLoopTurn();
    await log.clock.advance(CHECKPOINT_SHARED_MS);
    expect(seals(log)).toEqual([
      [2, "run"],
      [4, "run"],
    ]);
  });

  test("after fifty receipts, also while others are under way", async () => {
    const log = await testLog(kit());
    log.signer.shareWhile(() => true);
    for (let i = 0; i < CHECKPOINT_EVERY_RECEIPTS; i++)
      await log.script.write([log.script.receipt("run.finished")]);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([[CHECKPOINT_EVERY_RECEIPTS, "count"]]);
  });

  test("after fifty receipts", async () => {
    const log = await testLog(kit());
    for (let i = 0; i < CHECKPOINT_EVERY_RECEIPTS - 1; i++)
      await log.script.write([log.script.receipt("run.started")]);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([]);
    await log.script.write([log.script.receipt("run.started")]);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([[CHECKPOINT_EVERY_RECEIPTS, "count"]]);
  });

  test("ten minutes after the first receipt without a signature", async () => {
    const log = await testLog(kit());
    await log.script.write([log.script.receipt("run.started")]);
    await log.clock.advance(CHECKPOINT_AFTER_MS - 1);
    await log.script.write([log.script.receipt("tool.call.requested")]);
    expect(seals(log)).toEqual([]);
    await log.clock.advance(1);
    expect(seals(log)).toEqual([[2, "time"]]);
    await log.clock.advance(10 * CHECKPOINT_AFTER_MS);
    expect(seals(log)).toHaveLength(1);
    await log.script.write([log.script.receipt("run.started")]);
    await log.clock.advance(CHECKPOINT_AFTER_MS);
    expect(seals(log)).toEqual([
      [2, "time"],
      [3, "time"],
    ]);
  });

  test("once a day even where nothing happens, so that silence is vouched for", async () => {
    const log = await testLog(kit());
    log.signer.start(TENANT);
    await log.clock.advance(CHECKPOINT_DAILY_MS);
    await nextEventLoopTurn();
    await log.clock.advance(CHECKPOINT_DAILY_MS);
    await nextEventLoopTurn();
    expect(seals(log)).toEqual([
      [1, "daily"],
      [2, "daily"],
    ]);
    const [second, first] = await log.stores.ledger.receipts(TENANT, { limit: 5 });
    expect(first).toMatchObject({ type: "log.checkpoint", payload: { size: 0 } });
    expect(second).toMatchObject({ type: "log.checkpoint", payload: { size: 1 } });
    expect(second!.ts - first!.ts).toBe(CHECKPOINT_DAILY_MS);
  });

  test("when somebody asks, and only where there is something new", async () => {
    const log = await testLog(kit());
    await log.script.write([log.script.receipt("run.started")]);
    const before = log.signer.head(TENANT);
    expect(before).toMatchObject({ size: 1, sealedSize: 0, shortRoot: before.root.slice(0, 16) });
    expect(log.signer.signNow(TENANT, "asked")).toEqual({ ...before, sealedSize: 1 });
    log.signer.signNow(TENANT, "asked");
    expect(seals(log)).toEqual([[1, "asked"]]);
  });

  test("when Elwood stops", async () => {
    const log = await testLog(kit());
    await log.script.write([log.script.receipt("run.started")]);
    log.signer.stop();
    expect(seals(log)).toEqual([[1, "stop"]]);
    expect(log.clock.sleeping).toBe(0);
  });
});

test("the note holds size and root of the tree over the hashes, signed by the key of keys/", async () => {
  const log = await testLog(kit());
  const receipts = await log.script.write([1, 2, 3].map(() => log.script.receipt("run.started")));
  log.signer.signNow(TENANT, "asked");
  const note = parseNote(log.stores.receiptLog.lastCheckpoint(TENANT)!.note);
  const root = merkleRoot(
    receipts.map(({ hash }) => leafHash(hash, sha256)),
    sha256,
  );
  expect(note.ok && note.value.checkpoint).toMatchObject({ size: 3, root });
  expect(note.ok && isSignedBy(note.value, log.key.verifier(TENANT))).toBe(true);
  expect(note.ok && isSignedBy(note.value, log.key.verifier("other"))).toBe(false);
});

test("a start reads only the receipts after the last checkpoint", async () => {
  const first = await testLog(kit());
  await first.script.write(Array.from({ length: 30 }, () => first.script.receipt("run.started")));
  first.signer.signNow(TENANT, "asked");
  await first.script.write([1, 2].map(() => first.script.receipt("run.started")));
  const { receiptLog, checkpoints, ledger } = first.stores;
  const hashes = vi.fn<ReceiptLog["hashes"]>((...asked) => receiptLog.hashes(...asked));
  const { key, clock, logger } = first;
  const next = new CheckpointSigner({
    log: { ...receiptLog, hashes },
    checkpoints,
    ledger,
    key,
    clock,
    logger,
  });
  expect(next.head(TENANT)).toEqual(first.signer.head(TENANT));
  expect(hashes.mock.calls).toEqual([[TENANT, 30, 32]]);
  next.signNow(TENANT, "asked");
  expect(await verdict(first)).toMatchObject({ status: "intact", size: 32, unsealed: 0 });
});

test("receipts of another process are taken into the tree", async () => {
  const log = await testLog(kit());
  const other = await testLog(kit(log.clock), { paths: log.paths });
  await log.script.write([log.script.receipt("run.started")]);
  await other.script.write([log.script.receipt("run.started")]);
  await log.script.write([log.script.receipt("run.started")]);
  expect(log.signer.head(TENANT)).toMatchObject({ size: 3 });
  log.signer.signNow(TENANT, "asked");
  expect(await verdict(log)).toMatchObject({ status: "intact", unsealed: 0 });
});

test("where sealing fails the receipt stands, and sealing is tried again", async () => {
  const full = new FailureError(failure("STORAGE_FULL", "The disk is full."));
  const add = vi.fn<CheckpointWriter["add"]>();
  const log = await testLog(kit(), { deps: { checkpoints: { add } } });
  add.mockImplementationOnce(() => {
    throw full;
  });
  add.mockImplementation((...given) => log.stores.checkpoints.add(...given));
  await log.script.write([log.script.receipt("run.finished")]);
  await nextEventLoopTurn();
  expect(add).toHaveBeenCalledTimes(1);
  expect(seals(log)).toEqual([]);
  expect(await log.stores.ledger.receipts(TENANT, { limit: 9 })).toHaveLength(1);
  await log.clock.advance(CHECKPOINT_AFTER_MS);
  expect(seals(log)).toEqual([[1, "time"]]);
});

test("a log that was cut gets no new signature, and the log says what to do", async () => {
  const log = await testLog(kit());
  await log.script.write([1, 2, 3].map(() => log.script.receipt("run.started")));
  log.signer.stop();
  await log.stores.close();
  const raw = new DatabaseSync(log.paths.database);
  raw.exec("DROP TRIGGER receipts_remain; DELETE FROM receipts_by_number WHERE seq > 1");
  raw.close();
  const again = await testLog(kit(), { paths: log.paths });
  await again.script.write([again.script.receipt("run.finished")]);
  await nextEventLoopTurn();
  expect(seals(again)).toEqual([[3, "stop"]]);
  const [told] = again.logger.entries.filter(({ level }) => level === "error");
  expect(told?.message).toContain("elwood receipts verify");
  expect(again.signer.head(TENANT)).toMatchObject({ size: 2, sealedSize: 3 });
  expect(await verdict(again)).toMatchObject({ status: "truncated", size: 2, expected: 3 });
});

test("checkpoints are neither changed, deleted nor replaced by the database's own rules", async () => {
  const log = await testLog(kit());
  await log.script.write([log.script.receipt("run.started")]);
  log.signer.signNow(TENANT, "asked");
  const raw = new DatabaseSync(log.paths.database);
  for (const sql of [
    "UPDATE checkpoints SET note = 'x'",
    "DELETE FROM checkpoints",
    "INSERT OR REPLACE INTO checkpoints SELECT tenant, size, 'x', edge, at, reason FROM checkpoints",
  ])
    expect(() => raw.exec(sql), sql).toThrow(/checkpoint/);
  raw.close();
});

describe("the key", () => {
  test("is made once, for the owner alone, and read again", async () => {
    const { keys } = testHome();
    const [first, second] = await Promise.all([openSigningKey(keys), openSigningKey(keys)]);
    expect(second.publicPem).toBe(first.publicPem);
    expect((await openSigningKey(keys)).publicPem).toBe(first.publicPem);
    const paths = keyPaths(keys);
    expect(statSync(paths.secret).mode & 0o777).toBe(0o600);
    expect(statSync(keys).mode & 0o777).toBe(0o700);
    expect(readFileSync(paths.public, "utf8")).toBe(first.publicPem);
    expect(readdirSync(keys).sort()).toEqual(["receipts.key", "receipts.pub"]);
    expect(first.publicPem).not.toContain("PRIVATE");
  });

  test("that is lost or exchanged is told, and never quietly replaced", async () => {
    const { keys } = testHome();
    await openSigningKey(keys);
    const paths = keyPaths(keys);
    const other = testHome().keys;
    await openSigningKey(other);
    rmSync(paths.secret);
    await expect(openSigningKey(keys)).rejects.toMatchObject(failsWith("STORAGE"));
    writeFileSync(paths.secret, readFileSync(keyPaths(other).secret));
    await expect(openSigningKey(keys)).rejects.toThrow(/not the one that signed them/);
    writeFileSync(paths.secret, "no key");
    await expect(openSigningKey(keys)).rejects.toThrow(/no Ed25519 key/);
  });
});
