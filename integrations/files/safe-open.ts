/**
 * The only place where paths become open files.
 *
 * O1 Every name is opened from the open folder above it, and never through a symbolic link.
 * O2 On Linux the name is looked up through `/proc/self/fd/<folder>/<name>`: the system resolves
 *    it from the folder itself, wherever that has been moved meanwhile. Elsewhere the real path
 *    is compared before and after.
 * O3 After opening, the system is asked where the descriptor leads; unless that is the place
 *    that was judged, nothing is read or written.
 * O4 From then on only descriptors are used. A folder that is swapped between check and use
 *    is a folder that is no longer looked at.
 */
import { constants, existsSync, type BigIntStats } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { denied, errorCode, FileProblem, isMissing, problemOf } from "./file-problem.ts";
import { identityOf, type Place, type Scope } from "./scope.ts";

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not blocking: a pipe that took a file's place must not make us wait for a writer. */
const FILE_FLAGS =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | (constants.O_NOCTTY ?? 0);

/** An open folder. Close it. */
export interface Folder {
  readonly handle: FileHandle;
  /** Where it must be. */
  readonly path: string;
  /** The path of a name in this very folder, for one system call. */
  at(name: string): string;
  /** Throws unless the folder is still where it must be. */
  check(): Promise<void>;
}

/** A name in an open folder; there may be nothing of that name. */
export interface Spot {
  readonly folder: Folder;
  readonly name: string;
  readonly place: Place;
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

export interface Opener {
  /** Names are looked up from descriptors (O2). */
  readonly throughDescriptors: boolean;
  /** Opens the folder around a place and gives it to `use`; closes it afterwards. */
  atSpot<T>(
    place: Place,
    options: { makeFolders?: MadeFolders },
    use: (spot: Spot) => Promise<T>,
  ): Promise<T>;
  /** Opens the place itself as a folder. */
  inFolder<T>(place: Place, use: (folder: Folder) => Promise<T>): Promise<T>;
  /** Opens a folder below an open one. */
  inChild<T>(folder: Folder, name: string, use: (child: Folder) => Promise<T>): Promise<T>;
  /** What is at a spot; undefined for nothing. Symbolic links and special files are refused. */
  look(spot: Spot): Promise<BigIntStats | undefined>;
  /** Opens a regular file for reading; undefined for nothing. */
  openFile(spot: Spot): Promise<OpenFile | undefined>;
}

/** Paths of the folders that had to be made, outermost first. */
export type MadeFolders = string[];

export function makeOpener(scope: Scope, options: { readonly throughDescriptors?: boolean } = {}): Opener {
  const throughDescriptors = options.throughDescriptors ?? existsSync("/proc/self/fd");

  function folderOf(handle: FileHandle, path: string): Folder {
    const start = throughDescriptors ? `/proc/self/fd/${handle.fd}` : path === "/" ? "" : path;
    return {
      handle,
      path,
      at: (name) => `${start}/${name}`,
      check: () => refuseMoved(handle, path),
    };
  }

  async function refuseMoved(handle: FileHandle, path: string): Promise<void> {
    const moved = () =>
      denied("hard.outside-scope", `${path} was moved or replaced while it was being opened. Try again.`);
    if (throughDescriptors) {
      if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== path) throw moved();
      return;
    }
    const [real, there, opened] = await Promise.all([
      realpath(path).catch(() => undefined),
      lstat(path, { bigint: true }).catch(() => undefined),
      handle.stat({ bigint: true }),
    ]);
    if (real !== path || there === undefined || identityOf(there) !== identityOf(opened)) throw moved();
  }

  async function openRoot(place: Place): Promise<Folder> {
    const handle = await opened(place.root, FOLDER_FLAGS, place.root);
    return keepIf(handle, () => refuseMoved(handle, place.root), folderOf(handle, place.root));
  }

  async function openChild(folder: Folder, name: string): Promise<Folder> {
    const path = joined(folder.path, name);
    refuseSpecial(await lstat(folder.at(name), { bigint: true }).catch(rethrow(path)), path);
    const handle = await opened(folder.at(name), FOLDER_FLAGS, path);
    const check = async () => {
      await refuseMoved(handle, path);
      await refuseOwnState(await handle.stat({ bigint: true }));
    };
    return keepIf(handle, check, folderOf(handle, path));
  }

