import { existsSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";
import { CAGE_HOME, cageArguments, cageStart, STATUS_DESCRIPTOR } from "./cage.ts";
import { childEnvironment } from "./environment.ts";
import { GIT_ENVIRONMENT, guardedGit } from "./git-profile.ts";
import { SHELL_LIMITS } from "./limits.ts";
import { isInside } from "./places.ts";
import type { Plan } from "./plan.ts";
import type { Running } from "./run-command.ts";

export interface StartOptions {
  readonly writable: boolean;
  readonly denied: readonly string[];
  readonly envNames: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What is handed to the system for a plan: everything but how long, and who watches. */
export type Start = Pick<
  Running,
  "file" | "args" | "argv0" | "cwd" | "env" | "caged" | "filter" | "changesNothing"
>;

/** Folders of keys that may lie directly in a working root, such as a home folder. */
const KEY_FOLDERS = [
  ".ssh",
  ".gnupg",
  ".password-store",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
];

export function startOf(plan: Plan, options: StartOptions): Start {
  const { cage, program, places } = plan;
  const args = runArguments(plan);
  const env = environmentOf(plan, options);
  if (!cage.ok) {
    const bare = { caged: false, changesNothing: false };
    return { file: program.path, argv0: plan.argv[0]!, args, cwd: places.cwd, env, ...bare };
  }
  const caged = cageArguments(cage.cage, {
    root: places.root,
    cwd: places.cwd,
    writable: options.writable && !plan.looksOnly,
    network: plan.network,
    hidden: [...ownPlaces(options.denied), ...keyFolders(places.root)],
  });
  const whole = ["--json-status-fd", String(STATUS_DESCRIPTOR), ...caged, "--", program.path, ...args];
  const { filter } = cage.cage;
  return {
    ...cageStart(cage.cage, whole, dataBytesOf(plan)),
    cwd: "/",
    env,
    caged: true,
    changesNothing: plan.looksOnly,
    ...(filter && { filter }),
  };
}

function dataBytesOf({ looksOnly }: Plan): number {
  return looksOnly ? SHELL_LIMITS.dataBytesLooksMax : totalmem() * SHELL_LIMITS.dataShareMax;
}

/** The arguments after the program, as they are run. */
export function runArguments({ program, argv, looksOnly }: Plan): readonly string[] {
  const args = argv.slice(1);
  return looksOnly && program.name === "git" ? guardedGit(args) : args;
}

export function environmentOf(plan: Plan, options: Pick<StartOptions, "envNames" | "environment">) {
  return childEnvironment({
    home: plan.cage.ok ? CAGE_HOME : plan.places.root,
    // What runs unasked gets nothing that it does not need.
    allowed: plan.looksOnly ? [] : options.envNames,
    from: options.environment,
    given: plan.env,
    ...(plan.looksOnly && plan.program.name === "git" ? { more: GIT_ENVIRONMENT } : {}),
  });
}

/** They existed when Elwood started. One that is gone may lie under another name, where nothing would hide it. */
function ownPlaces(denied: readonly string[]): string[] {
  return denied.map((path) => {
    try {
      return realpathSync(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      throw new ToolError(
        "own-state-moved",
        `The command was not started: ${path}, which belongs to Elwood, is gone from its place.`,
      );
    }
  });
}

function keyFolders(root: string): string[] {
  return KEY_FOLDERS.map((name) => join(root, name))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => isInside(path, root) && path !== root);
}
