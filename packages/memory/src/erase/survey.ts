import { scopeOf, type EraseTarget } from "@elwood/core/erase/scope";
import type { EraseStore } from "@elwood/store-sqlite/sqlite-erase";
import { isPackedBackup, searchBytes } from "./bytes.ts";
import { eraseLines } from "./conversations.ts";
import type { EraseDeps } from "./erase-service.ts";
import { eraseNoteLines } from "./note-files.ts";
import type { ErasedCounts } from "./report.ts";

/** Everything that goes with a target, and the sessions in which something is going on that keeps it from going. Changes nothing. */
export async function survey(
  deps: EraseDeps,
  store: EraseStore,
  tenant: string,
  given: EraseTarget,
): Promise<{ readonly lost: ErasedCounts; readonly busy: readonly string[] }> {
  const { home, transcripts } = deps;
  const except = new Set(given.sessions);
  const wordBlobs = await blobsWith(home, tenant, given, store);
  let target: EraseTarget = { ...given, wordBlobs };
  // Once for what goes, and once more for what was made of it: calls that handed it out, recalled lines.
  const first = await eraseLines(transcripts, tenant, scopeOf(target), { apply: false, except });
  const places = first.lines.map(({ session, line }) => `sessions/${tenant}/${session}.jsonl#${line}`);
  target = {
    ...target,
    calls: union(target.calls, first.calls),
    places: given.kind === "word" ? [] : union(target.places, places),
  };
  const found = await store.find(tenant, { target, scope: scopeOf(target), messages: first.messages });
  target = { ...target, calls: union(target.calls, found.calls) };
  const scope = scopeOf(target);
  const conversations = await eraseLines(transcripts, tenant, scope, { apply: false, except });
  target = {
    ...target,
    said: union(target.said, conversations.places),
    summaries: union(target.summaries, conversations.summaries),
    blobs: union(target.blobs, [...conversations.blobs, ...wordBlobs]),
  };
  const lost: ErasedCounts = {
    target,
    notes: await eraseNoteLines(deps, tenant, target, scope, false),
    conversations,
    found,
    copies: await pathsWith(home, target, "undo"),
    backups: target.backups ? await backupsWith(home, target) : [],
    blobs: target.blobs,
  };
  const touched = new Set([...conversations.sessions, ...found.sessions, ...target.sessions]);
  const going = store.going(tenant);
  return { lost, busy: [...touched].filter((session) => going.has(session)) };
}

/** Files that were handed in and hold the word themselves. */
async function blobsWith(
  home: string,
  tenant: string,
  target: EraseTarget,
  store: EraseStore,
): Promise<readonly string[]> {
  if (target.kind !== "word") return target.wordBlobs;
  const paths = await pathsWith(home, target, "blobs");
  if (paths.length === 0) return target.wordBlobs;
  const bySha = store.blobs(tenant);
  return union(
    target.wordBlobs,
    paths.flatMap((path) => bySha.get(path.slice("blobs/".length)) ?? []),
  );
}

/** Those that hold it, and those that cannot be looked into. */
async function backupsWith(home: string, { needles }: EraseTarget): Promise<string[]> {
  const { found, unread } = await searchBytes(home, needles, "backups");
  return union(
    found.map(({ path }) => path),
    unread.filter(isPackedBackup),
  );
}

async function pathsWith(home: string, { needles }: EraseTarget, under: string): Promise<string[]> {
  return (await searchBytes(home, needles, under)).found.map(({ path }) => path);
}

function union(a: Iterable<string>, b: Iterable<string>): string[] {
  return [...new Set([...a, ...b])];
}
