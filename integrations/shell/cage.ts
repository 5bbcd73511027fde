import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import {
  giveFilter,
  NETWORK_FILES,
  ownDevices,
  ownWorld,
  readable,
  SEALED,
  SYSTEM_FILES,
  SYSTEM_FOLDERS,
  systemFolders,
  type Bubblewrap,
  type CageReport as AnyCageReport,
} from "@elwood/platform/bubblewrap";
import { findProgram } from "./find-program.ts";
import { isInside } from "./places.ts";
import { SHELL_LIMITS } from "./limits.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** A bubblewrap as commands use it. */
export interface Cage extends Bubblewrap {
  /** Folders in memory can be limited. */
  readonly sizes: boolean;
  /** Memory is limited. */
  readonly limits: boolean;
}

export type CageReport = AnyCageReport<Cage>;

export interface Caged {
  readonly root: string;
  readonly writable: boolean;
  readonly cwd: string;
  readonly network: boolean;
  /** Folders and files of which nothing may be seen. */
  readonly hidden: readonly string[];
}

export const CAGE_HOME = "/tmp";

const SYSTEM_LINKS = ["/run/current-system"];

/**
 * Arguments for bubblewrap, before the command.
 *
 * K1 Only what is named here exists: programs and libraries, a few files of /etc, the working
 *    root, and empty folders in memory. Elwood's state is not among it, and where it lies
 *    inside of something that is, an empty folder lies over it and nothing above it can be moved.
 * K2 Only the working root (where the command may change it) and the scratch folder can be
 *    written to. `/proc` is read-only too: to root, whose numbers are the same inside, some of
 *    its files would be switches of the whole machine.
 * K3 Own processes, own network unless it was granted, no capabilities, no terminal; when
 *    bubblewrap or the gateway dies, everything inside dies.
 * K4 No system call reaches the keyring of the session that the gateway was started in. All
 *    keyrings are refused: a session keyring of its own would leave those of the user within
 *    reach, and neither bubblewrap nor Node can make one. The filter is read from descriptor 4.
 */
export function cageArguments(cage: Cage, caged: Caged): string[] {
  const mounted = [...SYSTEM_FOLDERS, ...SYSTEM_FILES, caged.root, ...(caged.network ? NETWORK_FILES : [])];
  return [
    ...ownWorld(cage, caged),
    ...systemFolders([...SYSTEM_FOLDERS, ...SYSTEM_LINKS]),
    ...readable([...SYSTEM_FILES, ...(caged.network ? NETWORK_FILES : [])]),
    ...ownDevices(memory(cage, "/dev/shm", SHELL_LIMITS.sharedMemoryBytesMax)),
    ...memory(cage, "/tmp", SHELL_LIMITS.scratchBytesMax),
    caged.writable ? "--bind" : "--ro-bind",
    caged.root,
    caged.root,
    ...(caged.writable ? pin(caged.hidden, caged.root) : []),
    ...outermost(caged.hidden, caged.root).flatMap((path) => hide(path, mounted, caged.root)),
    ...SEALED,
    "--chdir",
    caged.cwd,
  ];
}

/** Where bubblewrap tells how it goes. */
export const STATUS_DESCRIPTOR = 3;

const SHELL = "/bin/sh";

/**
 * What is started for bubblewrap with these arguments: bubblewrap has no limits of its own, and
 * what a shell limits stays limited in the program that takes its place. No core is written.
 */
export function cageStart(
  cage: Cage,
  args: readonly string[],
  dataBytesMax: number,
): { readonly file: string; readonly args: readonly string[] } {
  if (!cage.limits) return { file: cage.path, args };
  const limits = `ulimit -c 0 && ulimit -d ${Math.floor(dataBytesMax / 1024)} && exec "$0" "$@"`;
  return { file: SHELL, args: ["-c", limits, cage.path, ...args] };
}

