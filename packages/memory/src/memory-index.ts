import type { DatabaseSync } from "node:sqlite";
import type { MemoryHit, MemoryQuery, MemoryTurn } from "@elwood/core/memory/turn";
import type { TranscriptChange } from "@elwood/store-sqlite/file-transcripts";
import { IndexKeeper, type KeeperOptions } from "./index/index-keeper.ts";
import type { IndexWriter } from "./index/index-writer.ts";
import { INDEX_LIMITS } from "./index/limits.ts";
import { sessionOf, transcriptSource } from "./index/list-sources.ts";
import type { SemanticSearch } from "./search/semantic-search.ts";
import { isDamage } from "./index/open-index.ts";
import { searchTurns } from "./search/hybrid-search.ts";
import { SearchedIndex } from "./search/searched-index.ts";
import { sweepVectors } from "./index/sweep-vectors.ts";
import { SearchClient } from "./search/search-client.ts";

export interface MemoryIndexOptions extends KeeperOptions {
  /** Where the owner named an embedder: finds by meaning, too. */
  readonly semanticSearch?: SemanticSearch;
  /** Above so many turns the thread is used, and above so many for what is recalled unasked. */
  readonly mainThreadTurns?: number;
  readonly mainThreadRecallTurns?: number;
}

interface MemoryStatus extends IndexCounts {
  readonly bytes: number;
  /** Files known to be ahead of the index. */
  readonly behind: number;
  readonly rebuilding: boolean;
  /** When all files were last found to be in step; absent until then. */
  readonly lastSyncAt?: number;
  readonly lastError?: string;
  readonly vectors?: ReturnType<SemanticSearch["status"]>;
}

/**
 * The index of memory, as the rest of the gateway knows it.
 *
 * M1 Nobody loses a word here: the index only follows files, and whatever goes wrong with it
 *    is mended by reading them again.
 * M2 What the gateway itself has written is found by the next search.
 * M3 What lies in the trash is not found, from the moment it was put there until it is restored.
 */
export class MemoryIndex {
  readonly #options: MemoryIndexOptions;
  readonly #keeper: IndexKeeper;
  readonly #listeners = new Set<() => void>();
  #thread: SearchClient;
  /** What searches keep of the index as it is open now. */
  #searched: SearchedIndex | undefined;
  /** Of its turns, when it was asked for last. */
  #lastId = 0;
  #closed = false;
  #countedSecond = 0;
  #searchesInSecond = 0;
  /** Sessions in the trash. */
  #hidden = new Set<string>();
  /** What was put there or taken out while the list was being read. */
  #meanwhile = new Map<string, boolean>();

