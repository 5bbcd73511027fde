import { access, constants, realpath, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { follow, type Places } from "./places.ts";

/** Where programs are looked for, whatever `PATH` the gateway itself was started with. */
const PROGRAM_FOLDERS = [
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
  "/run/current-system/sw/bin",
  "/opt/homebrew/bin",
];

/** A program as the system knows it. */
export interface Program {
  readonly name: string;
  /** What is started. Programs of many names tell by it which one they are. */
  readonly path: string;
  /** The file behind it, links resolved. */
  readonly real: string;
  /** Not found by its name in a folder of the system: somebody wrote a path. */
  readonly foreign: boolean;
  /** It lies outside of the working folder and of the system's, so before a decision nobody looks whether it is there. */
  readonly unseen?: boolean;
}

export function programPath(): string {
  return PROGRAM_FOLDERS.filter((folder) => existsSync(folder)).join(":");
}

/** Finds a program by its name, or by a path; undefined where there is none. Looks only where the system keeps programs and below the root. */
export async function findProgram(name: string, { root, cwd }: Places): Promise<Program | undefined> {
  if (name.includes("\0") || name === "" || name === "." || name === "..") return undefined;
  if (!name.includes("/")) {
    for (const folder of PROGRAM_FOLDERS) {
      const found = await programAt(join(folder, name));
      if (found !== undefined) return { name, path: join(folder, name), real: found, foreign: false };
    }
    return undefined;
  }
  const path = isAbsolute(name) ? name : join(cwd, name);
  const plain = basename(path);
  if (PROGRAM_FOLDERS.includes(dirname(path))) {
    const real = await programAt(path);
    if (real === undefined) return undefined;
    const foreign = (await findProgram(plain, { root, cwd }))?.path !== path || path !== name;
    return { name: foreign ? name : plain, path, real, foreign };
  }
  const led = await follow(path, [{ written: root, real: root }]);
  if (led === undefined) return { name, path, real: path, foreign: true, unseen: true };
  const real = led.whole ? await programAt(led.path) : undefined;
  return real === undefined ? undefined : { name, path, real, foreign: true };
}

/** Whether a program that was not looked at before the decision is there after all. */
export async function isThere({ path, unseen }: Program): Promise<boolean> {
  return unseen !== true || (await programAt(path)) !== undefined;
}

async function programAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isFile()) return undefined;
    await access(real, constants.X_OK);
    return real;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
