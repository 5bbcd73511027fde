/** The code that the system gives an error, such as ENOENT; undefined where it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Whether a file operation failed because nothing has that name. */
export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

/** The same, or something on the way there is not a folder. */
export function isMissingPath(error: unknown): boolean {
  return isMissing(error) || errorCode(error) === "ENOTDIR";
}
