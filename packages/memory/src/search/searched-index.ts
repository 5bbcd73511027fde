import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LocalTime } from "@elwood/core/base/local-time";
import { TurnCache } from "./turn-cache.ts";

const STATEMENTS_MAX = 64;

/**
 * An open index as searches see it, and what they keep from one to the next: statements, and of a small index its turns.
 * It belongs to one connection; whoever opens another makes another. Without one, each search begins anew.
 */
export class SearchedIndex {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #kept: TurnCache | undefined;
  #localTime: LocalTime | undefined;

  /** `keeps`: turns are worth reading once, since more searches will come. */
  constructor(db: DatabaseSync, { keeps = false } = {}) {
    this.db = db;
    this.#kept = keeps ? new TurnCache(this) : undefined;
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear();
    const statement = this.db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** In one transaction: a search makes a dozen queries, and each would lock and unlock the file by itself. */
  reading<T>(work: () => T): T {
    if (this.db.isTransaction) return work();
    this.prepare("BEGIN").run();
    try {
      return work();
    } finally {
      // Nothing was written; where the file is damaged, SQLite may have ended it already.
      if (this.db.isTransaction) this.prepare("ROLLBACK").run();
    }
  }

  /** The turns as they are in the index now; undefined where they are too many to keep. */
  kept(): TurnCache | undefined {
    return this.#kept?.refreshed() === true ? this.#kept : undefined;
  }

  localTime(timeZone: string): LocalTime {
    if (this.#localTime?.timeZone !== timeZone) this.#localTime = new LocalTime(timeZone);
    return this.#localTime;
  }
}
