import { statSync } from "node:fs";
import { chmod, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { serialQueue } from "@elwood/runtime/async/serial-queue";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { storageFailure } from "@elwood/platform/storage-failure";
import { acquireLock, type StateLock } from "@elwood/platform/lock";
import { EMPTY_AUTH_FILE, parseAuthFile, type AuthFile } from "./profile.ts";
import { errorCode, isMissing } from "@elwood/platform/system-error";

/**
 * `auth-profiles.json`: model credentials, readable by the owner alone.
 *
 * A1 The file is replaced whole or not at all; a reader never sees half of it.
 * A2 A change is made under a lock, on what the file holds at that moment, so that the
 *    gateway and the command line never undo each other.
 * A3 A file that cannot be understood is never written over: every call is refused with
 *    words until a person has looked at it. The words never quote it.
 */
export interface AuthStore {
  readonly path: string;
  read(): Promise<AuthFile>;
  change<T>(change: (file: AuthFile) => Changed<T>): Promise<T>;
  /** The same for a change that takes a while, such as a question to a server: others wait for it. */
  changeSlowly<T>(change: (file: AuthFile) => Promise<Changed<T>>): Promise<T>;
}

/** The file as it is to be, and what the change came to. */
interface Changed<T> {
  readonly file: AuthFile;
  readonly result: T;
}

export function openAuthStore(path: string, clock: Clock, log?: Log): AuthStore {
  // Within a process changes wait for one another here; the lock is for other processes.
  const queue = serialQueue();
  let cached: { readonly stamp: string; readonly file: AuthFile } | undefined;

  const read = async (): Promise<AuthFile> => {
    const text = await readWhole(path, log, cached?.stamp);
    if (text === "unchanged") return cached!.file;
    if (text === undefined) return EMPTY_AUTH_FILE;
    const file = parse(text.content, path);
    cached = { stamp: text.stamp, file };
    return file;
  };

  const changeAlone = async <T>(change: (file: AuthFile) => Promise<Changed<T>>): Promise<T> => {
    const lock = await inWords(path, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return waitForLock(`${path}.lock`, clock);
    });
    try {
      return await inWords(path, async () => {
        const before = await read();
        const { file, result } = await change(before);
        if (file === before) return result;
        await writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
        cached = undefined;
        return result;
      });
    } finally {
      lock.release();
    }
  };
  const changeSlowly = <T>(change: (file: AuthFile) => Promise<Changed<T>>) =>
    queue.run(() => changeAlone(change));
  return { path, read, change: (change) => changeSlowly(async (file) => change(file)), changeSlowly };
}

async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    const next = "Nothing was saved. Set ELWOOD_HOME to a folder you can write to.";
    throw new FailureError(storageFailure(cause, path, next));
  }
}

/** undefined where there is no file; "unchanged" where it is the one already known. */
async function readWhole(path: string, log: Log | undefined, known: string | undefined) {
  try {
    // Every run asks: an answer takes microseconds, and another thread's help ten times as long.
    const info = statSync(path, { throwIfNoEntry: false });
    if (!info) return undefined;
    if ((info.mode & 0o077) !== 0) await tighten(path, log);
    const stamp = `${info.ino}:${info.size}:${info.mtimeMs}`;
    if (stamp === known) return "unchanged" as const;
    if (info.size > LIMITS.authFileBytesMax) {
      refuse(path, `is larger than ${LIMITS.authFileBytesMax / 1024} KB, which it never should be`);
    }
    const handle = await open(path, "r");
    try {
      return { stamp, content: await handle.readFile("utf8") };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    return refuse(path, code === "EACCES" ? "may not be read by this user" : `cannot be read (${code})`);
  }
}

async function tighten(path: string, log: Log | undefined): Promise<void> {
  try {
    await chmod(path, 0o600);
    log?.warn("auth-profiles.json could be read by other users of this machine; it was closed (0600)", {
      path,
    });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    log?.warn("auth-profiles.json can be read by other users of this machine and could not be closed", {
      path,
      next: `chmod 600 ${path}`,
    });
  }
}

function parse(content: string, path: string): AuthFile {
  const parsed = parseAuthFile(content);
  return parsed.ok ? parsed.value : refuse(path, parsed.error.why);
}

function refuse(path: string, what: string): never {
  return fail(
    "STORAGE",
    `${path} ${what}. It was left as it is, and no key in it was used or changed. Repair it, or move it away and add your keys again with: elwood auth anthropic`,
    { retryable: false },
  );
}

const LOCK_POLL_MS = 20;

async function waitForLock(path: string, clock: Clock): Promise<StateLock> {
  // Whoever holds it may be waiting for a server.
  for (let waited = 0; waited <= LIMITS.authLockMs + LIMITS.oauthRequestMs; waited += LOCK_POLL_MS) {
    const lock = acquireLock(path);
    if (lock !== undefined) return lock;
    await clock.sleep(LOCK_POLL_MS);
  }
  return fail(
    "STORAGE",
    "Another Elwood process is changing the stored keys and does not finish. Nothing was saved. Try again in a moment.",
  );
}
