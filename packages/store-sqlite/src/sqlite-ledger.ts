import { canonicalJson } from "@elwood/core/base/canonical-json";
import { FailureError } from "@elwood/core/base/failure";
import {
  commitment,
  FIRST_PREV_HASH,
  hashWithPayload,
  withCallNumber,
  withoutTexts,
  type StoredReceipt,
} from "@elwood/core/receipts/receipt";
import { err, ok } from "@elwood/core/base/result";
import { LIMITS } from "@elwood/core/base/limits";
import { isLive } from "@elwood/core/policy/grant";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Ledger, LedgerChange, ReceiptQuery } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Ids } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { pooledRandom, sha256 } from "@elwood/platform/system";
import type { Database } from "./database.ts";
import { erased } from "./erased.ts";
import { applyChange, type Applied } from "./ledger-changes.ts";
import { findReceipts } from "./find-receipts.ts";
import { KEPT_CHARS, KeptRows } from "./kept-rows.ts";
import { KnownCalls } from "./known-calls.ts";
import {
  toApproval,
  toBody,
  toCall,
  toGrant,
  toReceipt,
  type ReceiptRow,
  type StoredCall,
  type StoredGrant,
} from "./ledger-rows.ts";
import { approvalListQuery, LEDGER_SQL } from "./ledger-sql.ts";
import { BLOCK, listedUpTo, listReceipts } from "./list-receipts.ts";

type Unit = Parameters<Ledger["write"]>[1];

/**
 * Told of receipts in their order once they are durable, or written if they may wait for the disk. It must not throw, and
 * what it does is not part of the write.
 */
export type ReceiptListener = (tenant: string, receipts: readonly StoredReceipt[]) => void;

export interface SqliteLedger extends Ledger {
  watch(listener: ReceiptListener): void;
  /** Nothing that was read before is used any more: somebody else changed calls, or the memory is wanted back. */
  forgetRead(): void;
}

/** A unit whose receipts listeners are told of once it is stored. */
interface Told {
  readonly tenant: string;
  receipts?: readonly StoredReceipt[];
}

const SALT_BYTES = 16;
/** The name of the one list that is kept of a tenant's grants, and what changes it. */
const STANDING = "standing";
const GRANT_CHANGES: ReadonlySet<LedgerChange["kind"]> = new Set(["grant.new", "grant.use", "grant.revoke"]);
/** Of so many it is known that nothing in them was undone. */
const SESSIONS_LOOKED_AT_MAX = 1_000;

interface Head {
  readonly seq: number;
  readonly hash: string;
}

/**
 * The ledger on SQLite: one transaction a unit. The end of each tenant's chain is read once
 * and then kept; should another process have written meanwhile, the database refuses what
 * does not follow its last receipt (receipts_follow), and the unit is tried once more on
 * the true end.
 */
