import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  LIBRARY_FOLDERS,
  LIBRARY_LISTS,
  ownDevices,
  ownWorld,
  readable,
  SEALED,
  systemFolders,
  type Bubblewrap,
} from "@elwood/platform/bubblewrap";

const BOOTSTRAP = fileURLToPath(new URL("./host-bootstrap.mjs", import.meta.url));

/**
 * The command that starts a process for tools. Node's permission model leaves it zod's files
 * and nothing else: no other file, no process, no worker, no native code. In a cage nothing else
 * exists for it either, and there is no network: then `ctx.fetch` is the only way out.
 */
export function hostCommand(
  cage: Bubblewrap | undefined,
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
      // No native code runs in there that could reach a keyring, so it needs no filter.
      ...ownWorld(
        { path: cage.path, users: cage.users, noNestedUsers: cage.noNestedUsers },
        { network: false },
      ),
      ...systemFolders(LIBRARY_FOLDERS),
      ...readable(LIBRARY_LISTS),
      ...ownDevices(),
      ...[program, BOOTSTRAP, zod].flatMap((path) => ["--ro-bind", path, path]),
      ...SEALED,
      "--chdir",
      "/",
      "--",
      program,
      ...node,
    ],
  };
}
