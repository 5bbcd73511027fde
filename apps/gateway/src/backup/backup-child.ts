import { readFileSync, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { verdictWords } from "@elwood/core/receipts/verdict-words";
import type { StatePaths } from "@elwood/platform/state-paths";
import { isMissing } from "@elwood/platform/system-error";
import { backupName } from "./backup-format.ts";
import { createBackup, pruneBackups, type BackupRequest } from "./create-backup.ts";

/** What the gateway asks for. */
export interface ToBackupChild {
  readonly paths: StatePaths;
  /** Where the owner wants backups; in the state directory unless told. */
  readonly folder?: string;
  readonly passphraseFile?: string;
  readonly workFactor?: BackupRequest["workFactor"];
  readonly keep: number;
  readonly now: number;
  readonly version: string;
  readonly outside?: BackupRequest["outside"];
}

/** What came of it. `problem` says why there is none, or what is wrong with the one there is. */
export interface FromBackupChild {
  readonly path?: string;
  readonly bytes?: number;
  readonly removed?: number;
  readonly problem?: string;
}

/**
 * A backup in a process of its own: packing and checking keep no conversation waiting, and the locks
 * of the gateway stay untouched, which any close of the same files in its own process would drop.
 */
process.once("message", (request: ToBackupChild) => {
  void made(request).then((answer) => process.send?.(answer, () => process.disconnect()));
});
// Nobody waits for it any more.
process.once("disconnect", () => process.exit());

async function made(request: ToBackupChild): Promise<FromBackupChild> {
  const { paths, folder = paths.backups, passphraseFile, workFactor, keep, now, version, outside } = request;
  try {
    // One that the owner names is not made: a disk that is not mounted must not be mistaken for it.
    if (request.folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return { problem: `No backup was made: the folder ${folder} is not there. Is its disk connected?` };
    const passphrase = passphraseFile === undefined ? undefined : passphraseIn(passphraseFile);
    await sweep([paths.backups, folder], now);
    const { path, bytes, receipts } = await createBackup({
      paths,
      output: join(folder, backupName(now, passphrase !== undefined)),
      now,
      version,
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(workFactor === undefined ? {} : { workFactor }),
      ...(outside === undefined ? {} : { outside }),
    });
    const removed = (await pruneBackups(folder, keep, now)).length;
    const intact = receipts === undefined || receipts.status === "intact";
    return {
      path,
      bytes,
      removed,
      ...(intact ? {} : { problem: `${path} was made, and ${verdictWords(receipts)}` }),
    };
  } catch (error) {
    if (error instanceof FailureError) return { problem: error.failure.message };
    return { problem: `No backup was made: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function passphraseIn(file: string): string {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/)[0] ?? "";
  } catch (error) {
    const why = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new Error(`the passphrase file ${file} cannot be read${why}.`, { cause: error });
  }
}

const LEFT = /^(?:\.making-.*|elwood-.*\.partial)$/;
const LEFT_AGE_MS = 24 * 60 * 60_000;

/** What a process that was killed in the middle left behind. Younger ones may be somebody's who is at it now. */
async function sweep(folders: readonly string[], now: number): Promise<void> {
  for (const folder of new Set(folders)) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names.filter((each) => LEFT.test(each))) {
      const path = join(folder, name);
      if (now - (await stat(path)).mtimeMs > LEFT_AGE_MS) await rm(path, { recursive: true, force: true });
    }
  }
}
