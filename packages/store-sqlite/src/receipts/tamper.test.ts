import { execFile } from "node:child_process";
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { checkpointText, formatNote, parseSavedHead } from "@elwood/core/receipts/checkpoint";
import { leafHash, merkleRoot } from "@elwood/core/receipts/merkle";
import { receiptHash, type StoredReceipt } from "@elwood/core/receipts/receipt";
import type { LogVerdict } from "@elwood/core/receipts/verify-log";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { afterAll, describe, expect, test } from "vitest";
import type { StatePaths } from "@elwood/platform/state-paths";
import { openReadOnly } from "../read-only-database.ts";
import { sha256 } from "@elwood/platform/system";
import { toReceipt, type ReceiptRow } from "../ledger-rows.ts";
import { receiptLog, type ReceiptLog } from "../receipt-log.ts";
import { exportFolder } from "./export.ts";
import { keyPaths, logKey } from "./log-key.ts";
import { copyOf, testLog } from "./test-log.ts";
import { verifyExit, verifyReceipts } from "./verify.ts";

const kit = (clock = new ManualClock()) => ({
  clock,
  logger: memoryLog(),
  script: (ledger: Ledger) => new LedgerScript(ledger),
});

/**
 * Every attack on a real database file: 110 receipts, a checkpoint every 20, the last 10
 * unsealed. The attacker owns the file and has dropped its triggers. `held` is the
 * checkpoint over 100 receipts, kept elsewhere.
 */
type Column = "chain" | "stored" | "held";
type Caught = Record<Column, "caught" | "passes">;

const EVERYWHERE: Caught = { chain: "caught", stored: "caught", held: "caught" };
const BY_SIGNATURE: Caught = { chain: "passes", stored: "caught", held: "caught" };
const ONLY_BY_HELD: Caught = { chain: "passes", stored: "passes", held: "caught" };
const NEVER: Caught = { chain: "passes", stored: "passes", held: "passes" };

interface Scene {
  readonly db: DatabaseSync;
  readonly paths: StatePaths;
  readonly otherLog: readonly StoredReceipt[];
}

const ATTACKS: readonly (readonly [name: string, caught: Caught, attack: (scene: Scene) => void])[] = [
  ["edit", EVERYWHERE, ({ db }) => change(db, 37, { payload: { toolId: "files.file.read" } })],
  ["flip status", EVERYWHERE, ({ db }) => change(db, 36, { type: "tool.call.failed" })],
  ["delete", EVERYWHERE, ({ db }) => db.exec("DELETE FROM receipts_by_number WHERE seq = 52")],
  ["delete and close the gap", EVERYWHERE, ({ db }) => store(db, all(db).toSpliced(51, 1).map(renumbered))],
  [
    "reorder",
    EVERYWHERE,
    ({ db }) => {
      const receipts = all(db);
      store(db, receipts.with(29, receipts[30]!).with(30, receipts[29]!).map(renumbered));
    },
  ],
  ["duplicate", EVERYWHERE, ({ db }) => store(db, all(db).toSpliced(44, 0, all(db)[43]!).map(renumbered))],
  [
    "duplicate under one number",
    EVERYWHERE,
    ({ db }) => {
      store(db, all(db));
      db.exec("INSERT INTO receipts SELECT * FROM receipts WHERE seq = 44");
    },
  ],
  [
    "insert",
    EVERYWHERE,
    ({ db }) => {
      const forged = rehashed({
        ...all(db)[60]!,
        id: "rcp_forged",
        payload: { toolId: "bank.transfer.create" },
      });
      store(db, all(db).toSpliced(61, 0, forged).map(renumbered));
    },
  ],
  ["splice other log", EVERYWHERE, ({ db, otherLog }) => store(db, all(db).with(24, otherLog[24]!))],
  [
    "splice the rest of another log",
    EVERYWHERE,
    ({ db, otherLog }) => store(db, [...all(db).slice(0, 24), ...otherLog.slice(24)]),
  ],
  ["backdate", EVERYWHERE, ({ db }) => change(db, 71, { ts: 1 })],
  [
    "rewrite as other JSON of the same value",
    EVERYWHERE,
    ({ db }) =>
      db.exec(`UPDATE receipts_by_number SET payload = '{"n":0,' || substr(payload, 2) WHERE seq = 50`),
  ],
  ["edit and rehash everything after it (no key)", BY_SIGNATURE, ({ db }) => rewrite(db, 33)],
  [
    "same, re-signed with another key",
    BY_SIGNATURE,
    ({ db }) => {
      rewrite(db, 33);
      resign(db, generateKeyPairSync("ed25519").privateKey);
    },
  ],
  [
    "cut below the last checkpoint and drop it",
    ONLY_BY_HELD,
    ({ db }) =>
      db.exec("DELETE FROM receipts_by_number WHERE seq > 90; DELETE FROM checkpoints WHERE size > 90"),
  ],
  [
    "restore an old backup",
    ONLY_BY_HELD,
    ({ db }) =>
      db.exec("DELETE FROM receipts_by_number WHERE seq > 60; DELETE FROM checkpoints WHERE size > 60"),
  ],
  [
    "edit + rehash + re-sign with the stolen key",
    ONLY_BY_HELD,
    ({ db, paths }) => {
      rewrite(db, 33);
      resign(db, createPrivateKey(readFileSync(keyPaths(paths.keys).secret)));
    },
  ],
  [
    "cut the not-yet-sealed tail",
    NEVER,
    ({ db }) => db.exec("DELETE FROM receipts_by_number WHERE seq > 104"),
  ],
  ["rewrite the not-yet-sealed tail", NEVER, ({ db }) => rewrite(db, 105)],
  ["gateway records a success that never happened", NEVER, () => undefined],
];

