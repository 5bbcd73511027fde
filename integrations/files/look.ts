/**
 * Looks through folders with calls that wait: a hundred thousand files take
 * seconds that way, and minutes with one promise for each.
 *
 * The rules of safe-open.ts hold here too. Every name is opened from the open folder above it, never through a
 * link; what is found in a folder counts only if the folder was where it must be before and after.
 */
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { globMatcher } from "./glob.ts";
import { IGNORE_FILES, type IgnoreRules, isIgnored, NO_RULES, withRules } from "./ignore-rules.ts";
import { holdsKeysIn, usuallyHoldsKeys } from "./key-files.ts";
import { lineFinder, type LineMatch, type Pattern } from "./match-lines.ts";
import { foldNames, startsWithNames } from "./path-text.ts";
import { isSecretIn } from "./protected-names.ts";

export interface LookTask {
  /** The folder where it begins: its path, and the descriptor under which it is open. */
  readonly folder: { readonly path: string; readonly fd: number };
  readonly throughDescriptors: boolean;
  /** Paths that are never entered, as folded names. */
  readonly closed: readonly (readonly string[])[];
  readonly deniedIdentities: readonly string[];
  readonly depthMax: number;
  readonly hidden: boolean;
  readonly ignoring: boolean;
  readonly glob?: string;
  readonly entriesMax: number;
  readonly visitedMax: number;
  readonly until: number;
  /** Which part of the work this thread does, where several share it. */
  readonly share?: { readonly index: number; readonly of: number };
  readonly search?: {
    readonly pattern: Pattern;
    /** What is in a folder of keys, where the owner allowed it. */
    readonly keys: boolean;
    readonly fileBytesMax: number;
    readonly bytesMax: number;
    readonly lineCharsMax: number;
  };
}

export interface FoundEntry {
  readonly names: readonly string[];
  readonly kind: "file" | "folder" | "link" | "other" | "protected";
  readonly bytes?: number;
  readonly modified?: number;
}

export interface FoundMatch extends LineMatch {
  readonly names: readonly string[];
}

/** What comes out of one folder, or at the end. */
export type LookNews =
  | {
      readonly entries: readonly FoundEntry[];
      readonly matches: readonly FoundMatch[];
      readonly searched: number;
    }
  | { readonly over: LookEnd };

export interface LookEnd {
  readonly complete: boolean;
  readonly leftOut: number;
  readonly ignored: number;
  readonly large: number;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not blocking: a pipe that took a file's place must not make us wait for a writer. */
const FILE_FLAGS =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | (constants.O_NOCTTY ?? 0);
const IGNORE_BYTES_MAX = 256 * 1024;
const NEWS_MAX = 200;
/** Below so many folders that are too few to be dealt out, they are all the same. */
const DEALT_DEPTH = 3;

export class Look {
  readonly #task: LookTask;
  readonly #denied: ReadonlySet<string>;
  readonly #find: ((bytes: Uint8Array, matchesMax: number) => LineMatch[] | undefined) | undefined;
  readonly #wanted: (names: readonly string[]) => boolean;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #left: number;
  #bytesLeft: number;
  #entriesLeft: number;
  #end = { complete: true, leftOut: 0, ignored: 0, large: 0 };
  #entries: FoundEntry[] = [];
  #matches: FoundMatch[] = [];
  #searched = 0;

  readonly #say: (news: LookNews) => void;

  constructor(task: LookTask, say: (news: LookNews) => void) {
    this.#task = task;
    this.#say = say;
    this.#denied = new Set(task.deniedIdentities);
    this.#wanted = task.glob === undefined ? () => true : globMatcher(task.glob);
    this.#left = task.visitedMax;
    this.#entriesLeft = task.entriesMax;
    this.#bytesLeft = task.search?.bytesMax ?? 0;
    this.#find = task.search && lineFinder(task.search.pattern, task.search.lineCharsMax);
  }

  run(): void {
    const { folder } = this.#task;
    this.#into(folder.fd, folder.path, [], NO_RULES, this.#task.share);
    this.#tell();
    this.#say({ over: this.#end });
  }

