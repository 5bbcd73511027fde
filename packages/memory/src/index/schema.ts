import type { DatabaseSync } from "node:sqlite";

/**
 * The index of memory, `memory.db`. It holds nothing that is not in files: conversations
 * (`sessions/<tenant>/*.jsonl`) and notes (`memory/<tenant>/*.md`) are the truth, and whoever
 * deletes this file loses time and no word. So it never shares a file with sessions, approvals or receipts.
 *
 * X1 Only redacted text gets in: what is in `turns.text` may be shown.
 * X2 Deleted text is gone from the file's bytes: the full-text tables keep no copy of their own
 *    and overwrite what they drop, and SQLite zeroes freed pages. Every connection that writes
 *    must be set by `PRAGMAS`, since `secure_delete` belongs to the connection, not to the file.
 * X3 Full-text tables are changed by the triggers alone; whoever writes, writes `turns`.
 * X4 Rows of a source go with it (ON DELETE CASCADE, which needs `foreign_keys`).
 */

/** A change of any of them makes the next open build the index anew. Redaction's own is a hash of its patterns. */
export const INDEX_VERSIONS = { schema: "1", tokenizer: "1", chunker: "1", reader: "2" } as const;

/** "ElMm", so that another program's file, or the main database, is never taken for this one. */
export const INDEX_APPLICATION_ID = 0x456c4d6d;

/**
 * How long a connection waits for somebody who holds the file, such as a program in which the owner
 * looks at it. The one that writes is the gateway's own thread, and everybody waits with
 * it: it gives up soon, and what was to be written is tried again.
 */
const WRITE_WAIT_MS = 100;
const READ_WAIT_MS = 5_000;

/** For each connection that writes. */
export const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = ${WRITE_WAIT_MS};
  PRAGMA secure_delete = 1;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA journal_size_limit = 16777216;
`;

/** For each connection that only reads, such as that of a search. */
export const READ_PRAGMAS = `
  PRAGMA busy_timeout = ${READ_WAIT_MS};
  PRAGMA query_only = ON;
  PRAGMA trusted_schema = OFF;