const printed: string[] = [];
afterAll(() => {
  process.stdout.write(`\n${printed.join("\n")}\n`);
});

describe("OA-4: the tamper table", () => {
  test("every attack is caught where it can be, and the one-file verifier agrees in every cell", async () => {
    const mine = await sealedLog();
    const otherLog = await (await sealedLog()).receipts();
    printed.push(line("attack", "chain only", "+ stored checkpoints", "+ checkpoint kept elsewhere"));
    for (const [name, expected, attack] of ATTACKS) {
      const paths = copyOf(mine.paths);
      const db = new DatabaseSync(paths.database);
      for (const row of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
        db.exec(`DROP TRIGGER ${String(row["name"])}`);
      attack({ db, paths, otherLog });
      db.close();
      const verdicts = await judge(paths, mine.held);
      const caught = mapColumns(verdicts, (verdict) => (verdict.status === "intact" ? "passes" : "caught"));
      const shown = mapColumns(verdicts, shortly);
      printed.push(line(name, shown.chain, shown.stored, shown.held));
      expect.soft(caught, name).toEqual(expected);
      // Where all three say the same, one of them stands for the others: each is a process.
      const asked = expected === EVERYWHERE || expected === NEVER ? (["held"] as const) : COLUMNS;
      for (const [column, verdict] of await judgeBundle(paths, mine.held, asked))
        expect.soft(verdict, `${name}: verify.mjs, ${column}`).toEqual(verdicts[column]);
    }
  });

  test("untouched, it is intact, with its tail told; strict makes that exit code 12", async () => {
    const { paths, held } = await sealedLog();
    const { held: verdict } = await judge(paths, held);
    expect(verdict).toMatchObject({ status: "intact", size: 110, sealedSize: 100, unsealed: 10 });
    expect([verifyExit(verdict, false), verifyExit(verdict, true)]).toEqual([0, 12]);
  });
});

/** 110 receipts of calls; answers once the database is closed. */
async function sealedLog() {
  const { paths, stores, signer, script, key } = await testLog(kit());
  for (let i = 1; i <= 110; i++) {
    const type = (["requested", "started", "succeeded"] as const)[i % 3]!;
    const payload = { toolId: "files.file.write", n: i };
    await script.write([
      script.receipt(`tool.call.${type}`, { callId: `call_${Math.floor(i / 3)}`, payload }),
    ]);
    if (i % 20 === 0 && i <= 100) signer.signNow(TENANT, "count");
  }
  const held = stores.receiptLog.checkpoints(TENANT).find(({ size }) => size === 100)!.note;
  const closed = { paths, held, key, receipts: async () => receiptsOf(paths) };
  // As it is while the gateway runs: the tail has no signature.
  const tail = copyOf(paths);
  await stores.close();
  return { ...closed, paths: tail };
}

const COLUMNS: readonly Column[] = ["chain", "stored", "held"];

function mapColumns<A, B>(row: Record<Column, A>, map: (value: A) => B): Record<Column, B> {
  return { chain: map(row.chain), stored: map(row.stored), held: map(row.held) };
}

async function judge(paths: StatePaths, heldText: string): Promise<Record<Column, LogVerdict>> {
  return withLog(paths, async (log) => {
    const publicPem = readFileSync(keyPaths(paths.keys).public, "utf8");
    const held = parseSavedHead(heldText);
    if (!held.ok) throw new Error(held.error);
    const chainOnly: ReceiptLog = { ...log, checkpoints: () => [] };
    const verdict = async (from: ReceiptLog, more: object = {}) => {
      const {
        checkpoints: _,
        bodies: __,
        ...rest
      } = await verifyReceipts(from, {
        tenant: TENANT,
        publicPem,
        ...more,
      });
      return rest;
    };
    return {
      chain: await verdict(chainOnly),
      stored: await verdict(log),
      held: await verdict(log, { held: held.value }),
    };
  });
}

/** The same through the export and the verifier in it, which knows nothing of ours. */
async function judgeBundle(
  paths: StatePaths,
  held: string,
  columns: readonly Column[],
): Promise<readonly (readonly [Column, LogVerdict])[]> {
  const folder = join(paths.home, "bundle");
  await withLog(paths, async (log) => {
    const publicPem = readFileSync(keyPaths(paths.keys).public, "utf8");
    await exportFolder(log, folder, { tenant: TENANT, publicPem, bodies: true, at: 0 });
  });
  const heldFile = join(paths.home, "held.txt");
  writeFileSync(heldFile, held);
  const flags: Record<Column, string[]> = { chain: ["--chain-only"], stored: [], held: ["--held", heldFile] };
  const run = async (column: Column) => {
    const args = [join(folder, "verify.mjs"), "--json", ...flags[column]];
    const answer = await promisify(execFile)(process.execPath, args).catch(
      (error: { code: number; stdout: string }) => error,
    );
    const verdict = JSON.parse(answer.stdout) as LogVerdict;
    expect("code" in answer ? answer.code : 0).toBe(verifyExit(verdict, false));
    return [column, verdict] as const;
  };
  return Promise.all(columns.map(run));
}

async function withLog<T>(paths: StatePaths, work: (log: ReceiptLog) => Promise<T>): Promise<T> {
  const db = openReadOnly(paths.database)!;
  try {
    return await work(
      receiptLog({
        get: (sql, ...params) => db.prepare(sql).get(...params) as never,
        all: (sql, ...params) => db.prepare(sql).all(...params) as never,
      }),
    );
  } finally {
    db.close();
  }
}

function receiptsOf(paths: StatePaths): StoredReceipt[] {
  const db = new DatabaseSync(paths.database);
  try {
    return all(db);
  } finally {
    db.close();
  }
}

function all(db: DatabaseSync): StoredReceipt[] {
  const rows = db.prepare("SELECT * FROM receipts ORDER BY seq").all() as unknown as ReceiptRow[];
  return rows.map(toReceipt);
}

/** Puts these receipts in the place of all there are. */
function store(db: DatabaseSync, receipts: readonly StoredReceipt[]): void {
  db.exec(`CREATE TABLE loose AS SELECT * FROM receipts WHERE 0; DROP VIEW receipts;
    ALTER TABLE loose RENAME TO receipts`);
  const insert = db.prepare(`INSERT INTO receipts
    (tenant, seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const r of receipts) {
    const payload = canonicalJson(r.payload);
    const who = [r.runId, r.callId ?? null, r.type, r.ts, r.actor, r.surface] as const;
    insert.run(r.tenant, r.seq, r.id, ...who, payload, r.prevHash, r.hash);
  }
}

function change(db: DatabaseSync, seq: number, fields: Partial<StoredReceipt>): void {
  store(
    db,
    all(db).map((receipt) => (receipt.seq === seq ? { ...receipt, ...fields } : receipt)),
  );
}

function renumbered(receipt: StoredReceipt, i: number): StoredReceipt {
  return { ...receipt, seq: i + 1 };
}

function rehashed(receipt: StoredReceipt): StoredReceipt {
  const { hash: _, ...rest } = receipt;
  return { ...rest, hash: receiptHash(rest, sha256) };
}

/** Changes one receipt and makes the chain whole again from there on. */
function rewrite(db: DatabaseSync, from: number): void {
  const receipts = all(db);
  for (let i = from - 1; i < receipts.length; i++) {
    const prevHash = receipts[i - 1]!.hash;
    const payload = i === from - 1 ? { toolId: "files.file.read" } : receipts[i]!.payload;
    receipts[i] = rehashed({ ...receipts[i]!, prevHash, payload });
  }
  store(db, receipts);
}

/** Signs every checkpoint anew over the receipts as they are now. */
function resign(db: DatabaseSync, secret: KeyObject): void {
  const publicPem = generatePublicPem(secret);
  const { origin, keyId } = logKey(publicPem, TENANT);
  const leaves = all(db).map((receipt) => leafHash(receipt.hash, sha256));
  const sizes = db.prepare("SELECT size FROM checkpoints").all() as { size: number }[];
  for (const { size } of sizes) {
    const text = checkpointText({ origin, size, root: merkleRoot(leaves.slice(0, size), sha256) });
    const signature = sign(null, Buffer.from(text), secret);
    const note = formatNote(text, [{ name: origin, keyId, signature }]);
    db.prepare("UPDATE checkpoints SET note = ? WHERE size = ?").run(note, size);
  }
}

function generatePublicPem(secret: KeyObject): string {
  return createPublicKey(secret).export({ format: "pem", type: "spki" }).toString();
}

function shortly(verdict: LogVerdict): string {
  if (verdict.status === "intact") return `passes (${verdict.unsealed} unsealed)`;
  if (verdict.status === "truncated") return `TRUNCATED ${verdict.size} of ${verdict.expected}`;
  return `ALTERED at ${verdict.seq}${verdict.to === undefined ? "" : `–${verdict.to}`}`;
}

function line(name: string, ...cells: string[]): string {
  return `${name.padEnd(46)}${cells.map((cell) => cell.padEnd(24)).join("")}`.trimEnd();
}
