import type { DatabaseSync } from "node:sqlite";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { IndexFile } from "./index-file.ts";
import { IndexSync, type SyncDeps } from "./index-sync.ts";
import type { IndexWriter } from "./index-writer.ts";
import { INDEX_LIMITS } from "./limits.ts";
import { isDamage } from "./open-index.ts";
import { withDeadline } from "@elwood/runtime/async/deadline";
import { serialQueue } from "@elwood/runtime/async/serial-queue";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isSourceName } from "./list-sources.ts";
import { WatchedFolders } from "./watch-folders.ts";
import { errorCode } from "@elwood/platform/system-error";

export interface KeeperOptions extends Omit<SyncDeps, "signal"> {
  readonly path: string;
  readonly clock: Clock;
}

/** What the keeper tells whoever uses the index. */
interface KeeperEvents {
  /** Whether a file is to be left out, although it is there. */
  readonly isHidden: (path: string) => boolean;
  /** Something was indexed or dropped. */
  readonly onIndexed: () => void;
  /** An index was built anew and is about to take the old one's place. */
  readonly onBuilt?: (next: DatabaseSync) => Promise<void>;
  /** The file is another one: connections of others to the old one are to be closed. */
  readonly onReplaced: () => void;
}

/**
 * Keeps the index in step with the files while the gateway runs: its own appends at once, what
 * a watcher sees soon, and everything else with the next sweep. All that takes long is a job, one after the other; a
 * job that fails is noted and made good by the next sweep, and a damaged index is replaced and read in anew.
 */
export class IndexKeeper {
  readonly #options: KeeperOptions;
  readonly #events: KeeperEvents;
  readonly #file: IndexFile;
  readonly #stopping = new AbortController();
  #sync: IndexSync;
  /** Own appends that wait: for a search, or for a moment in which nobody else waits. */
  readonly #appends = new Map<string, { from: number; to: number }>();
  #flush: AbortController | undefined;
  /** How often a recall had them indexed, and since when that is counted. */
  #recallDrains = 0;
  #drainsSince = 0;
  /** Files that are to be looked at. */
  readonly #behind = new Set<string>();
  /** One of them could not be; whoever searches has it tried again. */
  #stuck = false;
  /** The one of them that is being looked at. */
  #current: string | undefined;
  readonly #jobs = serialQueue();
  #first: Promise<void> | undefined;
  #left = 0;
  rebuilding = false;
  lastSyncAt: number | undefined;
  lastError: string | undefined;

  constructor(options: KeeperOptions, events: KeeperEvents) {
    this.#options = options;
    this.#events = events;
    this.#file = new IndexFile(options.path, options.log);
    this.#sync = this.#syncOf(this.#file.writer);
  }

