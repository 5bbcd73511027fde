import { dirname } from "node:path";
import { ok, type Result } from "@elwood/core/base/result";
import { statePaths } from "@elwood/platform/state-paths";
import { readFileLayer, type FileLayer } from "./file-layer.ts";
import { configFolders, exists, findConfigFile, readConfigFile } from "./find-file.ts";
import type { Environment, Flags } from "./outside-layers.ts";
import { expandPath, resolveHome, type Home } from "./paths.ts";
import { parseSettings } from "./parse-settings.ts";
import { originText, type ConfigProblem, type Notice } from "./problem.ts";
import { configSchema } from "./schema.ts";
import type { LazyGroup } from "./schema-walk.ts";
import { readToolsFile, withToolsFile } from "./tools-file.ts";

export interface LocateOptions {
  readonly flags: Flags;
  readonly env: Environment;
  readonly cwd: string;
  readonly userHome: string;
  /** What would be read if the settings file were this. */
  readonly draft?: string | undefined;
}

export interface Located {
  readonly home: Home;
  /** The settings file; undefined where there is none. */
  readonly file: string | undefined;
  /** What it says, and `tools.yaml` beside it. */
  readonly layer: FileLayer;
  readonly notices: readonly Notice[];
}

/** The state directory and the settings. The file is looked for first, since it may name the directory. */
export async function locate(
  options: LocateOptions,
  schema: LazyGroup,
): Promise<Result<Located, ConfigProblem>> {
  const { flags, env, cwd, userHome, draft } = options;
  const usual = resolveHome(flags, env, cwd, userHome);
  const found = await findConfigFile(flags, env, cwd, configFolders(env, usual.path, userHome));
  if (!found.ok) return found;
  const file = found.value.path ?? (draft === undefined ? undefined : statePaths(usual.path).config);
  const settings = await readLayer(file, schema, draft);
  const { home, notices } = await namedHome(usual, settings, userHome);
  const tools = await readToolsFile(file === undefined ? home.path : dirname(file), schema);
  return ok({
    home,
    file,
    layer: tools === undefined ? settings : withToolsFile(settings, tools),
    notices: [...found.value.notices, ...notices],
  });
}

/** The state directory alone, also where the settings have mistakes. */
export async function locateHome(options: LocateOptions): Promise<string> {
  const located = await locate(options, configSchema());
  if (located.ok) return located.value.home.path;
  return resolveHome(options.flags, options.env, options.cwd, options.userHome).path;
}

/** What somebody chose for this process goes before what the file says; the desktop's usual place does not. */
async function namedHome(
  usual: Home,
  layer: FileLayer,
  userHome: string,
): Promise<{ readonly home: Home; readonly notices: readonly Notice[] }> {
  const setting = layer.settings.find(({ path }) => path.length === 1 && path[0] === "stateDir");
  if (setting?.place.kind !== "file" || typeof setting.value !== "string" || setting.value.trim() === "")
    return { home: usual, notices: [] };
  const { place } = setting;
  const path = expandPath(setting.value, dirname(place.file), userHome);
  if (path === usual.path) return { home: usual, notices: [] };
  const told = (text: string): Notice => ({ kind: "warning", key: "stateDir", text });
  const here = `${originText(place)} \`${place.written}\``;
  const chosen = usual.place.kind === "flag" || isChosen(usual);
  if (chosen) {
    const by = originText(usual.place);
    return { home: usual, notices: [told(`${here} is not used: the ${by} goes first (${usual.path}).`)] };
  }
  const left = (await exists(statePaths(usual.path).database))
    ? [told(`There is data in ${usual.path}, which is not used: ${here} names ${path}.`)]
    : [];
  const home = { path, place };
  const other = await otherFile(path, place.file);
  return { home, notices: [...left, ...other.map(told)] };
}

function isChosen({ place }: Home): boolean {
  return place.kind === "environment" && place.name !== "XDG_STATE_HOME";
}

async function otherFile(home: string, read: string): Promise<string[]> {
  const path = statePaths(home).config;
  return path !== read && (await exists(path)) ? [`${path} is not read: ${read} goes first.`] : [];
}

async function readLayer(
  path: string | undefined,
  schema: LazyGroup,
  draft: string | undefined,
): Promise<FileLayer> {
  if (path === undefined) return { settings: [], places: new Map(), problems: [] };
  const text = draft === undefined ? await readConfigFile(path) : ok(draft);
  if (!text.ok) return { settings: [], places: new Map(), problems: [text.error] };
  const parsed = await parseSettings(text.value, path);
  const layer = readFileLayer(parsed.root, path, schema);
  return { ...layer, problems: [...parsed.problems, ...layer.problems] };
}
