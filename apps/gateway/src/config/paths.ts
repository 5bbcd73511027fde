import { access, chmod, constants, mkdir, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { storageFailure } from "@elwood/platform/storage-failure";
import type { Environment, Flags } from "./outside-layers.ts";
import type { Place } from "./problem.ts";

export interface Home {
  readonly path: string;
  readonly place: Place;
}

/** Where state lives: the flag, ELWOOD_HOME, systemd's folder, then the XDG one. */
export function resolveHome(flags: Flags, env: Environment, cwd: string, userHome = homedir()): Home {
  const flag = flags["home"];
  if (flag !== undefined && flag !== "") {
    return { path: expandPath(String(flag), cwd, userHome), place: { kind: "flag", name: "--home" } };
  }
  if (env["ELWOOD_HOME"]) {
    const path = expandPath(env["ELWOOD_HOME"], cwd, userHome);
    return { path, place: { kind: "environment", name: "ELWOOD_HOME" } };
  }
  // A unit may have several state directories; the first is the main one.
  const unit = env["STATE_DIRECTORY"]?.split(":").find((path) => path !== "");
  if (unit !== undefined) {
    return { path: resolve(cwd, unit), place: { kind: "environment", name: "STATE_DIRECTORY" } };
  }
  if (env["XDG_STATE_HOME"]) {
    const path = join(resolve(cwd, env["XDG_STATE_HOME"]), "elwood");
    return { path, place: { kind: "environment", name: "XDG_STATE_HOME" } };
  }
  return { path: join(userHome, ".local", "state", "elwood"), place: { kind: "default" } };
}

/** A path as a person writes it: `~` is theirs, and a relative one starts at `base`. */
export function expandPath(path: string, base: string, userHome: string): string {
  if (path === "~" || path.startsWith("~/")) return join(userHome, path.slice(1));
  return resolve(base, path);
}

/** What may lie there before a first start. */
const BEFORE_START: ReadonlySet<string> = new Set([
  "workspace",
  "config.yaml",
  "config.yml",
  "config.toml",
  "config.json",
  "tools.yaml",
  "container-token",
]);

/** The home of a user that a system or a container made for Elwood alone: closed, and with nothing of a person's in it. */
async function isServiceHome(home: string): Promise<boolean> {
  const found = await stat(home).catch(() => undefined);
  if (found === undefined || (found.mode & 0o077) !== 0) return false;
  const visible = (await readdir(home)).filter((name) => !name.startsWith("."));
  return visible.includes("elwood.db") || visible.every((name) => BEFORE_START.has(name));
}

/** Makes the state directory, closed to others. Throws a FailureError with words where that cannot be. */
export async function ensureHome(home: string, userHome = homedir()): Promise<{ tightened: boolean }> {
  if (home === "/" || (home === resolve(userHome) && !(await isServiceHome(home)))) {
    fail(
      "STORAGE",
      `The state directory would be ${home} itself. Elwood closes its state directory to other users, so it needs one of its own: set ELWOOD_HOME to ${join(home, "elwood")}, for example.`,
      { retryable: false },
    );
  }
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const { mode } = await stat(home);
    const open = (mode & 0o077) !== 0;
    if (open) await chmod(home, 0o700);
    await access(home, constants.W_OK | constants.X_OK);
    return { tightened: open };
  } catch (cause) {
    throw new FailureError(
      storageFailure(cause, home, "Choose another state directory: ELWOOD_HOME=/path elwood …"),
    );
  }
}
