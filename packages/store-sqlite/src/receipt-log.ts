import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { Grant } from "@elwood/core/policy/approval";
import type { Edge } from "@elwood/core/receipts/merkle";
import { isPayload } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { ROTATIONS_MAX } from "@elwood/core/receipts/rotation";
import type { Unreadable } from "@elwood/core/receipts/verify-log";
import type { Body } from "@elwood/runtime/ports/gate-ports";
import { type Database, query } from "./database.ts";
import { toGrant, toReceipt, type ReceiptRow, type StoredGrant } from "./ledger-rows.ts";
import { parsedJson } from "./stored-json.ts";
import { LEDGER_SQL } from "./ledger-sql.ts";

export interface StoredCheckpoint {
  readonly size: number;
  /** The signed note. */
  readonly note: string;
  readonly edge: Edge;
  readonly at: number;
  /** What set it off: `run`, `count`, `time`, `daily`, `asked`, `stop`. */
  readonly reason: string;
}

/**
 * The log as a whole, for those who seal, prove, verify and export it. Nothing here trusts
 * what it reads: a row that is no receipt any more is handed on as such.
 */
export interface ReceiptLog {
  /** How many receipts there are, by the last one's number. */
  size(tenant: string): number;
  /** Oldest first, after `after`, in pages. */
  pages(tenant: string, after?: number): Generator<readonly (StoredReceipt | Unreadable)[]>;
  hashes(tenant: string, after: number, upTo: number): string[];
  bodies(tenant: string): Generator<readonly (Body | { readonly commit: string; readonly broken: true })[]>;
  /** Receipts that say they change the log's key, oldest first. */
  rotations(tenant: string): readonly StoredReceipt[];
  /** The receipt in whose payload a commitment stands. */
  committing(tenant: string, commit: string): { readonly id: string; readonly seq: number } | undefined;
  /** Rows that say something which receipts must say too. */
  recordedRows(tenant: string): RecordedRows;
  checkpoints(tenant: string): readonly StoredCheckpoint[];
  lastCheckpoint(tenant: string): StoredCheckpoint | undefined;
  /** The smallest that covers a receipt. */
  checkpointOver(tenant: string, seq: number): StoredCheckpoint | undefined;
}

export interface RecordedRows {
  readonly calls: readonly { readonly id: string; readonly state: string }[];
  /** Of calls that were asked about; not questions. */
  readonly approvals: readonly { readonly id: string; readonly status: string; readonly digest: string }[];
  readonly grants: readonly Grant[];
  readonly tokens: readonly {
    readonly id: string;
    readonly scopes: string;
    readonly public_key: string | null;
    readonly acts_for: string | null;
  }[];
}

export interface CheckpointWriter {
  add(tenant: string, checkpoint: StoredCheckpoint): void;
}

interface CheckpointRow {
  readonly size: number;
  readonly note: string;
  readonly edge: string;
  readonly at: number;
  readonly reason: string;
}

const PAGE = 500;
const CHECKPOINT = "SELECT size, note, edge, at, reason FROM checkpoints WHERE tenant = ?";

export const LOG_SQL = {
  // By a range of numbers and not by a count of rows: in a table that somebody rebuilt, two can have one number.
  page: query<ReceiptRow>(`SELECT * FROM receipts WHERE tenant = ?1 AND seq > ?2
    AND seq <= ${PAGE} + (SELECT seq FROM receipts WHERE tenant = ?1 AND seq > ?2 ORDER BY seq LIMIT 1)
    ORDER BY seq`),
  // Its number too: in the order of a column that is not asked for, both tables of the log would be sorted.
  hashes: query<{
    hash: string;
    seq: number;
  }>("SELECT hash, seq FROM receipts WHERE tenant = ? AND seq > ? AND seq <= ? ORDER BY seq"),
  bodies: query<{
    commitment: string;
    salt: string;
    value: string;
  }>(`SELECT commitment, salt, value FROM bodies WHERE tenant = ? AND commitment > ?
    ORDER BY commitment LIMIT ${PAGE}`),
  rotations:
    query<ReceiptRow>(`SELECT * FROM receipts WHERE tenant = ? AND type = 'log.checkpoint' AND json_valid(payload)
    AND json_type(payload, '$.rotation') = 'object' ORDER BY seq LIMIT ${ROTATIONS_MAX}`),
  committing: query<{
    id: string;
    seq: number;
  }>("SELECT id, seq FROM receipts WHERE tenant = ? AND instr(payload, ?) > 0 ORDER BY seq LIMIT 1"),
  calls: query<{ id: string; state: string }>("SELECT id, state FROM calls WHERE tenant = ? ORDER BY id"),
  approvals: query<{
    id: string;
    status: string;
    digest: string;
  }>(`SELECT id, status, digest FROM approvals WHERE tenant = ? AND json_valid(card)
    AND json_extract(card, '$.kind') = 'approval' ORDER BY id`),
  grants: query<StoredGrant>("SELECT * FROM grants WHERE tenant = ? ORDER BY id"),
  tokens: query<{ id: string; scopes: string; public_key: string | null; acts_for: string | null }>(
    "SELECT id, scopes, public_key, acts_for FROM tokens WHERE tenant = ? ORDER BY id",
  ),
  checkpoints: query<CheckpointRow>(`${CHECKPOINT} ORDER BY size`),
  lastCheckpoint: query<CheckpointRow>(`${CHECKPOINT} ORDER BY size DESC LIMIT 1`),
  checkpointOver: query<CheckpointRow>(`${CHECKPOINT} AND size >= ? ORDER BY size LIMIT 1`),
  addCheckpoint: "INSERT INTO checkpoints (tenant, size, note, edge, at, reason) VALUES (?, ?, ?, ?, ?, ?)",
};