/** Looks for bubblewrap and tries it out, once; what is missing is looked for again later. */
export function makeCageFinder(now: () => number, find = findBubblewrap): () => Promise<CageReport> {
  let known: Promise<CageReport> | undefined;
  let goodUntil = 0;
  async function look(): Promise<CageReport> {
    const report = await probe(find);
    if (!report.ok) goodUntil = now() + SHELL_LIMITS.cageMissingMs;
    return report;
  }
  return () => {
    if (known !== undefined && now() < goodUntil) return known;
    goodUntil = Number.POSITIVE_INFINITY;
    const looking = look();
    known = looking;
    return looking;
  };
}

const findBubblewrap = async () => (await findProgram("bwrap", { root: "/", cwd: "/" }))?.path;

async function probe(find: () => Promise<string | undefined>): Promise<CageReport> {
  if (process.platform !== "linux") return { ok: false, reason: "cages need Linux" };
  const path = await find();
  if (path === undefined) return { ok: false, reason: "bubblewrap (bwrap) is not installed" };
  const help = await tried(path, ["--help"]);
  const sizes = help.output.includes("--size ");
  const nested = help.output.includes("--disable-userns");
  const root = process.getuid?.() === 0;
  const filter = help.output.includes("--seccomp") ? systemCallFilter() : undefined;
  const users = [
    ...(nested ? [{ users: true, noNestedUsers: true }] : []),
    { users: true, noNestedUsers: false },
    // Only root can make the other namespaces without one for users.
    ...(root ? [{ users: false, noNestedUsers: false }] : []),
  ];
  // What surrounds the cage may be missing where the cage itself can be built.
  const around = [
    ...(filter === undefined ? [] : [{ filter, limits: true }]),
    { limits: true },
    { limits: false },
  ];
  const wanted: Cage[] = around.flatMap((more) => users.map((each) => ({ path, sizes, ...each, ...more })));
  let reason = "";
  for (const cage of wanted) {
    const { dataBytesLooksMax } = SHELL_LIMITS;
    const caged = { root: "/usr", writable: false, cwd: "/", network: false, hidden: [] };
    const started = cageStart(cage, [...cageArguments(cage, caged), "--", "true"], dataBytesLooksMax);
    const outcome = await tried(started.file, started.args, cage.filter);
    if (outcome.ok) return { ok: true, cage };
    reason ||= outcome.output.trim().split("\n").at(-1) || "it ended without a word";
  }
  return { ok: false, reason: `bubblewrap is there but cannot build a cage (${reason})` };
}

function tried(
  path: string,
  args: readonly string[],
  filter?: Uint8Array,
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(path, args, {
      env: { PATH: "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin" },
      stdio: ["ignore", "pipe", "pipe", "ignore", filter === undefined ? "ignore" : "pipe"],
      timeout: SHELL_LIMITS.cageProbeMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    const take = (data: Buffer) => (output = (output + data.toString()).slice(0, 20_000));
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    if (filter !== undefined) giveFilter(child, filter);
    child.once("error", (error) => resolve({ ok: false, output: error.message }));
    child.once("close", (code) => resolve({ ok: code === 0, output }));
  });
}

function memory(cage: Cage, path: string, bytes: number): string[] {
  return [...(cage.sizes ? ["--size", String(bytes)] : []), "--tmpfs", path];
}

/**
 * What lies over a hidden place goes along when a folder above it is renamed, and the next
 * command would find the place under the new name. A folder that is mounted cannot be renamed.
 */
function pin(hidden: readonly string[], root: string): string[] {
  const above = new Set<string>();
  for (const path of hidden.filter((each) => isInside(each, root))) {
    for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder)) {
      above.add(folder);
    }
  }
  const outsideIn = [...above].sort((a, b) => a.length - b.length);
  return outsideIn.flatMap((folder) => ["--bind", folder, folder]);
}

/** Without places inside of others: where an empty folder lies there is nothing left to hide. */
function outermost(hidden: readonly string[], root: string): string[] {
  const covered = hidden.filter((path) => !isInside(root, path));
  return hidden.filter((path) => !covered.some((other) => other !== path && isInside(path, other)));
}

function hide(path: string, mounted: readonly string[], root: string): string[] {
  // The working root may lie in Elwood's own folder: then only that part of it is there at all.
  if (isInside(root, path) || !mounted.some((folder) => isInside(path, folder))) return [];
  return lstatSync(path).isDirectory()
    ? ["--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}
