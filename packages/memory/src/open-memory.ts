import { LIMITS } from "@elwood/core/base/limits";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { Redactor } from "@elwood/core/base/redact";
import type { SessionChange } from "@elwood/runtime/run/engine";
import type { Clock, Log, SessionStore } from "@elwood/runtime/ports/ports";
import type { StatePaths } from "@elwood/platform/state-paths";
import type { TranscriptChange } from "@elwood/store-sqlite/file-transcripts";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import { INDEX_LIMITS } from "./index/limits.ts";
import type { SemanticSearch } from "./search/semantic-search.ts";
import { writeFacts } from "./index/fact-table.ts";
import type { MemoryIndex } from "./memory-index.ts";
import type { OriginOfLine } from "./notes/note-turns.ts";

export interface MemoryDeps {
  readonly enabled: boolean;
  readonly paths: Pick<StatePaths, "home" | "memoryDatabase">;
  readonly tenant: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  /** Made when the index is opened, where the owner named an embedder. */
  readonly semanticSearch?: () => Promise<SemanticSearch | undefined>;
  /** Asked for when the index is opened, not before. */
  readonly stores: () => {
    readonly sessions: Pick<SessionStore, "list">;
    readonly noteOrigins: Pick<NoteOrigins, "of">;
  };
}

/**
 * The way to the index. Its file is not touched before somebody asks for it, or `start` was
 * called and the gateway has had a moment to itself: a start waits for nothing here.
 */
export class Memory {
  readonly #deps: MemoryDeps;
  readonly #stopping = new AbortController();
  #opening: Promise<MemoryIndex | undefined> | undefined;
  #index: MemoryIndex | undefined;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
  }

  /** undefined where the owner turned memory off, where the disk refuses it, or once the gateway stops. */
  index(): Promise<MemoryIndex | undefined> {
    if (!this.#deps.enabled || this.#stopping.signal.aborted) return Promise.resolve(undefined);
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Begins to keep the index in step, soon. */
  async start(): Promise<void> {
    if (!this.#deps.enabled) return;
    await this.#deps.clock.sleep(INDEX_LIMITS.firstSweepMs, this.#stopping.signal);
    await this.index();
  }

  /** Gives back what is only kept to be quick. */
  rest(): void {
    this.#index?.rest();
  }

  /** What happens before the index is open is found by its first sweep. */
  transcriptChanged(change: TranscriptChange): void {
    this.#index?.transcriptChanged(change);
  }

  /** Whoever teaches the redactor calls this: what was said before counts too. */
  secretsLearned(): void {
    void this.#index?.redactAgain();
  }

  sessionChanged(tenant: string, { sessionKey, what }: SessionChange): void {
    if (tenant !== this.#deps.tenant) return;
    if (what === "deleted") void this.#index?.sessionTrashed(sessionKey);
    if (what === "restored") void this.#index?.sessionRestored(sessionKey);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await (await this.#opening)?.close();
  }

  async #open(): Promise<MemoryIndex | undefined> {
    const { paths, tenant, clock, log, redact, stores } = this.#deps;
    // Its search brings word lists of many languages, which a start has no use for.
    const { MemoryIndex } = await import("./memory-index.ts");
    try {
      const semanticSearch = await this.#deps.semanticSearch?.();
      const index = new MemoryIndex({
        home: paths.home,
        path: paths.memoryDatabase,
        tenant,
        clock,
        log,
        redact,
        trashed: () => trashedSessions(stores().sessions, tenant),
        originsOfNote: async () => onceForEach((line) => stores().noteOrigins.of(tenant, line)),
        noteIndexed: (writer, source, text, originOf) =>
          writeFacts(writer, source.id, redact(text), originOf),
        ...(semanticSearch ? { semanticSearch } : {}),
      });
      this.#index = index;
      void index.start();
      return index;
    } catch (error) {
      log.error(
        "memory cannot be searched: its index could not be opened. Conversations and notes are not touched",
        {
          path: paths.memoryDatabase,
          error,
        },
      );
      this.#opening = undefined;
      return undefined;
    }
  }
}

/** A line of a note is asked about for its turn and for its fact. */
function onceForEach(originOf: OriginOfLine): OriginOfLine {
  const known = new Map<string, MemoryOrigin>();
  return (line) => {
    const origin = known.get(line) ?? originOf(line);
    known.set(line, origin);
    return origin;
  };
}

async function trashedSessions(sessions: Pick<SessionStore, "list">, tenant: string): Promise<Set<string>> {
  const trashed = new Set<string>();
  let before: string | undefined;
  for (let page = 0; page < INDEX_LIMITS.trashPagesMax; page++) {
    const found = await sessions.list(tenant, {
      limit: LIMITS.pageSizeMax,
      deleted: true,
      ...(before === undefined ? {} : { before }),
    });
    for (const { id } of found.sessions) trashed.add(id);
    if (found.next === undefined) break;
    before = found.next;
  }
  return trashed;
}