export function receiptLog(db: Pick<Database, "get" | "all">): ReceiptLog {
  return {
    size: (tenant) => db.get(LEDGER_SQL.head, tenant)?.seq ?? 0,

    *pages(tenant, after = 0) {
      let seq = after;
      for (;;) {
        const rows = db.all(LOG_SQL.page, tenant, seq);
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(readReceipt);
        seq = last.seq;
      }
    },

    hashes: (tenant, after, upTo) => db.all(LOG_SQL.hashes, tenant, after, upTo).map(({ hash }) => hash),

    *bodies(tenant) {
      let after = "";
      for (;;) {
        const rows = db.all(LOG_SQL.bodies, tenant, after);
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(({ commitment, salt, value }) => {
          const parsed = parsedJson(value);
          return parsed === undefined
            ? { commit: commitment, broken: true }
            : { commit: commitment, salt, value: parsed.value };
        });
        after = last.commitment;
      }
    },

    rotations: (tenant) => db.all(LOG_SQL.rotations, tenant).map(toReceipt),
    committing: (tenant, commit) => db.get(LOG_SQL.committing, tenant, commit),
    recordedRows: (tenant) => ({
      calls: db.all(LOG_SQL.calls, tenant),
      approvals: db.all(LOG_SQL.approvals, tenant),
      grants: db.all(LOG_SQL.grants, tenant).map(toGrant),
      tokens: db.all(LOG_SQL.tokens, tenant),
    }),
    checkpoints: (tenant) => db.all(LOG_SQL.checkpoints, tenant).map(toCheckpoint),

    lastCheckpoint(tenant) {
      const row = db.get(LOG_SQL.lastCheckpoint, tenant);
      return row && toCheckpoint(row);
    },

    checkpointOver(tenant, seq) {
      const row = db.get(LOG_SQL.checkpointOver, tenant, seq);
      return row && toCheckpoint(row);
    },
  };
}

export function checkpointWriter(db: Database): CheckpointWriter {
  return {
    add(tenant, { size, note, edge, at, reason }) {
      db.transaction(() =>
        db.run(LOG_SQL.addCheckpoint, tenant, size, note, JSON.stringify(edge.nodes), at, reason),
      );
    },
  };
}

/** The payload must be the very bytes that were hashed: two texts of one value would let a reader see another one. */
function readReceipt(row: ReceiptRow): StoredReceipt | Unreadable {
  const { seq, id } = row;
  const payload = parsedJson(row.payload);
  if (payload === undefined) return { seq, id, unreadable: "its payload is not JSON" };
  if (canonical(payload.value) !== row.payload)
    return { seq, id, unreadable: "its payload is not written as it was" };
  if (!isPayload(payload.value)) return { seq, id, unreadable: "its payload is not an object" };
  return toReceipt(row);
}

function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function toCheckpoint({ size, note, edge, at, reason }: CheckpointRow): StoredCheckpoint {
  const nodes = parsedJson(edge)?.value;
  const read = Array.isArray(nodes) && nodes.every((node) => typeof node === "string") ? nodes : [];
  return { size, note, edge: { size, nodes: read }, at, reason };
}
