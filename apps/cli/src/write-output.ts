import { realpath, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { storageFailure } from "@elwood/platform/storage-failure";
import type { Io } from "./io.ts";
import { isMissing } from "@elwood/platform/system-error";

export interface OutputFile {
  /** As the person wrote it. */
  readonly output: string;
  /** The name it gets where `output` is a folder. */
  readonly filename: string;
  readonly mode: number;
  /** Whether a file that is there may be written over. */
  readonly overwrite: boolean;
}

/** Writes what a command made to the file its person named: whole, or not at all. Answers its path. */
export async function writeOutput(io: Io, content: string, file: OutputFile): Promise<string> {
  const named = resolve(io.cwd, file.output);
  try {
    const path = (await kindOf(named)) === "folder" ? join(named, file.filename) : named;
    const kind = await kindOf(path);
    if (kind === "other") {
      // A terminal, a pipe, /dev/null: something to write into, never to put a file in the place of.
      await writeFile(path, content);
      return path;
    }
    const target = kind === "file" ? await realpath(path) : path;
    if (!(await writeFileAtomic(target, content, { mode: file.mode, create: !file.overwrite }))) {
      fail("CONFLICT", `${path} exists already and was left as it is. To write over it: add --force.`);
    }
    return path;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw new FailureError(storageFailure(cause, named, "Choose another file."));
  }
}

async function kindOf(path: string): Promise<"none" | "file" | "folder" | "other"> {
  try {
    const found = await stat(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch (cause) {
    if (isMissing(cause)) return "none";
    throw cause;
  }
}
