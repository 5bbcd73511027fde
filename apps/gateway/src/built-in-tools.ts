import { join } from "node:path";
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
  const [{ filesTools }, { webTools }] = await Promise.all([
    import("@elwood/integration-files"),
    import("@elwood/integration-web"),
  ]);
  const { config, paths, workspaceDir } = loaded;
  const search = searchService(loaded);
  return [
    ...filesTools({
      roots: config.files.roots,
      // The configuration is where the rules stand; it may lie elsewhere.
      denied: [paths.home, ...(loaded.file === undefined ? [] : [loaded.file])],
      undoDir: join(paths.home, "undo"),
      workspace: workspaceDir,
    }),
    ...webTools({ check: (url) => web.check(url), ...(search && { search }) }),
    ...ownerTools(),
    programTool(),
  ];
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
