import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Redactor } from "@elwood/core/base/redact";
import type { LoadedConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { WebAccess } from "../web/web-access.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { McpServers } from "./mcp-servers.ts";
import type { CageReport } from "./server-cage.ts";

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
  /** Their tools as they are known. Starts no server. */
  groups(): Promise<readonly ToolGroup[]>;
  /** Everything about them; loads it. */
  servers(): Promise<McpServers>;
  /** Takes other settings in, and reads the tools in again. */
  configure(servers: Config["mcpServers"]): Promise<void>;
  /** Resolves once the changes of servers up to now are in the table of tools. */
  settled(): Promise<void>;
  /** Asks servers that are new for their tools. */
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
  return {
    home: loaded.paths.home,
    servers,
    groups: async () => (isEmpty() ? [] : [(await servers()).group()]),
    async configure(next) {
      await (await servers()).configure(next);
      await reload();
    },
    async settled() {
      await reloading;
    },
    async readNew() {
      try {
        if (!isEmpty()) await (await servers()).readNew();
      } catch (error) {
        log.error("the tools of MCP servers could not be listed", { error });
      }
    },
    async close() {
      await (await opened)?.close();
    },
  };
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
