import { failure, FailureError } from "@elwood/core/base/failure";
import { errorCode } from "@elwood/platform/system-error";

/**
 * The one place where what SQLite or the file system threw becomes a Failure. `what` is
 * the sentence that says what was and was not done; the cause and the advice come from
 * the error's code. Errors that are bugs of ours pass through untouched.
 */
export function storageFailure(error: unknown, what: string): unknown {
  if (error instanceof FailureError || !(error instanceof Error)) return error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === "ERR_SQLITE_ERROR" && typeof errcode === "number") return fromSqlite(errcode, what);
  if (code === "ERR_INVALID_STATE") {
    return new FailureError(failure("STOPPING", `${what} Elwood is stopping and has closed its database.`));
  }
  if (typeof code === "string" && "syscall" in error) return fromFile(code, what);
  return error;
}

/** The low byte of a SQLite result code is its class; see sqlite.org/rescode.html. */
const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;

/** The file that all who use the database share could not be made as large as it has to be. */
const IOERR_SHMSIZE = 4_874;

export function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" && (errcode & 0xff) === SQLITE.BUSY;
}

/** SQLite could not sync a file. */
const IOERR_FSYNC = 1_034;

export function isFailedSync(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && errcode === IOERR_FSYNC;
}

export function isLackOfRoom(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** True of a start that is refused, of a command and of a gateway that goes on: what was wanted can be wanted again. */
const FULL = "The disk is full. Free some space and try again.";
const DAMAGED =
  "The database is damaged, and Elwood has left it as it is. Stop Elwood, keep a copy of elwood.db, and put the newest file of the backups folder in its place, or move elwood.db away to begin a new one; the conversations in the sessions folder are not touched by either.";

function fromSqlite(errcode: number, what: string): FailureError {
  const stored = (advice: string, retryable: boolean) =>
    new FailureError(failure("STORAGE", `${what} ${advice}`, { retryable }));
  const isFull = errcode === IOERR_SHMSIZE;
  switch (isFull ? SQLITE.FULL : errcode & 0xff) {
    case SQLITE.FULL:
      return new FailureError(failure("STORAGE_FULL", `${what} ${FULL}`));
    case SQLITE.CONSTRAINT:
      return new FailureError(failure("CONFLICT", `${what} It would contradict what is already stored.`));
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return stored(DAMAGED, false);
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
      return stored(
        "Another program holds the database. Try again; if it stays so, stop that program.",
        true,
      );
    case SQLITE.READONLY:
    case SQLITE.CANTOPEN:
      return stored(
        "The database file cannot be opened for writing. Check that the state directory belongs to you and is writable.",
        false,
      );
    default:
      return stored(
        `The database answered with error ${errcode}. Try again; check the disk if it repeats.`,
        true,
      );
  }
}

function fromFile(code: string, what: string): FailureError {
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new FailureError(failure("STORAGE_FULL", `${what} ${FULL}`));
  }
  const denied = code === "EACCES" || code === "EPERM" || code === "EROFS";
  const advice = denied
    ? "The state directory is not writable. Check that it belongs to you."
    : `The file system answered ${code}. Try again; check the disk if it repeats.`;
  return new FailureError(failure("STORAGE", `${what} ${advice}`, { retryable: !denied }));
}
