import { readStored } from "./stored-json.ts";
import type { EraseTarget } from "@elwood/core/erase/scope";
import type { Person } from "@elwood/runtime/ports/ports";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { findRowsToErase, type FindOptions, type Found } from "./find-rows-to-erase.ts";
import { ERASE_SQL } from "./erase-sql.ts";
import type { AnyRows } from "./kept-rows.ts";
import { foldedTitle } from "./session-rows.ts";
import { SESSION_SQL } from "./sqlite-sessions.ts";

/** Something that is being forgotten. */
export interface EraseJob {
  readonly id: string;
  readonly target: EraseTarget;
  readonly by: Person;
  readonly at: number;
}

/** Where in the database something still stands. */
export interface StandsIn {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/**
 * The database's part of forgetting.
 *
 * F1 A job is durable before anything is removed, and goes, overwritten, when all is.
 * F2 `find` changes nothing. `erase` removes what was found in one transaction, and what it
 *    removes is overwritten in the file.
 * F3 Receipts are neither changed nor removed; what they commit to is.
 */
export interface EraseStore {
  begin(tenant: string, job: EraseJob): void;
  jobs(tenant: string): readonly EraseJob[];
  done(tenant: string, jobId: string): void;
  find(tenant: string, options: FindOptions): Promise<Found>;
  erase(tenant: string, target: EraseTarget, found: Found, at: number): void;
  /** Sessions in which something is still going on. */
  going(tenant: string): ReadonlySet<string>;
  /** Copies of it that keep others from losing their names: session by the one it was forked from. */
  forks(tenant: string): readonly { readonly id: string; readonly from: string | undefined }[];
  /** Ids by the hash of their bytes. */
  blobs(tenant: string): ReadonlyMap<string, readonly string[]>;
  namesBlob(tenant: string, blobId: string): boolean;
  /** Those that were stored before. */
  blobsBefore(tenant: string, before: number): readonly { readonly id: string; readonly bytes: number }[];
  /** Ids of all that anything in the database names, of whichever tenant. */
  blobsNamed(): Promise<Set<string>>;
  /** Answers the hashes of bytes that nothing names any more. */
  dropBlobs(tenant: string, blobIds: readonly string[]): readonly string[];
  /** Nothing of what was removed stays in the file or its log. `whole` writes the file anew. */
  scour(whole: boolean): void;
  standsIn(matches: (text: string) => boolean): Promise<readonly StandsIn[]>;
}

/**
 * `changed` is called once something is gone: nothing that was read before it may be used any more.
 * `begun` says whether something is still being forgotten.
 */
export function sqliteEraseStore(db: Database, changed: () => void, begun: AnyRows): EraseStore {
  const overwriting = <T>(work: () => T): T => {
    db.exec("PRAGMA secure_delete = ON");
    try {
      return work();
    } finally {
      db.exec("PRAGMA secure_delete = OFF");
    }
  };
  return {
    begin(tenant, { id, target, by, at }) {
      checkTenant(tenant);
      db.transaction(() => {
        db.run(ERASE_SQL.begin, tenant, id, JSON.stringify(target), by.id, by.surface, at);
        begun.changed();
      });
    },

    jobs(tenant) {
      checkTenant(tenant);
      return db.all(ERASE_SQL.jobs, tenant).map(({ id, target, by_id, surface, at }) => ({
        id,
        target: readStored("eraseTarget", target, `What is to be forgotten (${id})`),
        by: { id: by_id, surface },
        at,
      }));
    },

    done(tenant, jobId) {
      checkTenant(tenant);
      overwriting(() => db.transaction(() => db.run(ERASE_SQL.done, tenant, jobId)));
      begun.changed();
    },

    find(tenant, options) {
      checkTenant(tenant);
      return findRowsToErase(db, tenant, options);
    },

    erase(tenant, target, found, at) {
      checkTenant(tenant);
      overwriting(() => db.transaction(() => eraseFound(db, tenant, target, found, at)));
      changed();
    },

    going(tenant) {
      return new Set(db.all(ERASE_SQL.going, tenant).map(({ session_id }) => session_id));
    },

    forks(tenant) {
      return db
        .all(ERASE_SQL.sessions, tenant)
        .map(({ id, forked_from }) => ({ id, from: forked_from ?? undefined }));
    },

    blobs(tenant) {
      const rows = db.all(ERASE_SQL.blobsOf, tenant);
      const bySha = Map.groupBy(rows, ({ sha256 }) => sha256);
      return new Map([...bySha].map(([sha, of]) => [sha, of.map(({ id }) => id)]));
    },

    namesBlob(tenant, blobId) {
      return db.get(ERASE_SQL.namesBlob, tenant, blobId) !== undefined;
    },

    blobsBefore(tenant, before) {
      return db.all(ERASE_SQL.blobsBefore, tenant, before);
    },

    async blobsNamed() {
      const named = new Set<string>();
      for (const { name, col } of db.all(ERASE_SQL.tables)) {
        if (name === "blobs") continue;
        const texts = query<{ text: string }>(
          `SELECT "${col}" AS text FROM "${name}" WHERE instr("${col}", 'blob_') > 0`,
        );
        for (const { text } of db.all(texts))
          for (const [id] of text.matchAll(/blob_[0-9a-z]+/gi)) named.add(id);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return named;
    },

    dropBlobs(tenant, blobIds) {
      const wanted = new Set(blobIds);
      const rows = db.all(ERASE_SQL.blobsOf, tenant);
      overwriting(() =>
        db.transaction(() => blobIds.forEach((id) => db.run(ERASE_SQL.dropBlob, tenant, id))),
      );
      const kept = new Set(rows.filter(({ id }) => !wanted.has(id)).map(({ sha256 }) => sha256));
      const gone = rows.filter(({ id, sha256 }) => wanted.has(id) && !kept.has(sha256));
      return [...new Set(gone.map(({ sha256 }) => sha256))];
    },

    scour(whole) {
      // What was deleted from an index without content stays in it until its pieces are put together.
      overwriting(() => db.exec("INSERT INTO said_index (said_index) VALUES ('optimize')"));
      // Rows that grew or moved left copies in unused parts of pages, from before anybody thought of forgetting.
      if (whole) db.exec("VACUUM");
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },

    async standsIn(matches) {
      const found: StandsIn[] = [];
      for (const { name, col } of db.all(ERASE_SQL.tables)) {
        const texts = query<{
          text: string;
        }>(`SELECT "${col}" AS text FROM "${name}" WHERE "${col}" IS NOT NULL`);
        const rows = db.all(texts).filter(({ text }) => matches(text)).length;
        if (rows > 0) found.push({ table: name, column: col, rows });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return found;
    },
  };
}

function eraseFound(db: Database, tenant: string, target: EraseTarget, found: Found, at: number): void {
  for (const { rowid, message } of found.steps) db.run(ERASE_SQL.setStep, message, rowid);
  for (const rowid of found.said) db.run(ERASE_SQL.dropSaid, rowid);
  for (const { rowid, opening } of found.openings) db.run(ERASE_SQL.setOpening, opening, rowid);
  for (const id of found.calls) db.run(ERASE_SQL.emptyCall, tenant, id);
  for (const { id, card } of found.approvals) db.run(ERASE_SQL.setCard, tenant, id, card);
  for (const commitment of found.bodies) db.run(ERASE_SQL.dropBody, tenant, commitment);
  for (const id of found.grants) {
    db.run(ERASE_SQL.endGrant, tenant, id, at);
    db.run(ERASE_SQL.emptyGrant, tenant, id);
  }
  for (const id of found.titles) db.run(ERASE_SQL.setTitle, tenant, id, UNTITLED, foldedTitle(UNTITLED));
  for (const id of found.previews) db.run(ERASE_SQL.dropPreview, tenant, id);
  for (const id of found.failures) db.run(ERASE_SQL.emptyFailure, tenant, id, FORGOTTEN_FAILURE);
  for (const id of found.requests) db.run(ERASE_SQL.emptyRequest, tenant, id);
  for (const id of found.partials) db.run(ERASE_SQL.dropPartial, tenant, id);
  for (const key of found.copies) db.run(ERASE_SQL.dropCopy, tenant, key);
  for (const id of found.occurrences) db.run(ERASE_SQL.emptyOccurrence, tenant, id);
  // A job whose words are gone has nothing left to do.
  for (const id of found.jobs) db.run(ERASE_SQL.dropJob, tenant, id);
  for (const id of found.programs) db.run(ERASE_SQL.dropProgram, tenant, id);
  // Nobody can tell which of them say it in other words.
  db.run(ERASE_SQL.dropCache, tenant);
  db.run(ERASE_SQL.emptyKept, tenant);
  for (const { id, messages } of found.owed) db.run(ERASE_SQL.emptyOwed, tenant, id, messages, at);
  for (const { channel, senderId } of found.pairings)
    db.run(ERASE_SQL.emptyPairing, tenant, channel, senderId);
  for (const id of target.sessions) {
    db.run(SESSION_SQL.purgeOwed, tenant, id);
    db.run(SESSION_SQL.eraseBodies, tenant, id);
    db.run(SESSION_SQL.purge, tenant, id);
  }
}

const UNTITLED = "New session";
const FORGOTTEN_FAILURE = JSON.stringify({
  reason: "INTERNAL",
  message: "What went wrong here was forgotten.",
  retryable: false,
});
