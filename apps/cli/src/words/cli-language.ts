import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { configFolders, CONFIG_NAMES as NAMES } from "@elwood/gateway/config/find-file";
import { resolveHome } from "@elwood/gateway/config/paths";
import type { Io } from "../io.ts";

export const CLI_LANGUAGES = ["en", "de"] as const;
export type CliLanguage = (typeof CLI_LANGUAGES)[number];

type Where = Pick<Io, "env" | "cwd">;

const SETTING = /^\s*"?language"?\s*[:=]\s*["']?(en|de)\b/m;

/**
 * The language of the terminal: `language` of the settings or ELWOOD_LANGUAGE, else what the system asks for; English
 * where that is neither. The help must be quick and be there also where the settings have mistakes, so they are
 * looked through for this one line and not read.
 */
export function cliLanguage(where: Where, argv: readonly string[]): CliLanguage {
  const { env } = where;
  const named = env["ELWOOD_LANGUAGE"] ?? inSettings(where, argv);
  if (named === "de" || named === "en") return named;
  const system = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return /^de(?:[_.@-]|$)/i.test(system) ? "de" : "en";
}

function inSettings({ env, cwd }: Where, argv: readonly string[]): string | undefined {
  const userHome = env["HOME"] ?? "";
  const named = valueOf(argv, "--config") ?? env["ELWOOD_CONFIG"];
  const { path: folder } = resolveHome({ home: valueOf(argv, "--home") }, env, cwd, userHome);
  const paths = named
    ? [resolve(cwd, named)]
    : configFolders(env, folder, userHome).flatMap((each) => NAMES.map((name) => join(each, name)));
  for (const path of paths) {
    try {
      return SETTING.exec(readFileSync(path, "utf8").slice(0, LIMITS.configFileBytesMax))?.[1];
    } catch {
      // there is none, or it cannot be read: the command that needs it says so
    }
  }
  return undefined;
}

function valueOf(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag);
  if (at >= 0) return argv[at + 1];
  return argv.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
