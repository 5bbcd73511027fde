import { statSync } from "node:fs";
import { errorCode, isMissingPath } from "./system-error.ts";

/** A change within one tick of the system's clock may leave the times of a file as they were. */
const SETTLED_MS = 1_000;

/** The stamp of what is not there. */
export const MISSING = "missing";

/**
 * What changes with the file, whoever writes it; of a folder, with the names in it. Undefined where that says nothing
 * for certain. The system is asked each time, and at once: that takes microseconds, and ten times that by way of another
 * thread. A watcher would tell of a change some time after it, and on shared folders not at all, while a message may
 * come right behind it.
 */
export function stampOf(path: string, now: number): string | undefined {
  try {
    // In numbers, whose fractions are finer than the system's clock: large ones take four times as long.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return MISSING;
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    const settled = now - ctimeMs > SETTLED_MS;
    return settled ? `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}` : undefined;
  } catch (cause) {
    if (isMissingPath(cause)) return MISSING;
    if (errorCode(cause) === undefined) throw cause;
    return undefined;
  }
}
