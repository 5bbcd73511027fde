import type { ActionSpec, ModerationHook } from "@elwood/core/action/action-spec";
import { VARIABLE } from "@elwood/core/action/manifest-problems";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { ok } from "@elwood/core/base/result";
import type { CredentialLookup } from "@elwood/providers/credential";
import { knownProvider } from "@elwood/providers/known-providers";
import type { ExecuteDeps, Moderated } from "@elwood/runtime/actions/execute-action";
import type { SchemaCheck } from "@elwood/runtime/actions/json-answer";
import type { ActionStore } from "@elwood/runtime/ports/action-ports";
import type { Governance } from "@elwood/runtime/ports/governance";
import type { Observe } from "@elwood/runtime/ports/observe";
import type { Clock, Ids, Log, Models } from "@elwood/runtime/ports/ports";
import type { Redactor } from "@elwood/core/base/redact";
import { sha256 } from "@elwood/platform/system";
import { z } from "zod";
import type { LoadedConfig } from "../config/load.ts";
import { lazySchema } from "../mcp/tool-schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { WebAccess } from "../web/web-access.ts";
import type { ActionService, ActionServiceDeps } from "./action-service.ts";
import type { GateBridgeDeps } from "./gate-bridge.ts";
import type { ConnectedModel } from "./models-with-connections.ts";
import type { OfferedAction } from "./offered-actions.ts";

/** Actions, as the rest of the gateway sees them. Nothing of them is loaded while none is used. */
export interface ActionArea {
  /** Which addresses for programs are open. */
  readonly open: LoadedConfig["config"]["api"];
  readonly store: ActionStore;
  /** Names this process, for requests under a key. */
  readonly processId: string;
  /** Providers of the settings, as a list of connections shows them. */
  readonly providers: readonly {
    readonly name: string;
    readonly provider: string;
    readonly api: string;
    readonly baseUrl?: string;
  }[];
  /** How many are executed at this moment. */
  executing(): number;
  /** Everything about them; loads it. */
  service(): Promise<ActionService>;
  /** Http actions, as tools. */
  groups(): Promise<readonly ToolGroup[]>;
  /** For models that are named by a connection. */
  readonly connected: ConnectedModel;
  /** What is offered to programs that come by MCP. */
  offered(): Promise<readonly OfferedAction[]>;
}

export interface ActionAreaDeps extends Omit<GateBridgeDeps, "schemaCheck" | "agentId"> {
  readonly loaded: LoadedConfig;
  readonly tenant: string;
  readonly store: ActionStore;
  readonly models: Models;
  readonly credentials: CredentialLookup;
  readonly governance: Governance;
  readonly observe: Observe;
  readonly web: WebAccess;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly learnSecrets: (secrets: Iterable<string>) => void;
  readonly reader: ActionServiceDeps["reader"];
  /** Tools are read anew. */
  readonly reload: () => Promise<unknown>;
}

export function openActions(deps: ActionAreaDeps): ActionArea {
  const { loaded, store, tenant } = deps;
  let opened: Promise<ActionService> | undefined;
  let made: ActionService | undefined;
  const open = async () => (made = await makeService(deps));
  const service = () => (opened ??= open());
  const configured = Object.values(loaded.config.actions ?? {}).some(({ task }) => task === "http");
  return {
    open: loaded.config.api,
    store,
    processId: deps.ids.next("request"),
    providers: Object.entries(loaded.config.providers).map(([name, { api, baseUrl }]) => ({
      name,
      provider: name,
      api: api ?? knownProvider(name)?.api ?? "chat",
      ...(baseUrl === undefined ? {} : { baseUrl }),
    })),
    executing: () => made?.executing ?? 0,
    service,
    async connected(ref) {
      const configuredHere = Object.hasOwn(loaded.config.connections ?? {}, ref.provider);
      if (!configuredHere && !(await store.head(tenant, "connection", ref.provider))) return undefined;
      return (await service()).model(ref);
    },
    async offered() {
      const { offeredActions } = await import("./offered-actions.ts");
      return offeredActions(await service());
    },
    async groups() {
      const heads = await store.heads(tenant, "action");
      if (!configured && heads.length === 0) return [];
      const { httpActionTool } = await import("./http-action-tool.ts");
      const stored = await Promise.all(
        heads.map(({ name }) => store.version(tenant, "action", name, "latest")),
      );
      const specs = new Map<string, ActionSpec>(
        stored.flatMap((each) => (each ? [[each.name, each.spec as ActionSpec]] : [])),
      );
      for (const [name, spec] of Object.entries(loaded.config.actions ?? {})) specs.set(name, spec);
      const made = [...specs].flatMap(([name, spec]) =>
        spec.task === "http" ? [httpActionTool(name, spec)] : [],
      );
      return [
        {
          source: "workspace",
          tools: made.filter((each) => typeof each !== "string"),
          problems: made.filter((each) => typeof each === "string"),
        },
      ];
    },
  };
}

