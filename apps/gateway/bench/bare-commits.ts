import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Ledger, LedgerChange } from "@elwood/runtime/ports/gate-ports";

type Unit = Parameters<Ledger["write"]>[1];
type Value = string | number | null;
type Write = readonly [sql: string, ...values: Value[]];

/** What the gate wrote in one commit. */
export interface Committed {
  readonly changes: Unit["changes"];
  readonly receipts: readonly StoredReceipt[];
}

/**
 * What a gate would cost that only wrote its rows down: the very rows that the real one wrote
 * in its commits, as many at a time, into plain tables that have their key and nothing else,
 * as durable (WAL, synchronous=FULL). No policy, no hashes, no guards, no triggers, no index
 * beside the key, no second look.
 */
export class BareCommits {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE receipts (seq INTEGER PRIMARY KEY, tenant TEXT, id TEXT, run_id TEXT, call_id TEXT, type TEXT,
        ts INTEGER, actor TEXT, surface TEXT, payload TEXT, prev_hash TEXT, hash TEXT) STRICT;
      CREATE TABLE calls (id TEXT PRIMARY KEY, run_id TEXT, session_id TEXT, tool_id TEXT, contract_hash TEXT,
        risk TEXT, input TEXT, idempotency_key TEXT, state TEXT, approval_id TEXT, outcome TEXT, target TEXT,
        created_at INTEGER, at INTEGER) STRICT;
      CREATE TABLE bodies (commitment TEXT PRIMARY KEY, salt TEXT, value TEXT) STRICT;
      CREATE TABLE approvals (id TEXT PRIMARY KEY, call_id TEXT, run_id TEXT, session_id TEXT, tool_id TEXT,
        digest TEXT, card TEXT, status TEXT, created_at INTEGER, expires_at INTEGER, decision TEXT, decided_by TEXT,
        decided_at INTEGER) STRICT;
    `);
  }

  commit({ changes, receipts }: Committed): void {
    this.#run("BEGIN IMMEDIATE");
    for (const change of changes) this.#run(...changed(change));
    for (const receipt of receipts) this.#run(...received(receipt));
    this.#run("COMMIT");
  }

  #run(sql: string, ...values: Value[]): void {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    known.run(...values);
  }
}

function received(r: StoredReceipt): Write {
  const facts = [r.tenant, r.id, r.runId, r.callId ?? null, r.type, r.ts, r.actor, r.surface] as const;
  const insert = "INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return [insert, r.seq, ...facts, JSON.stringify(r.payload), r.prevHash, r.hash];
}

function changed(change: LedgerChange): Write {
  switch (change.kind) {
    case "call.new": {
      const { call } = change;
      const about = [call.runId, call.sessionId, call.toolId, call.contractHash, call.risk] as const;
      return [
        "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        call.callId,
        ...about,
        JSON.stringify(call.requestedInput),
        call.idempotencyKey,
        call.state,
        call.approvalId ?? null,
        null,
        call.target ?? null,
        call.createdAt,
        call.startedAt ?? null,
      ];
    }
    case "call.move": {
      const outcome = change.outcome === undefined ? null : JSON.stringify(change.outcome);
      const update = "UPDATE calls SET state = ?, at = ?, outcome = ? WHERE id = ?";
      return [update, change.to, change.at, outcome, change.callId];
    }
    case "body.put": {
      const { commit, salt, value } = change.body;
      return ["INSERT INTO bodies VALUES (?, ?, ?)", commit, salt, JSON.stringify(value)];
    }
    case "approval.new": {
      const { approval: a } = change;
      const about = [a.callId, a.runId, a.sessionId, a.toolId, a.digest] as const;
      const insert = "INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)";
      return [insert, a.id, ...about, JSON.stringify(a.card), a.status, a.createdAt, a.expiresAt];
    }
    case "approval.decide": {
      const update =
        "UPDATE approvals SET status = ?, decided_by = ?, decided_at = ?, decision = ? WHERE id = ?";
      const { status, decidedBy, at, decision, approvalId } = change;
      return [update, status, JSON.stringify(decidedBy), at, decision ?? null, approvalId];
    }
    case "contract.know":
    case "contract.forget":
    case "grant.new":
    case "grant.revoke":
    case "grant.use":
      throw new Error(`the calls of this measurement make no ${change.kind}`);
    default:
      return change satisfies never;
  }
}
