import { isInside } from "./agent-folder.ts";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { OwnerRule } from "@elwood/core/policy/policy";
import { type Result, err, ok } from "@elwood/core/base/result";
import { expandSecrets } from "./expand.ts";
import { type FileLayer, pathKey } from "./file-layer.ts";
import {
  type NamedFolders,
  type OwnFolders,
  fileRoots,
  folderNotices,
  folderProblems,
} from "./file-roots.ts";
import { locate } from "./locate.ts";
import { configNotices } from "./notices.ts";
import { originsOf } from "./origins.ts";
import { type Environment, type Flags, environmentSettings, flagSettings } from "./outside-layers.ts";
import { type StatePaths, statePaths } from "@elwood/platform/state-paths";
import { expandPath } from "./paths.ts";
import { type ConfigProblem, type Notice, type Place, originText } from "./problem.ts";
import { type Config, configSchema } from "./schema.ts";
import { type Secret, readSecrets } from "./secrets.ts";
import { readSecretsFile, type StoredSecrets } from "./secrets-file.ts";
import { TOOLS_FILE } from "./tools-file.ts";
import { systemTimeZone } from "./system-time-zone.ts";
import { validate } from "./validate.ts";
import { resolveToolName } from "@elwood/core/tool/tool";
import { explain } from "./explain.ts";

export interface LoadOptions {
  readonly flags?: Flags;
  readonly env: Environment;
  readonly cwd: string;
  /** The user's home directory, not the state directory. */
  readonly userHome?: string;
  readonly systemTimeZone?: string;
  readonly nowMs?: number;
  /** What would be loaded if the file and the stored secrets were these. */
  readonly draft?: { readonly text: string; readonly secrets: StoredSecrets };
}

/** The configuration with every folder in full. */
export type FullConfig = Config & { readonly files: Required<Config["files"]> };

export interface LoadedConfig {
  readonly config: FullConfig;
  readonly paths: StatePaths;
  readonly homeOrigin: string;
  /** The file that was read; undefined on a first run. */
  readonly file?: string;
  /** The folder with the agents: as configured, else `workspace` in the state directory. */
  readonly workspaceDir: string;
  /** Every leaf of `config` by its dotted key, and where its value came from. */
  readonly origins: ReadonlyMap<string, string>;
  /** What the file sets, by `pathKey`, and where. */
  readonly places: ReadonlyMap<string, Place>;
  /** The owner's rules about tools, each with the line it stands on. */
  readonly rules: readonly OwnerRule[];
  /** Keys and tokens from outside, by the name of our variable. */
  readonly secrets: ReadonlyMap<string, Secret>;
  /** Secrets that stand in settings (headers, tokens of connections), for the redactor only. */
  readonly secretValues: readonly string[];
  readonly notices: readonly Notice[];
}

/**
 * Reads the whole configuration: flags over environment over file over defaults. Either
 * everything is right, or all that is wrong is told at once. Writes nothing.
 */
export async function loadConfig(options: LoadOptions): Promise<Result<LoadedConfig, ConfigProblem[]>> {
  const { flags = {}, env, cwd, userHome = homedir() } = options;
  const schema = configSchema();
  const located = await locate({ flags, env, cwd, userHome, draft: options.draft?.text }, schema);
  if (!located.ok) return err([located.error]);

  const { home, file, layer } = located.value;
  const paths = statePaths(home.path);
  const stored = await storedSecrets(paths, options);
  if (!stored.ok) return err([stored.error]);
  const outside = environmentSettings(env, schema);
  const byFlag = flagSettings(flags, schema);
  const secrets = await secretsFor(layer, env, cwd, stored.value.secrets);
  const filled = expandSecrets(layer.settings, env, secrets.found);

  const settings = [...filled.settings, ...outside.settings, ...byFlag];
  const valid = validate(settings, schema, options.systemTimeZone ?? systemTimeZone(env));
  const problems = [...layer.problems, ...secrets.problems, ...filled.problems];
  if (valid.config === undefined) {
    problems.push(...explain(valid, schema, layer.places));
  }
  if (valid.config === undefined || problems.length > 0) return err(inFileOrder(problems));

  const set = originsOf(valid.config, settings);
  const baseOf = (key: string) => {
    const base = baseFolder(set.get(key), cwd);
    // Nothing in Elwood's data folder can be opened, so that no folder of the owner's is meant from there.
    return OWNERS_FOLDERS.has(key) && isInside(base, home.path) ? userHome : base;
  };
  const { config, folders, own } = withPaths(valid.config, baseOf, paths, userHome);
  const closed = await folderProblems(folders, own, layer);
  if (closed.length > 0) return err(inFileOrder(closed));
  const origins = originsOf(config, settings);
  return ok({
    config,
    paths,
    homeOrigin: originText(home.place),
    ...(file === undefined ? {} : { file }),
    workspaceDir: config.agents.workspaceDir ?? paths.workspace,
    origins: new Map([...origins].map(([key, place]) => [key, originText(place)])),
    places: layer.places,
    rules: ownerRules(config, (path) => layer.places.get(pathKey(path))),
    secrets: secrets.found,
    secretValues: filled.secrets,
    notices: [
      ...located.value.notices,
      ...outside.notices,
      ...stored.value.notices,
      ...secrets.notices,
      ...filled.notices,
      ...(await configNotices(config, layer, {
        files: file === undefined ? [] : [file, join(dirname(file), TOOLS_FILE)],
        workspaceDir: config.agents.workspaceDir ?? paths.workspace,
        nowMs: options.nowMs ?? Date.now(),
        holdsSecrets: filled.literal,
      })),
      ...(await folderNotices(folders, own)),
    ],
  });
}

