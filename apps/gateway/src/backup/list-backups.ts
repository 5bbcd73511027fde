import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import { madeAt } from "./backup-format.ts";

export interface FoundBackup {
  readonly path: string;
  /** By the name that Elwood gave it. */
  readonly createdAt: number;
  readonly bytes: number;
  readonly encrypted: boolean;
}

/** Backups in a folder that Elwood named itself, newest first; undefined where there is no such folder. */
export async function listBackups(folder: string): Promise<readonly FoundBackup[] | undefined> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    if (errorCode(error) === undefined) throw error;
    return fail("INVALID_INPUT", `The folder ${folder} cannot be read (${errorCode(error)}).`);
  });
  if (names === undefined) return undefined;
  const found: FoundBackup[] = [];
  for (const name of names) {
    const createdAt = madeAt(name);
    if (createdAt === undefined) continue;
    const path = join(folder, name);
    const about = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return undefined; // it gave way to a newer one meanwhile
      throw error;
    });
    if (about?.isFile() === true)
      found.push({ path, createdAt, bytes: about.size, encrypted: name.endsWith(".age") });
  }
  return found.toSorted((a, b) => b.createdAt - a.createdAt);
}