export function sqliteLedger(db: Database, deps: { clock: Clock; ids: Ids }): SqliteLedger {
  const heads = new Map<string, Head>();
  const listeners: ReceiptListener[] = [];
  const random = pooledRandom();
  /** By session, up to which number none of its calls is an undo: numbers only grow, and what a call takes back stays. */
  const noUndoUpTo = new Map<string, number>();
  /** By run. A run's own are read by everything that judges what it does, and its conversation's by every call. */
  const keptCalls = new KeptRows<StoredCall>(db, KEPT_CHARS.calls);
  /** By run, oldest first. */
  const keptReceipts = new KeptRows<ReceiptRow>(db, KEPT_CHARS.receipts);
  /** By tenant, those that were live when they were read; every call that somebody would be asked about looks for one. */
  const keptGrants = new KeptRows<StoredGrant>(db, KEPT_CHARS.grants);
  const known = new KnownCalls(db);
  /** What was written and is not told yet, in the order in which it was written. */
  const telling: Told[] = [];
  /** Tenants with a block of receipts that is to be listed. */
  const toList = new Set<string>();

  function headOf(tenant: string): Head {
    return heads.get(tenant) ?? db.get(LEDGER_SQL.head, tenant) ?? { seq: 0, hash: FIRST_PREV_HASH };
  }

  /** Inside a transaction. Units of one group follow each other's head before any of them is on disk. */
  function apply(tenant: string, unit: Unit): readonly StoredReceipt[] {
    const applied: Applied = { numbers: new Map(), runs: new Set() };
    for (const change of unit.changes) {
      if (GRANT_CHANGES.has(change.kind)) keptGrants.drop(tenant, STANDING);
      if (!applyChange(db, tenant, change, applied, known)) throw new Refused(change.kind);
    }
    for (const runId of applied.runs) keptCalls.drop(tenant, runId);
    let head = headOf(tenant);
    const receipts = unit.receipts.map((fresh) => {
      const receipt = chainReceipt(
        tenant,
        head,
        withoutTexts(withCallNumber(fresh, applied.numbers), (text) => keepText(tenant, text)),
      );
      head = receipt;
      return receipt;
    });
    if (receipts.length > 0) heads.set(tenant, { seq: head.seq, hash: head.hash });
    return receipts;
  }

  /** What was kept of the chain's end is dropped where the write failed: it may be stale, or of a unit that was taken back. */
  async function commit(tenant: string, unit: Unit): Promise<readonly StoredReceipt[]> {
    const told: Told = { tenant };
    try {
      const work = () => {
        const receipts = apply(tenant, unit);
        telling.push(told);
        return receipts;
      };
      told.receipts = await stored(unit, work);
      return told.receipts;
    } catch (error) {
      const at = telling.indexOf(told);
      if (at >= 0) telling.splice(at, 1);
      if (!(error instanceof Refused)) heads.delete(tenant);
      known.forget(tenant, unit.changes);
      // What was added to them in a transaction that is gone goes too.
      for (const { runId } of unit.receipts) keptReceipts.drop(tenant, runId);
      throw error;
    } finally {
      tellInOrder();
    }
  }

  function stored(unit: Unit, work: () => readonly StoredReceipt[]) {
    const { applied } = unit;
    if (applied) return db.ahead(work, () => applied());
    return unit.mayWaitForDisk === true ? db.unsynced(work) : db.grouped(work);
  }

  /** A unit that is stored before one that was written before it waits until that is stored, too. */
  function tellInOrder(): void {
    for (let next = telling[0]; next?.receipts !== undefined; next = telling[0]) {
      telling.shift();
      tell(next.tenant, next.receipts);
    }
  }

  /** Once more where the database refused the unit although its changes were fine: what was kept of the chain's end, or of a session's numbers, was stale. */
  async function commitOrRetry(tenant: string, unit: Unit): Promise<readonly StoredReceipt[]> {
    const kept = heads.has(tenant) || known.knowsNumber(tenant, unit.changes);
    try {
      return await commit(tenant, unit);
    } catch (error) {
      const conflict = error instanceof FailureError && error.failure.reason === "CONFLICT";
      if (!conflict || !kept) throw error;
      return await commit(tenant, unit);
    }
  }

  function tell(tenant: string, receipts: readonly StoredReceipt[]): void {
    if (receipts.length > 0) for (const listener of listeners) listener(tenant, receipts);
    listSoon(tenant, receipts);
  }

  /** Whoever waits for these receipts does not wait for their list. */
  function listSoon(tenant: string, receipts: readonly StoredReceipt[]): void {
    if (!receipts.some(({ seq }) => seq % BLOCK === 0)) return;
    // Where the event loop has not come round since the last block, it is listed now, lest they pile up.
    if (toList.has(tenant)) return list(tenant);
    toList.add(tenant);
    setImmediate(() => {
      toList.delete(tenant);
      list(tenant);
    });
  }

  function list(tenant: string): void {
    try {
      db.unsynced(() => listReceipts(db, tenant));
    } catch (error) {
      // Closed meanwhile, or not to be written to now: what is not listed is read through, and listed with the next block.
      if (!(error instanceof FailureError)) throw error;
    }
  }

  /** G6 */
  function keepText(tenant: string, text: string): string {
    const salt = random(SALT_BYTES).toString("hex");
    const commit = commitment(salt, text, sha256);
    db.run(LEDGER_SQL.putBody, tenant, commit, salt, JSON.stringify(text));
    return commit;
  }

  function chainReceipt(tenant: string, head: Head, fresh: ReturnType<typeof withoutTexts>): StoredReceipt {
    const receipt = {
      v: 1,
      tenant,
      seq: head.seq + 1,
      id: deps.ids.next("receipt"),
      runId: fresh.runId,
      ...(fresh.callId === undefined ? {} : { callId: fresh.callId }),
      type: fresh.type,
      ts: deps.clock.now(),
      actor: fresh.actor,
      surface: fresh.surface,
      prevHash: head.hash,
      payload: fresh.payload,
    } as const;
    const { seq, id, runId, type, ts, actor, surface, prevHash } = receipt;
    const callId = fresh.callId ?? null;
    const payload = canonicalJson(fresh.payload);
    const hash = hashWithPayload(receipt, payload, sha256);
    const row = [seq, id, runId, callId, type, ts, actor, surface, payload, prevHash, hash] as const;
    if (tenant === DEFAULT_TENANT) db.add(LEDGER_SQL.addNumberedReceipt, ...row);
    else db.add(LEDGER_SQL.addReceipt, tenant, ...row);
    keptReceipts.add(tenant, runId, () => ({
      tenant,
      seq,
      id,
      run_id: runId,
      call_id: callId,
      type,
      ts,
      actor,
      surface,
      payload,
      prev_hash: prevHash,
      hash,
    }));
    return { ...receipt, hash };
  }

  /** Receipts of one run, newest first, where that is all that is asked; undefined where they are too many to keep. */
  function keptOf(tenant: string, asked: ReceiptQuery): readonly ReceiptRow[] | undefined {
    const { runId, types, before = Number.MAX_SAFE_INTEGER, limit, ...more } = asked;
    if (runId === undefined || Object.keys(more).length > 0) return undefined;
    const rows = keptReceipts.of(tenant, runId, () => {
      const all = findReceipts(db, tenant, { runId, limit: LIMITS.pageSizeMax });
      return all.length < LIMITS.pageSizeMax ? all.toReversed() : undefined;
    });
    return rows
      ?.filter(({ seq, type }) => seq < before && (types?.some((each) => each === type) ?? true))
      .toReversed()
      .slice(0, pageLimit(limit));
  }

  return {
    watch(listener) {
      listeners.push(listener);
    },

    forgetRead() {
      keptCalls.clear();
      keptReceipts.clear();
      keptGrants.clear();
      known.clear();
    },

    async write(tenant, unit) {
      checkTenant(tenant);
      try {
        return ok(await commitOrRetry(tenant, unit));
      } catch (error) {
        if (error instanceof Refused) return err({ refused: error.kind });
        throw error;
      }
    },

    async call(tenant, callId) {
      checkTenant(tenant);
      const row = db.get(LEDGER_SQL.call, tenant, callId);
      return row && toCall(row);
    },

    isUnheardOf(tenant, callId) {
      checkTenant(tenant);
      return known.isNewer(tenant, callId);
    },

    async callsOfRun(tenant, runId) {
      checkTenant(tenant);
      const rows = keptCalls.of(tenant, runId, () => db.all(LEDGER_SQL.callsOfRun, tenant, runId));
      return (rows ?? []).map(toCall);
    },

    async runsWithCalls(tenant, runIds) {
      checkTenant(tenant);
      const found = db.all(LEDGER_SQL.runsWithCalls, tenant, JSON.stringify(runIds));
      return new Set(found.map(({ run_id }) => run_id));
    },

    async callsOfSession(tenant, sessionId, { through, limit }) {
      checkTenant(tenant);
      const rows = db.all(LEDGER_SQL.callsOfSession, tenant, sessionId, through, limit);
      return rows.toReversed().map(({ number, id, run_id, target, undoes }) => ({
        number,
        callId: id,
        runId: run_id,
        ...(target === null ? {} : { target }),
        ...(undoes === null ? {} : { undoes }),
      }));
    },

    async hasUndos(tenant, sessionId) {
      checkTenant(tenant);
      const key = `${tenant}/${sessionId}`;
      const looked = noUndoUpTo.get(key) ?? 0;
      const { last, undos } = db.get(LEDGER_SQL.undosAfter, tenant, sessionId, looked)!;
      if (undos > 0) return true;
      if (noUndoUpTo.size >= SESSIONS_LOOKED_AT_MAX) noUndoUpTo.clear();
      noUndoUpTo.set(key, last ?? looked);
      return false;
    },

    async startedUndos(tenant) {
      checkTenant(tenant);
      return db.all(LEDGER_SQL.startedUndos, tenant).map(toCall);
    },

    async approval(tenant, approvalId) {
      checkTenant(tenant);
      const row = db.get(LEDGER_SQL.approval, tenant, approvalId);
      return row && toApproval(row);
    },

    async approvals(tenant, asked) {
      checkTenant(tenant);
      const { query, params } = approvalListQuery(tenant, asked);
      return db.all(query, ...params).map(toApproval);
    },

    async overdue(tenant, at) {
      checkTenant(tenant);
      return db.all(LEDGER_SQL.overdue, tenant, at).map(toApproval);
    },

    async nextExpiry(tenant) {
      checkTenant(tenant);
      return db.get(LEDGER_SQL.nextExpiry, tenant)?.expires_at ?? undefined;
    },

    async grant(tenant, grantId) {
      checkTenant(tenant);
      const row = db.get(LEDGER_SQL.grant, tenant, grantId);
      return row && toGrant(row);
    },

    async grants(tenant, { live, at }) {
      checkTenant(tenant);
      if (!live) return db.all(LEDGER_SQL.grants, tenant).map(toGrant);
      const rows = keptGrants.of(tenant, STANDING, () => db.all(LEDGER_SQL.liveGrants, tenant, at)) ?? [];
      return rows.map(toGrant).filter((grant) => isLive(grant, at));
    },

    async knownContract(tenant, toolId) {
      checkTenant(tenant);
      return db.get(LEDGER_SQL.knownContract, tenant, toolId)?.contract_hash;
    },

    async receipts(tenant, asked) {
      checkTenant(tenant);
      return (keptOf(tenant, asked) ?? findReceipts(db, tenant, asked)).map(toReceipt);
    },

    async receipt(tenant, receiptId) {
      checkTenant(tenant);
      const [row] = findReceipts(db, tenant, { id: receiptId, limit: 1 });
      return row && toReceipt(row);
    },

    async receiptsOfCalls(tenant, callIds) {
      checkTenant(tenant);
      const { listed, last } = listedUpTo(db, tenant);
      const ids = JSON.stringify(callIds);
      const between = (after: number, upTo: number) =>
        db.all(LEDGER_SQL.receiptsOfCalls, tenant, ids, after, upTo);
      const rows = db
        .all(LEDGER_SQL.blocksOfCalls, tenant, ids)
        .flatMap(({ block }) => between((block - 1) * BLOCK, Math.min(block * BLOCK, listed)));
      return [...rows, ...between(listed, last)].map(toReceipt);
    },

    async salts(tenant, commits) {
      checkTenant(tenant);
      const rows = db.all(LEDGER_SQL.salts, tenant, JSON.stringify(commits));
      return new Map(rows.map(({ commitment, salt }) => [commitment, salt]));
    },

    async body(tenant, hash) {
      checkTenant(tenant);
      const row = db.get(LEDGER_SQL.body, tenant, hash);
      return row && toBody(hash, row);
    },

    async eraseBody(tenant, hash) {
      checkTenant(tenant);
      return erased(db, () => db.transaction(() => db.run(LEDGER_SQL.eraseBody, tenant, hash)) > 0);
    },
  };
}

/** A change that its guard refused. It is thrown so that the transaction is rolled back, and never leaves here. */
class Refused extends Error {
  readonly kind: LedgerChange["kind"];
  constructor(kind: LedgerChange["kind"]) {
    super(kind);
    this.kind = kind;
  }
}