  /** False where nothing more is wanted. */
  #into(
    fd: number,
    path: string,
    names: readonly string[],
    around: IgnoreRules,
    /** Undefined below a folder that was dealt to this thread: all of it is its own. */
    share: LookTask["share"],
  ): boolean {
    const { depthMax, hidden, ignoring, search } = this.#task;
    const place = this.#placeOf(path);
    const start = this.#task.throughDescriptors ? `/proc/self/fd/${fd}` : path;
    const before = { entries: this.#entries.length, matches: this.#matches.length, searched: this.#searched };
    const found = this.#list(start);
    let rules = around;
    if (ignoring)
      for (const file of IGNORE_FILES)
        if (found.some(({ name }) => name === file))
          rules = withRules(rules, this.#rulesIn(`${start}/${file}`), names.length);
    const folders: { readonly name: string; readonly whole: readonly string[] }[] = [];
    // What is in a folder that all threads come through is the first one's; the folders in it are dealt out.
    const isFirst = share === undefined || share.index === 0;
    let goesOn = true;
    for (const entry of found) {
      const { name } = entry;
      if (!hidden && name.startsWith(".")) {
        if (isFirst) this.#end.leftOut += 1;
        continue;
      }
      const whole = [...names, name];
      const isFolder = entry.isDirectory();
      if (rules.files.length > 0 && isIgnored(rules, whole, isFolder)) {
        if (isFirst) this.#end.ignored += 1;
        continue;
      }
      const isWanted = isFirst && this.#wanted(whole) && (search === undefined || entry.isFile());
      if (!isWanted && !isFolder) continue;
      const folded = foldNames([name])[0]!;
      const isProtected = place.closed.has(folded) || isSecretIn(place.folded, folded);
      if (isWanted && (search === undefined || !isProtected))
        goesOn = this.#take(entry, start, place, whole, isProtected);
      if (!goesOn) break;
      if (isFolder && !isProtected && whole.length < depthMax) folders.push({ name, whole });
    }
    if (!this.#isAt(fd, path)) {
      // It was moved away meanwhile: nothing of it counts.
      this.#entries.length = before.entries;
      this.#matches.length = before.matches;
      this.#searched = before.searched;
      this.#end.complete = false;
      return goesOn;
    }
    if (this.#entries.length + this.#matches.length >= NEWS_MAX) this.#tell();
    const isDealt = share !== undefined && (folders.length >= 2 * share.of || names.length >= DEALT_DEPTH);
    for (const [i, { name, whole }] of goesOn ? folders.entries() : []) {
      if (share !== undefined && isDealt && i % share.of !== share.index) continue;
      const below = `${path === "/" ? "" : path}/${name}`;
      goesOn = this.#intoChild(`${start}/${name}`, below, whole, rules, isDealt ? undefined : share);
      if (!goesOn) break;
    }
    return goesOn;
  }

  #intoChild(
    at: string,
    path: string,
    names: readonly string[],
    rules: IgnoreRules,
    share: LookTask["share"],
  ): boolean {
    let fd: number;
    try {
      fd = openSync(at, FOLDER_FLAGS);
    } catch {
      // Gone, a link by now, or closed to this user: it is passed over, as a search does.
      this.#end.complete = false;
      return true;
    }
    try {
      const { dev, ino } = fstatSync(fd, { bigint: true });
      if (this.#denied.has(`${dev}:${ino}`) || !this.#isAt(fd, path)) return true;
      return this.#into(fd, path, names, rules, share);
    } finally {
      closeSync(fd);
    }
  }

  #placeOf(path: string): FolderPlace {
    const folded = foldNames(namesOf(path));
    const { closed, search } = this.#task;
    const inside = closed.filter(
      (each) => each.length === folded.length + 1 && startsWithNames(each, folded),
    );
    return {
      folded,
      closed: new Set(inside.map((each) => each.at(-1)!)),
      keys: search !== undefined && !search.keys && usuallyHoldsKeys([...folded, "-"]),
    };
  }

  #list(start: string): Dirent[] {
    let found: Dirent[];
    try {
      found = readdirSync(`${start}/.`, { withFileTypes: true });
    } catch {
      this.#end.complete = false;
      return [];
    }
    if (found.length > this.#left) {
      this.#end.complete = false;
      found = found.slice(0, this.#left);
    }
    this.#left -= found.length;
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #take(
    entry: Dirent,
    start: string,
    place: FolderPlace,
    names: readonly string[],
    isProtected: boolean,
  ): boolean {
    const { search, until } = this.#task;
    if (this.#entriesLeft <= 0 || Date.now() > until) {
      this.#end.complete = false;
      return false;
    }
    if (search === undefined) {
      this.#entries.push(described(entry, `${start}/${entry.name}`, names, isProtected));
      this.#entriesLeft -= 1;
      return true;
    }
    if (!search.keys && (place.keys || holdsKeysIn(place.folded, foldNames([entry.name])[0]!))) return true;
    if (this.#bytesLeft <= 0) {
      this.#end.complete = false;
      return false;
    }
    let found: readonly LineMatch[] = [];
    const counts = this.#reading(`${start}/${entry.name}`, search.fileBytesMax, (bytes) => {
      if (bytes.includes(0)) return false;
      this.#searched += 1;
      this.#bytesLeft -= bytes.length;
      const matches = this.#find?.(bytes, this.#entriesLeft) ?? [];
      // Whether it is text is asked of the few that hold something.
      found = matches.length > 0 && isUtf8(bytes) ? matches : [];
      return found.length > 0;
    });
    for (const match of counts ? found : []) {
      this.#matches.push({ names, ...match });
      this.#entriesLeft -= 1;
    }
    if (this.#entriesLeft > 0) return true;
    this.#end.complete = false;
    return false;
  }

  /**
   * Gives the bytes of a file to `use`, and says whether what it made of them counts: not of what is no plain file, is
   * too large, or has a second name, since it may be one from outside then. Most files hold nothing that is
   * looked for, so what a file is comes to be asked only where `use` found something.
   */
  #reading(at: string, bytesMax: number, use: (bytes: Uint8Array) => boolean): boolean {
    let fd: number;
    try {
      fd = openSync(at, FILE_FLAGS);
    } catch {
      return false;
    }
    try {
      let total = readSync(fd, this.#buffer, 0, this.#buffer.length, null);
      if (total === this.#buffer.length) {
        const { size } = fstatSync(fd);
        if (size > bytesMax) {
          this.#end.large += 1;
          return false;
        }
        total = this.#readOn(fd, total, size);
      } else if (total > bytesMax) {
        this.#end.large += 1;
        return false;
      }
      if (!use(this.#buffer.subarray(0, total))) return false;
      const stats = fstatSync(fd);
      return stats.isFile() && stats.nlink === 1 && !this.#denied.has(`${stats.dev}:${stats.ino}`);
    } catch {
      return false; // A disk that cannot be read gives nothing to find.
    } finally {
      closeSync(fd);
    }
  }

  #readOn(fd: number, from: number, size: number): number {
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(size);
      this.#buffer.copy(larger, 0, 0, from);
      this.#buffer = larger;
    }
    let total = from;
    while (total < size) {
      const read = readSync(fd, this.#buffer, total, size - total, null);
      if (read === 0) break;
      total += read;
    }
    return total;
  }

  #rulesIn(at: string): string {
    let text = "";
    const counts = this.#reading(at, IGNORE_BYTES_MAX, (bytes) => {
      text = Buffer.from(bytes).toString("utf8");
      return true;
    });
    return counts ? text : "";
  }

  #isAt(fd: number, path: string): boolean {
    try {
      if (this.#task.throughDescriptors) return readlinkSync(`/proc/self/fd/${fd}`) === path;
      const [there, opened] = [lstatSync(path, { bigint: true }), fstatSync(fd, { bigint: true })];
      return realpathSync(path) === path && there.ino === opened.ino && there.dev === opened.dev;
    } catch {
      return false;
    }
  }

  #tell(): void {
    this.#say({ entries: this.#entries, matches: this.#matches, searched: this.#searched });
    this.#entries = [];
    this.#matches = [];
    this.#searched = 0;
  }
}

/** What is known of a folder before its names are looked at. */
interface FolderPlace {
  readonly folded: readonly string[];
  /** Names in it that are never entered. */
  readonly closed: ReadonlySet<string>;
  /** All in it usually holds keys. */
  readonly keys: boolean;
}

function described(entry: Dirent, at: string, names: readonly string[], isProtected: boolean): FoundEntry {
  if (isProtected) return { names, kind: "protected" };
  const kind = entry.isDirectory()
    ? "folder"
    : entry.isFile()
      ? "file"
      : entry.isSymbolicLink()
        ? "link"
        : "other";
  try {
    const { size, mtimeMs } = lstatSync(at);
    return { names, kind, modified: mtimeMs, ...(kind === "file" && { bytes: size }) };
  } catch {
    return { names, kind };
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
