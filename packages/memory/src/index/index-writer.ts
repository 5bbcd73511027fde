import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { INDEX_LIMITS } from "./limits.ts";
import { hasUnspacedScript, type TurnDraft } from "../turn-draft.ts";

export interface SourceState {
  /** How far the file was read: whole lines only. */
  readonly bytes: number;
  readonly lines: number;
  /** Of what was read; a transcript's goes on from line to line (`chain`), a note's is that of the whole file. */
  readonly prefixSha: string;
  /** As the file was then. -1 where it was not read to its end, or not looked at as a whole. */
  readonly size: number;
  readonly mtime: number;
  /** Lines that held no message. */
  readonly skipped: number;
}

export interface Source extends SourceState {
  readonly id: number;
  readonly path: string;
  readonly kind: "transcript" | "note";
}

export const UNREAD: SourceState = { bytes: 0, lines: 0, prefixSha: "", size: -1, mtime: -1, skipped: 0 };

const COLUMNS = "id, path, kind, bytes, lines, prefix_sha AS prefixSha, size, mtime, skipped";

const PAGE_TURNS = 200;
/** Of the full-text index, written anew at once. */
const MERGE_PAGES = 64;

const SQL = {
  source: `SELECT ${COLUMNS} FROM sources WHERE path = ?`,
  sources: `SELECT ${COLUMNS} FROM sources WHERE kind = ? ORDER BY path`,
  addSource: `INSERT INTO sources (path, kind, bytes, lines, prefix_sha, size, mtime) VALUES (?, ?, 0, 0, '', -1, -1) RETURNING id`,
  setState: `UPDATE sources SET bytes = ?2, lines = ?3, prefix_sha = ?4, size = ?5, mtime = ?6, skipped = ?7 WHERE id = ?1`,
  dropSource: "DELETE FROM sources WHERE id = ?",
  lastTurn: `SELECT t.pos, c.id AS chunk, c.chars FROM turns t JOIN chunks c ON c.id = t.chunk_id
    WHERE t.source_id = ? ORDER BY t.pos DESC LIMIT 1`,
  addChunk:
    "INSERT INTO chunks (source_id, turn_from, turn_to, chars, sha) VALUES (?, 0, 0, 0, '') RETURNING id",
  turnsOfChunk: "SELECT id, text FROM turns WHERE chunk_id = ? ORDER BY pos",
  setChunk: "UPDATE chunks SET turn_from = ?2, turn_to = ?3, chars = ?4, sha = '' WHERE id = ?1",
  growChunk: "UPDATE chunks SET turn_to = ?2, chars = ?3, sha = '' WHERE id = ?1",
  addTurn: `INSERT INTO turns (source_id, chunk_id, pos, line, line_to, byte_start, byte_end, session, run, ts, role, speaker, origin, cjk, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  dropTurns: `DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE source_id = ? ORDER BY pos LIMIT ?)`,
  dropTurn: "DELETE FROM turns WHERE id = ? RETURNING chunk_id",
  turnsOfSource: `SELECT id, line, line_to AS lineTo, byte_start AS byteStart, byte_end AS byteEnd, session, run, role, speaker,
    origin, text FROM turns WHERE source_id = ? ORDER BY pos`,
  dropChunk: "DELETE FROM chunks WHERE id = ?",
  textsBehind: `SELECT t.id, s.path, t.text FROM turns t JOIN sources s ON s.id = t.source_id
    WHERE t.id > ? ORDER BY t.id LIMIT ${PAGE_TURNS}`,
  countTurns: "SELECT count(*) AS n FROM (SELECT 1 FROM turns WHERE source_id = ? LIMIT ?)",
  // Literals: a bound JavaScript number arrives as a float, which these commands refuse.
  strikeOut: "INSERT INTO turns_fts (turns_fts, rank) VALUES ('secure-delete', 0)",
  overwrite: "INSERT INTO turns_fts (turns_fts, rank) VALUES ('secure-delete', 1)",
  mergeAll: `INSERT INTO turns_fts (turns_fts, rank) VALUES ('merge', -${MERGE_PAGES})`,
  mergeOn: `INSERT INTO turns_fts (turns_fts, rank) VALUES ('merge', ${MERGE_PAGES})`,
  changes: "SELECT total_changes() AS n",
  setMeta: "INSERT OR REPLACE INTO meta (k, v) VALUES (?, ?)",
  meta: "SELECT v FROM meta WHERE k = ?",
  dropChunks: "DELETE FROM chunks WHERE source_id = ?",
} as const;

/** The next link over a line as it stands in the file, its end included. */
export function chain(before: string, line: Uint8Array): string {
  return createHash("sha256").update(before).update(line).digest("hex");
}

/**
 * The write side of the index. Nothing here waits, so that what one transaction holds is
 * what stands on disk after a kill: turns are never there without the mark of how far their file was read.
 */
export class IndexWriter {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  transaction<T>(work: () => T): T {
    this.db.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      this.db.exec("COMMIT");
      return value;
    } catch (error) {
      if (this.db.isOpen && this.db.isTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  source(path: string): Source | undefined {
    // The columns are those of a STRICT table, named as in the interface.
    return this.prepare(SQL.source).get(path) as Source | undefined;
  }

  sources(kind: Source["kind"]): Source[] {
    return this.prepare(SQL.sources).all(kind) as unknown as Source[];
  }

  addSource(path: string, kind: Source["kind"]): Source {
    const row = this.prepare(SQL.addSource).get(path, kind);
    return { ...UNREAD, id: Number(row?.["id"]), path, kind };
  }

  setState(id: number, { bytes, lines, prefixSha, size, mtime, skipped }: SourceState): void {
    this.prepare(SQL.setState).run(id, bytes, lines, prefixSha, size, mtime, skipped);
  }

  addTurns(sourceId: number, drafts: readonly TurnDraft[]): void {
    if (drafts.length === 0) return;
    const last = this.prepare(SQL.lastTurn).get(sourceId);
    let pos = last ? Number(last["pos"]) : -1;
    let chunk = last
      ? { id: Number(last["chunk"]), chars: Number(last["chars"]), from: 0, to: 0 }
      : undefined;
    for (const draft of drafts) {
      if (chunk === undefined || chunk.chars + draft.text.length > INDEX_LIMITS.chunkChars) {
        if (chunk) this.#growChunk(chunk);
        chunk = { id: Number(this.prepare(SQL.addChunk).get(sourceId)?.["id"]), chars: 0, from: -1, to: 0 };
      }
      pos += 1;
      chunk.chars += draft.text.length;
      chunk.to = this.#addTurn(sourceId, chunk.id, pos, draft);
      if (chunk.from < 0) chunk.from = chunk.to;
    }
    if (chunk) this.#growChunk(chunk);
  }

  /**
   * The source holds these turns now. From its beginning on, rows that say the same of the same place stay, with the
   * time they had: a note mostly grows at its end, and taking a word out of the full-text index costs as much as ten new ones.
   */
  replaceTurns(sourceId: number, drafts: readonly TurnDraft[]): void {
    const there = this.prepare(SQL.turnsOfSource).all(sourceId);
    const differs = there.findIndex((row, pos) => !isSameTurn(row, drafts[pos]));
    const kept = differs < 0 ? there.length : differs;
    if (kept === 0) this.dropTurns(sourceId, Number.MAX_SAFE_INTEGER);
    else this.dropTurnsById(there.slice(kept).map(({ id }) => Number(id)));
    this.addTurns(sourceId, drafts.slice(kept));
  }

  /** A page of turns by id. */
  textsBehind(id: number): { readonly id: number; readonly path: string; readonly text: string }[] {
    return this.prepare(SQL.textsBehind).all(id) as unknown as { id: number; path: string; text: string }[];
  }

  /** At most `limit`: whoever asks wants to know whether there are many. */
  countTurns(sourceId: number, limit: number): number {
    return Number(this.prepare(SQL.countTurns).get(sourceId, limit)?.["n"]);
  }

  /** Removes up to `limit` turns of the source and answers how many. Its chunks go with the last. */
  dropTurns(sourceId: number, limit: number): number {
    const gone = Number(this.prepare(SQL.dropTurns).run(sourceId, limit).changes);
    if (gone < limit) this.prepare(SQL.dropChunks).run(sourceId);
    return gone;
  }

  /** Single turns; their chunks shrink, and go when they are empty. */
  dropTurnsById(ids: readonly number[]): void {
    const chunks = new Set<number>();
    for (const id of ids) {
      const chunk = this.prepare(SQL.dropTurn).get(id)?.["chunk_id"];
      if (chunk !== undefined) chunks.add(Number(chunk));
    }
    for (const chunk of chunks) this.#shrinkChunk(chunk);
  }

  /**
   * The same for many. Overwriting a turn's words where they stand takes a millisecond in a large
   * index; here they are only struck out, and leave the file when `mergeStep` has been called to its end.
   * That this is still to be done is kept in the index, so that no kill in between leaves them.
   */
  dropManyTurns(sourceId: number, limit: number): number {
    this.prepare(SQL.strikeOut).run();
    const gone = this.dropTurns(sourceId, limit);
    this.prepare(SQL.overwrite).run();
    this.prepare(SQL.setMeta).run("residue", "1");
    return gone;
  }

  get hasResidue(): boolean {
    return this.prepare(SQL.meta).get("residue")?.["v"] === "1";
  }

  /** Writes a part of the full-text index anew without what was struck out; true when nothing is left to do. */
  mergeStep(first: boolean): boolean {
    return this.transaction(() => {
      const before = this.#changes();
      this.prepare(first ? SQL.mergeAll : SQL.mergeOn).run();
      const done = this.#changes() - before < 2;
      if (done) this.prepare(SQL.setMeta).run("residue", "0");
      return done;
    });
  }

  dropSource(sourceId: number): void {
    this.prepare(SQL.dropSource).run(sourceId);
  }

  /** Answers with its id. */
  #addTurn(sourceId: number, chunk: number, pos: number, draft: TurnDraft): number {
    const { lastInsertRowid } = this.prepare(SQL.addTurn).run(
      sourceId,
      chunk,
      pos,
      draft.line,
      draft.lineTo,
      draft.byteStart,
      draft.byteEnd,
      draft.session ?? null,
      draft.run ?? null,
      Math.trunc(draft.ts),
      draft.role,
      draft.speaker,
      draft.origin,
      hasUnspacedScript(draft.text) ? 1 : 0,
      draft.text,
    );
    return Number(lastInsertRowid);
  }

  /** Turns came to its end: what was there before is not read again. `from` is 0 where it has begun before. */
  #growChunk({ id, from, to, chars }: Chunk): void {
    if (to === 0) return;
    if (from > 0) this.prepare(SQL.setChunk).run(id, from, to, chars);
    else this.prepare(SQL.growChunk).run(id, to, chars);
  }

  /** Some of its turns are gone. */
  #shrinkChunk(chunk: number): void {
    const turns = this.prepare(SQL.turnsOfChunk).all(chunk);
    if (turns.length === 0) {
      this.prepare(SQL.dropChunk).run(chunk);
      return;
    }
    const chars = turns.reduce((sum, turn) => sum + String(turn["text"]).length, 0);
    const first = Number(turns[0]?.["id"] ?? 0);
    const last = Number(turns.at(-1)?.["id"] ?? 0);
    this.prepare(SQL.setChunk).run(chunk, first, last, chars);
  }

  #changes(): number {
    return Number(this.prepare(SQL.changes).get()?.["n"]);
  }

  /** Each statement is prepared once. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The chunk that turns are added to, with the first and the last of those that were. */
interface Chunk {
  readonly id: number;
  chars: number;
  from: number;
  to: number;
}

/** All but the time. */
function isSameTurn(row: Readonly<Record<string, unknown>>, draft: TurnDraft | undefined): boolean {
  return (
    draft !== undefined &&
    row["text"] === draft.text &&
    row["line"] === draft.line &&
    row["lineTo"] === draft.lineTo &&
    row["byteStart"] === draft.byteStart &&
    row["byteEnd"] === draft.byteEnd &&
    row["session"] === (draft.session ?? null) &&
    row["run"] === (draft.run ?? null) &&
    row["role"] === draft.role &&
    row["speaker"] === draft.speaker &&
    row["origin"] === draft.origin
  );
}
