import { randomBytes } from "node:crypto";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, isMissing } from "./system-error.ts";

/**
 * Writes a whole file or nothing: temporary file beside it, fsync, then one step that
 * puts it in place, fsync of the folder. With `create`, an existing file is left alone
 * and the answer is false; two processes that try it at once make one file. What
 * `beforeReplace` throws leaves everything as it was; by then the content is on disk.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: {
    readonly mode: number;
    readonly create?: boolean;
    readonly beforeReplace?: () => Promise<void>;
  },
): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", options.mode);
  try {
    try {
      await handle.writeFile(content);
      await handle.chmod(options.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.beforeReplace?.();
    if (options.create === true) {
      if (!(await linkNew(temporary, path))) return false;
    } else {
      await rename(temporary, path);
    }
  } catch (cause) {
    await removeIfThere(temporary);
    throw cause;
  }
  await syncFolder(dirname(path));
  return true;
}

/** Disks that know no hard links (FAT, some network and container mounts). */
const NO_LINKS = new Set<unknown>(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function linkNew(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") return false;
    if (!NO_LINKS.has(errorCode(cause)) || (await isThere(path))) throw cause;
    await rename(temporary, path);
    return true;
  } finally {
    await removeIfThere(temporary);
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    return false;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (cause) {
    // Some mounts cannot sync a folder; the file itself is safe by then.
    if (errorCode(cause) !== "EINVAL" && !NO_LINKS.has(errorCode(cause))) throw cause;
  } finally {
    await handle.close();
  }
}
