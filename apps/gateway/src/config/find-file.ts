import { open, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Environment, Flags } from "./outside-layers.ts";
import type { ConfigProblem, Notice } from "./problem.ts";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

export const CONFIG_NAMES = ["config.yaml", "config.yml", "config.toml", "config.json"] as const;

export interface FoundFile {
  /** Undefined is ordinary: a first run. */
  readonly path: string | undefined;
  readonly notices: readonly Notice[];
}

/** The folders looked into, in order. */
export function configFolders(env: Environment, home: string, userHome: string): string[] {
  const shared = env["XDG_CONFIG_HOME"];
  return [home, join(shared ? shared : join(userHome, ".config"), "elwood")];
}

/** The file that was named, else the first of the usual ones that exists. */
export async function findConfigFile(
  flags: Flags,
  env: Environment,
  cwd: string,
  folders: readonly string[],
): Promise<Result<FoundFile, ConfigProblem>> {
  const named =
    flags["config"] === undefined
      ? { path: env["ELWOOD_CONFIG"], by: "ELWOOD_CONFIG" }
      : { path: String(flags["config"]), by: "--config" };
  if (named.path !== undefined && named.path !== "") {
    const path = resolve(cwd, named.path);
    if (!(await exists(path))) {
      const text = `${named.by} names ${path}, which does not exist. Without it Elwood uses, or makes, ${join(folders[0]!, CONFIG_NAMES[0])}.`;
      return err({ text, file: path, key: named.by });
    }
    return ok({ path, notices: [] });
  }
  const present: string[] = [];
  for (const folder of folders) {
    for (const name of CONFIG_NAMES) if (await exists(join(folder, name))) present.push(join(folder, name));
  }
  const [first, ...others] = present;
  const notices = others.map((path): Notice => {
    return { kind: "warning", text: `${path} is not read: ${first} goes first.` };
  });
  return ok({ path: first, notices });
}

export async function readConfigFile(path: string): Promise<Result<string, ConfigProblem>> {
  const name = basename(path);
  try {
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      if (size > LIMITS.configFileBytesMax) {
        const text = `${name} is ${Math.ceil(size / 1024)} KB. A configuration has at most ${LIMITS.configFileBytesMax / 1024} KB, so this is likely another file.`;
        return err({ text, file: path });
      }
      const bytes = await handle.readFile();
      try {
        return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      } catch (cause) {
        if (!(cause instanceof TypeError)) throw cause;
        return err({ text: `${name} is not text in UTF-8.`, file: path });
      }
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown error";
    const why = code === "EACCES" ? "this user may not read it" : code === "EISDIR" ? "it is a folder" : code;
    return err({ text: `${path} cannot be read: ${why}.`, file: path });
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    // Anything else means that it is there and cannot be looked at: say so when it is read.
    return !isMissingPath(cause);
  }
}
