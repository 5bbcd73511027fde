import { noteLines } from "@elwood/core/memory/note-line";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { erased } from "./erased.ts";

/**
 * Whose words notes hold, line by line.
 *
 * N1 A line that is not on record was written by hand, and is the owner's.
 * N2 Once on record, a line keeps its origin: neither a tainted run makes words of the agent
 *    untrusted by repeating them, nor a clean one words of others the agent's.
 * N3 Only the owner takes a line off the record, by saying or writing it themselves.
 */
export interface NoteOrigins {
  /** The most doubtful of its lines. */
  of(tenant: string, text: string): MemoryOrigin;
  /** On disk when it resolves. */
  put(
    tenant: string,
    text: string,
    whose: { readonly origin: MemoryOrigin; readonly run?: string; readonly at: number },
  ): Promise<void>;
  /** Nothing remains of these lines, not even their hashes. */
  forget(tenant: string, text: string): void;
}

export const NOTE_ORIGIN_SQL = {
  find: query<{
    origin: "agent" | "untrusted";
  }>("SELECT origin FROM note_origins WHERE tenant = ? AND line_sha = ?"),
  put: `INSERT INTO note_origins (tenant, line_sha, origin, run_id, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  drop: "DELETE FROM note_origins WHERE tenant = ? AND line_sha = ?",
};

export function sqliteNoteOrigins(db: Database, sha256: Sha256): NoteOrigins {
  const hashes = (text: string) => noteLines(text).map((line) => sha256(`elwood.note-line.v1\n${line}`));
  const drop = (tenant: string, text: string) => {
    let dropped = 0;
    for (const sha of hashes(text)) dropped += db.run(NOTE_ORIGIN_SQL.drop, tenant, sha);
    return dropped;
  };
  const put = (tenant: string, text: string, origin: string, run: string | undefined, at: number) => {
    for (const sha of hashes(text)) db.run(NOTE_ORIGIN_SQL.put, tenant, sha, origin, run ?? null, at);
  };
  return {
    of(tenant, text) {
      checkTenant(tenant);
      let origin: MemoryOrigin = "owner";
      for (const sha of hashes(text)) {
        const known = db.get(NOTE_ORIGIN_SQL.find, tenant, sha)?.origin;
        if (known === "untrusted") return known;
        origin = known ?? origin;
      }
      return origin;
    },

    async put(tenant, text, { origin, run, at }) {
      checkTenant(tenant);
      await db.grouped(() => {
        if (origin === "owner") drop(tenant, text);
        else put(tenant, text, origin === "agent" ? origin : "untrusted", run, at);
      });
    },

    forget(tenant, text) {
      checkTenant(tenant);
      erased(db, () => db.transaction(() => drop(tenant, text)) > 0);
    },
  };
}
