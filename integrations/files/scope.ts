import type { BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { denied, FileProblem, isMissing } from "./file-problem.ts";
import type { FileLimits } from "./limits.ts";
import { usuallyHoldsKeys } from "./key-files.ts";
import { foldNames, parsePath, startsWithNames } from "./path-text.ts";
import { isAgentPath, isSecretPath } from "./protected-names.ts";

/** A folder the owner gave to Elwood. */
export interface Root {
  readonly path: string;
  readonly write: boolean;
  /** What is changed in it goes to other places by itself. */
  readonly synced?: boolean | undefined;
}

export interface ScopeOptions {
  /** The first one is where relative paths begin. */
  readonly roots: readonly Root[];
  /** Never a target, whatever root they lie in. */
  readonly denied: readonly string[];
  /** Folders of Elwood's own that are open though a denied one is around them. No other root opens what is denied. */
  readonly own?: readonly string[];
  /** Where the agent's own files lie; the first root if absent. */
  readonly workspace?: string;
  readonly home?: string;
  readonly limits: FileLimits;
}

/** A path that was judged: names below a root, all plain. */
export interface Place {
  /** As the system knows the root, links resolved. */
  readonly root: string;
  readonly writable: boolean;
  readonly names: readonly string[];
  /** The whole path, for people. */
  readonly shown: string;
  /** It lies in the folder where relative paths begin. */
  readonly home?: boolean;
  /** A folder around it is synced to other places. */
  readonly synced?: boolean;
}

/** `change` also guards what lies below: the place itself would go away. */
export type Intent = "read" | "write" | "change";

export interface Scope {
  /** Where a path leads, or a FileProblem that says why it is refused. Opens nothing. */
  locate(path: string, intent: Intent): Promise<Place>;
  /** Where a relative path would lead if it began in one of the other folders; those that may be read. */
  elsewhere(path: string): Promise<readonly Place[]>;
  /** The owner's folders that are there. */
  roots(): Promise<readonly Place[]>;
  /** Tells, for places below a located one, which may not be looked into. Good for one walk. */
  hidden(): Promise<(place: Place) => boolean>;
  /** The paths that no walk enters, folded; for one in another thread. */
  closed(): Promise<readonly (readonly string[])[]>;
  /** Whether it is a place that usually holds keys: what is in it is opened only after a question. */
  holdsKeys(place: Place): boolean;
  /** Tells which places belong to what an agent is. Good for one call. */
  agentPlaces(): Promise<(place: Place) => boolean>;
  /** Device and inode numbers of the denied places, so that another name of one is known too. */
  deniedIdentities(): Promise<ReadonlySet<string>>;
}

/** Places where files are not files. */
const SYSTEM_FOLDERS = new Set(["proc", "dev", "sys"]);

export function makeScope(options: ScopeOptions): Scope {
  const { limits, home = homedir() } = options;
  if (options.roots.length === 0) throw new Error("The file tools need at least one folder to work in.");
  const resolved = new Map<string, string>();

  /** A root keeps the real path that it had when it was first seen: swapping it later leads nowhere. */
  async function realRoot(root: Root): Promise<string | undefined> {
    const known = resolved.get(root.path);
    if (known !== undefined) return known;
    try {
      const real = await realpath(root.path);
      resolved.set(root.path, real);
      return real;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async function locate(path: string, intent: Intent): Promise<Place> {
    const parsed = parsePath(path, limits, home);
    let names = parsed.names;
    if (!parsed.absolute) {
      const first = options.roots[0]!;
      names = [...namesOf((await realRoot(first)) ?? first.path), ...names];
    }
    const place = await within(names);
    refuseProtected(place, intent, await closedPaths());
    if (intent !== "read") await refuseChange(place, intent);
    return place;
  }

  /** The deepest root around a path. */
  async function within(names: readonly string[]): Promise<Place> {
    let best: Place | undefined;
    for (const root of options.roots) {
      const real = await realRoot(root);
      for (const spelling of real === undefined ? [root.path] : [real, root.path]) {
        const start = namesOf(spelling);
        if (!startsWithNames(names, start)) continue;
        if (best !== undefined && !goesBefore(real ?? root.path, root.write, best)) continue;
        if (real === undefined) throw new FileProblem("not-found", `The folder ${root.path} does not exist.`);
        const below = names.slice(start.length);
        const home = root === options.roots[0];
        best = { root: real, writable: root.write, names: below, shown: join(real, below), home };
      }
    }
    const system = SYSTEM_FOLDERS.has(foldNames(names)[0] ?? "");
    if (system && (best === undefined || namesOf(best.root).length < 2)) {
      throw denied("hard.special-file", "Devices and system folders are never read or written as files.");
    }
    if (best === undefined) {
      const everything = { root: "/", writable: false, names, shown: join("/", names) };
      refuseProtected(everything, "read", await closedPaths());
      const open = options.roots.map((root) => root.path).join(", ");
      throw denied("hard.outside-scope", `The path is outside of the folders that Elwood may use: ${open}.`);
    }
    return (await isSynced(best)) ? { ...best, synced: true } : best;
  }

  /** Whatever lies within a synced folder goes along, also where it was opened by another name. */
  async function isSynced({ root, names }: Place): Promise<boolean> {
    const whole = [...namesOf(root), ...names];
    for (const each of options.roots) {
      if (each.synced !== true) continue;
      const real = await realRoot(each);
      if (real !== undefined && startsWithNames(whole, namesOf(real))) return true;
    }
    return false;
  }

  async function refuseChange(place: Place, intent: Intent): Promise<void> {
    if (!place.writable) {
      throw denied("hard.read-only-root", `Elwood may read ${place.root}, but not change anything in it.`);
    }
    if (intent === "write") return;
    const path = foldNames([...namesOf(place.root), ...place.names]);
    for (const root of options.roots) {
      const real = foldNames(namesOf((await realRoot(root)) ?? root.path));
      if (!startsWithNames(real, path)) continue;
      throw denied("hard.outside-scope", `${place.shown} is, or holds, a folder that was given to Elwood.`);
    }
  }

  async function closedPaths(): Promise<ClosedPaths> {
    return { denied: await spellings(options.denied), own: await spellings(options.own ?? []) };
  }

  return {
    locate,
    async elsewhere(path) {
      const parsed = parsePath(path, limits, home);
      if (parsed.absolute) return [];
      const places: Place[] = [];
      for (const root of options.roots.slice(1)) {
        try {
          places.push(await locate(join(root.path, parsed.names), "read"));
        } catch (error) {
          if (!(error instanceof FileProblem)) throw error;
        }
      }
      return places;
    },
    async roots() {
      const places: Place[] = [];
      for (const root of options.roots) {
        const real = await realRoot(root);
        if (real !== undefined) places.push({ root: real, writable: root.write, names: [], shown: real });
      }
      return places;
    },
    async hidden() {
      const closed = await closedPaths();
      return (place) => {
        try {
          refuseProtected(place, "read", closed);
          return false;
        } catch (error) {
          if (error instanceof FileProblem) return true;
          throw error;
        }
      };
    },
    closed: async () => (await closedPaths()).denied.map((path) => foldNames(namesOf(path))),
    holdsKeys: ({ root, names }) => usuallyHoldsKeys([...namesOf(root), ...names]),
    async agentPlaces() {
      const first = options.roots[0]!;
      const workspace = options.workspace ?? first.path;
      const spellings = [workspace, await realpath(workspace).catch(() => workspace)].map(namesOf);
      return (place) => {
        const names = [...namesOf(place.root), ...place.names];
        return spellings.some((spelling) => isAgentPath(names, spelling));
      };
    },
    async deniedIdentities() {
      const identities = new Set<string>();
      for (const path of options.denied) {
        try {
          identities.add(identityOf(await stat(path, { bigint: true })));
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
      return identities;
    },
  };
}

/** Of two roots around a path the deeper one counts, and of one folder that is named twice the one that may be changed. */
function goesBefore(root: string, writable: boolean, best: Place): boolean {
  const [depth, known] = [namesOf(root).length, namesOf(best.root).length];
  return depth > known || (depth === known && writable && !best.writable);
}

interface ClosedPaths {
  readonly denied: readonly string[];
  readonly own: readonly string[];
}

/** Each path as it is written, and as the system knows it. */
async function spellings(paths: readonly string[]): Promise<string[]> {
  const all = new Set<string>();
  for (const path of paths) {
    all.add(path);
    try {
      all.add(await realpath(path));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return [...all];
}

/** A folder of Elwood's own inside of a closed one is open: that is how the workspace lies in its data folder. */
function refuseProtected(place: Place, intent: Intent, { denied: closedPaths, own }: ClosedPaths): void {
  const path = foldNames([...namesOf(place.root), ...place.names]);
  const opened = own.map((each) => foldNames(namesOf(each))).filter((each) => startsWithNames(path, each));
  const openDepth = Math.max(0, ...opened.map((names) => names.length));
  for (const closedPath of closedPaths) {
    const closed = foldNames(namesOf(closedPath));
    const inside = startsWithNames(path, closed) && closed.length >= openDepth;
    if (inside || (intent === "change" && startsWithNames(closed, path))) {
      throw denied("hard.own-state", "Elwood's own files are never the target of a tool.");
    }
  }
  if (isSecretPath(path)) {
    throw denied(
      "hard.secret-file",
      `${place.shown} is where keys and passwords are kept; no tool opens it.`,
    );
  }
}

/** What people need not read of a path each time. Folders beside the first keep their name, which tells them apart. */
export function baseOf({ root, home }: Place): string {
  return home === true ? root : root.slice(0, root.lastIndexOf("/"));
}

/**
 * What people know a path by: one that was given whole, from the folder it lies in; another as it was given.
 * It only names the call, so a path that cannot be opened is named as it is.
 */
export async function nameOf(scope: Pick<Scope, "locate">, path: string): Promise<string> {
  if (!path.startsWith("/")) return path;
  try {
    const place = await scope.locate(path, "read");
    const base = baseOf(place);
    return base !== "" && place.shown.startsWith(`${base}/`) ? place.shown.slice(base.length + 1) : path;
  } catch {
    return path;
  }
}

export function childPlace(place: Place, name: string): Place {
  return { ...place, names: [...place.names, name], shown: join(place.shown, [name]) };
}

/** Tells a thing from a later one that got its inode: numbers are given out again. */
export function thingOf(found: BigIntStats): string {
  return `${identityOf(found)}:${found.birthtimeNs}`;
}

export function identityOf(found: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${found.dev}:${found.ino}`;
}

function namesOf(path: string): string[] {
  return path
    .normalize("NFC")
    .split("/")
    .filter((name) => name !== "");
}

function join(start: string, names: readonly string[]): string {
  return names.length === 0 ? start : `${start === "/" ? "" : start}/${names.join("/")}`;
}

/** A name below a folder, as the file tools take it. */
export function pathOf(folder: Pick<Place, "home" | "names" | "shown">, name: string): string {
  const start = folder.home === true ? folder.names.join("/") : folder.shown;
  return start === "" ? name : `${start}/${name}`;
}