  constructor(options: MemoryIndexOptions) {
    this.#options = options;
    this.#thread = this.#newThread();
    this.#keeper = new IndexKeeper(
      { ...options, trashed: () => this.#readTrash() },
      {
        isHidden: (path) => this.#hidden.has(sessionOf(path) ?? ""),
        onIndexed: () => {
          this.#listeners.forEach((listener) => listener());
          options.semanticSearch?.indexed(this.#keeper.writer.db);
        },
        onBuilt: async (next) => options.semanticSearch?.carry(this.#keeper.writer.db, next),
        onReplaced: () => {
          void this.#thread.stop();
          this.#thread = this.#newThread();
        },
      },
    );
  }

  /** Reads in what is new, and goes on doing so. Resolves when all files were looked at once. */
  start(): Promise<void> {
    return this.#keeper.start();
  }

  async search(query: MemoryQuery): Promise<readonly MemoryHit[]> {
    const { exceptSession, forRecall = false } = query;
    const except =
      exceptSession === undefined ? {} : { except: transcriptSource(this.#options.tenant, exceptSession) };
    await this.#keeper.caughtUp({ ...except, forRecall });
    const { db } = this.#keeper.writer;
    try {
      return this.#visible(await this.#find(query));
    } catch (error) {
      // One that was built anew took its place in the middle of the search.
      const isReplaced = !this.#closed && this.#keeper.writer.db !== db;
      if (!isReplaced && !(isDamage(error) && this.#keeper.failed(error))) throw error;
      await this.#keeper.caughtUp();
      return this.#visible(await this.#find(query));
    }
  }

  /** Nobody has talked for a while: what searches keep of the index is given back, and read again by the next one. */
  rest(): void {
    this.#searched?.letGo();
    const { db } = this.#keeper.writer;
    if (db.isOpen) db.exec("PRAGMA shrink_memory");
  }

  /** What is recalled next has to wait until the thread has started. */
  get isCold(): boolean {
    if (this.#thread.running) return false;
    return this.#guarded(() => this.#hasMoreThan(this.#mainThreadTurns({ forRecall: true })));
  }

  /** Why the last search was made by words only, where an embedder is set up. */
  get notice(): string | undefined {
    return this.#options.semanticSearch?.notice;
  }

  /** The turns of a source on these lines, in order, as many as a page holds. */
  async get(source: string, fromLine: number, toLine: number): Promise<readonly MemoryTurn[]> {
    await this.#keeper.caughtUp();
    if (this.#hidden.has(sessionOf(source) ?? "")) return [];
    return this.read((db) => readTurns(db, source, fromLine, toLine));
  }

  /** For those who keep more in the index (facts, vectors). The handle may be another one the next time. */
  read<T>(work: (db: DatabaseSync, index: Pick<IndexWriter, "prepare">) => T): T {
    return this.#guarded(() => work(this.#keeper.writer.db, this.#keeper.writer));
  }

  /** The same in a transaction. */
  write<T>(work: (writer: IndexWriter) => T): T {
    return this.#guarded(() => this.#keeper.writer.transaction(() => work(this.#keeper.writer)));
  }

  /** Called whenever something was indexed or dropped. Answers how to leave. */
  onIndexed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The gateway's own store did this to a conversation's file. Costs next to nothing: the work is done after the reply. */
  transcriptChanged(change: TranscriptChange): void {
    if (change.tenant !== this.#options.tenant || this.#hidden.has(change.sessionId)) return;
    const path = transcriptSource(change.tenant, change.sessionId);
    if (change.what === "appended") this.#keeper.appended(path, change.from, change.to);
    else void this.#keeper.refresh(path);
  }

  /** Not found from now on; its rows go in the background. */
  sessionTrashed(sessionId: string): Promise<void> {
    this.#hidden.add(sessionId);
    this.#meanwhile.set(sessionId, true);
    const path = transcriptSource(this.#options.tenant, sessionId);
    return this.#keeper.drop(path, () => this.#hidden.has(sessionId));
  }

  sessionRestored(sessionId: string): Promise<void> {
    this.#hidden.delete(sessionId);
    this.#meanwhile.set(sessionId, false);
    return this.refresh(transcriptSource(this.#options.tenant, sessionId));
  }

  /** Looks at one file, whatever became of it: such as a note that was just saved or forgotten. */
  refresh(source: string): Promise<void> {
    return this.#keeper.refresh(source);
  }

  /** Takes a source out although its file may still be there; a change of the file brings it back. */
  async forgetSource(source: string): Promise<void> {
    await this.#keeper.drop(source);
    this.truncateLog();
  }

  /** The same for single turns; their places stay empty until the file is read anew. */
  forgetTurns(ids: readonly number[]): void {
    this.write((writer) => writer.dropTurnsById(ids));
    this.truncateLog();
  }

  /** What was deleted leaves the log file too, and what searches keep; no vector of it is left. */
  truncateLog(): void {
    this.#searched = undefined;
    this.read((db) =>
      this.#options.semanticSearch ? this.#options.semanticSearch.sweep(db) : sweepVectors(db),
    );
    this.read((db) => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Another secret is known: it leaves the index, and its bytes. */
  async redactAgain(): Promise<void> {
    await this.#keeper.redactAgain();
    this.truncateLog();
  }

  /** Looks through all files now. */
  sweep(): Promise<void> {
    return this.#keeper.sweep();
  }

  /** Builds the index anew beside the old one, which answers meanwhile. */
  rebuild(): Promise<void> {
    return this.#keeper.rebuild();
  }

  status(): MemoryStatus {
    const { bytes, behind, rebuilding, lastSyncAt, lastError } = this.#keeper;
    return {
      ...this.read(readCounts),
      bytes,
      behind,
      rebuilding,
      ...(lastSyncAt === undefined ? {} : { lastSyncAt }),
      ...(lastError === undefined ? {} : { lastError }),
      ...(this.#options.semanticSearch
        ? { vectors: this.#options.semanticSearch.status(this.#keeper.writer.db) }
        : {}),
    };
  }

  /** Resolves once all that was asked for is done. */
  settled(): Promise<void> {
    return this.#keeper.settled();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread.stop();
    await this.#options.semanticSearch?.close();
    await this.#keeper.close();
  }

  async #find(query: MemoryQuery): Promise<readonly MemoryHit[]> {
    const { semanticSearch } = this.#options;
    const before = this.#keeper.writer.db;
    const found = await semanticSearch?.of(before, query.text, NEVER);
    const { db } = this.#keeper.writer;
    // Where the index was replaced meanwhile, what was learned of the old one is of no use.
    const queryVector = db === before ? found : undefined;
    const searched = this.#searching();
    // Where the thread is there anyway, nobody has to wait for any search.
    if (!this.#thread.isFree && !this.#hasMoreThan(this.#mainThreadTurns(query))) {
      if (this.#isSearchedOften()) this.#thread.start();
      return searchTurns(db, query, queryVector, searched);
    }
    searched.letGo();
    return this.#thread.search(query, queryVector);
  }

  #isSearchedOften(): boolean {
    const second = Math.floor(this.#options.clock.now() / 1_000);
    if (second !== this.#countedSecond) this.#searchesInSecond = 0;
    this.#countedSecond = second;
    this.#searchesInSecond += 1;
    return this.#searchesInSecond > INDEX_LIMITS.mainThreadSearchesPerSecond;
  }

  #searching(): SearchedIndex {
    const { db } = this.#keeper.writer;
    if (this.#searched?.db !== db) {
      this.#searched = new SearchedIndex(db, { keeps: true });
      this.#lastId = 0;
    }
    return this.#searched;
  }

  /** Ids of turns only grow, so that the last one tells how many there may be, and one that was large enough once is. */
  #hasMoreThan(turns: number): boolean {
    const searched = this.#searching();
    if (this.#lastId <= turns) this.#lastId = searched.lastId();
    return this.#lastId > turns;
  }

  #mainThreadTurns({ forRecall = false }: Pick<MemoryQuery, "forRecall">): number {
    const { mainThreadTurns, mainThreadRecallTurns } = { ...INDEX_LIMITS, ...this.#options };
    return forRecall ? Math.min(mainThreadTurns, mainThreadRecallTurns) : mainThreadTurns;
  }

  #visible(hits: readonly MemoryHit[]): readonly MemoryHit[] {
    if (this.#hidden.size === 0) return hits;
    return hits.filter(({ turn }) => !this.#hidden.has(turn.session ?? ""));
  }

  async #readTrash(): Promise<ReadonlySet<string>> {
    this.#meanwhile.clear();
    const hidden = new Set(await this.#options.trashed());
    for (const [session, isTrashed] of this.#meanwhile) {
      if (isTrashed) hidden.add(session);
      else hidden.delete(session);
    }
    this.#hidden = hidden;
    return hidden;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) this.#keeper.failed(error);
      throw error;
    }
  }

  #newThread(): SearchClient {
    const { path, clock } = this.#options;
    return new SearchClient({ path, clock });
  }
}

/** A search has no signal of its own; what it asks an embedder ends by its own time limit. */
const NEVER = new AbortController().signal;

interface IndexCounts {
  readonly turns: number;
  readonly conversations: number;
  readonly notes: number;
  /** Lines of conversations that hold no message and were left out. */
  readonly skipped: number;
}

const TURNS_MAX = 200;

/** In order of the file, at most a page of them. */
function readTurns(db: DatabaseSync, source: string, fromLine: number, toLine: number): MemoryTurn[] {
  const rows = db
    .prepare(
      `SELECT s.path AS source, t.line, t.session, t.run, t.ts, t.role, t.speaker, t.origin, t.text
       FROM turns t JOIN sources s ON s.id = t.source_id
       WHERE s.path = ? AND t.line <= ? AND t.line_to >= ? ORDER BY t.pos LIMIT ?`,
    )
    .all(source, toLine, fromLine, TURNS_MAX);
  // The columns are those of a STRICT table, with its own checks of role and origin.
  return rows.map(({ session, run, ...turn }) => ({
    ...(turn as unknown as Omit<MemoryTurn, "session" | "run">),
    ...(typeof session === "string" ? { session } : {}),
    ...(typeof run === "string" ? { run } : {}),
  }));
}

function readCounts(db: DatabaseSync): IndexCounts {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM turns) AS turns, count(*) FILTER (WHERE kind = 'transcript') AS conversations,
        count(*) FILTER (WHERE kind = 'note') AS notes, coalesce(sum(skipped), 0) AS skipped FROM sources`,
    )
    .get();
  const number = (name: keyof IndexCounts) => Number(row?.[name] ?? 0);
  return {
    turns: number("turns"),
    conversations: number("conversations"),
    notes: number("notes"),
    skipped: number("skipped"),
  };
}