  get writer(): IndexWriter {
    return this.#file.writer;
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  /** Files that are known to be ahead of the index. */
  get behind(): number {
    return this.#left + this.#behind.size + this.#appends.size + (this.#current === undefined ? 0 : 1);
  }

  /** Looks through all files now, watches them, and looks again now and then. Asking again does nothing. */
  start(): Promise<void> {
    if (this.#first) return this.#first;
    const { signal } = this.#stopping;
    this.#first = this.job(async () => {
      await this.#file.check();
      await this.#sweep();
    });
    watchSources({ ...this.#options, signal, onChange: (paths) => this.#noticed(paths) });
    void this.#sweepNowAndThen(signal);
    return this.#first;
  }

  /**
   * The gateway appended to a file. Nothing is read or written here, on the way of a reply; a moment later several are
   * written at once, at a third of the cost, and a search that comes before writes them first.
   */
  appended(path: string, from: number, to: number): void {
    const earlier = this.#appends.get(path);
    if (earlier && earlier.to !== from) this.#behind.add(path);
    else this.#appends.set(path, { from: earlier?.from ?? from, to });
    if (this.#appends.size >= INDEX_LIMITS.pendingMax) this.drain();
    else if (!this.#flush) void this.#drainSoon();
  }

  /** All own appends that wait, now, in one transaction. What cannot be done so is left to a job. */
  drain(): void {
    // With a reason: without one an exception is made for each search.
    this.#flush?.abort("drained");
    this.#flush = undefined;
    if (this.#appends.size === 0) return;
    const appends = [...this.#appends];
    this.#appends.clear();
    try {
      this.writer.transaction(() => {
        for (const [path, { from, to }] of appends) {
          if (this.#behind.has(path) || !this.#sync.append(path, from, to)) this.#behind.add(path);
        }
      });
      this.#events.onIndexed();
    } catch (error) {
      for (const [path] of appends) this.#behind.add(path);
      this.failed(error);
    }
    if (this.#behind.size > 0) void this.job(() => this.#catchUp());
  }

  /** Looks at one file, whatever became of it. */
  refresh(path: string): Promise<void> {
    this.#appends.delete(path);
    this.#behind.add(path);
    return this.job(() => this.#catchUp());
  }

  drop(path: string, wanted: () => boolean = () => true): Promise<void> {
    return this.job(async () => {
      if (!wanted()) return;
      await this.#sync.drop(path);
      this.#events.onIndexed();
    });
  }

  /** Another secret is known: what was indexed before it was is read anew without it. */
  redactAgain(): Promise<void> {
    return this.job(async () => {
      await this.#sync.redactAgain();
      this.#events.onIndexed();
    });
  }

  sweep(): Promise<void> {
    return this.job(() => this.#sweep());
  }

  /** Builds the index anew beside the old one, which answers meanwhile. */
  rebuild(): Promise<void> {
    return this.job(async () => {
      this.rebuilding = true;
      try {
        const next = this.#syncOf(this.#file.begin());
        await next.sweep(async (left) => void (this.#left = left));
        await this.#events.onBuilt?.(next.writer.db);
        if (this.#stopping.signal.aborted) return next.writer.db.close();
        this.#events.onReplaced();
        this.#file.swapIn(next.writer);
        this.#sync = this.#syncOf(this.writer);
      } finally {
        this.rebuilding = false;
      }
      await this.#sweep();
    });
  }

  /**
   * Waits a little for what is known to be missing, never for long. What was appended to `except` may wait: the
   * conversation that asks is left out of its own recall, and mostly it is the only one.
   */
  async caughtUp({
    except,
    forRecall = false,
  }: { except?: string; forRecall?: boolean } = {}): Promise<void> {
    void this.start();
    const isMissing = [...this.#appends.keys()].some((path) => path !== except);
    if (isMissing && (!forRecall || this.#mayDrainForRecall())) this.drain();
    const isBehind = this.#behind.size > 0 || this.#current !== undefined;
    if (this.#stuck) void this.job(() => this.#catchUp());
    const waits =
      this.lastSyncAt === undefined ? this.#readIn() : isBehind ? this.#jobs.settled() : undefined;
    if (!waits) return;
    await withDeadline(this.#options.clock, INDEX_LIMITS.catchUpMs, waits, () => undefined);
  }

  /**
   * Where many conversations recall at once, what the others said this very moment waits for the next of so many
   * writes: each of them costs a transaction here, and makes the search read the index from the file again.
   */
  #mayDrainForRecall(): boolean {
    const passed = this.#options.clock.now() - this.#drainsSince;
    // Less than nothing where the clock was set back.
    if (passed < 0 || passed >= INDEX_LIMITS.flushMs) {
      this.#drainsSince += passed;
      this.#recallDrains = 0;
    }
    this.#recallDrains += 1;
    return this.#recallDrains <= INDEX_LIMITS.recallDrainsMax;
  }

  /** One after the other. None rejects. */
  job(work: () => Promise<void>): Promise<void> {
    return this.#jobs.run(() => this.#attempt(work));
  }

  /** True where it was damage, and the index is a new one now. */
  failed(error: unknown): boolean {
    const detail = error instanceof Error ? error.message : String(error);
    this.lastError = detail.slice(0, INDEX_LIMITS.errorCharsMax);
    if (!isDamage(error)) {
      this.#options.log.warn("the index of memory is behind; it is tried again", { detail });
      return false;
    }
    if (this.#stopping.signal.aborted) return false;
    this.#events.onReplaced();
    this.#file.replaceDamaged(error);
    this.#sync = this.#syncOf(this.writer);
    this.lastSyncAt = undefined;
    this.#first = this.sweep();
    return true;
  }

  async settled(): Promise<void> {
    this.drain();
    await this.#jobs.settled();
  }

  async close(): Promise<void> {
    this.drain();
    this.#stopping.abort();
    await this.#jobs.settled();
    try {
      this.#file.close();
    } catch (error) {
      this.failed(error);
    }
  }

  /** The first look at all files; begun again where the index turned out to be damaged on the way. */
  async #readIn(): Promise<void> {
    let first: Promise<void> | undefined;
    while (this.#first !== first) {
      first = this.#first;
      await first;
    }
  }

  async #drainSoon(): Promise<void> {
    this.#flush = new AbortController();
    const { signal } = this.#flush;
    await this.#options.clock.sleep(INDEX_LIMITS.flushMs, signal);
    if (!signal.aborted) this.drain();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.failed(error);
    }
  }

  async #catchUp(): Promise<void> {
    for (const path of this.#behind) {
      if (this.#stopping.signal.aborted) return;
      this.#behind.delete(path);
      if (this.#events.isHidden(path)) continue;
      this.#current = path;
      try {
        await this.#sync.sync(path);
      } catch (error) {
        this.#behind.add(path);
        this.#stuck = true;
        throw error;
      } finally {
        this.#current = undefined;
      }
    }
    if (this.#stuck) this.lastError = undefined;
    this.#stuck = false;
    this.#events.onIndexed();
  }

  async #sweep(): Promise<void> {
    if (!this.#file.isInPlace) {
      this.#events.onReplaced();
      this.#file.reopen();
      this.#sync = this.#syncOf(this.writer);
    }
    await this.#sync.sweep(async (left) => {
      this.#left = left;
      if (this.#behind.size > 0) await this.#catchUp();
    });
    if (this.#stopping.signal.aborted) return;
    this.lastSyncAt = this.#options.clock.now();
    this.lastError = undefined;
    this.#events.onIndexed();
  }

  async #sweepNowAndThen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(INDEX_LIMITS.sweepMs, signal);
      if (!signal.aborted) await this.sweep();
    }
  }

  /** A watcher saw something. What we ourselves appended is in the index already. */
  #noticed(paths: ReadonlySet<string> | undefined): void {
    if (!paths) return void this.sweep();
    for (const path of paths) if (!this.#sync.isOwnAppend(path)) this.#behind.add(path);
    if (this.#behind.size > 0) void this.job(() => this.#catchUp());
  }

  #syncOf(writer: IndexWriter): IndexSync {
    return new IndexSync(writer, { ...this.#options, signal: this.#stopping.signal });
  }
}

interface WatchSourcesOptions {
  readonly home: string;
  readonly tenant: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Once for changes that come close together; `undefined` where it is not known what changed. */
  readonly onChange: (paths: ReadonlySet<string> | undefined) => void;
}

/** Watches conversations and notes. Watchers miss things; whoever calls looks through everything now and then too. */
function watchSources({ home, tenant, clock, log, signal, onChange }: WatchSourcesOptions): void {
  let changed = new Set<string>();
  let everything = false;
  let gathering = false;
  let more = false;
  const watchers: WatchedFolders[] = [];

  const gather = async () => {
    more = true;
    if (gathering) return;
    gathering = true;
    const { gatherMs, gatherMaxMs } = INDEX_LIMITS;
    for (let waited = 0; more && waited < gatherMaxMs && !signal.aborted; waited += gatherMs) {
      more = false;
      await clock.sleep(gatherMs, signal);
    }
    gathering = false;
    if (signal.aborted) return;
    const paths = everything ? undefined : changed;
    changed = new Set();
    everything = false;
    onChange(paths);
  };

  for (const kind of ["sessions", "memory"] as const) {
    const folder = join(home, kind, tenant);
    const noticed = (place: string | undefined) => {
      if (place === undefined) everything = true;
      else if (isSourceName(place)) changed.add(`${kind}/${tenant}/${place}`);
      else return;
      void gather();
    };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Conversations lie side by side; notes may lie in folders that the owner made.
      watchers.push(new WatchedFolders(folder, noticed, { withBelow: kind === "memory" }));
    } catch (error) {
      const code = errorCode(error) ?? "";
      log.warn("changes of a folder of memory are noticed late: it cannot be watched", { folder, code });
    }
  }
  signal.addEventListener("abort", () => {
    for (const each of watchers) each.close();
  });
}
