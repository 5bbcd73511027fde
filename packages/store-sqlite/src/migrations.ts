import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { APPLICATION_ID, type Database, query } from "./database.ts";
import { firstSchema } from "./migrations/0001-first-schema.ts";
import { receiptsSchema } from "./migrations/0002-receipts.ts";
import { programsSchema } from "./migrations/0003-programs.ts";
import { lighterLedger } from "./migrations/0004-lighter-ledger.ts";
import { noteOrigins } from "./migrations/0005-note-origins.ts";
import { forks } from "./migrations/0006-forks.ts";
import { fewerPages } from "./migrations/0007-fewer-pages.ts";
import { forgetting } from "./migrations/0008-forgetting.ts";
import { neverRecalled } from "./migrations/0009-never-recalled.ts";
import { callNumbers } from "./migrations/0010-call-numbers.ts";
import { outsideKeys } from "./migrations/0011-outside-keys.ts";
import { outbox } from "./migrations/0012-outbox.ts";
import { jobs } from "./migrations/0013-jobs.ts";
import { sessionSettings } from "./migrations/0014-session-settings.ts";
import { jobGrants } from "./migrations/0015-job-grants.ts";
import { actions } from "./migrations/0016-actions.ts";
import { sessionArchive } from "./migrations/0017-session-archive.ts";
import { devices } from "./migrations/0018-devices.ts";
import { tenants } from "./migrations/0019-tenants.ts";
import { runVersions } from "./migrations/0020-run-versions.ts";
import { runsByStatus } from "./migrations/0022-runs-by-status.ts";
import { saidLater } from "./migrations/0021-said-later.ts";
import { lighterReceipts } from "./migrations/0023-lighter-receipts.ts";
import { listedLater } from "./migrations/0024-listed-later.ts";
import { openRuns } from "./migrations/0025-open-runs.ts";
import { numberedReceipts } from "./migrations/0026-numbered-receipts.ts";
import { storageFailure } from "./storage-failure.ts";

/** A step of the schema. Once released it is never edited: databases out there have it. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  receiptsSchema,
  programsSchema,
  lighterLedger,
  noteOrigins,
  forks,
  fewerPages,
  forgetting,
  neverRecalled,
  callNumbers,
  outsideKeys,
  outbox,
  jobs,
  sessionSettings,
  jobGrants,
  actions,
  sessionArchive,
  devices,
  tenants,
  runVersions,
  saidLater,
  runsByStatus,
  lighterReceipts,
  listedLater,
  openRuns,
  numberedReceipts,
];

/**
 * Brings a database forward to the newest schema.
 *
 * M1 Only forward, each step in its own transaction with its version, so that a crash
 *    leaves a database that some Elwood knows.
 * M2 Before an existing database is changed it is copied whole to `backups/`; where that
 *    fails, nothing is changed.
 * M3 A database that a newer Elwood wrote, or that is not Elwood's, is left alone.
 * M4 Two processes may do this at once: the version is read again inside the transaction.
 */
export function migrate(
  db: Database,
  backups: string,
  deps: { clock: Clock; log: Log; migrations?: readonly Migration[] },
): void {
  const migrations = deps.migrations ?? MIGRATIONS;
  const newest = migrations.at(-1)?.version ?? 0;
  const from = checkedVersion(db, newest);
  if (from === newest) return;
  if (from > 0) backUp(db, from, backups, deps);
  // A step that rebuilds a table would otherwise set off its children's ON DELETE.
  db.exec("PRAGMA foreign_keys = OFF");
  try {
    for (const migration of migrations) apply(db, migration, newest);
  } finally {
    db.exec("PRAGMA foreign_keys = ON");
  }
  deps.log.info("database schema brought up to date", { from, to: newest });
}

function apply(db: Database, migration: Migration, newest: number): void {
  db.transaction(() => {
    if (checkedVersion(db, newest) >= migration.version) return;
    db.exec(migration.sql);
    const orphans = db.all("PRAGMA foreign_key_check");
    if (orphans.length > 0) throw new Error(`migration ${migration.name} leaves rows without their parent`);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migration.version};`);
  });
}

const CHECK = query<{
  version: number;
  owner: number;
  tables: number;
}>(`SELECT (SELECT user_version FROM pragma_user_version) AS version,
  (SELECT application_id FROM pragma_application_id) AS owner,
  (SELECT count(*) FROM sqlite_schema) AS tables`);

function checkedVersion(db: Database, newest: number): number {
  const { version, owner, tables } = db.get(CHECK)!;
  if (tables > 0 && owner !== APPLICATION_ID) {
    fail(
      "STORAGE",
      `${db.path} is a database, but not one of Elwood's. Nothing was changed. Move it away, or choose another state directory with ELWOOD_HOME.`,
      { retryable: false },
    );
  }
  if (version > newest) {
    fail(
      "STORAGE",
      `${db.path} was written by a newer Elwood (schema ${version}; this one knows up to ${newest}). Nothing was changed. Start the newer Elwood, or put back a copy from the backups folder that this one can read.`,
      { retryable: false },
    );
  }
  return version;
}

const NOT_COPIED =
  "The database could not be copied to the backups folder, so it was not brought up to date; nothing was changed.";
const BACKUP_NAME = /^elwood-v\d+-(\d{8}T\d{9}Z)\.db$/;

function backUp(db: Database, from: number, folder: string, deps: { clock: Clock; log: Log }): void {
  const time = new Date(deps.clock.now()).toISOString().replace(/[-:.]/g, "");
  const path = join(folder, `elwood-v${from}-${time}.db`);
  const partial = `${path}.partial`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // VACUUM INTO takes an empty file, which lets us choose its mode.
    closeSync(openSync(partial, "w", 0o600));
    try {
      db.exec(`VACUUM INTO '${partial.replaceAll("'", "''")}'`, NOT_COPIED);
      syncPath(partial);
      renameSync(partial, path);
    } finally {
      rmSync(partial, { force: true });
    }
    syncPath(folder);
    prune(folder);
  } catch (error) {
    throw storageFailure(error, NOT_COPIED);
  }
  deps.log.info("database copied before its schema is changed", { backup: path });
}

function prune(folder: string): void {
  const timeOf = (name: string) => BACKUP_NAME.exec(name)?.[1] ?? "";
  const backups = readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name))
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
  for (const name of backups.slice(LIMITS.backupsKept)) rmSync(join(folder, name), { force: true });
}

function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