  async function walk<T>(
    place: Place,
    names: readonly string[],
    made: MadeFolders | undefined,
    use: (folder: Folder) => Promise<T>,
  ): Promise<T> {
    let folder = await openRoot(place);
    try {
      for (const wanted of names) {
        const name = await nameOnDisk(folder, wanted);
        if (made !== undefined && (await makeFolder(folder, name))) made.push(joined(folder.path, name));
        const next = await openChild(folder, name);
        await folder.handle.close();
        folder = next;
      }
      return await use(folder);
    } finally {
      await folder.handle.close();
    }
  }

  async function refuseOwnState(stats: BigIntStats): Promise<void> {
    if ((await scope.deniedIdentities()).has(identityOf(stats))) {
      throw denied("hard.own-state", "Elwood's own files are never the target of a tool.");
    }
  }

  async function look(spot: Spot): Promise<BigIntStats | undefined> {
    let stats: BigIntStats;
    try {
      stats = await lstat(spot.folder.at(spot.name), { bigint: true });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw problemOf(error, spot.place.shown);
    }
    refuseSpecial(stats, spot.place.shown);
    await refuseOwnState(stats);
    await spot.folder.check();
    return stats;
  }

  return {
    throughDescriptors,
    async atSpot(place, { makeFolders }, use) {
      const wanted = place.names.at(-1);
      if (wanted === undefined) {
        throw new FileProblem(
          "wrong-kind",
          `${place.shown} is a whole folder that was given to Elwood, not a file.`,
        );
      }
      return walk(place, place.names.slice(0, -1), makeFolders, async (folder) =>
        use({ folder, name: await nameOnDisk(folder, wanted), place }),
      );
    },
    inFolder: (place, use) => walk(place, place.names, undefined, use),
    async inChild(folder, name, use) {
      const child = await openChild(folder, name);
      try {
        return await use(child);
      } finally {
        await child.handle.close();
      }
    },
    look,
    async openFile(spot) {
      const { folder, name, place } = spot;
      const before = await look(spot);
      if (before === undefined) return undefined;
      if (before.isDirectory()) throw new FileProblem("wrong-kind", `${place.shown} is a folder.`);
      const handle = await opened(folder.at(name), FILE_FLAGS, place.shown);
      const stats = await handle.stat({ bigint: true });
      const check = async () => {
        refuseSpecial(stats, place.shown);
        await refuseOwnState(stats);
        await folder.check();
        await refuseMoved(handle, joined(folder.path, name));
      };
      return keepIf(handle, check, { handle, stats });
    },
  };
}

async function opened(path: string, flags: number, shown: string): Promise<FileHandle> {
  return open(path, flags).catch(rethrow(shown));
}

function rethrow(shown: string): (error: unknown) => never {
  return (error) => {
    throw problemOf(error, shown);
  };
}

async function keepIf<T>(handle: FileHandle, check: () => Promise<void>, value: T): Promise<T> {
  try {
    await check();
    return value;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file with a second name may be a file from outside; a link leads anywhere; a device is no file. */
function refuseSpecial(stats: BigIntStats, shown: string): void {
  if (stats.isSymbolicLink()) {
    throw denied(
      "hard.outside-scope",
      `${shown} is a symbolic link, which is never followed. Name the real path.`,
    );
  }
  if (stats.isDirectory()) return;
  if (!stats.isFile()) {
    throw denied("hard.special-file", `${shown} is a device, a pipe or a socket, not a file.`);
  }
  if (stats.nlink > 1n) {
    throw denied(
      "hard.special-file",
      `${shown} has more than one name (a hard link), so it may be a file from elsewhere.`,
    );
  }
}

/**
 * The same name may lie on disk in another Unicode form. The one that was asked for wins;
 * else the only one that reads the same.
 */
async function nameOnDisk(folder: Folder, wanted: string): Promise<string> {
  if (/^[\u0020-\u007e]*$/.test(wanted)) return wanted;
  try {
    await lstat(folder.at(wanted));
    return wanted;
  } catch (error) {
    if (!isMissing(error)) throw problemOf(error, joined(folder.path, wanted));
  }
  const twins = (await readdir(folder.at("."))).filter((name) => name.normalize("NFC") === wanted);
  if (twins.length > 1)
    throw new FileProblem("bad-path", `Several files are named "${wanted}"; rename one first.`);
  return twins[0] ?? wanted;
}

async function makeFolder(folder: Folder, name: string): Promise<boolean> {
  try {
    await mkdir(folder.at(name));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw problemOf(error, joined(folder.path, name));
  }
}

export function joined(path: string, name: string): string {
  return path === "/" ? `/${name}` : `${path}/${name}`;
}
