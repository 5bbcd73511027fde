import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeRedactor } from "@elwood/core/base/redact";
import { systemClock } from "@elwood/platform/system";
import type { Clock } from "@elwood/runtime/ports/ports";
import { testContext, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { readAnswer } from "@elwood/sdk/tool-answer";
import type { McpScript } from "@elwood/testkit/mcp-script";
import type { McpLimits } from "../../src/mcp/limits.ts";
import { McpServers } from "../../src/mcp/mcp-servers.ts";
import type { McpServerDeps } from "../../src/mcp/mcp-server.ts";
import type { WrittenServer } from "../../src/mcp/server-settings.ts";

const STDIO_SERVER = fileURLToPath(import.meta.resolve("@elwood/testkit/mcp-stdio-server"));

/** A folder with the script of a server over standard input and output, and its journal. */
export class StdioScript implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), "elwood-mcp-"));
  readonly #script = join(this.dir, "script.json");
  readonly #journal = join(this.dir, "journal");

  constructor(script: McpScript) {
    this.script = script;
    writeFileSync(this.#journal, "");
  }

  set script(script: McpScript) {
    writeFileSync(this.#script, JSON.stringify(script));
  }

  /** What it was asked, a line each. */
  get journal(): readonly string[] {
    return readFileSync(this.#journal, "utf8").split("\n").filter(Boolean);
  }

  get settings(): WrittenServer {
    return { command: process.execPath, args: [STDIO_SERVER, this.#script, this.#journal] };
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

export interface McpScene extends AsyncDisposable {
  readonly servers: McpServers;
  readonly home: string;
  /** How often the tools were to be read in again. */
  readonly changes: () => number;
  tool(toolId: string): ToolDefinition;
  /** What a call gives back, as the gate reads it. */
  call(toolId: string, input?: unknown, signal?: AbortSignal): Promise<ReturnType<typeof readAnswer>>;
}

export async function openScene(
  configured: Readonly<Record<string, WrittenServer>>,
  options: {
    readonly clock?: Clock;
    readonly limits?: Partial<McpLimits>;
    readonly cage?: McpServerDeps["cage"];
    readonly home?: string;
    readonly fetchFrom?: McpServerDeps["fetchFrom"];
    readonly isOpened?: McpServerDeps["isOpened"];
    readonly fetchForLogin?: McpServerDeps["fetchForLogin"];
    readonly progress?: (text: string) => void;
    readonly ask?: ToolContext["ask"];
  } = {},
): Promise<McpScene> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "elwood-mcp-home-"));
  const quiet = () => undefined;
  let changes = 0;
  const servers = new McpServers({
    version: "test",
    clock: options.clock ?? systemClock,
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    redact: makeRedactor([]),
    cage: options.cage ?? (async () => ({ ok: false, reason: "not in this test" })),
    home,
    hidden: [home],
    fetchFrom: options.fetchFrom ?? (() => globalThis.fetch),
    isOpened: options.isOpened ?? (() => false),
    fetchForLogin: options.fetchForLogin ?? (() => globalThis.fetch),
    changed: () => (changes += 1),
    ...(options.limits && { limits: options.limits }),
  });
  await servers.configure(configured);
  const tool = (toolId: string) => {
    const found = servers.group().tools.find(({ id }) => id === toolId);
    if (!found) throw new Error(`there is no tool ${toolId}`);
    return found;
  };
  return {
    servers,
    home,
    changes: () => changes,
    tool,
    async call(toolId, input = {}, signal = new AbortController().signal) {
      const context = {
        ...testContext(),
        signal,
        ...(options.progress && { progress: options.progress }),
        ...(options.ask && { ask: options.ask }),
      };
      return readAnswer(await tool(toolId).handler(input, context));
    },
    async [Symbol.asyncDispose]() {
      await servers.close();
      if (options.home === undefined && existsSync(home))
        rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
