import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { fail } from "@elwood/core/base/failure";
import { statePaths } from "@elwood/platform/state-paths";
import type { Log } from "@elwood/runtime/ports/ports";
import { fileTranscripts } from "@elwood/store-sqlite/file-transcripts";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";
import { receiptLog } from "@elwood/store-sqlite/receipt-log";
import { readLastSigned, readPublicKey } from "@elwood/store-sqlite/receipts/log-key";
import { verifyReceipts, type Verification } from "@elwood/store-sqlite/receipts/verify";
import type { BackupManifest } from "./backup-format.ts";
import { readBackup, type BackupRead } from "./read-backup.ts";

export interface VerifiedBackup extends BackupRead {
  /** Undefined where there is no log yet. */
  readonly receipts: Verification | undefined;
}

/** What has to be unpacked to check the receipts: the log, what is signed of it, and what conversations say of it. */
const CHECKED = /^(?:elwood\.db|keys\/receipts\.(?:pub|head)|sessions\/.*)$/;

/** Reads a backup whole, then checks its database and its receipts. Unpacks those for a moment, and nothing else. */
export async function verifyBackup(
  path: string,
  options: { readonly passphrase?: string; readonly scratch?: string } = {},
): Promise<VerifiedBackup> {
  const folder = await mkdtemp(join(options.scratch ?? tmpdir(), "elwood-verify-"));
  try {
    const read = await readBackup(path, options.passphrase, {
      async file(name, content) {
        if (CHECKED.test(name)) await unpack(join(folder, name), content);
        else for await (const _ of content);
      },
    });
    return { ...read, receipts: await checkUnpacked(folder, read.manifest, path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function unpack(target: string, content: AsyncIterable<Buffer>): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(target, { mode: 0o600, flags: "wx" }));
}

/** Only what writes has something to log. */
const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {} };
const PROBLEMS_MAX = 10;
const SCHEMA_WITH_RECEIPTS = 2;

/** A state directory that was unpacked: its database in itself, and its receipts with the manifest, the key and the conversations. */
export async function checkUnpacked(
  folder: string,
  manifest: BackupManifest,
  path: string,
): Promise<Verification | undefined> {
  const paths = statePaths(folder);
  const db = openReadOnly(paths.database);
  if (!db) return undefined;
  try {
    const wrong = db
      .prepare(`PRAGMA quick_check(${PROBLEMS_MAX})`)
      .all()
      .map((row) => String(row["quick_check"]));
    if (wrong.length !== 1 || wrong[0] !== "ok")
      fail("STORAGE", `The database in ${path} is damaged: ${wrong.join("; ")}. Nothing was changed.`, {
        retryable: false,
      });
    const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version < SCHEMA_WITH_RECEIPTS) return undefined;
    const publicPem = readPublicKey(paths.keys);
    const lastSigned = readLastSigned(paths.keys);
    const log = receiptLog({
      // The same claims about rows as in the gateway's own Database.
      get: (sql, ...params) => db.prepare(sql).get(...params) as never,
      all: (sql, ...params) => db.prepare(sql).all(...params) as never,
    });
    const [last] = log.hashes(DEFAULT_TENANT, manifest.head.seq - 1, manifest.head.seq);
    if (
      log.size(DEFAULT_TENANT) !== manifest.head.seq ||
      (manifest.head.seq > 0 && last !== manifest.head.hash)
    )
      fail("INVALID_INPUT", `The receipts in ${path} are not those of its manifest. Nothing was changed.`);
    return await verifyReceipts(log, {
      tenant: DEFAULT_TENANT,
      publicPem,
      ...(lastSigned === undefined ? {} : { lastSigned }),
      conversations: fileTranscripts(paths.sessions, { log: SILENT }),
    });
  } finally {
    db.close();
  }
}
