import { failure, type Failure } from "@elwood/core/base/failure";
import { errorCode } from "./system-error.ts";

/** Turns a fault of the file system into words. `next` says what the person can do where they may not write. */
export function storageFailure(cause: unknown, path: string, next: string): Failure {
  const code = errorCode(cause) ?? "";
  switch (code) {
    case "EACCES":
    case "EPERM":
      return failure("STORAGE", `${path} may not be written by this user. Nothing was changed. ${next}`, {
        retryable: false,
      });
    case "EROFS":
      return failure("STORAGE", `${path} lies on a read-only disk. Nothing was changed. ${next}`, {
        retryable: false,
      });
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
    case "ENOENT":
      return failure("STORAGE", `${path} cannot be made: a part of that path is not a folder. ${next}`, {
        retryable: false,
      });
    case "ENOSPC":
    case "EDQUOT":
      return failure(
        "STORAGE_FULL",
        `The disk is full: ${path} could not be written. What was there before is unchanged. Free some space and try again.`,
      );
    default:
      return failure("STORAGE", `${path} could not be written (${code || "unknown fault"}). ${next}`);
  }
}
