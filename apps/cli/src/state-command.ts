import { fail } from "@elwood/core/base/failure";
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
import { gatewayText, say, sayCount, type Sentence } from "./words/say.ts";

export interface StateDeps {
  readonly paths: StatePaths;
  readonly clock: Clock;
}

const WORDS: Readonly<Record<StatePart["name"], Sentence>> = {
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
  ] as const;
  const rows = size.parts.map(({ name, bytes, files }) => [
    say(io, name),
    sizeText(bytes),
    String(files),
    say(io, WORDS[name]),
  ]);
  io.stdout.write(table(io, columns, rows));
  io.stdout.write(
    `\n${say(io, "{0} in {1}; {2} left on its disk.", sizeText(size.bytes), home, sizeText(size.freeBytes))}\n`,
  );
  io.stdout.write(`${say(io, "What nothing needs any more goes with: {0} state prune", ownName(io.env))}\n`);
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
    if (!(await confirm(io, say(io, "Do it?")))) {
      io.stdout.write(`${say(io, "Nothing was removed.")}\n`);
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
  const would = dryRun ? say(io, "Would go") : say(io, "Gone");
  if (conversations.length > 0) {
    const many = sayCount(io, conversations.length, "1 conversation", "{0} conversations");
    const where = dryRun
      ? say(io, "{0} that nobody touched would go to the trash:", many)
      : say(io, "{0} that nobody touched are in the trash, for 30 days:", many);
    io.stdout.write(`${where}\n`);
    for (const { title } of conversations.slice(0, TITLES_SHOWN))
      io.stdout.write(`  ${visibleText(title)}\n`);
    if (conversations.length > TITLES_SHOWN)
      io.stdout.write(`  ${say(io, "and {0} more", conversations.length - TITLES_SHOWN)}\n`);
  }
  if (emptied > 0)
    io.stdout.write(
      `${say(io, "{0} left the trash for good.", sayCount(io, emptied, "1 conversation", "{0} conversations"))}\n`,
    );
  if (attachments.count > 0)
    io.stdout.write(
      `${say(io, "{0}: {1} that nothing names ({2}).", would, sayCount(io, attachments.count, "1 attachment", "{0} attachments"), sizeText(attachments.bytes))}\n`,
    );
  if (cacheBytes > 0) io.stdout.write(`${say(io, "{0}: the cache ({1}).", would, sizeText(cacheBytes))}\n`);
  if (compacted === "no room")
    io.stdout.write(
      `${say(io, "The database was not written anew: that takes its size twice in free space.")}\n`,
    );
  if (how === "dry run") io.stdout.write(`${say(io, "Nothing was removed: this was a dry run.")}\n`);
  if (dryRun) return;
  const freed = Math.max(0, before.bytes - after.bytes);
  const mark = markOf(paintFor(io), receipts.status === "intact" ? CALL_WORDS.succeeded : CALL_WORDS.failed);
  io.stdout.write(
    `${mark} ${say(io, "{0} freed, {1} left.", sizeText(freed), sizeText(after.bytes))} ${gatewayText(io, verdictWords(receipts))}\n`,
  );
}
