import type { Database } from "./database.ts";

/** Deletes so that the bytes are gone: from the pages of the database, and from its log. */
export function erased(db: Database, work: () => boolean): boolean {
  db.exec("PRAGMA secure_delete = ON");
  try {
    const gone = work();
    if (gone) db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return gone;
  } finally {
    db.exec("PRAGMA secure_delete = OFF");
  }
}
