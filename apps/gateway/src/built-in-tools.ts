import { homedir } from "node:os";
import { join } from "node:path";
import type { ShellOptions } from "@elwood/integration-shell";
import type { ToolDefinition } from "@elwood/sdk/tool";
import type { Clock } from "@elwood/runtime/ports";
import { openBrowser } from "./browser/open-browser.ts";
import type { LoadedConfig } from "./config/load.ts";
import { programTool } from "./programs/program-tool.ts";
import { ownerTools } from "./tools/owner-tools.ts";
import type { ToolProvisions } from "./tools/register-tool.ts";
import type { WebAccess } from "./web/web-access.ts";

const SEARCH_KEY = "BRAVE_SEARCH_API_KEY";

/** Elwood's own tools. Integrations are loaded here, so that commands that need none do not pay for them. */
export async function builtInTools(loaded: LoadedConfig, web: WebAccess): Promise<ToolDefinition[]> {
  const [{ filesTools, isSecretPath }, { webTools }, { shellTools }] = await Promise.all([
    import("@elwood/integration-files"),
    import("@elwood/integration-web"),
    import("@elwood/integration-shell"),
  ]);
  const { config, paths, workspaceDir } = loaded;
  const search = searchService(loaded);
  return [
    ...filesTools({
      roots: config.files.roots,
      denied: ownPlaces(loaded),
      undoDir: join(paths.home, "undo"),
      workspace: workspaceDir,
    }),
    ...shellTools({ ...shellOptions(loaded), isSecret: isSecretPath }),
    ...webTools({ check: (url) => web.check(url), ...(search && { search }) }),
    ...ownerTools(),
    programTool(),
  ];
}

/** Whether commands can be caged on this machine; for the doctor. */
export async function commandCage() {
  return (await import("@elwood/integration-shell")).findCage();
}

/** Entries of the owner's lists about commands that were left out, and why. */
export async function commandNotices(loaded: LoadedConfig): Promise<readonly string[]> {
  const { safeCommands, envNames } = shellOptions(loaded);
  if (safeCommands === undefined && envNames.length === 0) return [];
  const { settingNotices } = await import("@elwood/integration-shell");
  return settingNotices({ ...(safeCommands && { safeCommands }), envNames });
}

function shellOptions(loaded: LoadedConfig): Omit<ShellOptions, "isSecret"> {
  const { config, workspaceDir } = loaded;
  const { shell, permissions } = config;
  // A bare name means the same file to a command as to the file tools.
  const files = config.files.roots[0];
  const root = shell.root ?? files?.path ?? loaded.paths.files;
  const within = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
  return {
    root,
    writable: shell.root !== undefined || (files?.write ?? true),
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
  const { browser, files } = loaded.config;
  if (!browser.enabled) return undefined;
  return openBrowser({
    setting: browser,
    dialer: web.dialer,
    clock,
    environment: process.env,
    root: process.getuid?.() === 0,
    saveUnder: files.roots.find(({ write }) => write)?.path,
  });
}

/** What tools are given beside their input. Of the secrets only those that are meant for tools. */
export function provisionsFor(
  loaded: LoadedConfig,
  web: WebAccess,
): Pick<ToolProvisions, "fetch" | "secret"> {
  return {
    fetch: () => web.fetch,
    secret: (name) => (name === SEARCH_KEY ? loaded.secrets.get(name)?.value : undefined),
  };
}

/** The one that was named, else the owner's own SearXNG, else Brave where there is a key. */
function searchService({ config, secrets }: LoadedConfig) {
  const { provider, searxngUrl } = config.web.search;
  if (provider !== "brave" && searxngUrl !== undefined)
    return { provider: "searxng", url: searxngUrl } as const;
  if (provider !== "searxng" && secrets.has(SEARCH_KEY)) return { provider: "brave" } as const;
  return undefined;
}
