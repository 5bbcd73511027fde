import type { CallRow, LedgerChange } from "@elwood/runtime/ports/gate-ports";
import type { Database } from "./database.ts";
import { LEDGER_SQL } from "./ledger-sql.ts";

/** Of so many sessions, and of so many calls. */
const KNOWN_MAX = 1_000;

/**
 * What the writes of calls would otherwise ask the database for each time: the last number of a session, the run
 * of a call, which never changes, and the newest call's id. A number or an id that another process has taken
 * meanwhile is refused by the database (calls_of_session, the key of calls); whoever was refused forgets and asks.
 */
export class KnownCalls {
  readonly #db: Pick<Database, "get">;
  readonly #lastNumbers = new Map<string, number>();
  readonly #runs = new Map<string, string>();
  /** By tenant, the greatest id of all calls; ids begin with the time, so that a new call's is greater. */
  readonly #newestIds = new Map<string, string>();

  constructor(db: Pick<Database, "get">) {
    this.#db = db;
  }

  nextNumber(tenant: string, sessionId: string): number {
    const last = this.#lastNumbers.get(`${tenant}/${sessionId}`);
    return 1 + (last ?? this.#db.get(LEDGER_SQL.lastNumber, tenant, sessionId)?.last ?? 0);
  }

  added(tenant: string, { callId, sessionId, runId }: CallRow, number: number): void {
    remember(this.#lastNumbers, `${tenant}/${sessionId}`, number);
    remember(this.#runs, `${tenant}/${callId}`, runId);
    const newest = this.#newestIds.get(tenant);
    if (newest !== undefined && callId > newest) this.#newestIds.set(tenant, callId);
  }

  /** Whether this id comes after those of all calls. */
  isNewer(tenant: string, callId: string): boolean {
    const newest = this.#newestIds.get(tenant) ?? this.#db.get(LEDGER_SQL.newestCall, tenant)?.id ?? "";
    remember(this.#newestIds, tenant, newest);
    return callId > newest;
  }

  /** undefined: there is no such call. */
  runOf(tenant: string, callId: string): string | undefined {
    return (
      this.#runs.get(`${tenant}/${callId}`) ?? this.#db.get(LEDGER_SQL.runOfCall, tenant, callId)?.run_id
    );
  }

  /** Whether a number for one of these changes would be taken from memory. */
  knowsNumber(tenant: string, changes: readonly LedgerChange[]): boolean {
    return changes.some(
      (change) => change.kind === "call.new" && this.#lastNumbers.has(`${tenant}/${change.call.sessionId}`),
    );
  }

  /** These were not written, or it is not known. */
  forget(tenant: string, changes: readonly LedgerChange[]): void {
    for (const change of changes) {
      if (change.kind !== "call.new") continue;
      this.#lastNumbers.delete(`${tenant}/${change.call.sessionId}`);
      this.#runs.delete(`${tenant}/${change.call.callId}`);
      this.#newestIds.delete(tenant);
    }
  }

  clear(): void {
    this.#lastNumbers.clear();
    this.#runs.clear();
    this.#newestIds.clear();
  }
}

function remember<V>(known: Map<string, V>, key: string, value: V): void {
  if (known.size >= KNOWN_MAX && !known.has(key)) known.clear();
  known.set(key, value);
}
