import { join } from "node:path";
import { parseJson } from "@elwood/core/base/parse-json";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { ToolError } from "@elwood/sdk/tool-answer";
import type { CageReport } from "@elwood/platform/bubblewrap";
import { HostPool, type HostPoolOptions } from "./host-pool.ts";
import { findIntegrations, type FoundIntegration, type IntegrationFiles } from "./integration-files.ts";
import { IntegrationHost } from "./integration-host.ts";
import { remoteTool } from "./remote-tool.ts";
import { type ModuleProblem, problemLine, problemOf } from "./module-problem.ts";
import type { ListedTool } from "./wire.ts";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { parseListing } from "./from-host.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";

export interface ToolWorkspaceOptions extends HostPoolOptions {
  /** The folder that holds `tools`. */
  readonly workspaceDir: string;
  readonly cacheDir: string;
  readonly version: string;
}

/** One version of an integration that can be used. */
interface Good {
  readonly hash: string;
  readonly host: IntegrationHost;
  readonly tools: readonly ToolDefinition[];
}

/**
 * The tools that lie in the owner's workspace.
 *
 * W1 A version is a folder's sources at one moment. What was taken from here stays as it is.
 * W2 An integration that cannot be loaded is told with file and line, and the version that was
 *    loaded before it stays, as long as the gateway runs.
 * W3 Contracts are known by the hash of the sources: a process is only started for sources that
 *    were never seen, or for a call.
 */
export class ToolWorkspace {
  readonly toolsDir: string;
  readonly pool: HostPool;
  readonly #cache: ContractCache;
  readonly #good = new Map<string, Good>();
  readonly #closing = new AbortController();
  #problems: readonly ModuleProblem[] = [];

  constructor(options: ToolWorkspaceOptions) {
    this.toolsDir = join(options.workspaceDir, "tools");
    this.pool = new HostPool(options);
    this.#cache = contractCache(options.cacheDir, options.version);
  }

  /** What could not be loaded the last time, and why. */
  get problems(): readonly ModuleProblem[] {
    return this.#problems;
  }

  problemSentences(): string[] {
    return this.#problems.map((each) => problemSentence(each, this.#good.has(each.integration)));
  }

  /** Whether the network is out of reach of these tools, but for `ctx.fetch`. */
  network(): Promise<CageReport> {
    return this.pool.cage();
  }

  /** The tools of an integration as they stand now. */
  toolsOf(integration: string): readonly ToolDefinition[] {
    return this.#good.get(integration)?.tools ?? [];
  }

