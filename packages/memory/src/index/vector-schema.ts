import type { DatabaseSync } from "node:sqlite";

/**
 * What the index needs beside `spaces` and `embedding_cache` once somebody asked for vectors.
 *
 * V1 A vector belongs to a text, by the SHA-256 of what was embedded, and to one space. A turn
 *    has it through `turn_vectors`, so that the same text is paid for once.
 * V2 A turn that goes leaves its id and hash in `vector_debris`, in the same transaction and
 *    on any connection, whether that one knows sqlite-vec or not. Sweeping removes the vector.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS turn_vectors (
    space_id INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
    turn_id INTEGER NOT NULL,
    sha TEXT NOT NULL,
    PRIMARY KEY (space_id, turn_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS turn_vectors_by_turn ON turn_vectors (turn_id);
  CREATE INDEX IF NOT EXISTS turn_vectors_by_sha ON turn_vectors (sha);
  CREATE TABLE IF NOT EXISTS vector_debris (turn_id INTEGER NOT NULL, sha TEXT NOT NULL) STRICT;
  CREATE TRIGGER IF NOT EXISTS turns_vec_bd BEFORE DELETE ON turns BEGIN
    INSERT INTO vector_debris (turn_id, sha) SELECT turn_id, sha FROM turn_vectors WHERE turn_id = old.id;
    DELETE FROM turn_vectors WHERE turn_id = old.id;
  END;
  CREATE TRIGGER IF NOT EXISTS turns_vec_bu BEFORE UPDATE OF text ON turns BEGIN
    INSERT INTO vector_debris (turn_id, sha) SELECT turn_id, sha FROM turn_vectors WHERE turn_id = old.id;
    DELETE FROM turn_vectors WHERE turn_id = old.id;
  END;
`;

export function createVectorTables(db: DatabaseSync): void {
  db.exec(TABLES);
}

export function hasVectorTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'vector_debris'").get() !== undefined;
}

/** The name of a space's table in sqlite-vec. */
export function nativeTable(spaceId: number): string {
  if (!Number.isSafeInteger(spaceId)) throw new Error("a space's id is a whole number");
  return `vec_${spaceId}`;
}

/** In one transaction: all of it, or nothing. */
export function atOnce<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
