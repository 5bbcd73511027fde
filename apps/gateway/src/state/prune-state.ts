import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { acquireLock } from "@elwood/platform/lock";
import type { StatePaths } from "@elwood/platform/state-paths";
import { isMissing } from "@elwood/platform/system-error";
import type { Session } from "@elwood/core/message/session";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { openStores, type OpenedStores } from "@elwood/store-sqlite/open-stores";
import { readLastSigned, readPublicKey } from "@elwood/store-sqlite/receipts/log-key";
import { verifyReceipts, type Verification } from "@elwood/store-sqlite/receipts/verify";
import { sweepTrash } from "@elwood/store-sqlite/sweep-trash";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { stateSize, type StateSize } from "./state-size.ts";
import { unfinishedRestore } from "../backup/unfinished-restore.ts";

export interface PruneRequest {
  readonly paths: StatePaths;
  readonly clock: Clock;
  /** Conversations that nobody touched for so long go to the trash; none unless told. */
  readonly idleMs?: number;
  readonly dryRun: boolean;
}

export interface Pruned {
  /** Put into the trash, from which they can be taken for 30 days. */
  readonly conversations: readonly { readonly id: string; readonly title: string }[];
  /** Destroyed, because they were in the trash for long enough; not known before it is done. */
  readonly emptied: number;
  readonly attachments: { readonly count: number; readonly bytes: number };
  readonly cacheBytes: number;
  /** Whether the database was written anew, which gives back what it does not need. */
  readonly compacted: "yes" | "no room" | "dry run";
  readonly before: StateSize;
  readonly after: StateSize;
  /** Of the receipts, when all was done. */
  readonly receipts: Verification;
}

const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {} };
/** A file may have been handed in and not been sent yet. */
const FRESH_MS = 7 * 24 * 60 * 60_000;
const PAGE = 200;

/**
 * Gives back space that nothing needs. Conversations only ever go to the trash; receipts are neither changed nor
 * removed, and are verified at the end. No gateway may run: the database is written anew.
 */
export async function pruneState(request: PruneRequest): Promise<Pruned> {
  const { paths, dryRun } = request;
  if ((await unfinishedRestore(paths.home)) !== undefined)
    fail("CONFLICT", "A restore was broken off. Nothing was removed. First: elwood backup restore --finish");
  const lock =
    acquireLock(paths.gatewayLock) ??
    fail("CONFLICT", `Elwood runs on ${paths.home}. Nothing was removed. Stop it, then try again.`);
  try {
    const before = await stateSize(paths.home);
    const done = await withStores(request, async (stores) => ({
      ...(await prune(stores, request)),
      compacted: dryRun ? ("dry run" as const) : await compact(stores, paths, before),
      receipts: await verifyAll(stores, paths),
    }));
    return { ...done, before, after: await stateSize(paths.home) };
  } finally {
    lock.release();
  }
}

async function withStores<T>(
  { paths, clock }: PruneRequest,
  work: (stores: OpenedStores) => Promise<T>,
): Promise<T> {
  const stores = await openStores({ paths, clock, log: SILENT });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

async function prune(stores: OpenedStores, { paths, clock, idleMs, dryRun }: PruneRequest) {
  const now = clock.now();
  const conversations: Pruned["conversations"][number][] = [];
  const attachments = { count: 0, bytes: 0 };
  let emptied = 0;
  for (const tenant of new Set([DEFAULT_TENANT, ...stores.tenants()])) {
    const idle = idleMs === undefined ? [] : await idleSessions(stores, tenant, now - idleMs);
    for (const { id, title } of idle) {
      conversations.push({ id, title });
      if (!dryRun) await stores.sessions.trash(tenant, id, now);
    }
    if (!dryRun) emptied += await sweepTrash({ stores, clock, log: SILENT }, tenant);
    const unused = await dropAttachments(stores, tenant, { paths, before: now - FRESH_MS, dryRun });
    attachments.count += unused.count;
    attachments.bytes += unused.bytes;
  }
  const cache = join(paths.home, "cache");
  const { parts } = await stateSize(paths.home);
  if (!dryRun) await rm(cache, { recursive: true, force: true });
  return {
    conversations,
    emptied,
    attachments,
    cacheBytes: parts.find(({ name }) => name === "cache")?.bytes ?? 0,
  };
}

/** Not touched since, and neither pinned nor with work that is not over. */
async function idleSessions(stores: OpenedStores, tenant: string, before: number): Promise<Session[]> {
  const going = (await stores.forgetting.open()).going(tenant);
  const found: Session[] = [];
  for (const archived of [false, true]) {
    let cursor: string | undefined;
    do {
      const page = await stores.sessions.list(tenant, {
        limit: PAGE,
        archived,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      found.push(...page.sessions.filter(({ updatedAt }) => updatedAt < before));
      cursor = page.next;
    } while (cursor !== undefined);
  }
  return found.filter(({ id, pinned }) => !pinned && !going.has(id));
}

/** Those that no conversation, journal, call or anything else in the database names, by their ids. */
async function dropAttachments(
  stores: OpenedStores,
  tenant: string,
  { paths, before, dryRun }: { paths: StatePaths; before: number; dryRun: boolean },
): Promise<{ count: number; bytes: number }> {
  const erase = await stores.forgetting.open();
  const old = erase.blobsBefore(tenant, before);
  if (old.length === 0) return { count: 0, bytes: 0 };
  const named = await erase.blobsNamed();
  for (const id of await namedInFiles(join(paths.sessions, tenant))) named.add(id);
  const unused = old.filter(({ id }) => !named.has(id));
  if (!dryRun && unused.length > 0) {
    const gone = erase.dropBlobs(
      tenant,
      unused.map(({ id }) => id),
    );
    for (const sha of gone) await rm(join(paths.blobs, sha), { force: true });
  }
  return { count: unused.length, bytes: unused.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const BLOB_ID = /blob_[0-9a-z]+/gi;

async function namedInFiles(folder: string): Promise<Set<string>> {
  const named = new Set<string>();
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const name of names)
    for (const [id] of (await readFile(join(folder, name), "latin1")).matchAll(BLOB_ID)) named.add(id);
  return named;
}

/** Writing a database anew takes as much room again. */
async function compact(
  stores: OpenedStores,
  paths: StatePaths,
  { freeBytes }: StateSize,
): Promise<"yes" | "no room"> {
  const { size } = await stat(paths.database);
  if (freeBytes < size * 2) return "no room";
  (await stores.forgetting.open()).scour(true);
  return "yes";
}

async function verifyAll(stores: OpenedStores, paths: StatePaths): Promise<Verification> {
  const lastSigned = readLastSigned(paths.keys);
  return verifyReceipts(stores.receiptLog, {
    tenant: DEFAULT_TENANT,
    publicPem: readPublicKey(paths.keys),
    ...(lastSigned === undefined ? {} : { lastSigned }),
    conversations: stores.transcripts,
  });
}
