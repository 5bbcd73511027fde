/** Hard denies of this integration. A call that meets one is refused before anybody is asked. */
export type DenyRule =
  | "hard.outside-scope"
  | "hard.own-state"
  | "hard.secret-file"
  | "hard.special-file"
  | "hard.read-only-root"
  | "hard.redaction-marker";

export type ProblemCode =
  | "denied"
  | "bad-path"
  | "not-found"
  | "exists"
  | "wrong-kind"
  | "too-large"
  | "no-match"
  | "conflict"
  | "disk-full"
  | "not-allowed"
  | "cannot-undo"
  | "stopped"
  | "io";

/** Why a file call cannot be done, in a sentence for the model and the owner. Never holds file contents. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";
  readonly code: ProblemCode;
  readonly rule: DenyRule | undefined;

  constructor(code: ProblemCode, message: string, rule?: DenyRule) {
    super(message);
    this.code = code;
    this.rule = rule;
  }
}

export function denied(rule: DenyRule, message: string): FileProblem {
  return new FileProblem("denied", message, rule);
}

/** What the system said about a path, in our words. Anything unknown stays what it is: a bug to be seen. */
export function problemOf(error: unknown, shown: string): unknown {
  switch (errorCode(error)) {
    case undefined:
      return error;
    case "ENOENT":
      return new FileProblem("not-found", `${shown} does not exist.`);
    case "EEXIST":
    case "ENOTEMPTY":
      return new FileProblem("exists", `${shown} exists already, or is not empty. Nothing was changed.`);
    case "ENOTDIR":
      return new FileProblem("wrong-kind", `A part of the path ${shown} is not a folder.`);
    case "EISDIR":
      return new FileProblem("wrong-kind", `${shown} is a folder.`);
    case "ELOOP":
      return denied("hard.outside-scope", `${shown} goes through a symbolic link, which is never followed.`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new FileProblem("not-allowed", `The system does not let Elwood do this to ${shown}.`);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new FileProblem(
        "disk-full",
        `The disk has no room left for ${shown}. The file is as it was before.`,
      );
    case "EXDEV":
      return new FileProblem("io", `${shown} is on another disk, where it cannot be moved in one step.`);
    case "ENAMETOOLONG":
      return new FileProblem("bad-path", "The path is longer than the system takes.");
    case "EMFILE":
    case "ENFILE":
      return new FileProblem("io", "Too many files are open at once. Nothing was changed; try again.");
    default:
      return new FileProblem("io", `The system could not do this to ${shown} (${errorCode(error)}).`);
  }
}

/** The system's own code, such as ENOENT; our problems have codes of another kind. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT" || (error instanceof FileProblem && error.code === "not-found");
}
