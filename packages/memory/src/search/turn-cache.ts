import { TurnTraits } from "@elwood/core/memory/turn-traits";
import { querySpeakers, selectTurns, SEARCH_LIMITS, type TurnRow } from "./find-candidates.ts";
import type { SearchedIndex } from "./searched-index.ts";

/** A turn with what its text showed once it was looked at. */
export interface CachedTurn extends TurnRow {
  readonly traits: TurnTraits;
}

/**
 * An in-memory cache of all turns of a small index. Rows of `turns` never change and ids are never
 * reused, so cached turns stay valid while the row count matches. If a row is gone, so is its turn here:
 * a note that is saved again loses some each time, and what is erased must not be kept.
 */
export class TurnCache {
  readonly #index: SearchedIndex;
  readonly #turns = new Map<number, CachedTurn>();
  /** By source, then by place. */
  readonly #places = new Map<number, (CachedTurn | undefined)[]>();
  readonly #paths = new Map<number, string>();
  #speakers: readonly string[] = [];
  #speaking = new Set<string>();
  #lastId = 0;
  #chars = 0;

  constructor(index: SearchedIndex) {
    this.#index = index;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Reads what is new. False where there is too much to keep. */
  refreshed(): boolean {
    const { keptTurns } = SEARCH_LIMITS;
    const total = this.#index.isSearching ? this.#index.size().turns : this.#counted();
    if (total > keptTurns) return this.clear();
    if (!this.#readNew()) return this.clear();
    if (this.#turns.size === total) return true;
    this.#dropGone();
    return this.#turns.size === this.#counted() || this.clear();
  }

  get(id: number): CachedTurn | undefined {
    return this.#turns.get(id);
  }

  at(sourceId: number, pos: number): CachedTurn | undefined {
    return this.#places.get(sourceId)?.[pos];
  }

  /** The first turns of a source, in order. */
  idsOf(sourceId: number, most: number): readonly number[] {
    const ids: number[] = [];
    for (const turn of this.#places.get(sourceId) ?? []) {
      if (ids.length >= most) break;
      if (turn) ids.push(turn.id);
    }
    return ids;
  }

  /** A path is that of its source for as long as there is one. */
  path(sourceId: number): string {
    const known = this.#paths.get(sourceId);
    if (known !== undefined) return known;
    const row = this.#index.prepare("SELECT path FROM sources WHERE id = ?").get(sourceId);
    const path = String(row?.["path"] ?? "");
    this.#paths.set(sourceId, path);
    return path;
  }

  get speakers(): readonly string[] {
    return this.#speakers;
  }

  /** One more than are kept at most: counting a large index takes as long as reading it. */
  #counted(): number {
    const counted = this.#index.prepare("SELECT count(*) AS n FROM (SELECT 1 FROM turns LIMIT ?)");
    return Number(counted.get(SEARCH_LIMITS.keptTurns + 1)?.["n"] ?? 0);
  }

  #readNew(): boolean {
    const rows = selectTurns(this.#index, "turns t WHERE t.id > ? ORDER BY t.id");
    let isNewVoice = false;
    for (const row of rows(this.#lastId)) {
      this.#chars += row.text.length;
      if (this.#chars > SEARCH_LIMITS.keptChars) return false;
      const turn = { ...row, traits: new TurnTraits(row.text) };
      this.#turns.set(row.id, turn);
      this.#lastId = row.id;
      const places = this.#places.get(row.sourceId) ?? [];
      places[row.pos] = turn;
      this.#places.set(row.sourceId, places);
      if (this.#speaking.has(row.speaker)) continue;
      this.#speaking.add(row.speaker);
      isNewVoice = true;
    }
    if (isNewVoice) this.#speakers = querySpeakers(this.#index);
    return true;
  }

  #dropGone(): void {
    const statement = this.#index.prepare("SELECT id FROM turns");
    statement.setReturnArrays(true);
    // Lists of one column, as the statement was told to return them.
    const there = new Set((statement.all() as unknown as readonly (readonly [number])[]).map(([id]) => id));
    for (const [id, { sourceId, pos, text }] of this.#turns) {
      if (there.has(id)) continue;
      this.#turns.delete(id);
      this.#chars -= text.length;
      const places = this.#places.get(sourceId);
      // Its place may be another's by now.
      if (places?.[pos]?.id === id) places[pos] = undefined;
    }
    // A source that is gone may leave its number to another, and nobody may speak with its voice any more.
    this.#paths.clear();
    this.#speaking = new Set([...this.#turns.values()].map(({ speaker }) => speaker));
    this.#speakers = querySpeakers(this.#index);
  }

  /** Nothing is kept until the next `refreshed`. */
  clear(): false {
    this.#turns.clear();
    this.#places.clear();
    this.#paths.clear();
    this.#speaking.clear();
    this.#speakers = [];
    this.#lastId = 0;
    this.#chars = 0;
    return false;
  }
}
