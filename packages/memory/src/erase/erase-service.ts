import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { type EraseTarget, scopeOf } from "@elwood/core/erase/scope";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import type { Clock, Ids, Log, Person, RunStore, SessionStore } from "@elwood/runtime/ports/ports";
import { diskOperations, sizeOf } from "@elwood/store-sqlite/file-operations";
import type { EraseJob, EraseStore } from "@elwood/store-sqlite/sqlite-erase";
import { type BytesSearched, searchBytes, timesInFile } from "./bytes.ts";
import { eraseLines } from "./conversations.ts";
import { eraseNoteLines } from "./note-files.ts";
import {
  countsOf,
  type ErasedCounts,
  formsIn,
  OUT_OF_REACH,
  placesOf,
  remainsOf,
  totalOf,
} from "./report.ts";
import type { WordMentions } from "../notes/note-eraser.ts";
import { resolveTarget, type EraseRequest } from "./resolve.ts";
import { survey } from "./survey.ts";
import type { SearchTerms } from "@elwood/core/erase/search-terms";
import type { Engine } from "@elwood/runtime/run/engine";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { MemoryIndex } from "../memory-index.ts";
import type { Notes } from "../notes/notes.ts";
import type { FileTranscripts } from "@elwood/store-sqlite/file-transcripts";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import type { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";

interface EraseOptions {
  /** Own backups of the database go too, where they hold it. */
  readonly backups?: boolean;
  /** The number of things that somebody was shown; another one by now is not forgotten. */
  readonly confirm?: number;
}

/** So many mentions of a word are shown to whoever is asked about them. */
const MENTIONS_SHOWN_MAX = 20;

/**
 * Erases content everywhere: files, rows, indexes, copies and summaries; then searches the raw bytes for remains.
 *
 * D1 The target is computed and recorded before anything is removed. Every step is idempotent; `resume`
 *    finishes what a crash interrupted.
 * D2 Nothing is half erased silently: while a run that contains it is active, the whole request is refused.
 * D3 The answer says what was removed, where it is still found, and what is out of reach.
 * D4 Receipts stay and still verify. A new one says that something was erased, not what.
 */
export class EraseService {
  readonly #deps: EraseDeps;
  readonly #turns = keyedMutex();
  #store: Promise<EraseStore> | undefined;

  constructor(deps: EraseDeps) {
    this.#deps = deps;
  }

  /** What would be erased. Changes nothing. */
  async plan(
    tenant: string,
    what: EraseRequest,
    { backups = false }: EraseOptions = {},
  ): Promise<WireForgetReport> {
    const target = await resolveTarget(this.#deps, tenant, what, backups);
    const { lost, busy } = await survey(this.#deps, await this.#opened(), tenant, target);
    const searched = await searchBytes(this.#deps.home, target.needles);
    const untouched = searched.found.filter(
      ({ path }) => YOURS.test(path) || (!backups && path.startsWith("backups/")),
    );
    return this.#report(tenant, lost, busy, { ...searched, found: untouched }, []);
  }

  /** What notes and ended runs say with a word, without a search through bytes: the same until one of them changes. */
  async find(tenant: string, word: string): Promise<WordMentions> {
    const target = await resolveTarget(this.#deps, tenant, { kind: "word", word }, false);
    const { lost } = await survey(this.#deps, await this.#opened(), tenant, target);
    const said = lost.conversations.lines.filter(({ what }) => what === "message" || what === "damaged");
    return {
      noteLines: lost.notes.length,
      notes: new Set(lost.notes.map(({ source }) => source)).size,
      messages: said.length,
      conversations: new Set(said.map(({ session }) => session)).size,
      calls: lost.found.calls.length,
      texts: placesOf(lost, tenant)
        .filter(({ kind, text }) => (kind === "note" || kind === "message") && text !== "")
        .map(({ text }) => text)
        .slice(0, MENTIONS_SHOWN_MAX),
    };
  }

  forget(
    tenant: string,
    what: EraseRequest,
    by: Person,
    options: EraseOptions = {},
  ): Promise<WireForgetReport> {
    return this.#turns.run(tenant, async () => {
      const target = await resolveTarget(this.#deps, tenant, what, options.backups ?? false);
      const { lost, busy } = await survey(this.#deps, await this.#opened(), tenant, target);
      const total = totalOf(countsOf(lost));
      if (options.confirm !== undefined && options.confirm !== total)
        fail(
          "CONFLICT",
          `There are ${total} things to forget now, not ${options.confirm}. Nothing was forgotten; look again first.`,
        );
      if (busy.length > 0) fail("CONFLICT", stillGoing(busy));
      const { clock, ids } = this.#deps;
      const job: EraseJob = { id: ids.next("receipt"), target: lost.target, by, at: clock.now() };
      (await this.#opened()).begin(tenant, job);
      return this.#perform(tenant, job, lost);
    });
  }

  /**
   * Notes down what a call is about to remove: its copies in the conversation it is made in
   * can go only once that is over. Durable when it resolves; nothing where nothing is meant.
   */
  async traces(tenant: string, what: EraseRequest, run?: string): Promise<void> {
    const resolved = await resolveTarget(this.#deps, tenant, what, false);
    const target = run === undefined ? resolved : { ...resolved, askedIn: run };
    const { clock, ids } = this.#deps;
    const by = { id: "gateway", surface: "tool" };
    (await this.#opened()).begin(tenant, { id: ids.next("receipt"), target, by, at: clock.now() });
  }

  /** Resolves once what has begun is done. */
  settled(): Promise<void> {
    return this.#turns.settled();
  }

  /** How many erasures are unfinished. */
  async waiting(tenant: string): Promise<number> {
    return this.#deps.pending(tenant) ? (await this.#opened()).jobs(tenant).length : 0;
  }

  /** Finishes pending erasures that no active run blocks. Returns how many. */
  resume(tenant: string): Promise<number> {
    return this.#turns.run(tenant, async () => {
      const store = await this.#opened();
      let done = 0;
      for (const job of store.jobs(tenant)) {
        const { lost, busy } = await survey(this.#deps, store, tenant, job.target);
        if (busy.length > 0) continue;
        await this.#perform(tenant, job, lost);
        done += 1;
      }
      if (done > 0) this.#deps.log.info("finished forgetting what was begun before", { count: done });
      return done;
    });
  }

  async #perform(tenant: string, job: EraseJob, lost: ErasedCounts): Promise<WireForgetReport> {
    const store = await this.#opened();
    const { home, transcripts, engine, ledger } = this.#deps;
    const { target } = lost;
    const scope = scopeOf(target);
    const gone = new Set(target.sessions);

    const conversations = await eraseLines(transcripts, tenant, scope, { apply: true, except: gone });
    for (const session of gone) await transcripts.remove(tenant, session);
    await eraseNoteLines(this.#deps, tenant, target, scope, true);

    const found = await store.find(tenant, { target, scope, messages: lost.conversations.messages });
    store.erase(tenant, target, found, job.at);
    const sessions = new Set([...conversations.sessions, ...found.sessions, ...gone]);
    engine.clearCache(tenant, sessions);
    this.#deps.conversations().clearCache();
    this.#deps.forgetLog(scope.matches);

    const blobs = await this.#dropBlobs(tenant, target, store);
    const sources = [...sessions].map((session) => `sessions/${tenant}/${session}.jsonl`);
    await refreshIndex(this.#deps, [...sources, ...lost.notes.map(({ source }) => source)]);
    for (const path of [...lost.copies, ...lost.backups]) await rm(join(home, path), { force: true });
    await dropDisposable(this.#deps, target.needles);
    store.scour(await this.#isSmall());

    const counts = countsOf({ ...lost, blobs });
    const receiptId = await noteForgotten(ledger, tenant, job, { ...counts, total: totalOf(counts) });
    store.done(tenant, job.id);
    store.scour(false);
    const { searched, tables } = await this.#prove(target, store);
    for (const session of gone) engine.announce(tenant, { sessionKey: session, what: "deleted" });
    for (const session of sessions)
      if (!gone.has(session)) engine.announce(tenant, { sessionKey: session, what: "forgotten" });
    const report = this.#report(tenant, { ...lost, blobs }, [], searched, tables);
    return { ...report, done: true, receiptId };
  }

  /** Looks for it in the bytes; where it is in one of the databases without a row that holds it, that is written anew. */
  async #prove(target: EraseTarget, store: EraseStore) {
    const { home } = this.#deps;
    let searched = await searchBytes(home, target.needles);
    const inIndex = searched.found.some(({ path }) => path.startsWith("memory.db"));
    const inDatabase = searched.found.some(({ path }) => path.startsWith("elwood.db"));
    let tables: Awaited<ReturnType<EraseStore["standsIn"]>> = [];
    if (inIndex) await emptyIndex(this.#deps, target.needles);
    if (inDatabase) {
      tables = await store.standsIn(scopeOf(target).matches);
      store.scour(true);
    }
    if (inIndex || inDatabase) searched = await searchBytes(home, target.needles);
    return { searched, tables };
  }

  #report(
    tenant: string,
    lost: ErasedCounts,
    busy: readonly string[],
    searched: BytesSearched,
    tables: readonly { readonly table: string; readonly rows: number }[],
  ): WireForgetReport {
    const removed = countsOf(lost);
    const { kind, needles } = lost.target;
    return {
      done: false,
      kind,
      total: totalOf(removed),
      removed,
      places: placesOf(lost, tenant),
      ...(kind === "word" ? { forms: formsIn(lost, needles.texts[0] ?? "") } : {}),
      busy: [...busy],
      still: remainsOf(searched, tables),
      searched: { files: searched.files, bytes: searched.bytes },
      unread: [...searched.unread],
      outOfReach: [...OUT_OF_REACH],
    };
  }

  /** Those that nothing names any more. */
  async #dropBlobs(tenant: string, target: EraseTarget, store: EraseStore): Promise<string[]> {
    const free: string[] = [];
    for (const id of target.blobs) {
      if (store.namesBlob(tenant, id)) continue;
      const inFiles = await searchBytes(this.#deps.home, { fold: false, texts: [id] }, `sessions/${tenant}`);
      if (inFiles.found.length === 0) free.push(id);
    }
    for (const sha of store.dropBlobs(tenant, free))
      await rm(join(this.#deps.home, "blobs", sha), { force: true });
    return free;
  }

  async #isSmall(): Promise<boolean> {
    const size = (await sizeOf(diskOperations, join(this.#deps.home, "elwood.db"))) ?? 0;
    return size <= LIMITS.forgetVacuumBytesMax;
  }

  #opened(): Promise<EraseStore> {
    return (this.#store ??= this.#deps.open());
  }
}

/** Files that Elwood does not touch. */
const YOURS = /^(?:workspace|files)\/|^config\.yaml$/;

function stillGoing(busy: readonly string[]): string {
  return `Something is going on in ${busy.join(", ")}, which holds it. Nothing was forgotten. Wait until it is over, or stop it, then try again.`;
}

/** D4; once for each job, also where a crash came between it and the end of the job. */
async function noteForgotten(
  ledger: EraseDeps["ledger"],
  tenant: string,
  { id, target, by }: EraseJob,
  counts: Readonly<Record<string, number>>,
): Promise<string> {
  const known = await ledger.receipts(tenant, { types: ["memory.forgotten"], limit: 20 });
  const there = known.find((one) => isReceipt(one, "memory.forgotten") && one.payload.forgetId === id);
  if (there) return there.id;
  const written = await ledger.write(tenant, {
    receipts: [
      {
        type: "memory.forgotten",
        runId: target.askedIn ?? "",
        actor: by.id,
        surface: by.surface,
        payload: { forgetId: id, kind: target.kind, removed: counts },
      },
    ],
    changes: [],
  });
  return written.ok ? (written.value[0]?.id ?? "") : "";
}

type IndexDeps = Pick<EraseDeps, "home" | "index">;

/** The index follows the files at once, and what left it leaves its bytes. */
async function refreshIndex({ index }: IndexDeps, sources: readonly string[]): Promise<void> {
  const open = await index();
  if (!open) return;
  for (const source of new Set(sources)) await open.refresh(source);
  await open.settled();
  open.truncateLog();
}

/** Remains of the index that nobody needs: a damaged one, and one that is turned off, are made of files anyway. */
async function dropDisposable({ home, index }: IndexDeps, needles: SearchTerms): Promise<void> {
  const names = ["memory.db.corrupt", "memory.db.corrupt-wal", "memory.db.corrupt-shm"];
  if (!(await index())) names.push("memory.db", "memory.db-wal", "memory.db-shm");
  const paths = names.map((name) => join(home, name));
  for (const path of paths) if ((await timesInFile(path, needles)) > 0) await rm(path, { force: true });
}

/** It stands in the index's bytes although its rows are gone, or its source holds it: then the whole index is made anew. */
async function emptyIndex({ home, index }: IndexDeps, needles: SearchTerms): Promise<void> {
  const open = await index();
  await open?.rebuild();
  open?.truncateLog();
  await dropDisposable({ home, index }, needles);
}

/** Everything that may contain what is to be erased. */
export interface EraseDeps {
  /** The state directory. */
  readonly home: string;
  readonly open: () => Promise<EraseStore>;
  /** Whether something was begun and not finished. */
  readonly pending: (tenant: string) => boolean;
  readonly notes: Notes;
  readonly origins: Pick<NoteOrigins, "forget">;
  readonly sessions: Pick<SessionStore, "get">;
  readonly runs: Pick<RunStore, "get">;
  readonly transcripts: FileTranscripts;
  readonly ledger: Pick<Ledger, "write" | "receipts">;
  readonly index: () => Promise<
    Pick<MemoryIndex, "refresh" | "truncateLog" | "rebuild" | "settled"> | undefined
  >;
  readonly engine: Pick<Engine, "clearCache" | "announce">;
  readonly conversations: () => Pick<ConversationProvenance, "clearCache">;
  /** Removes matching lines from the in-memory log. */
  readonly forgetLog: (matches: (text: string) => boolean) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
