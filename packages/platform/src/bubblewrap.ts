import type { ChildProcess } from "node:child_process";
import { lstatSync, readlinkSync } from "node:fs";
import { Writable } from "node:stream";

/** A bubblewrap that was seen to work here, and what it can do. */
export interface Bubblewrap {
  readonly path: string;
  /** What is caged gets users of its own; without it the cage still holds, for a gateway that runs as root. */
  readonly users: boolean;
  readonly noNestedUsers: boolean;
  /** System calls that are refused, those that reach the session's keyring among them. Read from `FILTER_DESCRIPTOR`. */
  readonly filter?: Uint8Array;
}

export type CageReport<Cage extends Bubblewrap = Bubblewrap> =
  | { readonly ok: true; readonly cage: Cage }
  | { readonly ok: false; readonly reason: string };

/** Where bubblewrap reads the filter from. */
export const FILTER_DESCRIPTOR = 4;

/** All that a program needs of a system to be loaded. */
export const LIBRARY_FOLDERS: readonly string[] = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/local/lib",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix/store",
  "/gnu/store",
];
export const LIBRARY_LISTS: readonly string[] = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"];
export const SYSTEM_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store",
];
/** Nothing in here is a secret; without them names of users, times, libraries and kinds of files are not found. */
export const SYSTEM_FILES: readonly string[] = [
  ...LIBRARY_LISTS,
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/passwd",
  "/etc/group",
  "/etc/nsswitch.conf",
  "/etc/magic",
  "/etc/magic.mime",
  "/etc/mime.types",
];
export const NETWORK_FILES: readonly string[] = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/tls/certs",
];

/**
 * How every cage begins, whatever is in it: own processes, own network unless it was granted, no capabilities,
 * no terminal; when bubblewrap or the gateway dies, everything inside dies. With a filter, no system call reaches
 * the keyring of the session that the gateway was started in.
 */
export function ownWorld(cage: Bubblewrap, { network }: { readonly network: boolean }): string[] {
  return [
    ...(cage.users ? ["--unshare-user"] : []),
    ...(cage.noNestedUsers ? ["--disable-userns"] : []),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(network ? [] : ["--unshare-net"]),
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    ...(cage.filter === undefined ? [] : ["--seccomp", String(FILTER_DESCRIPTOR)]),
    "--hostname",
    "cage",
  ];
}

/**
 * `/proc` and `/dev` of the cage's own, to read: to root, whose numbers are the same inside, some files of `/proc`
 * would be switches of the whole machine. `shared` is what makes `/dev/shm`, which stays writable.
 */
export function ownDevices(shared: readonly string[] = []): string[] {
  return ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", ...shared, "--remount-ro", "/dev"];
}

/** After everything else is in place: nothing can be put beside it. */
export const SEALED: readonly string[] = ["--remount-ro", "/"];

/** Folders of the system as they are on this machine: on most, `/bin` is a link into `/usr`. Those that are not there are left out. */
export function systemFolders(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return lstatSync(path).isSymbolicLink()
        ? ["--symlink", readlinkSync(path), path]
        : ["--ro-bind", path, path];
    } catch (error) {
      if (error instanceof Error && "code" in error) return [];
      throw error;
    }
  });
}

/** To read, where they are there. */
export function readable(paths: readonly string[]): string[] {
  return paths.flatMap((path) => ["--ro-bind-try", path, path]);
}

export function giveFilter(child: ChildProcess, filter: Uint8Array): void {
  const stream = child.stdio[FILTER_DESCRIPTOR];
  if (!(stream instanceof Writable)) return;
  // A bubblewrap that ended before it read the filter has told why.
  stream.on("error", () => stream.destroy());
  stream.end(filter);
}
