import { open, stat, type FileHandle } from "node:fs/promises";
import type { CopiedDatabases } from "./copy-databases.ts";
import { stateFiles, unlessGone } from "./state-files.ts";

/** A file was rewritten, or went away, while it was copied: the copy would not fit the database's. */
export class ChangedMeanwhile extends Error {}

/** The files of conversations before the database was copied. */
export type SessionsBefore = ReadonlyMap<string, { readonly inode: number; readonly bytes: number }>;

const TRANSCRIPT = /^sessions\/([^/]+)\/([^/]+)\.jsonl$/;

export async function sessionsBefore(home: string): Promise<SessionsBefore> {
  const before = new Map<string, { inode: number; bytes: number }>();
  for (const { path, source } of (await stateFiles(`${home}/sessions`, "sessions/")).files) {
    const found = await unlessGone(() => stat(source));
    if (found) before.set(path, { inode: found.ino, bytes: found.size });
  }
  return before;
}

/**
 * How many bytes of a file belong to the moment at which the database was copied; undefined where
 * none of it does. A conversation's file is written after the database, so what was added to it
 * since is cut off: those runs are not ended in the copy, and a restored Elwood takes them up there.
 */
export async function bytesThen(
  path: string,
  handle: FileHandle,
  before: SessionsBefore,
  copied: CopiedDatabases,
): Promise<number | undefined> {
  const { ino, size } = await handle.stat();
  const [, tenant, session] = TRANSCRIPT.exec(path) ?? [];
  if (tenant === undefined || session === undefined) return size;
  const first = before.get(path);
  if (first === undefined && !copied.hasSession(tenant, session)) return undefined;
  if (first !== undefined && (first.inode !== ino || size < first.bytes)) throw new ChangedMeanwhile(path);
  const known = first?.bytes ?? 0;
  if (size === known) return size;
  const text = Buffer.alloc(size);
  await handle.read(text, 0, size, 0);
  for (let start = 0; start < size;) {
    const end = text.indexOf(0x0a, start) + 1;
    const whole = end > 0;
    if ((!whole || end > known) && !(whole && isCommitted(text.toString("utf8", start, end), tenant, copied)))
      return start;
    start = end;
  }
  return size;
}

function isCommitted(line: string, tenant: string, copied: CopiedDatabases): boolean {
  try {
    const { run } = JSON.parse(line) as { run?: unknown };
    return typeof run === "string" && copied.isCommitted(tenant, run);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export async function opened<T>(
  path: string,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const handle = await unlessGone(() => open(path, "r"));
  if (handle === undefined) return undefined;
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}
