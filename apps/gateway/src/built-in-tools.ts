import { homedir } from "node:os";
import { join } from "node:path";
import {
  type FilePlaces,
  fileShower,
  filesTools,
  isSecretPath,
  type ShowFile,
  usuallyHoldsKeys,
} from "@elwood/integration-files";
import { findCage, settingNotices, shellTools, type ShellOptions } from "@elwood/integration-shell";
import { webTools } from "@elwood/integration-web";
import { pathInWords, type WorkingContext } from "@elwood/core/model/working-context";
import { matchesTool } from "@elwood/core/tool/tool";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { ToolDefinition } from "@elwood/sdk/tool";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { browserUnavailable } from "./browser/browser-unavailable.ts";
import { findDriver } from "./browser/find-driver.ts";
import { openBrowser } from "./browser/open-browser.ts";
import type { LoadedConfig } from "./config/load.ts";
import { programTool } from "./tools/program-tool.ts";
import { ownerTools } from "./tools/owner-tools.ts";
import type { UnavailableTools } from "./tools/unavailable-tools.ts";
import type { ToolProvisions } from "./tools/register-tool.ts";
import { SEARCH_KEY, SEARCH_OFF, searchService } from "./web/search-service.ts";
import type { WebAccess } from "./web/web-access.ts";
import { openWorkspaceTools, type WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";

/** Elwood's own tools, those that cannot work here apart. */
export async function builtInTools(
  loaded: LoadedConfig,
  web: WebAccess,
  documents: DocumentReader,
): Promise<{ readonly tools: readonly ToolDefinition[]; readonly off: readonly UnavailableTools[] }> {
  const { config } = loaded;
  const search = searchService(loaded);
  const commandsOff = await offWithoutCage(loaded);
  const tools = [
    ...filesTools({
      ...filePlaces(loaded),
      documents,
      timeZone: config.timeZone,
      pathWords: pathInWords(openFolders(loaded)),
    }),
    ...(commandsOff
      ? []
      : shellTools({
          ...shellOptions(loaded),
          isSecret: (names) => isSecretPath(names) || usuallyHoldsKeys(names),
        })),
    ...webTools({ documents, judge: (url) => web.judge(url), ...(search && { search }) }),
    ...ownerTools(),
    programTool(),
  ];
  return { tools, off: [...(commandsOff ? [commandsOff] : []), ...(search ? [] : [SEARCH_OFF])] };
}

function filePlaces(loaded: LoadedConfig): FilePlaces {
  const { config, paths, workspaceDir } = loaded;
  return {
    roots: config.files.roots,
    denied: ownPlaces(loaded),
    own: [paths.files, workspaceDir],
    undoDir: join(paths.home, "undo"),
    workspace: workspaceDir,
  };
}

/** For the owner's own eyes: files as they are now, where the tools may read them. */
export function showFileOf(loaded: LoadedConfig): ShowFile {
  let show: ShowFile | undefined;
  return (path) => (show ??= fileShower(filePlaces(loaded)))(path);
}

/** Where commands must be caged and cannot be, none would ever run. */
async function offWithoutCage({ config }: LoadedConfig): Promise<UnavailableTools | undefined> {
  if (!config.shell.requireCage) return undefined;
  const found = await commandCage();
  if (found.ok) return undefined;
  return {
    tools: ["shell.*"],
    what: `Commands are off because they cannot be caged here (${found.reason}), and shell.requireCage is set.`,
    fix: "Install bubblewrap, or see `elwood doctor`.",
    stillOff: async () => !(await commandCage()).ok,
  };
}

/** Where agents work, as the prompt says it. Looked up with the first question, and again once the settings have changed. */
export function workingContextOf(loaded: LoadedConfig, cage = commandCage): () => Promise<WorkingContext> {
  let known: Promise<WorkingContext> | undefined;
  let of = loaded.config;
  const look = async (): Promise<WorkingContext> => ({
    folders: openFolders(loaded),
    commands: { folder: commandFolder(loaded), network: (await cage()).ok ? "asks" : "always" },
    timeZone: loaded.config.timeZone,
  });
  const forget = (cause: unknown) => {
    known = undefined;
    throw cause;
  };
  return () => {
    if (of !== loaded.config) known = undefined;
    of = loaded.config;
    return (known ??= look().catch(forget));
  };
}

function openFolders({ config, workspaceDir }: LoadedConfig): WorkingContext["folders"] {
  return config.files.roots.map((root) => ({ ...root, workspace: root.path === workspaceDir }));
}

/** A bare name means the same file to a command as to the file tools. */
function commandFolder({ config, paths }: LoadedConfig): string {
  return config.shell.root ?? config.files.roots[0]?.path ?? paths.files;
}

/** Whether commands can be caged on this machine; for the doctor. */
export function commandCage() {
  return findCage();
}

/** The tools that the owner wrote, with the cage they run in where there is one. */
export function workspaceOf(
  { workspaceDir, paths }: Pick<LoadedConfig, "workspaceDir" | "paths">,
  { version, clock, log }: { version: string; clock: Clock; log: Log },
): WorkspaceTools {
  const cacheDir = join(paths.home, "cache", "tools");
  return openWorkspaceTools({ workspaceDir, cacheDir, version, clock, log, cage: makeToolCage() });
}

/** The same for tools of the workspace, tried out at the first use; where it works it stays so. */
function makeToolCage(): typeof commandCage {
  let found: ReturnType<typeof commandCage> | undefined;
  return async () => {
    const report = await (found ??= commandCage());
    if (!report.ok) found = undefined;
    return report;
  };
}

/** Entries of the owner's lists about commands that were left out, and why. */
export async function commandNotices(loaded: LoadedConfig): Promise<readonly string[]> {
  const { safeCommands, envNames } = shellOptions(loaded);
  if (safeCommands === undefined && envNames.length === 0) return [];
  return settingNotices({ ...(safeCommands && { safeCommands }), envNames });
}

function shellOptions(loaded: LoadedConfig): Omit<ShellOptions, "isSecret"> {
  const { config, workspaceDir } = loaded;
  const { shell, permissions } = config;
  const root = commandFolder(loaded);
  const within = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
  return {
    root,
    writable: shell.root !== undefined || (config.files.roots[0]?.write ?? true),
    denied: ownPlaces(loaded),
    autoRun: config.policy.mode !== "strict",
    ...(permissions?.safeCommands && { safeCommands: permissions.safeCommands }),
    dangerousPatterns: permissions?.dangerousPatterns ?? [],
    dangerous: shell.dangerous,
    envNames: shell.env,
    environment: process.env,
    timeoutMs: shell.timeoutMs,
    requireCage: shell.requireCage,
    holdsAgents: within(workspaceDir, root) || within(root, workspaceDir),
    userHome: homedir(),
  };
}

/** The configuration is where the rules stand; it may lie elsewhere. */
function ownPlaces({ paths, file }: LoadedConfig): string[] {
  return [paths.home, ...(file === undefined ? [] : [file])];
}

/** The browser's tools, made once for the process: reading the tools in again must not start another browser. */
export async function browserOf(loaded: LoadedConfig, web: WebAccess, clock: Clock) {
  const { browser } = loaded.config;
  if (!browser.enabled) return undefined;
  const root = process.getuid?.() === 0;
  const opened = await openBrowser({
    setting: browser,
    home: loaded.paths.home,
    dialer: web.dialer,
    clock,
    environment: process.env,
    root,
    saveUnder: () => loaded.config.files.roots.find(({ write }) => write)?.path,
  });
  const { executable, sandbox } = browser;
  return {
    ...opened,
    off: () => {
      const hasDriver = () => findDriver(loaded.paths.home) !== undefined;
      return browserUnavailable({ executable, sandbox, root, searchPath: process.env["PATH"], hasDriver });
    },
  };
}

/** What tools are given beside their input. Of the secrets only those that are meant for tools. */
export function provisionsFor(
  loaded: LoadedConfig,
  web: WebAccess,
): Pick<ToolProvisions, "fetch" | "secret"> {
  return {
    fetch: ({ hosts }, source) => (source === "workspace" || hosts ? web.fetchTo(hosts ?? []) : web.fetch),
    secret(name, { id }, source) {
      const given = source === "workspace" ? givesSecret(loaded.config, name, id) : name === SEARCH_KEY;
      return given ? loaded.secrets.get(name)?.value : undefined;
    },
  };
}

/** Whether the owner gives this secret to this tool. */
export function givesSecret({ tools }: LoadedConfig["config"], name: string, toolId: string): boolean {
  return (tools.secrets[name] ?? []).some((pattern) => matchesTool(pattern, toolId));
}
