import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "elwood-memory-";
/** The file system that Linux keeps in memory. */
const IN_MEMORY = "/dev/shm";

export interface MemoryFolder {
  readonly path: string;
  remove(): void;
}

/**
 * A state directory that is in memory where the system has such a place, and that is removed with the process at
 * the latest. Those of processes that were killed are removed by the next one.
 */
export function memoryFolder(place = memoryPlace()): MemoryFolder {
  removeOrphans(place);
  const path = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  const remove = () => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", remove);
  return { path, remove };
}

function memoryPlace(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK | constants.X_OK);
    return IN_MEMORY;
  } catch {
    // The system has none, or not for us: then the disk has to do.
    return tmpdir();
  }
}

function removeOrphans(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = Number(/^elwood-memory-(\d+)-/.exec(name)?.[1]);
    if (!Number.isInteger(pid) || pid === process.pid || isAlive(pid)) continue;
    try {
      rmSync(join(place, name), { recursive: true, force: true });
    } catch (error) {
      // Somebody else's, with the same name.
      if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
