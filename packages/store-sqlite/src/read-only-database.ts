import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

const BUSY_TIMEOUT_MS = 1_000;

/**
 * Opens a database that may be in use by a gateway, to read and nothing else; undefined
 * where there is none.
 *
 * A database in WAL mode has two files beside it while it is open, and SQLite makes them
 * even for a reader, who then cannot take them away again. So where they are missing,
 * nobody has the database open, and it is read as a file that does not change: nothing
 * is left behind. A gateway that starts in this very moment may then be missed, which is
 * why `still` tells; who finds something odd in it looks again with `settled`.
 */
export function openReadOnly(path: string, look: "still" | "settled" = "still"): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined;
  const inUse = existsSync(`${path}-wal`) || existsSync(`${path}-shm`);
  const location = pathToFileURL(path);
  if (!inUse && look === "still") location.searchParams.set("immutable", "1");
  return new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}
