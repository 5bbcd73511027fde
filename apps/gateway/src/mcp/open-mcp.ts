import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Redactor } from "@elwood/core/base/redact";
import type { LoadedConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { WebAccess } from "../web/web-access.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { McpServers } from "./mcp-servers.ts";
import { serverPart } from "./tool-names.ts";
import type { CageReport } from "@elwood/platform/bubblewrap";

export interface McpDeps {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly web: Pick<WebAccess, "fetchFrom" | "fetch">;
  readonly cage: () => Promise<CageReport>;
  /** Reads the tools in again, because a server has others now. */
  readonly reload: () => Promise<unknown>;
}

/** MCP servers, as the rest of the gateway sees them. Nothing of them is loaded while none is configured. */
export interface McpService {
  /** Elwood's own folder. */
  readonly home: string;
  /** Their tools as they are known, once somebody needed tools; until then only that there are some. Starts no server. */
  groups(): Promise<readonly ToolGroup[]>;
  /** How many are configured that have not been looked at since the start. */
  asleep(): number;
  /** Takes their tools in, from what they listed the last time. Starts no server, and never rejects. */
  wake(): Promise<void>;
  /** Everything about them; loads it. */
  servers(): Promise<McpServers>;
  /** The same, where somebody has needed it since the start. */
  opened(): Promise<McpServers> | undefined;
  /** Takes other settings in, and reads the tools in again. */
  configure(servers: Config["mcpServers"]): Promise<void>;
  /** Resolves once the changes of servers up to now are in the table of tools. */
  settled(): Promise<void>;
  /** Asks servers that are new for their tools; leaves all asleep where none is. */
  readNew(): Promise<void>;
  close(): Promise<void>;
}

export function openMcp(deps: McpDeps): McpService {
  const { loaded, web, log, reload } = deps;
  const configured = loaded.config.mcpServers;
  let opened: Promise<McpServers> | undefined;
  const isEmpty = () => opened === undefined && Object.keys(configured ?? {}).length === 0;
  let reloading: Promise<unknown> = Promise.resolve();
  const changed = () => {
    reloading = reload().catch((error: unknown) =>
      log.error("the tools of MCP servers could not be read in", { error }),
    );
  };
  const open = async () => {
    const { McpServers: Servers } = await import("./mcp-servers.ts");
    const servers = new Servers({
      version: deps.version,
      clock: deps.clock,
      log,
      redact: deps.redact,
      cage: deps.cage,
      home: loaded.paths.home,
      hidden: [loaded.paths.home, ...(loaded.file === undefined ? [] : [loaded.file])],
      fetchFrom: (origin, timeoutMs) => web.fetchFrom(origin, httpLimits(timeoutMs)),
      fetchForLogin: (origin) => {
        const own = web.fetchFrom(origin, LOGIN_LIMITS);
        return (input, init) => {
          const url = URL.parse(input instanceof Request ? input.url : String(input));
          return url?.origin === origin ? own(input, init) : web.fetch(input, init);
        };
      },
      isOpened: (origin) => loaded.config.web.allowedOrigins.includes(origin),
      changed,
    });
    await servers.configure(configured);
    return servers;
  };
  const servers = () => (opened ??= open());
  let awake: Promise<void> | undefined;
  const takeIn = async () => {
    try {
      await servers();
      await reload();
    } catch (error) {
      // With the next one who needs tools it is tried again.
      opened = awake = undefined;
      log.error("the tools of MCP servers could not be read in", { error });
    }
  };
  const wake = async () => {
    if (!isEmpty()) await (awake ??= takeIn());
  };
  const sleeping = () => (opened === undefined ? Object.entries(configured ?? {}) : []);
  return {
    home: loaded.paths.home,
    servers,
    opened: () => opened,
    wake,
    asleep: () => sleeping().filter(([, { enabled }]) => enabled !== false).length,
    async groups() {
      const known = await opened?.catch(() => undefined);
      if (known) return [known.group()];
      const asleep = sleeping().map(([name]) => `mcp-${serverPart(name)}.*`);
      return asleep.length === 0 ? [] : [{ source: "mcp", tools: [], asleep }];
    },
    async configure(next) {
      await wake();
      await (await servers()).configure(next);
      await reload();
    },
    async settled() {
      await reloading;
    },
    async readNew() {
      try {
        if (isEmpty()) return;
        if (opened === undefined && !(await hasUnlisted(configured, loaded.paths.home))) return;
        await wake();
        await (await servers()).readNew();
      } catch (error) {
        log.error("the tools of MCP servers could not be listed", { error });
      }
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** Whether there is a server that has not listed its tools as it is configured now. Looks at names of files alone. */
async function hasUnlisted(configured: Config["mcpServers"], home: string): Promise<boolean> {
  const [{ readServer }, { listedServers }] = await Promise.all([
    import("./server-settings.ts"),
    import("./tool-cache.ts"),
  ]);
  const isListed = await listedServers(home);
  return Object.entries(configured ?? {}).some(([name, written]) => {
    const { off, settings } = readServer(name, written, home);
    return off === undefined && !isListed(settings);
  });
}

const LOGIN_LIMITS = { bodyBytesMax: 1024 * 1024, totalMs: 30_000 };

/** The gate ends a call when its time is over; until then a server may think, or wait for the owner's answer. */
function httpLimits(timeoutMs: number) {
  const totalMs = Math.max(timeoutMs, MCP_LIMITS.callCeilingMs) + MCP_LIMITS.graceMs;
  return {
    bodyBytesMax: MCP_LIMITS.messageBytesMax,
    requestBodyBytesMax: MCP_LIMITS.inputBytesMax * 2,
    totalMs,
    headMs: totalMs,
    idleMs: totalMs,
    slowAfterMs: totalMs,
  };
}
