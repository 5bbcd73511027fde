import type { RunPlace } from "@elwood/runtime/ports/ports";
import type { Database } from "./database.ts";
import { AnyRows, KEPT_CHARS, KeptRows } from "./kept-rows.ts";
import type { RunRow } from "./run-rows.ts";
import { RUN_SQL } from "./run-sql.ts";
import { TREE_SQL } from "./run-tree-rows.ts";
import { SESSION_BY_ID, type SessionRow } from "./session-rows.ts";

/** What is kept of sessions and their runs, since every message asks for it several times. */
export class KeptOfSessions {
  /** The session's own row. */
  readonly rows: KeptRows<SessionRow>;
  /** Its runs that are shown, oldest first; of more than anybody asks for, the newest. */
  readonly runIds: KeptRows<RunPlace>;
  /** Runs that have ended and are not in the transcript yet, in the order in which they are written there. */
  readonly uncommitted: KeptRows<RunRow>;
  readonly versions: AnyRows;
  /** Runs that sessions were copied with. */
  readonly copies: AnyRows;

  readonly #db: Pick<Database, "get" | "all" | "version">;

  constructor(db: Pick<Database, "get" | "all" | "version">) {
    this.#db = db;
    this.rows = new KeptRows(db, KEPT_CHARS.sessions);
    this.runIds = new KeptRows(db, KEPT_CHARS.runIds);
    this.uncommitted = new KeptRows(db, KEPT_CHARS.uncommitted);
    this.versions = new AnyRows(db, TREE_SQL.any);
    this.copies = new AnyRows(db, RUN_SQL.anyForked);
  }

  /** The row of a session, if there is one. */
  ofSession(tenant: string, sessionId: string): readonly SessionRow[] {
    return this.rows.of(tenant, sessionId, () => this.#db.all(SESSION_BY_ID, tenant, sessionId)) ?? [];
  }

  clear(): void {
    this.rows.clear();
    this.runIds.clear();
    this.uncommitted.clear();
    this.versions.changed();
    this.copies.changed();
  }
}
