import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LocalTime } from "@elwood/core/base/local-time";
import type { TurnRole } from "@elwood/core/memory/turn";
import { selectTurns, type TurnRow } from "./find-candidates.ts";
import { TurnCache } from "./turn-cache.ts";
import { readIndexSize, type IndexSize } from "./index-size.ts";
import { WordTable, type WordTableLimits } from "./word-table.ts";

const STATEMENTS_MAX = 64;
const COUNTS_MAX = 2_000;
const PATHS_MAX = 2_000;
/** Fewer than these are counted each time, which costs next to nothing. */
const COUNT_KEPT_MIN = 2_000;
/**
 * Lines of notes that are kept, and their characters. Whoever is named in a message is often the name of a note, whose lines
 * are looked at then, every time the same ones.
 */
export const NOTE_ROWS_MAX = 2_000;
const NOTE_CHARS_MAX = 400_000;
/** Of all turns: after so many new ones a count is taken again. */
const GROWTH_MAX = 0.02;

/** As it is read where only what is new is looked at. */
export type NewTurn = readonly [id: number, text: string, role: TurnRole, speaker: string, sourceId: number];

/**
 * An open index as searches see it, and what they keep from one to the next: statements, and of a small index its turns.
 * It belongs to one connection; whoever opens another makes another. Without one, each search begins anew.
 */
export class SearchedIndex {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #kept: TurnCache | undefined;
  readonly #words: WordTable | undefined;
  #localTime: LocalTime | undefined;
  readonly #counts = new Map<string, { readonly turns: number; readonly lastId: number }>();
  /** What was read since the index was last written to, by anybody; and only while a search is being made. */
  #unchanged = new Map<string, unknown>();
  /** A new one for each search: one that is emptied would, in V8, pass for alive with all that it ever held. */
  #rows = new Map<number, TurnRow>();
  /** By id, which is never used twice; those that were read first go first. */
  readonly #noteRows = new Map<number, TurnRow>();
  #noteChars = 0;
  /** What was read of all notes, and of each by its source. */
  readonly #ofNotes = new Map<string, unknown>();
  readonly #ofNote = new Map<number, unknown>();
  /** Notes that had new lines since all were looked at for the first time; what is read of all knows of them. */
  readonly #grownNotes = new Set<number>();
  readonly #paths = new Map<number, string>();
  #speakers: readonly string[] | undefined;
  #othersVersion = -1;
  #ownChanges = -1;
  #isSearching = false;