async function makeService(deps: ActionAreaDeps): Promise<ActionService> {
  const [{ ActionService: Service }, { ActionExecutor }, { ConnectionModels }, { gateBridge }] =
    await Promise.all([
      import("./action-service.ts"),
      import("@elwood/runtime/actions/execute-action"),
      import("./connection-models.ts"),
      import("./gate-bridge.ts"),
    ]);
  const { loaded, tenant, store, models, clock, ids, log, redact, web, env, governance } = deps;
  const schemaCheck = (schema: Readonly<Record<string, unknown>>): SchemaCheck => {
    const checked = lazySchema(schema);
    return (value) => {
      const outcome = checked["~standard"].validate(value);
      if (outcome instanceof Promise) throw new Error("a JSON Schema is checked at once");
      return (outcome.issues ?? []).map(({ message, path = [] }) =>
        `${path.map(String).join(".")} ${message}`.trim(),
      );
    };
  };
  const connections = new ConnectionModels({
    store,
    models,
    credentials: deps.credentials,
    variable(name) {
      const value = loaded.secrets.get(name)?.value ?? env[name];
      if (value !== undefined) deps.learnSecrets([value]);
      return value === "" ? undefined : value;
    },
    settingsToken(name) {
      const token = loaded.config.connections?.[name]?.token;
      return token === undefined || token === "" || VARIABLE.test(token) ? undefined : token;
    },
    clock,
    log,
  });
  const { embeddings } = loaded.config.memory;
  const execute: ExecuteDeps = {
    // Connections and actions are the owner's; every tenant executes those.
    models: (_asks, spec, asked) =>
      connections.resolve(tenant, spec, asked ?? (spec.task === "chat" ? undefined : embeddings?.model)),
    store,
    governance,
    observe: deps.observe,
    passedOnCharsKept:
      loaded.config.traces.content || loaded.config.log.level === "debug"
        ? LIMITS.spanContentCharsMax
        : LIMITS.passedOnCharsKept,
    clock,
    ids,
    sha256,
    redact,
    prices: loaded.config.prices,
    schemaCheck,
    moderate: (hook, about, signal) => moderate(web, hook, about, signal),
    async embed(text, signal) {
      if (!embeddings) return undefined;
      const found = await models.resolve(embeddings.model);
      if (!found.ok || !found.value.provider.embed) return undefined;
      const made = await found.value.provider.embed({
        model: found.value.ref.model,
        texts: [text],
        inputType: "query",
        signal,
      });
      return made.ok ? made.value.vectors[0] : undefined;
    },
    bridge: gateBridge({ ...deps, agentId: loaded.config.agents.default, schemaCheck }),
  };
  return new Service({
    tenant,
    store,
    executor: new ActionExecutor(execute),
    async connected({ provider: connection, model }) {
      const found = await connections.resolve(
        tenant,
        { kind: "llm", task: "chat", connection, model },
        undefined,
      );
      return found.ok ? ok(found.value.model) : found;
    },
    clock,
    log,
    sha256,
    configured: {
      connections: loaded.config.connections ?? {},
      actions: loaded.config.actions ?? {},
    },
    openOrigins: openOrigins(loaded),
    reader: deps.reader,
    changed: async () => void (await deps.reload()),
  });
}

/** Private places that the owner named: exact origins, model servers, connections of the settings file. */
function openOrigins({ config }: LoadedConfig): ReadonlySet<string> {
  const named = [
    ...config.web.allowedOrigins,
    ...Object.values(config.providers).map(({ baseUrl }) => baseUrl),
    ...Object.values(config.connections ?? {}).map(({ api_base: base }) => base),
    // Where the usual model servers of this machine are.
    "http://127.0.0.1:11434",
    "http://127.0.0.1:1234",
    "http://127.0.0.1:8000",
  ];
  return new Set(
    named.flatMap((url) => (url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [])),
  );
}

const verdict = z.object({ allowed: z.boolean(), reason: z.string().max(1_000).optional() });

/** A hook gets the text, and answers whether it may go on. Where it does not, a FailureError says so. */
async function moderate(
  web: WebAccess,
  { url }: ModerationHook,
  about: { readonly stage: string; readonly action: string; readonly text: string },
  signal: AbortSignal,
): Promise<Moderated> {
  const { origin } = new URL(url);
  try {
    const answer = await web.fetchFrom(origin, { totalMs: LIMITS.moderationMs })(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(about),
      signal,
    });
    const said = verdict.safeParse(answer.ok ? await answer.json() : undefined);
    if (said.success)
      return { allowed: said.data.allowed, reason: said.data.reason ?? "no reason was given." };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FailureError(failure("NETWORK", error.message.slice(0, 200)));
  }
  throw new FailureError(failure("BAD_REPLY", 'It did not answer {"allowed": true or false}.'));
}
