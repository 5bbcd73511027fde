import { setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import { READ_PRAGMAS } from "../index/schema.ts";
import type { QueryVector, searchTurns } from "./hybrid-search.ts";
import { SearchedIndex } from "./searched-index.ts";
import { loadSqliteVec } from "../index/sqlite-vec.ts";
import { toldHits } from "../told-hits.ts";

export type SearchTask = {
  readonly id: number;
  readonly query: MemoryQuery;
  readonly queryVector?: QueryVector;
};
export type ThreadAnswer =
  /** It can search from now on. */
  | { readonly isReady: true }
  | { readonly id: number; readonly hits: readonly MemoryHit[] }
  | { readonly id: number; readonly error: { readonly message: string; readonly errcode?: number } };

/** How far searches stand back where there are fewer cores than there is work: they get a third of what others get. */
export const SEARCH_NICENESS = 5;

/** What a thread for searches does: a connection of its own that cannot write, and one task at a time. */
export function serveSearches(search: typeof searchTurns): void {
  standBack();
  const { path } = workerData as { path: string };
  const db = new DatabaseSync(path, { readOnly: true, allowExtension: true });
  db.exec(READ_PRAGMAS);
  // It was opened for reading only; what searches note for themselves is a table of this connection, in memory.
  db.exec("PRAGMA query_only = OFF; PRAGMA temp_store = MEMORY");
  const index = new SearchedIndex(db, { keeps: true });
  let native: boolean | undefined;
  parentPort?.on("message", ({ id, query, queryVector }: SearchTask) => {
    let answer: ThreadAnswer;
    try {
      if (queryVector?.native) native ??= loadSqliteVec(db);
      const hits = search(db, query, queryVector && { ...queryVector, native: native === true }, index);
      answer = { id, hits: query.onlyTold === true ? toldHits(hits, query.text) : hits };
    } catch (error) {
      const { message, errcode } = error as { message: string; errcode?: number };
      answer = { id, error: { message, ...(errcode === undefined ? {} : { errcode }) } };
    }
    post(answer);
  });
  post({ isReady: true });
}

/**
 * A search that begins must not push the thread off its core that answers everybody. Only on Linux does a thread have
 * a priority of its own; elsewhere this would slow down the whole process.
 */
function standBack(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(SEARCH_NICENESS);
  } catch {
    // Where that is forbidden, searches compete like any other thread.
  }
}

function post(answer: ThreadAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer);
}
