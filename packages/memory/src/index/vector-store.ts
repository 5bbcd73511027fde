import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Redactor } from "@elwood/core/base/redact";
import { VECTOR_LIMITS } from "./limits.ts";
import { toBytes, unit } from "./vector-math.ts";
import { atOnce, createVectorTables, nativeTable } from "./vector-schema.ts";
import { dropNative, hasTable, type Space } from "./vector-space.ts";

/** A turn without a vector, and the text that would be embedded for it. */
export interface Unit {
  readonly turnId: number;
  readonly text: string;
  readonly sha: string;
}

/** Turns with ids above `above` and below `below` are looked at. */
export interface Stretch {
  readonly above: number;
  readonly below: number;
}

/**
 * Vectors that sqlite-vec keeps in one piece of the file. With its own 1,024 a piece of long vectors is larger than the page
 * cache, and a batch of 64 took 200 ms; with this it takes 2, and questions are answered as fast.
 */
const NATIVE_CHUNK = 128;

/**
 * The write side of vectors. Nothing here waits. A vector, the turns that have it, and their rows
 * in sqlite-vec are written in one transaction, so that a kill leaves a turn either with its vector or without.
 */
export class VectorStore {
  readonly db: DatabaseSync;
  /** Whether this connection knows sqlite-vec. */
  readonly native: boolean;
  readonly #redact: Redactor;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, native: boolean, redact: Redactor) {
    this.db = db;
    this.native = native;
    this.#redact = redact;
    createVectorTables(db);
  }

  /** Turns of the stretch that have no vector in the space, newest first, and how far was looked. */
  missing(space: Space | undefined, { above, below }: Stretch): { units: Unit[]; lookedTo: number } {
    const rows = this.#prepare(
      `SELECT t.id, t.text FROM turns t WHERE t.id > ? AND t.id < ?
        AND NOT EXISTS (SELECT 1 FROM turn_vectors v WHERE v.space_id = ? AND v.turn_id = t.id)
        ORDER BY t.id DESC LIMIT ?`,
    ).all(above, below, space?.id ?? 0, VECTOR_LIMITS.scanTurns) as { id: number; text: string }[];
    const units = rows.flatMap(({ id, text }) => this.#unitOf(id, text));
    return { units, lookedTo: rows.length < VECTOR_LIMITS.scanTurns ? above : rows.at(-1)!.id };
  }

  /** Gives those units their vector whose text was embedded before; answers the others. */
  takeCached(space: Space, units: readonly Unit[]): Unit[] {
    const cached = this.#prepare("SELECT vec FROM embedding_cache WHERE space_id = ? AND sha = ?");
    const found: { unit: Unit; vector: Uint8Array }[] = [];
    const rest: Unit[] = [];
    for (const one of units) {
      const row = cached.get(space.id, one.sha) as { vec: Uint8Array } | undefined;
      if (row) found.push({ unit: one, vector: row.vec });
      else rest.push(one);
    }
    if (found.length > 0) atOnce(this.db, () => this.#attach(space, found));
    return rest;
  }

  /** Keeps vectors, and gives them to their turns as far as these are still there. */
  put(space: Space, units: readonly Unit[], vectors: readonly Float32Array[], now: number): void {
    if (units.length !== vectors.length) throw new Error("as many vectors as texts");
    const keep = this.#prepare(
      "INSERT OR REPLACE INTO embedding_cache (space_id, sha, vec, created_at) VALUES (?, ?, ?, ?)",
    );
    atOnce(this.db, () => {
      const rows = units.flatMap((one, at) => {
        const vector = vectors[at]!;
        if (vector.length !== space.dims)
          throw new Error(`a vector of ${vector.length} numbers for a space of ${space.dims}`);
        if (!this.#isThere(one)) return [];
        const bytes = toBytes(unit(vector));
        keep.run(space.id, one.sha, bytes, now);
        return [{ unit: one, vector: bytes }];
      });
      this.#attach(space, rows);
    });
  }

  /** Makes the table of sqlite-vec agree with what is kept: it may have been made without the extension, or not at all. */
  alignNative(space: Space): void {
    if (!this.native) return;
    const name = nativeTable(space.id);
    const wanted = this.#count("SELECT count(*) AS n FROM turn_vectors WHERE space_id = ?", space.id);
    if (hasTable(this.db, name) && this.#count(`SELECT count(*) AS n FROM ${name}_rowids`) === wanted) return;
    atOnce(this.db, () => {
      this.#statements.clear();
      dropNative(this.db, space.id, true);
      this.db.exec(
        `CREATE VIRTUAL TABLE ${name} USING vec0(e float[${space.dims}] distance_metric=cosine, chunk_size=${NATIVE_CHUNK})`,
      );
      this.db
        .prepare(
          `INSERT INTO ${name} (rowid, e) SELECT v.turn_id, c.vec FROM turn_vectors v
            JOIN embedding_cache c ON c.space_id = v.space_id AND c.sha = v.sha WHERE v.space_id = ?`,
        )
        .run(space.id);
    });
  }

  turnsMax(): number {
    return this.#count("SELECT coalesce(max(id), 0) AS n FROM turns");
  }

  /** How much there is to embed, and how much of it is done. */
  progress(space: Space | undefined): { turns: number; filled: number; chars: number } {
    const { n: turns, chars } = this.#prepare(
      `SELECT count(*) AS n, coalesce(sum(min(length(text), ?1)), 0) AS chars FROM turns WHERE length(text) >= ?2`,
    ).get(VECTOR_LIMITS.textCharsMax, VECTOR_LIMITS.textCharsMin) as { n: number; chars: number };
    const filled = space
      ? this.#count("SELECT count(*) AS n FROM turn_vectors WHERE space_id = ?", space.id)
      : 0;
    return { turns, filled, chars };
  }

  #attach(space: Space, rows: readonly { unit: Unit; vector: Uint8Array }[]): void {
    const link = this.#prepare(
      "INSERT OR REPLACE INTO turn_vectors (space_id, turn_id, sha) VALUES (?, ?, ?)",
    );
    const name = nativeTable(space.id);
    const native = this.native && hasTable(this.db, name);
    for (const { unit: one, vector } of rows) {
      if (!this.#isThere(one)) continue;
      link.run(space.id, one.turnId, one.sha);
      if (!native) continue;
      // A row that is there already would be refused; the table knows no replacing.
      if (this.#prepare(`SELECT 1 FROM ${name}_rowids WHERE rowid = ?`).get(one.turnId))
        this.#prepare(`DELETE FROM ${name} WHERE rowid = ?`).run(BigInt(one.turnId));
      this.#prepare(`INSERT INTO ${name} (rowid, e) VALUES (?, ?)`).run(BigInt(one.turnId), vector);
    }
  }

  /** While the embedder was asked, the turn may have been forgotten: nothing of it comes back. */
  #isThere({ turnId }: Unit): boolean {
    return this.#prepare("SELECT 1 FROM turns WHERE id = ?").get(turnId) !== undefined;
  }

  /** Redacted once more: a key may have become known after its turn was indexed. */
  #unitOf(turnId: number, stored: string): Unit[] {
    const text = this.#redact(stored).trim().slice(0, VECTOR_LIMITS.textCharsMax).toWellFormed();
    if (text.length < VECTOR_LIMITS.textCharsMin) return [];
    return [{ turnId, text, sha: createHash("sha256").update(text).digest("hex") }];
  }

  #count(sql: string, ...values: number[]): number {
    return (this.#prepare(sql).get(...values) as { n: number }).n;
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
