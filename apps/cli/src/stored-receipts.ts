import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { parseSavedHead, type SavedHead } from "@elwood/core/receipts/checkpoint";
import { fail, FailureError } from "@elwood/core/base/failure";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Body, ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import type { Log } from "@elwood/runtime/ports/ports";
import { pageLimit } from "@elwood/runtime/run/store-input";
import type { StatePaths } from "@elwood/platform/state-paths";
import { storageFailure as fileFailure } from "@elwood/platform/storage-failure";
import { fileTranscripts } from "@elwood/store-sqlite/file-transcripts";
import { readLastSigned, readPublicKey } from "@elwood/store-sqlite/receipts/log-key";
import type { Conversations } from "@elwood/store-sqlite/receipts/transcript-check";
import { toReceiptQuery, type AskedReceipts } from "@elwood/store-sqlite/receipts/query";
import type { Database } from "@elwood/store-sqlite/database";
import { toBody, toReceipt, type ReceiptRow } from "@elwood/store-sqlite/ledger-rows";
import { LEDGER_SQL, receiptsAfter } from "@elwood/store-sqlite/ledger-sql";
import { receiptLog, type ReceiptLog } from "@elwood/store-sqlite/receipt-log";
import { storageFailure } from "@elwood/store-sqlite/storage-failure";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";

/** The receipts in the file itself: read past the gateway, so that no gateway has to be believed. */
export interface StoredReceipts {
  readonly log: ReceiptLog;
  /** undefined where nothing was ever sealed. */
  readonly publicPem: string | undefined;
  /** The last checkpoint that was signed, from beside the key. */
  readonly lastSigned: string | undefined;
  readonly conversations: Conversations;
  list(asked: AskedReceipts): readonly StoredReceipt[];
  /** By id, or by number. */
  find(name: string): StoredReceipt;
  body(commit: string): Body | undefined;
  /** What a call was about, as its row has it. */
  target(callId: string): string | undefined;
}

export async function withStoredReceipts<T>(
  paths: StatePaths,
  work: (stored: StoredReceipts) => Promise<T>,
): Promise<T> {
  const opened = reading(() => openReadOnly(paths.database));
  try {
    const rows = opened && hasReceipts(opened) ? rowsOf(opened) : NO_ROWS;
    return await work(storedReceipts(rows, paths));
  } finally {
    opened?.close();
  }
}

/** A checkpoint that somebody kept, in a file. */
export function readSavedHead(path: string): SavedHead {
  const held = parseSavedHead(readSmall(path));
  if (!held.ok) fail("INVALID_INPUT", `${path} cannot be used to check the receipts: ${held.error}.`);
  return held.value;
}

const FILE_CHARS_MAX = 16 * 1024 * 1024;

export function readSmall(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    if (text.length > FILE_CHARS_MAX) fail("INVALID_INPUT", `${path} is too large to be what it should be.`);
    return text;
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw new FailureError(fileFailure(error, path, "Name a file that can be read."));
  }
}

type Rows = Pick<Database, "get" | "all">;

const NO_ROWS: Rows = { get: () => undefined, all: () => [] };
/** Only what writes has something to log. */
const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {} };
const SCHEMA_WITH_RECEIPTS = 2;
const UNREADABLE = "The receipts could not be read.";

function storedReceipts(rows: Rows, paths: StatePaths): StoredReceipts {
  return {
    log: receiptLog(rows),
    publicPem: readPublicKey(paths.keys),
    lastSigned: readLastSigned(paths.keys),
    conversations: fileTranscripts(paths.sessions, { log: SILENT }),
    list(asked) {
      return listed(rows, toReceiptQuery(asked)).map(toReceipt);
    },
    find(name) {
      const bySeq = /^\d{1,15}$/.test(name);
      const [row] = listed(rows, bySeq ? { limit: 1, before: Number(name) + 1 } : { limit: 1, id: name });
      if (!row || (bySeq && row.seq !== Number(name)))
        fail("NOT_FOUND", `There is no receipt ${name}. List them with: elwood receipts list`);
      return toReceipt(row);
    },
    body(commit) {
      const row = rows.get(LEDGER_SQL.body, DEFAULT_TENANT, commit);
      return row && toBody(commit, row);
    },
    target(callId) {
      return rows.get(LEDGER_SQL.call, DEFAULT_TENANT, callId)?.target ?? undefined;
    },
  };
}

/** From the receipts themselves, newest first: no list of them is believed here. */
function listed(rows: Rows, asked: ReceiptQuery & { readonly id?: string }): readonly ReceiptRow[] {
  const { limit, ...wanted } = asked;
  const { query, params } = receiptsAfter(DEFAULT_TENANT, 0, wanted);
  return rows.all(query, ...params, pageLimit(limit));
}

/** A database from before receipts has none. */
function hasReceipts(db: DatabaseSync): boolean {
  const row = reading(() => db.prepare("PRAGMA user_version").get());
  return Number(row?.["user_version"]) >= SCHEMA_WITH_RECEIPTS;
}

function rowsOf(db: DatabaseSync): Rows {
  return {
    // The same claims about rows as in the gateway's own Database.
    get: (sql, ...params) => reading(() => db.prepare(sql).get(...params)) as never,
    all: (sql, ...params) => reading(() => db.prepare(sql).all(...params)) as never,
  };
}

function reading<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageFailure(error, UNREADABLE);
  }
}