  /** The tools whose contracts are known already; starts nothing. `unread` are the integrations left. */
  async known(): Promise<{ tools: readonly ToolDefinition[]; unread: readonly string[] }> {
    const unread: string[] = [];
    for (const { name, files } of await findIntegrations(this.toolsDir)) {
      const tools = files.ok ? await this.#cache.read(files.value.hash) : undefined;
      if (!files.ok || tools === undefined || this.#take(files.value, tools) !== undefined) unread.push(name);
    }
    return { tools: this.#tools(), unread };
  }

  /** Reads the whole folder anew. */
  async load(): Promise<readonly ToolDefinition[]> {
    const found = await findIntegrations(this.toolsDir);
    const names = new Set(found.map(({ name }) => name));
    for (const [name, { host }] of this.#good) {
      if (names.has(name)) continue;
      host.retire();
      this.#good.delete(name);
    }
    const problems: ModuleProblem[] = [];
    // One after the other: each may start a process, and a start of many at once helps nobody.
    for (const each of found) {
      const problem = await this.#loadOne(each);
      if (problem) problems.push(problem);
    }
    this.#problems = problems;
    return this.#tools();
  }

  /** Looks at one integration as its files stand, and changes nothing. */
  async inspect(files: IntegrationFiles): Promise<Result<readonly ListedTool[], ModuleProblem>> {
    const host = new IntegrationHost(this.pool, files);
    const listed = await this.#describe(files, host);
    host.retire();
    if (!listed.ok) return listed;
    const made = this.#make(files, listed.value, host);
    return made.ok ? listed : made;
  }

  close(): void {
    this.#closing.abort("closing");
    this.pool.close();
  }

  async #loadOne({ name, files }: FoundIntegration): Promise<ModuleProblem | undefined> {
    if (!files.ok) return wrongIn(name, files.error);
    const { hash } = files.value;
    if (this.#good.get(name)?.hash === hash) return undefined;
    const cached = await this.#cache.read(hash);
    if (cached !== undefined) return this.#take(files.value, cached);
    const host = new IntegrationHost(this.pool, files.value);
    const listed = await this.#describe(files.value, host);
    if (!listed.ok) return listed.error;
    const problem = this.#take(files.value, listed.value, host);
    if (problem === undefined) await this.#cache.write(hash, listed.value);
    else host.retire();
    return problem;
  }

  async #describe(
    { name }: IntegrationFiles,
    host: IntegrationHost,
  ): Promise<Result<readonly ListedTool[], ModuleProblem>> {
    try {
      const start = await host.describe(this.#closing.signal);
      if (start.kind === "ready") return ok(start.tools);
      if (start.kind === "broken") return err(problemOf(name, start.trouble));
      return err(wrongIn(name, `its process did not come up: ${start.why}.`));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return err(wrongIn(name, error.message));
    }
  }

  /** Puts a version in the place of the one before, or says why it cannot be used. */
  #take(
    files: IntegrationFiles,
    listed: readonly ListedTool[],
    host = new IntegrationHost(this.pool, files),
  ): ModuleProblem | undefined {
    const made = this.#make(files, listed, host);
    if (!made.ok) return made.error;
    this.#good.get(files.name)?.host.retire();
    this.#good.set(files.name, { hash: files.hash, host, tools: made.value });
    return undefined;
  }

  #make(
    { name, hash }: IntegrationFiles,
    listed: readonly ListedTool[],
    host: IntegrationHost,
  ): Result<ToolDefinition[], ModuleProblem> {
    if (listed.length === 0)
      return err(wrongIn(name, "no module in it exports a tool made by defineTool()."));
    const stranger = listed.find(({ id }) => !id.startsWith(`${name}.`));
    if (stranger) {
      const message = `the id ${stranger.id} must begin with the name of its folder: ${name}.resource.action.`;
      return err(wrongIn(name, message));
    }
    try {
      return ok(listed.map((each) => remoteTool(each, hash, host, this.pool.clock)));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return err(wrongIn(name, error.message.replace(/^defineTool: /, "")));
    }
  }

  #tools(): ToolDefinition[] {
    return [...this.#good.values()].flatMap(({ tools }) => tools);
  }
}

function wrongIn(name: string, message: string): ModuleProblem {
  return { integration: name, file: `tools/${name}`, message };
}

/** What is told of a module that cannot be loaded: where, why, and what is used meanwhile. */
function problemSentence(problem: ModuleProblem, stays: boolean): string {
  const meanwhile = stays
    ? "The version that was loaded before stays in use."
    : "Its tools are not there until that is mended.";
  return `${problemLine(problem)}${/[.!?]$/.test(problem.message) ? "" : "."} ${meanwhile}`;
}

/**
 * What integrations said of their tools, by the hash of their sources, so that a start of the
 * gateway need not run them. It can be deleted at any time: what is missing is asked for again.
 */
interface ContractCache {
  read(hash: string): Promise<readonly ListedTool[] | undefined>;
  write(hash: string, tools: readonly ListedTool[]): Promise<void>;
}

/** Another version of Elwood may read modules differently, and asks anew. */
function contractCache(folder: string, version: string): ContractCache {
  const fileOf = (hash: string) => join(folder, `${hash}.json`);
  return {
    async read(hash) {
      const kept = parseJson(await textOf(fileOf(hash)));
      if (typeof kept !== "object" || kept === null || !("version" in kept) || !("tools" in kept))
        return undefined;
      return kept.version === version ? parseListing(kept.tools) : undefined;
    },
    async write(hash, tools) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFileAtomic(fileOf(hash), JSON.stringify({ version, tools }), { mode: 0o600 });
        await forgetOldest(folder);
      } catch (cause) {
        // Without it the next start asks again; nothing else is lost.
        if (!(cause instanceof Error && "code" in cause)) throw cause;
      }
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return "";
  }
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= WORKSPACE_LIMITS.cacheFilesMax) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = aged.toSorted((a, b) => a.at - b.at).slice(0, names.length - WORKSPACE_LIMITS.cacheFilesMax);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}
