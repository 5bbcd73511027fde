import type { DatabaseSync } from "node:sqlite";
import type { InputPrefixes } from "@elwood/core/model/embedding";
import { atOnce, nativeTable } from "./vector-schema.ts";

/** Who made a vector. Vectors of two identities are never compared. */
export interface VectorIdentity {
  readonly provider: string;
  readonly model: string;
  readonly prefixes: InputPrefixes;
}

export interface Space {
  readonly id: number;
  readonly dims: number;
  readonly status: "filling" | "ready";
}

const METRIC = "cosine";
const WHICH = "provider = ? AND model = ? AND metric = ? AND input_type = ?";

/** Spaces of this identity; there are two only while the number of dimensions changes. The newest goes first. */
export function spacesOf(db: DatabaseSync, identity: VectorIdentity): Space[] {
  return db
    .prepare(`SELECT id, dims, status FROM spaces WHERE ${WHICH} ORDER BY id DESC`)
    .all(...keyOf(identity)) as unknown as Space[];
}

/** The space for vectors of this length, made where there is none. */
export function spaceFor(db: DatabaseSync, identity: VectorIdentity, dims: number, now: number): Space {
  const known = spacesOf(db, identity).find((space) => space.dims === dims);
  if (known) return known;
  const [provider, model, metric, input] = keyOf(identity);
  const { lastInsertRowid } = db
    .prepare(
      "INSERT INTO spaces (provider, model, dims, metric, input_type, status, created_at) VALUES (?, ?, ?, ?, ?, 'filling', ?)",
    )
    .run(provider, model, dims, metric, input, now);
  return { id: Number(lastInsertRowid), dims, status: "filling" };
}

/**
 * The space is complete: searches use it from now on, and all others go, their vectors with them.
 * False where nothing was left to do.
 */
export function flipTo(db: DatabaseSync, space: Space, native: boolean): boolean {
  return atOnce(db, () => {
    const others = db.prepare("SELECT id FROM spaces WHERE id <> ?").all(space.id) as { id: number }[];
    for (const { id } of others) dropSpace(db, id, native);
    const flipped = db
      .prepare("UPDATE spaces SET status = 'ready' WHERE id = ? AND status <> 'ready'")
      .run(space.id);
    return others.length > 0 || Number(flipped.changes) > 0;
  });
}

function dropSpace(db: DatabaseSync, id: number, native: boolean): void {
  dropNative(db, id, native);
  db.prepare("DELETE FROM turn_vectors WHERE space_id = ?").run(id);
  db.prepare("DELETE FROM embedding_cache WHERE space_id = ?").run(id);
  db.prepare("DELETE FROM spaces WHERE id = ?").run(id);
}

/**
 * Takes away a space's table of sqlite-vec. Where the extension is missing a virtual table cannot
 * be dropped; the plain tables behind it are emptied then, and it is made anew when it can be.
 */
export function dropNative(db: DatabaseSync, id: number, native: boolean): void {
  const name = nativeTable(id);
  if (!hasTable(db, name)) return;
  if (native) {
    db.exec(`DROP TABLE ${name}`);
    return;
  }
  for (const shadow of ["_vector_chunks00", "_rowids", "_chunks"]) {
    if (hasTable(db, name + shadow)) db.exec(`DELETE FROM ${name}${shadow}`);
  }
}

export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function keyOf({ provider, model, prefixes }: VectorIdentity): [string, string, string, string] {
  const input =
    prefixes.query === "" && prefixes.document === ""
      ? ""
      : JSON.stringify([prefixes.query, prefixes.document]);
  return [provider, model, METRIC, input];
}