`;

/** How turns are cut into words. */
export const TOKENIZER = "porter unicode61 remove_diacritics 2";

const SCHEMA = `
  PRAGMA application_id = ${INDEX_APPLICATION_ID};

  CREATE TABLE meta (k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- One file. \`bytes\` and \`lines\` say how far it was read, \`prefix_sha\` hashes what was read,
  -- \`size\` and \`mtime\` are the file's as they were then: the same again means nothing to do.
  CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('transcript', 'note')),
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    prefix_sha TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    skipped INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- About 500 tokens of one source, on bounds of turns and without overlap: its first turn, its last, and how many
  -- characters all of them have. The last chunk of a source grows. \`sha\` was once that of its text; nothing asked for it,
  -- and it is empty in what is written now.
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
    turn_from INTEGER NOT NULL,
    turn_to INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    sha TEXT NOT NULL
  ) STRICT;
  CREATE INDEX chunks_by_source ON chunks (source_id, turn_from);

  -- \`pos\` counts the turns of a source from 0 without gaps, also where \`line\` has them or two turns
  -- share one (what the owner typed and what was piped in beside it): neighbours are pos - 1 and pos + 1.
  -- \`cjk\` is 1 where the text has letters of a script that is written without spaces.
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
    chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
    pos INTEGER NOT NULL,
    line INTEGER NOT NULL,
    line_to INTEGER NOT NULL,
    byte_start INTEGER NOT NULL,
    byte_end INTEGER NOT NULL,
    session TEXT,
    run TEXT,
    ts INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'note')),
    speaker TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('owner', 'agent', 'untrusted', 'system')),
    cjk INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX turns_by_place ON turns (source_id, pos);
  CREATE INDEX turns_by_chunk ON turns (chunk_id);
  CREATE INDEX turns_by_time ON turns (ts);
  CREATE INDEX turns_by_speaker ON turns (speaker);
  CREATE INDEX turns_by_session ON turns (session, ts) WHERE session IS NOT NULL;
  CREATE INDEX turns_with_cjk ON turns (id) WHERE cjk = 1;
  CREATE VIEW turns_cjk AS SELECT id, text FROM turns WHERE cjk = 1;

  CREATE VIRTUAL TABLE turns_fts USING fts5 (
    text, content = 'turns', content_rowid = 'id', tokenize = '${TOKENIZER}'
  );
  -- Holds turns of such scripts only, so for most people it stays empty.
  CREATE VIRTUAL TABLE turns_tri USING fts5 (
    text, content = 'turns_cjk', content_rowid = 'id', tokenize = 'trigram'
  );
  INSERT INTO turns_fts (turns_fts, rank) VALUES ('secure-delete', 1);
  INSERT INTO turns_tri (turns_tri, rank) VALUES ('secure-delete', 1);
  -- Terms with the number of turns that hold them, for leaving out the most frequent.
  CREATE VIRTUAL TABLE turns_terms USING fts5vocab (turns_fts, row);

  CREATE TRIGGER turns_ai AFTER INSERT ON turns BEGIN
    INSERT INTO turns_fts (rowid, text) VALUES (new.id, new.text);
  END;
  CREATE TRIGGER turns_ad AFTER DELETE ON turns BEGIN
    INSERT INTO turns_fts (turns_fts, rowid, text) VALUES ('delete', old.id, old.text);
  END;
  CREATE TRIGGER turns_au AFTER UPDATE OF text ON turns BEGIN
    INSERT INTO turns_fts (turns_fts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO turns_fts (rowid, text) VALUES (new.id, new.text);
  END;
  CREATE TRIGGER turns_tri_ai AFTER INSERT ON turns WHEN new.cjk = 1 BEGIN
    INSERT INTO turns_tri (rowid, text) VALUES (new.id, new.text);
  END;
  CREATE TRIGGER turns_tri_ad AFTER DELETE ON turns WHEN old.cjk = 1 BEGIN
    INSERT INTO turns_tri (turns_tri, rowid, text) VALUES ('delete', old.id, old.text);
  END;
  CREATE TRIGGER turns_tri_bu AFTER UPDATE OF text, cjk ON turns WHEN old.cjk = 1 BEGIN
    INSERT INTO turns_tri (turns_tri, rowid, text) VALUES ('delete', old.id, old.text);
  END;
  CREATE TRIGGER turns_tri_wu AFTER UPDATE OF text, cjk ON turns WHEN new.cjk = 1 BEGIN
    INSERT INTO turns_tri (rowid, text) VALUES (new.id, new.text);
  END;

  -- From bullets of notes. What a newer one replaced stays, with the moment at which it ceased to hold.
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
    line INTEGER NOT NULL,
    subject TEXT,
    text TEXT NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    superseded_by INTEGER REFERENCES facts ON DELETE SET NULL,
    confidence REAL NOT NULL DEFAULT 1,
    origin TEXT NOT NULL CHECK (origin IN ('owner', 'agent', 'untrusted', 'system'))
  ) STRICT;
  CREATE INDEX facts_by_source ON facts (source_id, line);
  CREATE INDEX facts_by_subject ON facts (subject) WHERE subject IS NOT NULL;
  CREATE INDEX facts_superseded ON facts (superseded_by) WHERE superseded_by IS NOT NULL;

  -- One row per identity of an embedder; vectors of two are never compared. Vectors live in \`vec_<id>\`.
  CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    dims INTEGER NOT NULL,
    metric TEXT NOT NULL,
    input_type TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL CHECK (status IN ('filling', 'ready')),
    created_at INTEGER NOT NULL,
    UNIQUE (provider, model, dims, metric, input_type)
  ) STRICT;
  CREATE TABLE embedding_cache (
    space_id INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
    sha TEXT NOT NULL,
    vec BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space_id, sha)
  ) STRICT, WITHOUT ROWID;
`;

/** In an empty file, in one transaction: a half-made index is never found. */
export function createSchema(db: DatabaseSync, versions: Readonly<Record<string, string>>): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(SCHEMA);
    const put = db.prepare("INSERT INTO meta (k, v) VALUES (?, ?)");
    for (const [name, version] of Object.entries(versions)) put.run(name, version);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
