import type { ActionSpec, ConnectionSpec, Manifest } from "@elwood/core/action/action-spec";
import {
  chatInputSchema,
  embedInputSchema,
  rerankInputSchema,
  resourceGetSchema,
  resourceSearchSchema,
  type ExecutionResult,
} from "@elwood/core/action/execution-shapes";
import { formatTrn, parseTrn, parseVersion, type ResourceType, type Trn } from "@elwood/core/action/trn";
import { versionStep, type Versioning } from "@elwood/core/action/versioning";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { fail, type Failure } from "@elwood/core/base/failure";
import { aroundChanges, diffLines, type DiffLine } from "@elwood/core/base/line-diff";
import type { Result } from "@elwood/core/base/result";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { closest } from "@elwood/core/base/suggest";
import type { ModelRef } from "@elwood/core/model/model";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { knownProvider } from "@elwood/providers/known-providers";
import type {
  ActionExecutor,
  ExecutionRequest,
  ResourceReader,
} from "@elwood/runtime/actions/execute-action";
import type { ActionStore, ResourceChange, ResourceVersion } from "@elwood/runtime/ports/action-ports";
import type { Clock, Log, Principal, ResolvedModel } from "@elwood/runtime/ports/ports";
import { stringify } from "yaml";
import { z } from "zod";
import { readManifest } from "./read-manifest.ts";

export interface ActionServiceDeps {
  readonly tenant: string;
  readonly store: ActionStore;
  readonly executor: ActionExecutor;
  readonly clock: Clock;
  readonly log: Log;
  readonly sha256: Sha256;
  /** What the settings file says; its tokens are filled in, and never stored. */
  readonly configured: Manifest;
  /** Private origins that the owner configured. */
  readonly openOrigins: ReadonlySet<string>;
  readonly connected: (ref: ModelRef) => Promise<Result<ResolvedModel, Failure>>;
  /** What actions that read what is on record read with, for one who may. */
  readonly reader: (principal: Principal, surface: string) => Promise<ResourceReader>;
  /** What was stored changed: tools that come from it are to be read anew. */
  readonly changed: () => Promise<void>;
}

/** What an import did, or would do. */
export interface ImportedEntry {
  readonly type: ResourceType;
  readonly name: string;
  readonly trn: string;
  readonly what: "created" | "new version" | "unchanged" | "rolled back";
  /** What differs from the version that was current. */
  readonly diff: readonly DiffLine[];
}

export interface ActionView {
  readonly name: string;
  readonly trn: string;
  readonly version: number;
  readonly newest: number;
  readonly spec: ActionSpec;
  readonly source: "built-in" | "stored";
  readonly updatedAt: number;
}

/** Who asks for an execution, and how it is watched. */
export type ExecutionCaller = Pick<
  ExecutionRequest,
  "tenant" | "tokenId" | "by" | "surface" | "signal" | "onEvent" | "passesOn"
> &
  Pick<Principal, "scopes">;

/** Actions that are there without a file: the model of Elwood itself, or one that the input names. */
const BUILT_IN: Readonly<Record<string, ActionSpec>> = {
  "llm.chat": {
    kind: "llm",
    task: "chat",
    description: "Ask a model, the configured one unless the input names another.",
  },
  "llm.embed": {
    kind: "llm",
    task: "embed",
    description: "Texts as vectors, by the model that the input names.",
  },
  "llm.rerank": { kind: "llm", task: "rerank", description: "Documents by how near they are to a query." },
  "resources.search": {
    kind: "llm",
    task: "resources.search",
    description: "Find in notes, conversations and receipts. The token needs the scope chat too.",
  },
  "resources.get": {
    kind: "llm",
    task: "resources.get",
    description: "Read what a search found, by its uri. The token needs the scope chat too.",
  },
};

const INPUTS: Readonly<Record<ActionSpec["task"], () => z.ZodType>> = {
  chat: chatInputSchema,
  embed: embedInputSchema,
  rerank: rerankInputSchema,
  http: z.unknown,
  "resources.search": resourceSearchSchema,
  "resources.get": resourceGetSchema,
};

const CONFIG_FILE = "config.yaml";

