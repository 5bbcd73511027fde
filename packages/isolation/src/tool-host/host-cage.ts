import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A bubblewrap that was seen to work here. */
export interface HostCage {
  readonly path: string;
  readonly users: boolean;
  readonly noNestedUsers: boolean;
}

/** Whether tools of the workspace are kept from the network by the system itself. */
export type CageReport =
  | { readonly ok: true; readonly cage: HostCage }
  | { readonly ok: false; readonly reason: string };

const BOOTSTRAP = fileURLToPath(new URL("./host-bootstrap.mjs", import.meta.url));

/** All that Node needs of a system. */
const LIBRARIES = [
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
const LIBRARY_LISTS = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"];

/**
 * The command that starts a process for tools. Node's permission model leaves it zod's files
 * and nothing else: no other file, no process, no worker, no native code. In a cage nothing else
 * exists for it either, and there is no network: then `ctx.fetch` is the only way out.
 */
export function hostCommand(
  cage: HostCage | undefined,
  zod: string,
): { readonly file: string; readonly args: readonly string[] } {
  const node = [
    "--permission",
    `--allow-fs-read=${BOOTSTRAP}`,
    `--allow-fs-read=${zod}/*`,
    "--no-warnings",
    "--no-addons",
    "--disallow-code-generation-from-strings",
    "--max-old-space-size=256",
    "--max-semi-space-size=4",
    BOOTSTRAP,
  ];
  if (cage === undefined) return { file: process.execPath, args: node };
  const program = realpathSync(process.execPath);
  return {
    file: cage.path,
    args: [
      ...(cage.users ? ["--unshare-user"] : []),
      ...(cage.noNestedUsers ? ["--disable-userns"] : []),
      "--unshare-net",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
      "--die-with-parent",
      "--new-session",
      "--cap-drop",
      "ALL",
      ...LIBRARIES.flatMap(library),
      ...LIBRARY_LISTS.flatMap((path) => ["--ro-bind-try", path, path]),
      "--proc",
      "/proc",
      "--remount-ro",
      "/proc",
      "--dev",
      "/dev",
      "--remount-ro",
      "/dev",
      ...[program, BOOTSTRAP, zod].flatMap((path) => ["--ro-bind", path, path]),
      "--remount-ro",
      "/",
      "--chdir",
      "/",
      "--",
      program,
      ...node,
    ],
  };
}

/** As it is on this machine: on most, `/lib` is a link into `/usr`. */
function library(path: string): string[] {
  try {
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
