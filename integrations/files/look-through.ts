import { fstatSync } from "node:fs";
import { availableParallelism } from "node:os";
import { FileProblem } from "./file-problem.ts";
import type { FilesKit } from "./kit.ts";
import {
  type FoundEntry,
  type FoundMatch,
  Look,
  type LookEnd,
  type LookNews,
  type LookTask,
} from "./look.ts";
import { type LookThreads, THREADS_MAX } from "./look-threads.ts";
import { matcher } from "./match-lines.ts";
import type { Place } from "./scope.ts";

/** A thread that is told to stop by its clock gets so long to say what it has. */
const GRACE_MS = 500;

export interface Looked extends LookEnd {
  readonly entries: readonly FoundEntry[];
  readonly matches: readonly FoundMatch[];
  readonly searched: number;
}

/** What the thread is told that the tools do not know. */
type Asked = Omit<LookTask, "folder" | "throughDescriptors" | "closed" | "deniedIdentities" | "until">;

/**
 * Looks through a folder in a thread of its own. Stops with the signal, and at the end of its time with what was
 * found by then.
 */
export async function lookThrough(
  kit: FilesKit,
  place: Place,
  asked: Asked,
  signal: AbortSignal,
): Promise<Looked> {
  refuseNoExpression(asked);
  const [closed, denied] = await Promise.all([kit.scope.closed(), kit.scope.deniedIdentities()]);
  return kit.opener.inFolder(place, (folder) => {
    const task: LookTask = {
      ...asked,
      folder: { path: folder.path, fd: folder.handle.fd },
      throughDescriptors: kit.opener.throughDescriptors,
      closed,
      deniedIdentities: [...denied],
      until: Date.now() + kit.limits.searchMs,
    };
    return isSmall(task) ? here(task) : inThreads(kit.threads, task, kit.limits.searchMs + GRACE_MS, signal);
  });
}

/** One folder of a few thousand names takes less time than starting a thread. */
function isSmall({ search, depthMax, folder }: LookTask): boolean {
  return search === undefined && depthMax === 1 && fstatSync(folder.fd).size <= SMALL_FOLDER_BYTES;
}

const SMALL_FOLDER_BYTES = 128 * 1024;

async function here(task: LookTask): Promise<Looked> {
  const entries: FoundEntry[] = [];
  let end: LookEnd | undefined;
  new Look(task, (news) => {
    if ("over" in news) end = news.over;
    else entries.push(...news.entries);
  }).run();
  return { ...end!, entries, matches: [], searched: 0 };
}

/** Shared by as many threads as there are processors for. */
async function inThreads(
  threads: LookThreads,
  task: LookTask,
  ms: number,
  signal: AbortSignal,
): Promise<Looked> {
  const of = Math.min(THREADS_MAX, availableParallelism());
  if (of === 1) return inThread(threads, task, ms, signal);
  const parts = await Promise.all(
    Array.from({ length: of }, (_, index) =>
      inThread(threads, { ...task, share: { index, of } }, ms, signal),
    ),
  );
  const matches = parts
    .flatMap((part) => part.matches)
    .toSorted((a, b) => byNames(a.names, b.names) || a.line - b.line);
  const entries = parts.flatMap((part) => part.entries).toSorted((a, b) => byNames(a.names, b.names));
  const sum = (count: (part: Looked) => number) => parts.reduce((total, part) => total + count(part), 0);
  return {
    entries: entries.slice(0, task.entriesMax),
    matches: matches.slice(0, task.entriesMax),
    searched: sum((part) => part.searched),
    complete: parts.every((part) => part.complete) && matches.length + entries.length <= task.entriesMax,
    leftOut: sum((part) => part.leftOut),
    ignored: sum((part) => part.ignored),
    large: sum((part) => part.large),
  };
}

/** Folders before what is in them. */
export function byNames(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((name, i) => name !== b[i]);
  if (at < 0) return a.length - b.length;
  return b[at] === undefined || a[at]! > b[at] ? 1 : -1;
}

async function inThread(
  threads: LookThreads,
  task: LookTask,
  ms: number,
  signal: AbortSignal,
): Promise<Looked> {
  signal.throwIfAborted();
  const worker = threads.take();
  const entries: FoundEntry[] = [];
  const matches: FoundMatch[] = [];
  let searched = 0;
  let isOver = false;
  const { promise, resolve, reject } = Promise.withResolvers<LookEnd>();
  const given = () => resolve({ complete: false, leftOut: 0, ignored: 0, large: 0 });
  worker.on("message", (news: LookNews) => {
    if ("over" in news) {
      isOver = true;
      resolve(news.over);
      return;
    }
    entries.push(...news.entries);
    matches.push(...news.matches);
    searched += news.searched;
  });
  worker.once("error", reject);
  worker.once("exit", given);
  const timer = setTimeout(given, ms);
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(task);
  try {
    return { ...(await promise), entries, matches, searched };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    // One that still looks may look for ever: it ends here, and with it the folders that it opened.
    if (isOver) threads.keep(worker);
    else await worker.terminate();
  }
}

function refuseNoExpression({ search }: Asked): void {
  if (search === undefined) return;
  try {
    matcher(search.pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FileProblem("no-match", `This is not a regular expression: ${error.message}`);
  }
}