/**
 * Connections and actions: stored in versions, brought in by files, executed by name or resource name.
 *
 * S1 What the settings file lists is stored as a version when it differs from the newest one.
 * S2 A stored connection never holds a secret: only the name of the variable that does.
 * S3 An import is made whole or not at all; a dry run says the same and changes nothing.
 */
export class ActionService {
  readonly #deps: ActionServiceDeps;
  readonly #inputSchemas = new Map<ActionSpec["task"], z.ZodType>();
  #settings: Promise<void> | undefined;

  constructor(deps: ActionServiceDeps) {
    this.#deps = deps;
  }

  /** S1, once for each start. */
  #ready(): Promise<void> {
    return (this.#settings ??= this.#takeSettings());
  }

  async #takeSettings(): Promise<void> {
    const { configured, log } = this.#deps;
    const manifest: Manifest = {
      ...configured,
      connections: Object.fromEntries(
        Object.entries(configured.connections).map(([name, { token: _secret, ...spec }]) => [name, spec]),
      ),
    };
    const { changes, entries } = await this.#plan(manifest, "ReuseIfUnchanged");
    const { tenant, store, clock } = this.#deps;
    if (changes.length > 0) await store.apply(tenant, changes, CONFIG_FILE, clock.now());
    const changed = entries.filter(({ what }) => what !== "unchanged").map(({ trn }) => trn);
    if (changed.length > 0) log.info("actions of the settings file were taken in", { changed });
  }

  async list(): Promise<readonly ActionView[]> {
    await this.#ready();
    const { tenant, store } = this.#deps;
    const stored = await Promise.all(
      (await store.heads(tenant, "action")).map(async ({ name }) => this.#stored(name, "latest")),
    );
    const own = Object.keys(BUILT_IN).map((name) => this.#builtIn(name));
    return [...stored, ...own].filter((view) => view !== undefined);
  }

  /** Stored connections, by their current version. */
  async connections(): Promise<readonly ResourceVersion[]> {
    await this.#ready();
    const { tenant, store } = this.#deps;
    const heads = await store.heads(tenant, "connection");
    const versions = await Promise.all(
      heads.map(({ name }) => store.version(tenant, "connection", name, "latest")),
    );
    return versions.filter((version) => version !== undefined);
  }

  /** The same, as a list shows them. */
  async connectionViews(tenant: string) {
    return (await this.connections()).map(({ name, spec, version }) => {
      // What is stored as a connection is one.
      const { provider, api_base: base, api } = spec as ConnectionSpec;
      const known = knownProvider(provider);
      const baseUrl = base ?? known?.baseUrl;
      return {
        name,
        provider,
        source: "stored" as const,
        api: api ?? known?.api ?? "chat",
        trn: formatTrn({ tenant, type: "connection", kind: "llm", name, version }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      };
    });
  }

  /** A model through a connection, in its current version. */
  async model(ref: ModelRef): Promise<Result<ResolvedModel, Failure>> {
    await this.#ready();
    return this.#deps.connected(ref);
  }

  async get(name: string, version: Trn["version"]): Promise<ActionView> {
    await this.#ready();
    const found =
      (await this.#stored(name, version)) ??
      (version === "latest" || version === 1 ? this.#builtIn(name) : undefined);
    if (found) return found;
    const head = await this.#deps.store.head(this.#deps.tenant, "action", name);
    if (head)
      return fail(
        "NOT_FOUND",
        `${name} has no version ${version}; its newest is v${head.newest.version}. Nothing was done.`,
      );
    const near = closest(
      name,
      (await this.list()).map((view) => view.name),
    );
    const hint = near === undefined ? "See the ones there are: elwood actions list" : `Did you mean ${near}?`;
    return fail("NOT_FOUND", `There is no action "${name.slice(0, 80)}". Nothing was done. ${hint}`);
  }

  /** Versions of an action, newest first. */
  async versions(name: string): Promise<readonly ResourceVersion[]> {
    await this.#ready();
    return this.#deps.store.versions(this.#deps.tenant, "action", name);
  }

  /** Throws a Failure with every problem of the file, each with its line. */
  async import(
    given: {
      readonly text: string;
      readonly file: string;
      readonly format: "actions" | "openapi";
      readonly strategy: Versioning;
      readonly dryRun: boolean;
    },
    by: string,
  ): Promise<{ readonly entries: readonly ImportedEntry[]; readonly leftOut: readonly string[] }> {
    await this.#ready();
    const { tenant, store, clock, openOrigins } = this.#deps;
    const heads = await store.heads(tenant, "connection");
    const knownConnection = (name: string, version: number | "latest") => {
      const head = heads.find((each) => each.name === name);
      return head !== undefined && (version === "latest" || version <= head.newest.version);
    };
    const around = { knownConnection, openOrigins };
    const read =
      given.format === "openapi"
        ? (await import("./read-openapi.ts")).readOpenApi(given.text, given.file, around)
        : readManifest(given.text, given.file, around);
    if (!read.ok) return fail("INVALID_INPUT", `Nothing was imported.\n${read.error.join("\n")}`);
    const { manifest, leftOut } =
      "manifest" in read.value ? read.value : { manifest: read.value, leftOut: [] };
    const { changes, entries } = await this.#plan(manifest, given.strategy);
    if (!given.dryRun && changes.length > 0) {
      await store.apply(tenant, changes, by, clock.now());
      await this.#deps.changed();
    }
    return { entries, leftOut };
  }

  async rollback(name: string, version: number, by: string): Promise<ActionView> {
    await this.#ready();
    const { tenant, store, clock } = this.#deps;
    await this.get(name, version);
    await store.apply(tenant, [{ kind: "point", type: "action", name, version }], by, clock.now());
    await this.#deps.changed();
    return this.get(name, "latest");
  }

  /** The manifest of what is current, for another installation. It holds no secret, because none is stored. */
  async export(names: readonly string[]): Promise<string> {
    await this.#ready();
    const views = (await this.list()).filter(({ source }) => source === "stored");
    const wanted =
      names.length === 0 ? views : await Promise.all(names.map((name) => this.get(name, "latest")));
    const used = new Set(wanted.map(({ spec }) => spec.connection?.split("@")[0]));
    const connections = (await this.connections()).filter(({ name }) => names.length === 0 || used.has(name));
    return stringify({
      version: "1.0",
      connections: Object.fromEntries(connections.map(({ name, spec }) => [name, spec])),
      actions: Object.fromEntries(wanted.map(({ name, spec }) => [name, spec])),
    });
  }

  /** A call by name must say which version, so that a program does not change under its own feet. */
  async find(name: string, version: string | undefined): Promise<ActionView> {
    if (version === undefined)
      return fail(
        "INVALID_INPUT",
        `Say which version of ${name.slice(0, 80)}: version=latest, or a number. Nothing was done.`,
      );
    const wanted = parseVersion(version);
    if (wanted === undefined)
      return fail("INVALID_INPUT", `"${version.slice(0, 40)}" is no version. Nothing was done.`);
    return this.get(name, wanted);
  }

  async findByTrn(text: string, tenant: string): Promise<ActionView> {
    const trn = parseTrn(text);
    if (!trn.ok) return fail("INVALID_INPUT", `${trn.error} Nothing was done.`);
    if (trn.value.type !== "action")
      return fail("INVALID_INPUT", "Only an action can be executed. Nothing was done.");
    // The owner's actions are there for every tenant; whether another one has any is nobody else's business.
    if (trn.value.tenant !== tenant && trn.value.tenant !== this.#deps.tenant)
      return fail("NOT_FOUND", "There is no such action. Nothing was done.");
    return this.get(trn.value.name, trn.value.version);
  }

  /** Whether doing it twice would change nothing but the bill. */
  repeatable({ spec }: ActionView): boolean {
    return spec.task !== "http" && (spec.tool_calls ?? []).length === 0;
  }

  get executing(): number {
    return this.#deps.executor.executing;
  }

  async execute(
    action: ActionView,
    input: unknown,
    { scopes, ...caller }: ExecutionCaller,
  ): Promise<ExecutionResult> {
    const { spec, trn, name } = action;
    const raw = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
    const checked = spec.task === "http" ? raw : this.#checked(name, spec, input);
    const { tenant, tokenId, by, surface } = caller;
    const reads = spec.task.startsWith("resources.") && scopes.has("chat");
    const read = reads && (await this.#deps.reader({ tenant, tokenId, name: by, scopes }, surface));
    return this.#deps.executor.execute({
      ...caller,
      ...(read ? { read } : {}),
      spec,
      trn,
      raw,
      // Each task reads what its own schema has checked.
      input: checked as ExecutionRequest["input"],
    });
  }

  #checked(name: string, spec: ActionSpec, input: unknown): unknown {
    const parsed = safelyParse(this.#inputSchema(spec.task), input ?? {});
    if (parsed.success) {
      const { model } = parsed.data as { model?: string };
      if (model !== undefined && spec.model !== undefined && model !== spec.model)
        return fail("INVALID_INPUT", `${name} has a model of its own, ${spec.model}. Nothing was sent.`);
      return parsed.data;
    }
    const [issue] = parsed.error.issues;
    const where = issue?.path.map(String).join(".");
    return fail(
      "INVALID_INPUT",
      `${name}: ${where ? `"${where.slice(0, 80)}": ` : ""}${issue?.message.slice(0, 200)}. Nothing was sent.`,
    );
  }

  /** Made once: making it takes longer than a check by it. */
  #inputSchema(task: ActionSpec["task"]): z.ZodType {
    const made = this.#inputSchemas.get(task) ?? INPUTS[task]();
    this.#inputSchemas.set(task, made);
    return made;
  }

  async #plan(
    manifest: Manifest,
    strategy: Versioning,
  ): Promise<{ readonly changes: readonly ResourceChange[]; readonly entries: readonly ImportedEntry[] }> {
    const { tenant, store, sha256 } = this.#deps;
    const changes: ResourceChange[] = [];
    const entries: ImportedEntry[] = [];
    const all: [ResourceType, string, ActionSpec | ConnectionSpec][] = [
      ...Object.entries(manifest.connections).map(
        ([name, spec]) => ["connection", name, spec] as [ResourceType, string, ConnectionSpec],
      ),
      ...Object.entries(manifest.actions).map(
        ([name, spec]) => ["action", name, spec] as [ResourceType, string, ActionSpec],
      ),
    ];
    for (const [type, name, given] of all) {
      const spec = JSON.parse(JSON.stringify(given)) as ActionSpec | ConnectionSpec;
      const digest = sha256(`elwood.resource.v1\n${canonicalJson(spec)}`);
      const head = await store.head(tenant, type, name);
      const step = versionStep(strategy, head, digest);
      if (step.kind === "refuse")
        return fail(
          "NOT_FOUND",
          `${name} is not stored, and ForceRollbackToLatest adds nothing. Nothing was imported.`,
        );
      const before = head && (await store.version(tenant, type, name, "latest"));
      const after =
        step.kind === "create" ? spec : (await store.version(tenant, type, name, step.version))?.spec;
      if (step.kind === "create")
        changes.push({ kind: "create", type, name, version: step.version, spec, digest });
      else if (step.changed) changes.push({ kind: "point", type, name, version: step.version });
      entries.push({
        type,
        name,
        trn: formatTrn({ tenant, type, kind: spec.kind, name, version: step.version }),
        what:
          step.kind === "create"
            ? head
              ? "new version"
              : "created"
            : step.changed
              ? "rolled back"
              : "unchanged",
        diff: aroundChanges(diffLines(before ? stringify(before.spec) : "", stringify(after))),
      });
    }
    return { changes, entries };
  }

  async #stored(name: string, version: Trn["version"]): Promise<ActionView | undefined> {
    const { tenant, store } = this.#deps;
    const found = await store.version(tenant, "action", name, version);
    const head = found && (await store.head(tenant, "action", name));
    if (!found || !head) return undefined;
    // What is stored as an action is one.
    const spec = found.spec as ActionSpec;
    return {
      name,
      trn: formatTrn({ tenant, type: "action", kind: spec.kind, name, version: found.version }),
      version: found.version,
      newest: head.newest.version,
      spec,
      source: "stored",
      updatedAt: head.updatedAt,
    };
  }

  #builtIn(name: string): ActionView | undefined {
    const spec = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
    if (!spec) return undefined;
    const trn = formatTrn({ tenant: this.#deps.tenant, type: "action", kind: spec.kind, name, version: 1 });
    return { name, trn, version: 1, newest: 1, spec, source: "built-in", updatedAt: 0 };
  }
}