  /** `keeps`: turns are worth reading once, since more searches will come. */
  constructor(
    db: DatabaseSync,
    { keeps = false, limits }: { readonly keeps?: boolean; readonly limits?: WordTableLimits } = {},
  ) {
    this.db = db;
    this.#kept = keeps ? new TurnCache(this) : undefined;
    this.#words = keeps ? new WordTable(this, limits) : undefined;
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear();
    const statement = this.db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** In one transaction: a search makes a dozen queries, and each would lock and unlock the file by itself. */
  reading<T>(work: () => T): T {
    if (this.db.isTransaction) return work();
    this.#words?.open();
    this.prepare("BEGIN").run();
    try {
      this.#letGoIfWritten();
      this.#isSearching = true;
      return work();
    } finally {
      this.#isSearching = false;
      this.#rows = new Map();
      // Nothing was written; where the file is damaged, SQLite may have ended it already.
      if (this.db.isTransaction) this.prepare("ROLLBACK").run();
    }
  }

  /** In a transaction of its own, and so with nothing that was not committed. */
  get isSearching(): boolean {
    return this.#isSearching;
  }

  /** The turns as they are in the index now; undefined where they are too many to keep. */
  kept(): TurnCache | undefined {
    const kept = this.#kept;
    return kept && this.once("kept", () => kept.refreshed()) ? kept : undefined;
  }

  /** What is kept of single words; undefined where nothing is, and the index has to be asked. */
  words(): WordTable | undefined {
    const words = this.#words;
    if (!words || !this.#isSearching) return undefined;
    this.once("words", () => words.refresh());
    return words;
  }

  /** Those of these turns that are there. None is read twice in one search. */
  rowsOf(ids: readonly number[]): TurnRow[] {
    // Notices what is gone, from the first row that is kept on.
    this.words();
    const missing: number[] = [];
    for (const id of ids) {
      if (this.#rows.has(id)) continue;
      // Held on to: those that are read now may take its place among the kept ones.
      const kept = this.#noteRows.get(id);
      if (kept) this.#rows.set(id, kept);
      else missing.push(id);
    }
    if (missing.length > 0) {
      const read = selectTurns(this, "json_each(?) j JOIN turns t ON t.id = j.value");
      for (const row of read(JSON.stringify(missing))) {
        this.#rows.set(row.id, row);
        if (row.role === "note") this.#keepNoteRow(row);
      }
    }
    const rows: TurnRow[] = [];
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (row) rows.push(row);
    }
    if (!this.#isSearching) this.#rows = new Map();
    return rows;
  }

  #keepNoteRow(row: TurnRow): void {
    // Without what is kept of words nobody would notice that it is gone.
    if (!this.#words || !this.#isSearching) return;
    this.#noteRows.set(row.id, row);
    this.#noteChars += row.text.length;
    for (const [id, { text }] of this.#noteRows) {
      if (this.#noteRows.size <= NOTE_ROWS_MAX && this.#noteChars <= NOTE_CHARS_MAX) return;
      this.#noteRows.delete(id);
      this.#noteChars -= text.length;
    }
  }

  /** What is known of all notes, such as their keys, until there is a new one, or some turn is gone. */
  ofNotes<T>(what: string, read: () => T): T {
    // Without what is kept of words nobody would notice either.
    return this.words() ? keptIn(this.#ofNotes, what, read) : this.once(what, read);
  }

  /** What is known of one note, until a line is added to it, or some turn is gone. */
  ofNote<T>(sourceId: number, read: () => T): T {
    return this.words() ? keptIn(this.#ofNote, sourceId, read) : this.once(`note ${sourceId}`, read);
  }

  /** Everybody who speaks in memory, read again once there is somebody new, or some turn is gone. */
  speakers(read: () => readonly string[]): readonly string[] {
    if (!this.words()) return this.once("speakers", read);
    return (this.#speakers ??= read());
  }

  /** A path is that of its source for as long as there is a turn of it. */
  path(sourceId: number): string {
    const paths = this.words() ? this.#paths : this.once("paths", () => new Map<number, string>());
    const known = paths.get(sourceId);
    if (known !== undefined) return known;
    const row = this.prepare("SELECT path FROM sources WHERE id = ?").get(sourceId);
    const path = String(row?.["path"] ?? "");
    if (paths.size >= PATHS_MAX) paths.clear();
    paths.set(sourceId, path);
    return path;
  }

  /** Whether anything is kept that new turns may change, or others that are gone. */
  get keepsTurns(): boolean {
    return (
      this.#noteRows.size > 0 ||
      this.#ofNotes.size > 0 ||
      this.#ofNote.size > 0 ||
      this.#paths.size > 0 ||
      this.#speakers !== undefined
    );
  }

  /** These turns are new. */
  takeIn(turns: readonly NewTurn[]): void {
    for (const [, , role, speaker, sourceId] of turns) {
      if (role === "note") this.#takeInNote(sourceId);
      if (this.#speakers?.includes(speaker) === false) this.#speakers = undefined;
    }
  }

  #takeInNote(sourceId: number): void {
    this.#ofNote.delete(sourceId);
    if (this.#grownNotes.has(sourceId)) return;
    // It may be the first line of a new note.
    this.#ofNotes.clear();
    if (this.#grownNotes.size >= COUNTS_MAX) this.#grownNotes.clear();
    this.#grownNotes.add(sourceId);
  }

  /** Some turns are gone. */
  dropTurns(): void {
    this.#noteRows.clear();
    this.#noteChars = 0;
    this.#ofNotes.clear();
    this.#ofNote.clear();
    this.#grownNotes.clear();
    this.#paths.clear();
    this.#speakers = undefined;
  }

  /** Others search from now on: what is kept here would only grow old. */
  letGo(): void {
    this.#kept?.clear();
    this.#words?.clear();
    this.dropTurns();
    this.#unchanged.clear();
  }

  /** What FTS5 itself knows of the whole; only what was committed counts. */
  size(): IndexSize {
    return this.once("size", () =>
      readIndexSize(this.prepare("SELECT block FROM turns_fts_data WHERE id = 1").get()?.["block"]),
    );
  }

  /** How many turns there are. */
  total(): number {
    if (this.#isSearching) return this.size().turns;
    return Number(this.prepare("SELECT count(*) AS n FROM turns").get()?.["n"] ?? 0);
  }

  /**
   * How many turns match, `most` at most where it is given. What many match is counted anew once the index has grown
   * by a part; what few do, in each search: a word that was new a moment ago has to be found now.
   */
  count(expression: string, most?: number): number {
    return this.once(`count ${most ?? "all"} ${expression}`, () => this.#counted(expression, most));
  }

  /** What a search reads that has nothing to do with its words is read once, until somebody writes. */
  once<T>(what: string, read: () => T): T {
    return this.#isSearching ? keptIn(this.#unchanged, what, read) : read();
  }

  /** Writes of other connections change the one number, our own the other. The first look within a transaction, so both are true to its end. */
  #letGoIfWritten(): void {
    const others = this.#numberOf("PRAGMA data_version");
    const own = this.#numberOf("SELECT total_changes()");
    if (others === this.#othersVersion && own === this.#ownChanges) return;
    this.#othersVersion = others;
    this.#ownChanges = own;
    this.#unchanged = new Map();
  }

  #numberOf(sql: string): number {
    const statement = this.prepare(sql);
    statement.setReturnArrays(true);
    // One row of one number, by the statement.
    const [number] = statement.get() as unknown as readonly [number];
    return number;
  }

  countNow(expression: string, most?: number): number {
    // Where they are few there is nothing to stop at, and counting takes a third of the time.
    const row =
      most === undefined
        ? this.prepare("SELECT count(*) AS n FROM turns_fts WHERE turns_fts MATCH ?").get(expression)
        : this.prepare(
            "SELECT count(*) AS n FROM (SELECT 1 FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?)",
          ).get(expression, most);
    return Number(row?.["n"] ?? 0);
  }

  #counted(expression: string, most: number | undefined): number {
    if (most === undefined) return this.countNow(expression);
    const lastId = this.lastId();
    const known = this.#counts.get(expression);
    if (known && !hasGrown(known.lastId, lastId)) return known.turns;
    const turns = this.countNow(expression, most);
    if (turns < COUNT_KEPT_MIN) return turns;
    if (this.#counts.size >= COUNTS_MAX) this.#counts.clear();
    this.#counts.set(expression, { turns, lastId });
    return turns;
  }

  /** Of the newest turn there ever was: ids grow, and are never used twice. */
  lastId(): number {
    const row = this.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'turns'").get();
    return Number(row?.["seq"] ?? 0);
  }

  localTime(timeZone: string): LocalTime {
    if (this.#localTime?.timeZone !== timeZone) this.#localTime = new LocalTime(timeZone);
    return this.#localTime;
  }
}

function hasGrown(before: number, now: number): boolean {
  return now < before || now - before > before * GROWTH_MAX;
}

function keptIn<Key, T>(kept: Map<Key, unknown>, key: Key, read: () => T): T {
  // Each is asked for by its own name, and so with its own type.
  if (kept.has(key)) return kept.get(key) as T;
  const value = read();
  if (kept.size >= COUNTS_MAX) kept.clear();
  kept.set(key, value);
  return value;
}
