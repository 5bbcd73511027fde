import { rmdir, unlink } from "node:fs/promises";
import type { BigIntStats } from "node:fs";
import { besideName, changedMeanwhile, removeIfThere, sameFile, writeWhole } from "./atomic-write.ts";
import { hashOf, readWhole, sizeInWords } from "./file-content.ts";
import { denied, FileProblem, isMissing, problemOf } from "./file-problem.ts";
import { changing, type FilesKit, keyName, refuseStopped, type Settled } from "./kit.ts";
import type { Spot } from "./safe-open.ts";
import { thingOf, type Place } from "./scope.ts";

/** What a write or an edit did, and what taking it back needs. */
export interface ContentChange {
  readonly path: string;
  readonly created: boolean;
  readonly bytes: number;
  readonly before: string | null;
  readonly after: string;
  /** Whether the content before lies in the undo store. */
  readonly undoable: boolean;
  readonly madeFolders: readonly string[];
}

export interface Current {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

export async function readCurrent(kit: FilesKit, spot: Spot, bytesMax: number): Promise<Current | undefined> {
  const file = await kit.opener.openFile(spot);
  if (file === undefined) return undefined;
  try {
    return { bytes: await readWhole(file, bytesMax, spot.place.shown), stats: file.stats };
  } finally {
    await file.handle.close();
  }
}

/** What a path holds now, for a preview or a check; undefined for nothing. Changes nothing. */
export async function peek(kit: FilesKit, place: Place, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return (await kit.opener.atSpot(place, {}, (spot) => readCurrent(kit, spot, bytesMax)))?.bytes;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Works out the new content from what is there, keeps what was there, and puts the new content in its place. */
export async function changeContent(
  kit: FilesKit,
  path: string,
  call: {
    readonly idempotencyKey: string;
    readonly signal: AbortSignal;
    readonly makeFolders: boolean;
    readonly undoPromised?: boolean | undefined;
  },
  work: (current: Buffer | undefined, shown: string) => Buffer,
): Promise<ContentChange> {
  const made: string[] = [];
  const key = keyName(call.idempotencyKey);
  refuseStopped(call.signal);
  const change = changing(kit, path, "write", call.makeFolders ? { makeFolders: made } : {}, async (spot) => {
    const { shown } = spot.place;
    const current = await readCurrent(kit, spot, kit.limits.undoItemBytesMax);
    if (current !== undefined && (Number(current.stats.mode) & 0o200) === 0) {
      throw new FileProblem("not-allowed", `${shown} is marked read-only. Nothing was changed.`);
    }
    const bytes = work(current?.bytes, shown);
    const before = current === undefined ? null : hashOf(current.bytes);
    const kept =
      current === undefined ||
      (await kit.undo.keep(current.bytes, { promised: call.undoPromised === true })) !== undefined;
    await kit.undo.note(key, { v: 1, before });
    refuseStopped(call.signal);
    await writeWhole(kit.opener, kit.disk, spot, bytes, { key, expected: current?.stats });
    return {
      path: shown,
      created: current === undefined,
      bytes: bytes.length,
      before,
      after: hashOf(bytes),
      undoable: kept,
      madeFolders: made,
    };
  });
  return change.catch(async (error: unknown) => {
    await removeMadeFolders(kit, made);
    throw error;
  });
}

/** Puts back what was there, unless somebody has changed the file since. */
export async function undoContent(
  kit: FilesKit,
  change: ContentChange,
  call: { readonly idempotencyKey: string },
): Promise<string> {
  const shown = change.path;
  return changing(kit, shown, "write", {}, async (spot) => {
    const current = await readCurrent(kit, spot, kit.limits.undoItemBytesMax);
    if (current === undefined || hashOf(current.bytes) !== change.after) {
      throw new FileProblem("cannot-undo", `${shown} was changed since. It was left as it is.`);
    }
    if (change.before === null) {
      if (!sameFile(await kit.opener.look(spot), current.stats)) throw changedMeanwhile(shown);
      await unlink(spot.folder.at(spot.name)).catch(rethrowAs(shown));
      await kit.disk.sync(spot.folder.handle);
      return `${shown} was removed again.`;
    }
    const bytes = await kit.undo.get(change.before);
    if (bytes === undefined) {
      throw new FileProblem(
        "cannot-undo",
        `What ${shown} held before is no longer kept, so this can no longer be taken back. It was left as it is.`,
      );
    }
    await writeWhole(kit.opener, kit.disk, spot, bytes, {
      key: keyName(call.idempotencyKey),
      expected: current.stats,
    });
    return `${shown} holds again what it held before (${sizeInWords(bytes.length)}).`;
  });
}

/** Puts bytes at a path where nothing is. */
export async function putContent(kit: FilesKit, path: string, bytes: Buffer, key: string): Promise<void> {
  await changing(kit, path, "write", {}, (spot) =>
    writeWhole(kit.opener, kit.disk, spot, bytes, { key, expected: undefined }),
  );
}

/** What is at a path, told from all else; undefined for nothing. */
export async function thingAt(kit: FilesKit, place: Place): Promise<string | undefined> {
  try {
    const stats = await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
    return stats === undefined ? undefined : thingOf(stats);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Takes away folders that a call made, innermost first, as far as they are still there and empty. */
export async function removeMadeFolders(kit: FilesKit, made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    try {
      await changing(kit, path, "change", {}, ({ folder, name }) =>
        rmdir(folder.at(name)).catch(rethrowAs(path)),
      );
    } catch (error) {
      if (error instanceof FileProblem) return;
      throw error;
    }
  }
}

/** After a crash. The change is one rename, so the content tells, unless somebody came after it. */
export async function reconcileContent(
  kit: FilesKit,
  path: string,
  idempotencyKey: string,
  afterOf: (before: Buffer | undefined) => string | undefined,
): Promise<Settled> {
  const key = keyName(idempotencyKey);
  const intention = await kit.undo.intention(key);
  if (intention?.before === undefined) return "did-not-happen";
  const place = await kit.scope.locate(path, "write");
  const current = await peek(kit, place, kit.limits.undoItemBytesMax);
  const hash = current === undefined ? null : hashOf(current);
  if (
    hash !== null &&
    hash === afterOf(intention.before === null ? undefined : await kit.undo.get(intention.before))
  ) {
    return "happened";
  }
  if (hash !== intention.before) return "unknown";
  await clearLeftOver(kit, place, key);
  return "did-not-happen";
}

async function clearLeftOver(kit: FilesKit, place: Place, key: string): Promise<void> {
  try {
    await kit.opener.atSpot(place, {}, ({ folder }) => removeIfThere(folder.at(besideName(key))));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function refuseMarker(path: string): FileProblem {
  return denied(
    "hard.redaction-marker",
    `The text for ${path} holds "[redacted…]", which stands where Elwood took out a secret. Writing it would destroy the secret in the file. Use files.file.edit and leave that part alone.`,
  );
}

function rethrowAs(shown: string): (error: unknown) => never {
  return (error) => {
    throw problemOf(error, shown);
  };
}