/** Keys of providers and secrets of tools, as far as the file names them. */
function secretsFor(
  layer: FileLayer,
  env: Environment,
  cwd: string,
  stored: StoredSecrets,
): ReturnType<typeof readSecrets> {
  const providers = layer.settings.flatMap(({ path }) =>
    path[0] === "providers" && path[1] ? [path[1]] : [],
  );
  const forTools = layer.settings.flatMap(({ path }) =>
    path[0] === "tools" && path[1] === "secrets" && path[2] ? [path[2]] : [],
  );
  return readSecrets(env, cwd, providers, forTools, stored);
}

async function storedSecrets(paths: StatePaths, { draft }: LoadOptions) {
  return draft === undefined
    ? readSecretsFile(paths.secrets)
    : ok({ secrets: draft.secrets, notices: [] as Notice[] });
}

/** Settings that name folders of the owner's, not of Elwood's. */
const OWNERS_FOLDERS: ReadonlySet<string> = new Set(["files.roots", "shell.root"]);

/** A relative path in a file starts at that file; on the command line and in the environment, where one stands. */
function baseFolder(place: Place | undefined, cwd: string): string {
  return place?.kind === "file" ? dirname(place.file) : cwd;
}

/** Every folder of the configuration in full, those that nobody named included. */
function withPaths(
  config: Config,
  baseOf: (key: string) => string,
  paths: StatePaths,
  userHome: string,
): { config: FullConfig; folders: NamedFolders; own: OwnFolders } {
  const { workspaceDir: written } = config.agents;
  const folder = (path: string, key: string) => expandPath(path, baseOf(key), userHome);
  const workspaceDir = written === undefined ? undefined : folder(written, "agents.workspaceDir");
  const shellRoot = config.shell.root === undefined ? undefined : folder(config.shell.root, "shell.root");
  const named =
    config.files.roots?.map((root) => ({ ...root, path: folder(root.path, "files.roots") })) ?? [];
  // A bare file name means the owner's files, not the agent's.
  const open = [paths.files, workspaceDir ?? paths.workspace];
  const full = {
    ...config,
    agents: { ...config.agents, ...(workspaceDir === undefined ? {} : { workspaceDir }) },
    files: { roots: fileRoots(named, open) },
    backup: {
      ...config.backup,
      ...(config.backup.folder === undefined
        ? {}
        : { folder: folder(config.backup.folder, "backup.folder") }),
      ...(config.backup.passphraseFile === undefined
        ? {}
        : { passphraseFile: folder(config.backup.passphraseFile, "backup.passphraseFile") }),
    },
    log: {
      ...config.log,
      ...(config.log.file === undefined ? {} : { file: folder(config.log.file, "log.file") }),
    },
    shell: { ...config.shell, ...(shellRoot === undefined ? {} : { root: shellRoot }) },
  };
  return { config: full, folders: { roots: named, shellRoot }, own: { home: paths.home, open } };
}

function inFileOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/**
 * The rules of `policy.rules` and of the older `permissions.toolPolicy`, in one list, each
 * with the place it stands at. Which of them speaks is the policy's business: a deny goes
 * before an ask and that before an allow, wherever they are written.
 */
function ownerRules(
  config: Pick<Config, "policy" | "permissions">,
  placeOf: (path: readonly string[]) => Place | undefined,
): OwnerRule[] {
  const rule = (name: string, decision: OwnerRule["decision"], path: readonly string[]): OwnerRule => ({
    tool: resolveToolName(name) ?? name,
    decision,
    origin: originText(placeOf(path) ?? { kind: "default" }),
  });
  return [
    ...config.policy.rules.map(({ tool, decision }, i) =>
      rule(tool, decision, ["policy", "rules", String(i)]),
    ),
    ...Object.entries(config.permissions?.toolPolicy ?? {}).map(([name, decision]) => ({
      ...rule(name, decision, ["permissions", "toolPolicy", name]),
      // Without a list of safe commands beside it, an ask means every command.
      ...(decision === "allow" || (decision === "ask" && config.permissions?.safeCommands !== undefined)
        ? { older: true as const }
        : {}),
    })),
  ];
}
