import { fail } from "@elwood/core/base/failure";
import { counted } from "@elwood/core/base/relative-time";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { sizeText } from "@elwood/core/base/size-text";
import { pruneState, type Pruned } from "@elwood/gateway/state/prune-state";
import { stateSize, type StatePart } from "@elwood/gateway/state/state-size";
import type { StatePaths } from "@elwood/platform/state-paths";
import { isMissing } from "@elwood/platform/system-error";
import type { Clock } from "@elwood/runtime/ports/ports";
import { verdictWords } from "@elwood/store-sqlite/receipts/verify";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { markOf, paintFor } from "./paint.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";

export interface StateDeps {
  readonly paths: StatePaths;
  readonly clock: Clock;
}

const WORDS: Readonly<Record<StatePart["name"], string>> = {
  database: "sessions, runs and receipts; elwood.db",
  index: "what memory is searched with; can be deleted",
  conversations: "what was said; sessions/",
  attachments: "pictures and files; blobs/",
  undo: "copies for undoing, 30 days at most; undo/",
  notes: "memory/",
  files: "yours: files/ and workspace/",
  backups: "backups/, and what restores put aside",
  cache: "can be deleted; cache/",
  parts: "what elwood install brought; parts/",
  logs: "log files",
  other: "keys, settings and the rest",
};

/** `elwood state`: how much of the data folder is what. */
export async function showState(io: Io, deps: StateDeps, json: boolean): Promise<number> {
  const { home } = deps.paths;
  const size = await stateSize(home).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return fail("NOT_FOUND", `There is no data folder yet: ${home}. The first start makes it.`);
  });
  if (json) {
    io.stdout.write(`${JSON.stringify({ home, ...size })}\n`);
    return EXIT.ok;
  }
  const columns = [
    { title: "PART" },
    { title: "SIZE" },
    { title: "FILES" },
    { title: "HOLDS", flexible: true },
  ];
  const rows = size.parts.map(({ name, bytes, files }) => [
    name,
    sizeText(bytes),
    String(files),
    WORDS[name],
  ]);
  io.stdout.write(table(columns, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  io.stdout.write(`\n${sizeText(size.bytes)} in ${home}; ${sizeText(size.freeBytes)} left on its disk.\n`);
  io.stdout.write(`What nothing needs any more goes with: ${ownName(io.env)} state prune\n`);
  return EXIT.ok;
}

export interface PruneFlags {
  readonly olderThanDays?: number;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

/** `elwood state prune` */
export async function prune(io: Io, deps: StateDeps, flags: PruneFlags): Promise<number> {
  const { olderThanDays: days, dryRun } = flags;
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= 36_500))
    fail("INVALID_INPUT", "--older-than takes a whole number of days, from 1. Nothing was removed.");
  const request = { ...deps, ...(days === undefined ? {} : { idleMs: days * DAY_MS }) };
  if (!dryRun && !flags.yes && days !== undefined) {
    const planned = await pruneState({ ...request, dryRun: true });
    tell(io, planned, "planned");
    if (!canAsk(io))
      return fail("INVALID_INPUT", "Nothing was removed. Add --yes to do it, where nobody can be asked.");
    if (!(await confirm(io, "Do it?"))) {
      io.stdout.write("Nothing was removed.\n");
      return EXIT.denied;
    }
  }
  const pruned = await pruneState({ ...request, dryRun });
  if (flags.json) io.stdout.write(`${JSON.stringify({ dryRun, ...pruned })}\n`);
  else tell(io, pruned, dryRun ? "dry run" : "done");
  return pruned.receipts.status === "intact" ? EXIT.ok : EXIT.failed;
}

const TITLES_SHOWN = 10;

function tell(io: Io, pruned: Pruned, how: "planned" | "dry run" | "done"): void {
  const { conversations, emptied, attachments, cacheBytes, compacted, before, after, receipts } = pruned;
  const dryRun = how !== "done";
  const would = dryRun ? "Would go" : "Gone";
  if (conversations.length > 0) {
    const where = dryRun ? "would go to the trash" : "are in the trash, for 30 days";
    io.stdout.write(`${counted(conversations.length, "conversation")} that nobody touched ${where}:\n`);
    for (const { title } of conversations.slice(0, TITLES_SHOWN))
      io.stdout.write(`  ${visibleText(title)}\n`);
    if (conversations.length > TITLES_SHOWN)
      io.stdout.write(`  and ${conversations.length - TITLES_SHOWN} more\n`);
  }
  if (emptied > 0) io.stdout.write(`${counted(emptied, "conversation")} left the trash for good.\n`);
  if (attachments.count > 0)
    io.stdout.write(
      `${would}: ${counted(attachments.count, "attachment")} that nothing names (${sizeText(attachments.bytes)}).\n`,
    );
  if (cacheBytes > 0) io.stdout.write(`${would}: the cache (${sizeText(cacheBytes)}).\n`);
  if (compacted === "no room")
    io.stdout.write("The database was not written anew: that takes its size twice in free space.\n");
  if (how === "dry run") io.stdout.write("Nothing was removed: this was a dry run.\n");
  if (dryRun) return;
  const freed = Math.max(0, before.bytes - after.bytes);
  const mark = markOf(paintFor(io), receipts.status === "intact" ? CALL_WORDS.succeeded : CALL_WORDS.failed);
  io.stdout.write(
    `${mark} ${sizeText(freed)} freed, ${sizeText(after.bytes)} left. ${verdictWords(receipts)}\n`,
  );
}
