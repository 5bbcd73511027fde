import { sweepUndo } from "@elwood/integration-files";
import { scheduleTools } from "@elwood/integration-schedule";
import { join } from "node:path";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { LIMITS, type RunLimits } from "@elwood/core/base/limits";
import type { PolicyMode } from "@elwood/core/policy/policy";
import { LocalTime } from "@elwood/core/base/local-time";
import { ok } from "@elwood/core/base/result";
import { PAGE_TARGET } from "@elwood/core/schedule/job";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Redactor } from "@elwood/core/base/redact";
import type { Risk } from "@elwood/core/tool/tool";
import { LateStart } from "./notify/late-start.ts";
import { Engine } from "@elwood/runtime/run/engine";
import type { Vault } from "@elwood/runtime/ports/gate-ports";
import type { Deliveries } from "@elwood/runtime/ports/jobs";
import type { Clock, Log, ModelProvider, Models } from "@elwood/runtime/ports/ports";
import {
  browserOf,
  builtInTools,
  showFileOf,
  commandCage,
  commandNotices,
  provisionsFor,
  workingContextOf,
  workspaceOf,
} from "./built-in-tools.ts";
import { AssistantService } from "./assistants/assistant-service.ts";
import { AssistantStore, withAssistants } from "./assistants/assistant-store.ts";
import { ClientTools } from "./assistants/client-tools.ts";
import { CloseStack } from "./close-stack.ts";
import { openActions, type ActionArea } from "./actions/open-actions.ts";
import { UNLIMITED, type Governance } from "@elwood/runtime/ports/governance";
import type { Observe } from "@elwood/runtime/ports/observe";
import { nameRefusal } from "@elwood/core/tenant/tenant-limits";
import { openIntegrations, type IntegrationArea } from "./integrations/open-integrations.ts";
import { openMcp, type McpService } from "./mcp/open-mcp.ts";
import { folderAgents, type FolderAgents } from "./agents/folder-agents.ts";
import { skillTool } from "./agents/skill-tool.ts";
import { makeCredentials, type Credentials } from "./auth/credentials.ts";
import { chosenModel } from "./auth/chosen-model.ts";
import { keyRing } from "./auth/key-ring.ts";
import { makeAuthService, type AuthService, type TestWithoutKey } from "./auth/auth-service.ts";
import { makeUseModel } from "./auth/use-model.ts";
import type { ChannelService } from "./channels/channel-service.ts";
import { hasChannels, tokenOf } from "./channels/channel-settings.ts";
import type { DoctorOutside } from "./doctor/outside.ts";
import type { NotifyService } from "./notify/notify-service.ts";
import type { HookService } from "./hooks/hook-service.ts";
import type { ConfigWriter } from "./config/config-writer.ts";
import { keepMode } from "./config/keep-mode.ts";
import { liveSettings, type LiveSettings } from "./config/live-settings.ts";
import type { SettingsService } from "./settings/settings-service.ts";
import type { AgentEditor } from "./agents/agent-editor.ts";
import type { LoadedConfig } from "./config/load.ts";
import { prepareHome } from "./config/first-run.ts";
import type { Notice } from "./config/problem.ts";
import { buildMemorySystem, type MemorySystem } from "@elwood/memory/recall/memory-system";
import { Memory } from "@elwood/memory/open-memory";
import type { EraseService } from "@elwood/memory/erase/erase-service";
import type { MemoryService } from "@elwood/memory/memory-service";
import type { OpenedJobs } from "./jobs/open-jobs.ts";
import { scheduleService } from "./jobs/schedule-service.ts";
import type { LogTail } from "./log/log-tail.ts";
import type { RequestIds } from "./log/request-ids.ts";
import type {
  AttentionService,
  ClientService,
  InstallationService,
  JobAreaService,
  MemoryAreaService,
  ModelService,
  RunService,
  Services,
  SystemService,
} from "./methods/services.ts";
import type { Socket } from "@elwood/sdk/client";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { makeModels } from "@elwood/providers/models";
import { openReceipts, type OpenedReceipts } from "@elwood/store-sqlite/receipts/open-receipts";
import { AttentionWatch } from "./views/attention-watch.ts";
import type { BudgetWatch } from "./views/budget-watch.ts";
import type { Budgets } from "./views/budgets.ts";
import { Authenticator } from "./auth/authenticate.ts";
import { DeviceLogins } from "./auth/device-logins.ts";
import { serveThisProcess, startServer, type RunningServer } from "./server/server.ts";
import { addressOf, alreadyRunning, portFailure } from "./server/start-failures.ts";
import { staticPage } from "./server/static-page.ts";
import { Tickets } from "./auth/tickets.ts";
import { daily } from "@elwood/platform/daily";
import { StorageWatch } from "./state/storage-watch.ts";
import { removeGatewayInfo, writeGatewayInfo } from "./state/discovery.ts";
import { acquireLock } from "@elwood/platform/lock";
import { fileVault } from "@elwood/store-sqlite/file-vault";
import { MemoryTrim } from "@elwood/platform/memory-trim";
import { ownerToken as readOrMakeOwnerToken } from "./state/owner-token.ts";
import { sha256, systemIds } from "@elwood/platform/system";
import type { TranscriptChange } from "@elwood/store-sqlite/file-transcripts";
import { openStores, type OpenedStores } from "@elwood/store-sqlite/open-stores";
import { TenantCare } from "./tenants/tenant-care.ts";
import { Audit } from "./tools/audit.ts";
import { buildToolSystem, type ToolSystem } from "./tools/tool-system.ts";
import { resultTool } from "./tools/result-tool.ts";
import { attachmentTexts } from "./documents/attachment-texts.ts";
import { openDocuments } from "./documents/open-documents.ts";
import type { ToolGroup } from "./tools/tool-snapshot.ts";
import { openObserve } from "./observe/open-observe.ts";
import { makeWebAccess, type WebAccess } from "./web/web-access.ts";
import type { Resolve } from "./web/guarded-dialer.ts";
import type { Attention } from "./views/attention.ts";
import type { OwnerService } from "./views/owner-service.ts";
import { isLongSilent, sweepTrash } from "@elwood/store-sqlite/sweep-trash";
import { sweepForks } from "./methods/fork-session.ts";
import { modelsWithConnections, type ConnectedModel } from "./actions/models-with-connections.ts";
import { connectedModels } from "./auth/connected-models.ts";

export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  /** `local`: no port is opened; only this process is served, by `connect`. */
  readonly mode: "up" | "oneshot" | "local";
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every secret as it becomes known, so that the log and all frames leave it out. */
  readonly learnSecrets: (secrets: Iterable<string>) => Redactor;
  /** The last lines of the log, for the owner to look at. */
  readonly logTail?: LogTail;
  /** Which requests lines of the log belong to. */
  readonly requests?: RequestIds;
  /** What the process was started with, for looking the installation over. */
  readonly outside?: DoctorOutside;
  /** For programs that embed a gateway, and for tests: tools beside Elwood's own. */
  readonly extraTools?: readonly ToolGroup[];
  /** For the same: answers in place of every model. */
  readonly model?: ModelProvider;
  /** For the same: stands between the gateway and its models, such as to record what they answer. */
  readonly wrapModel?: (model: ModelProvider) => ModelProvider;
  /** For the same: stands between the gateway and its stores, such as to watch every write. */
  readonly wrapStores?: (stores: GatewayStores) => GatewayStores;
  /** For the same: looks names of the web up in place of this machine's resolver. */
  readonly resolve?: Resolve;
}

export type GatewayStores = OpenedStores & { readonly vault: Vault };

export interface Gateway {
  readonly url: string;
  readonly ownerToken: string;
  readonly engine: Engine;
  readonly memory: Memory;
  readonly recovered: { committed: number; resumed: number };
  /** A client in this process: nothing of what they say to each other leaves it. */
  connect(): Socket;
  /** Keeps a file for a message of such a client, as `POST /blobs` does for others. */
  keepFile(bytes: Uint8Array, mime: string): Promise<string>;
  loginLink(): string;
  /** The model that answers by default, or why none does. */
  model(): ReturnType<Models["resolve"]>;
  clients(): number;
  /** The risk of each tool there is, MCP servers whose tools are not looked at yet, and what the policy does about changes that no rule speaks of. */
  acts(): { readonly risks: readonly Risk[]; readonly serversAsleep: number; readonly policyMode: string };
  /** What of the owner's rules and lists has no effect, in words. */
  idleRules(): readonly string[];
  /** False where a tool is still at work; then only the end of the process frees the state directory. */
  close(): Promise<boolean>;
}

/**
 * The composition root: the only place that names concrete parts and joins them.
 * One message's way: server → methods → engine → run loop → provider or tools → stores → feed → server.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const closing = new CloseStack(options.log);
  const live = liveSettings(options.loaded);
  try {
    return await openGateway({ ...options, loaded: live.loaded }, live, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Opens the parts in the order in which they need each other; what a part needs of a later one it asks for when it is used. */
async function openGateway(
  options: GatewayOptions,
  live: LiveSettings,
  closing: CloseStack,
): Promise<Gateway> {
  const base = await openBase(options, closing);
  const store = await openStore(base, closing);
  const clients = openClients(base);
  const governance = await openGovernance(base, store);
  const observation = await openObserve({
    ...base,
    version: options.version,
    ledger: store.stores.ledger,
    web: () => web,
  });
  closing.add({ traces: () => observation.stop() });
  const budgets = openBudgets(base, store, () => attention.watch, closing);
  const observe: Observe = (fact) => {
    observation.observe(fact);
    budgets.observe(fact);
    // A key rests from now on.
    if (fact.kind === "retry" && fact.handover) attention.watch.poke(base.tenant);
  };
  const storage = openStorage(base, () => attention.watch);
  const models = openModels(base, store, (ref) => actions.connected(ref));
  const memory: OpenedMemory = openMemory(base, store, {
    engine: () => runs.engine,
    conversations: () => tools.conversations,
  });
  const web = makeWebAccess(base.loaded, () => clients.port(), options.resolve);
  const mcp = openServers(base, { web, tools: () => tools }, closing);
  const jobs: OpenedJobArea = openJobs(
    base,
    { store, storage, engine: () => runs.engine, tools: () => tools, channels: () => channels },
    closing,
  );
  const config = openConfig(base, store);
  const integrations = openIntegrationArea(base, { web, config, jobs, tools: () => tools });
  const actions: ActionArea = openActionArea(base, {
    store,
    models,
    governance,
    observe,
    web,
    tools: () => tools,
    services: () => services,
  });
  const clientTools = new ClientTools({ store: store.assistants, clock: base.clock, sha256 });
  const tools: ToolSystem = await openTools(
    base,
    { store, memory, web, mcp, jobs, integrations, actions, clientTools, clients },
    closing,
  );
  const runs = await openRuns(base, { store, storage, models, governance, observe, memory, tools, actions });
  if (base.isFirstStart) await offerDemoFiles(base, models);
  const installation = await openInstallation(base, async () => (await channels.open()).list());
  const attention: AttentionService = openAttention(base, {
    store,
    models,
    tools,
    installation,
    clients,
    budgets,
    storage,
    runs,
  });
  const channels: LazyChannels = openChannels(base, store, () => services, closing);
  const notify = openNotify(base, { store, tools, clients, channels });
  const hooks = openHooks(base, { store, runs, channels });
  const services: Services = {
    ...storeServices(base, store),
    ...toolServices(tools, config, live),
    config,
    settings: openSettings(base, { config, live, store, tools, attention }),
    agentEditor: openAgentEditor(base, store),
    hooks,
    notify,
    mcp,
    assistants: new AssistantService({
      store: store.assistants,
      tools: clientTools,
      policy: () => tools.policy,
    }),
    integrations,
    mcpServer: mcpServerOf(base),
    observation,
    actions,
    runs,
    models,
    memory: memory.service,
    attention,
    installation,
    storage,
    clients,
    channels: channels.open,
    jobs,
  };
  const care = new TenantCare({
    owner: base.tenant,
    known: () => store.stores.tenants(),
    engine: runs.engine,
    approvals: tools.approvals,
    signer: store.signer,
  });
  const server = await openServer(base, { services, clients, memory, care }, closing);
  // Before runs go on: one that ends first would not be looked at.
  await recoverHooks(base, hooks);
  const recovered = await runs.engine.recover(base.tenant);
  await care.begin();
  closing.add({ tenants: () => care.stop() });
  if (options.mode !== "local") announce(base, options.mode, clients, services, closing);
  watchSessions(base, { store, memory, tools, engine: runs.engine }, closing);
  server.ready();
  await answerWaitingRequests();
  openBackground(base, { store, storage, memory, tools, mcp }, closing);
  channels.start();
  void watchWaiting(base, { store, tools, notify }, closing);
  if (options.mode === "up") void jobs.start();
  base.log.info("ready", { url: clients.url(), mode: options.mode, ...recovered });
  return gatewayOf(base, { store, models, tools, installation, services, recovered, server }, closing);
}

/** Gives requests that arrived during the start their answer before background work begins. */
async function answerWaitingRequests(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_ANSWER; turn += 1) await nextEventLoopTurn();
}

/** Turns of the event loop: one accepts a connection, one reads its request, one sends the answer. */
const TURNS_TO_ANSWER = 3;

/** What every part is made with. */
interface Base extends SystemService {
  readonly options: GatewayOptions;
  readonly loaded: LoadedConfig;
  readonly tenant: string;
  readonly ownerToken: string;
  readonly credentials: Credentials;
  readonly documents: DocumentReader;
  /** What preparing the state directory had to say. */
  readonly homeNotices: readonly Notice[];
  /** Nobody has used this state directory before. */
  readonly isFirstStart: boolean;
  /** Whether nothing was still at work when the gateway stopped. */
  readonly stop: { clean: boolean };
}

async function openBase(options: GatewayOptions, closing: CloseStack): Promise<Base> {
  const { loaded, clock, log } = options;
  const { notices: homeNotices, configWritten } = await prepareHome(loaded);
  const lock = acquireLock(loaded.paths.gatewayLock) ?? alreadyRunning(loaded, options.mode);
  const stop = { clean: true };
  // While a tool is still at work nobody else may take its call for one that broke off: the lock goes with the process.
  closing.add({ lock: () => stop.clean && lock.release() });
  const ownerToken = readOrMakeOwnerToken(loaded.paths.ownerToken, loaded.secrets.get("ELWOOD_TOKEN")?.value);
  const credentials = makeCredentials(loaded, clock, log);
  const documents = openDocuments({ clock, log });
  closing.add({ documents: () => documents.close() });
  const known = [ownerToken, ...loaded.secretValues, ...(await credentials.knownSecrets())];
  return {
    options,
    loaded,
    tenant: DEFAULT_TENANT,
    clock,
    log,
    ids: systemIds(clock),
    redact: options.learnSecrets(known),
    localTime: new LocalTime(loaded.config.timeZone),
    requests: options.requests,
    ownerToken,
    credentials,
    documents,
    homeNotices,
    isFirstStart: configWritten !== undefined,
    stop,
  };
}

interface OpenedStore {
  readonly stores: Omit<GatewayStores, "vault">;
  readonly vault: Vault;
  /** The index over notes and conversations. */
  readonly index: Memory;
  readonly receipts: OpenedReceipts["receiptService"];
  readonly signer: OpenedReceipts["signer"];
  readonly audit: Audit;
  readonly agents: FolderAgents;
  readonly assistants: AssistantStore;
}

async function openStore(base: Base, closing: CloseStack): Promise<OpenedStore> {
  const { loaded, tenant, clock, log, redact, options } = base;
  const { paths } = loaded;
  const index: Memory = openIndex(base, () => opened);
  const onTranscript = (change: TranscriptChange) => index.transcriptChanged(change);
  const opened = await openStores({ paths, clock, log, onTranscript });
  const given = { ...opened, vault: fileVault(paths.vault, redact) };
  const { vault, ...stores } = options.wrapStores?.(given) ?? given;
  closing.add({ stores: () => stores.close() });
  closing.add({ memory: () => index.close() });
  const { receiptService, signer } = await openReceipts(stores, { keys: paths.keys, clock, log });
  // Its timer would keep a process alive that has nothing left to do.
  closing.add({ receipts: () => signer.stop() });
  const audit = new Audit(stores.ledger, log, tenant);
  const assistants = new AssistantStore(paths.assistants, log);
  const folders = folderAgents({
    workspaceDir: loaded.workspaceDir,
    defaultAgentId: loaded.config.agents.default,
    log,
    clock,
    workingContext: workingContextOf(loaded),
  });
  const agents = withAssistants(folders, assistants);
  return { stores, vault, index, receipts: receiptService, signer, audit, agents, assistants };
}

function openIndex(base: Base, stores: () => OpenedStores): Memory {
  const { loaded, tenant, clock, log, redact, credentials } = base;
  const { memory } = loaded.config;
  return new Memory({
    enabled: memory.enabled,
    paths: loaded.paths,
    tenant,
    clock,
    log,
    redact,
    stores,
    ...(memory.embeddings && {
      semanticSearch: async () =>
        (await import("./memory/make-semantic-search.ts")).makeSemanticSearch(
          loaded,
          modelsOf(loaded, credentials, { clock, log }),
          { clock, log, redact },
        ),
    }),
  });
}

function openModels(base: Base, { index }: OpenedStore, byConnection: ConnectedModel): ModelService {
  const { loaded, clock, log, credentials, options } = base;
  const learnSecrets = (secrets: Iterable<string>) => {
    options.learnSecrets(secrets);
    index.secretsLearned();
  };
  let connected: (() => Promise<MethodResult<"models.list">["providers"]>) | undefined;
  const models = modelsWithConnections(modelsOf(loaded, credentials, { clock, log, learnSecrets }), {
    configured: () => loaded.config.model,
    connected: byConnection,
  });
  return {
    catalog: options.model ? onlyModel(options.model) : wrapped(models, options.wrapModel),
    credentials: authService(loaded, credentials, { clock, learnSecrets }),
    use: makeUseModel({
      configured: () => loaded.config.model,
      chosen: chosenModel(loaded.paths.chosenModel),
      credentials,
      test: liveTest(loaded, clock),
    }),
    connected: async () => (connected ??= await connectedModelsOf(loaded, credentials, clock))(),
  };
}

interface OpenedMemory {
  readonly system: MemorySystem;
  readonly service: MemoryAreaService;
  /** Finishes what is to be erased, once nothing that contains it is in use. */
  readonly finishErasing: () => Promise<void>;
}

function openMemory(
  base: Base,
  { stores, index }: OpenedStore,
  later: { readonly engine: () => Engine; readonly conversations: () => ToolSystem["conversations"] },
): OpenedMemory {
  const { loaded, tenant, clock, ids, log, redact, localTime, options } = base;
  const { neverRecalled: never, hiddenRuns: hidden, noteOrigins, noteCopies, forgetting } = stores;
  const memoryIndex = () => index.index();
  let eraser: Promise<EraseService> | undefined;
  const erase = () =>
    (eraser ??= import("./memory/make-erase-service.ts").then(({ makeEraseService }) =>
      makeEraseService({
        home: loaded.paths.home,
        stores,
        engine: later.engine(),
        clock,
        ids,
        log,
        parts: system.parts,
        index: memoryIndex,
        conversations: later.conversations,
        forgetLog: (contains) => options.logTail?.forget(contains),
      }),
    ));
  const system = buildMemorySystem({
    never,
    hidden,
    traces: async (owner, what) => (await erase()).traces(owner, what),
    words: {
      find: async (owner, word) => (await erase()).find(owner, word),
      begin: async (owner, word, run) => (await erase()).traces(owner, { kind: "word", word }, run),
    },
    tenant,
    settings: loaded.config.memory,
    folder: loaded.paths.memory,
    origins: noteOrigins,
    copies: noteCopies,
    redact,
    clock,
    localTime,
    index: memoryIndex,
    conversations: later.conversations,
  });
  const finishErasing = async () => {
    try {
      if (forgetting.pending(tenant)) await (await erase()).resume(tenant);
      await (await eraser)?.settled();
    } catch (error) {
      log.error("something that is to be forgotten is not yet; it is tried again", { error });
    }
  };
  const notes = notesOf(base, { stores, system, index: memoryIndex, erase });
  return { system, service: { notes, erase }, finishErasing };
}

/** The notes, as their owner uses them; loaded with the first question. */
function notesOf(
  { tenant, clock, localTime }: Base,
  parts: {
    readonly stores: OpenedStores;
    readonly system: MemorySystem;
    readonly index: Memory["index"];
    readonly erase: () => Promise<EraseService>;
  },
): MemoryAreaService["notes"] {
  const { stores, system, index, erase } = parts;
  const { neverRecalled: never, ledger, forgetting } = stores;
  let notes: MemoryService | undefined;
  return async () => {
    const { MemoryService: Notes } = await import("@elwood/memory/memory-service");
    return (notes ??= new Notes({
      tenant,
      parts: system.parts,
      index,
      never,
      ledger,
      clock,
      localTime,
      waiting: async () => (forgetting.pending(tenant) ? (await erase()).waiting(tenant) : 0),
    }));
  };
}

/** What the owner allows to tenants; nothing is loaded where nobody is limited. */
async function openGovernance(base: Base, { stores }: OpenedStore): Promise<Governance | undefined> {
  const { loaded, localTime, clock, ids } = base;
  const { tenants, prices } = loaded.config;
  if (Object.keys(tenants).length === 0) return undefined;
  const { TenantGovernance } = await import("@elwood/runtime/governance/tenant-governance");
  return new TenantGovernance({
    limits: tenants,
    store: stores.costs,
    prices,
    localTime,
    clock,
    ids,
    processId: ids.next("request"),
  });
}

function limitsOf(
  tenants: LoadedConfig["config"]["tenants"],
  tenant: string,
): LoadedConfig["config"]["tenants"][string] | undefined {
  return Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
}

/** MCP servers; none of them is started by this. */
function openServers(
  { loaded, clock, log, redact, options }: Base,
  { web, tools }: { readonly web: WebAccess; readonly tools: () => ToolSystem },
  closing: CloseStack,
): McpService {
  const mcp = openMcp({
    loaded,
    version: options.version,
    clock,
    log,
    redact,
    web,
    cage: commandCage,
    reload: () => tools().policy.reload(),
  });
  closing.add({ mcp: () => mcp.close() });
  return mcp;
}

/** Elwood as an MCP server; loaded with the first request to it. */
function mcpServerOf({ loaded }: Base): Services["mcpServer"] {
  return { enabled: loaded.config.api.mcp };
}

/** Actions for programs; none of them is loaded by this. */
function openActionArea(
  base: Base,
  parts: {
    readonly store: OpenedStore;
    readonly models: ModelService;
    readonly governance: Governance | undefined;
    readonly observe: Observe;
    readonly web: WebAccess;
    readonly tools: () => ToolSystem;
    readonly services: () => Services;
  },
): ActionArea {
  const { loaded, tenant, clock, ids, log, redact, credentials, options } = base;
  const { store, models, governance, observe, web, tools, services } = parts;
  return openActions({
    loaded,
    tenant,
    store: store.stores.actions,
    sessions: store.stores.sessions,
    models: models.catalog,
    credentials: credentials.lookup,
    governance: governance ?? UNLIMITED,
    observe,
    web,
    env: options.outside?.env ?? {},
    gate: () => tools().gate,
    toolSnapshot: async () => {
      await tools().toolService.wake();
      return tools().policy.toolSnapshot();
    },
    clock,
    ids,
    log,
    redact,
    learnSecrets: (secrets) => options.learnSecrets(secrets),
    async reader(principal, surface) {
      const { resourceReader } = await import("./methods/resource-reader.ts");
      return resourceReader(services(), principal, surface);
    },
    reload: () => tools().policy.reload(),
  });
}

/** Integrations; none of them is loaded by this. */
function openIntegrationArea(
  { loaded, clock, log, options }: Base,
  parts: {
    readonly web: WebAccess;
    readonly config: ConfigWriter;
    readonly jobs: OpenedJobArea;
    readonly tools: () => ToolSystem;
  },
): IntegrationArea {
  const { web, config, jobs, tools } = parts;
  return openIntegrations({
    loaded,
    config,
    web,
    jobs: jobs.schedule(),
    clock,
    log,
    env: options.outside?.env ?? {},
    learnSecrets: (secrets) => options.learnSecrets(secrets),
    reload: () => tools().policy.reload(),
  });
}

async function openTools(
  base: Base,
  parts: {
    readonly store: OpenedStore;
    readonly memory: OpenedMemory;
    readonly web: WebAccess;
    readonly mcp: McpService;
    readonly jobs: OpenedJobArea;
    readonly integrations: IntegrationArea;
    readonly actions: ActionArea;
    readonly clientTools: ClientTools;
    readonly clients: Clients;
  },
  closing: CloseStack,
): Promise<ToolSystem> {
  const { loaded, clock, ids, log, redact, tenant, options } = base;
  const { store, memory, web, mcp } = parts;
  const { config } = loaded;
  const { stores, vault, receipts } = store;
  const browser = await browserOf(loaded, web, clock);
  if (browser) closing.add({ browser: () => browser.close() });
  const reading = [
    ...memory.system.tools,
    skillTool({ agents: store.agents, sessions: stores.sessions, tenant }),
    resultTool({ stores, tenant }),
    ...parts.jobs.tools(),
  ];
  const system = await buildToolSystem({
    timeZone: config.timeZone,
    ledger: stores.ledger,
    vault,
    blobs: stores.blobs,
    clock,
    ids,
    log,
    redact,
    toolGroups: async () => [
      await ownTools(loaded, { reading, web, browser, documents: base.documents }),
      ...(await parts.integrations.groups()),
      ...(await mcp.groups()),
      ...(await parts.actions.groups()),
      await parts.clientTools.group(),
      ...(options.extraTools ?? []),
    ],
    wakeTools: () => mcp.wake(),
    undone: (owner, { callId, runId, sessionId }) =>
      parts.clients.tell(owner, "call.undone", { callId, runId, sessionKey: sessionId }),
    workspace: workspaceOf(loaded, options),
    async unfinished() {
      for (const each of new Set([tenant, ...stores.tenants()]))
        if ((await stores.runs.unfinished(each)).length > 0) return true;
      return false;
    },
    provisions: provisionsFor(loaded, web),
    rules: loaded.rules,
    mode: config.policy.mode,
    approver: config.policy.approver,
    knownDestinations: config.policy.knownDestinations,
    tenantRefusal: (owner, toolId) => nameRefusal(owner, limitsOf(config.tenants, owner), [toolId]),
    approvalMs: config.policy.approvalExpiryHours * 3_600_000,
    head: (owner) => receipts.head(owner),
    journal: stores.programs,
    runs: stores.runs,
    calls: config.programs.mode,
  });
  closing.add({ tools: () => system.close() });
  return system;
}

/** Elwood's own tools, as they can be used now. */
async function ownTools(
  loaded: LoadedConfig,
  parts: {
    /** Those that read what Elwood itself stores. */
    readonly reading: readonly ToolDefinition[];
    readonly web: WebAccess;
    readonly browser: Awaited<ReturnType<typeof browserOf>>;
    readonly documents: DocumentReader;
  },
): Promise<ToolGroup> {
  const { reading, web, browser, documents } = parts;
  const [{ tools, off }, browserUnavailable] = await Promise.all([
    builtInTools(loaded, web, documents),
    browser?.off(),
  ]);
  const browsing = browserUnavailable ? [] : (browser?.tools ?? []);
  return {
    source: "built-in",
    tools: [...tools, ...reading, ...browsing],
    off: [...off, ...(browserUnavailable ? [browserUnavailable] : [])],
  };
}

async function openRuns(
  base: Base,
  parts: {
    readonly store: OpenedStore;
    readonly storage: StorageWatch;
    readonly models: ModelService;
    readonly governance: Governance | undefined;
    readonly observe: Observe;
    readonly memory: OpenedMemory;
    readonly tools: ToolSystem;
    readonly actions: ActionArea;
  },
): Promise<RunService> {
  const { loaded, clock, ids, log, redact, localTime } = base;
  const { mode } = base.options;
  const { stores, signer, agents, audit } = parts.store;
  const { prices, compactionThreshold } = loaded.config;
  const limits = limitsNow(loaded);
  await audit.notePolicy(policySettings(loaded));
  await audit.adoptTokens(await stores.tokens.list(base.tenant));
  const { gate } = parts.tools;
  const engine = new Engine({
    stores,
    models: parts.models.catalog,
    agents,
    tools: gate,
    recorder: gate,
    clock,
    ids,
    log,
    hash: sha256,
    redact,
    limits,
    prices,
    get compactionModel() {
      return loaded.config.compactionModel;
    },
    // One that ends with its work has nobody who looks at a list, and a program that embeds one did not ask for more.
    get namesSessions() {
      return mode === "up" && loaded.config.sessions.titles;
    },
    compactionThreshold,
    localTime,
    governance: parts.governance,
    refusal: () => parts.storage.refusal(),
    observe: parts.observe,
    attachmentText: attachmentTexts({ blobs: stores.blobs, documents: base.documents }),
    ...parts.memory.system.engine,
  });
  const others = () => engine.runsActive + parts.actions.executing() > 1;
  stores.shareSyncsWhile(others);
  signer.shareWhile(others);
  const { tenants } = loaded.config;
  return {
    engine,
    calls: gate,
    insight: stores.insight,
    limits,
    tenants,
    tenantNames: () => stores.tenants(),
  };
}

/** They are a help, and no more: a start does not fail without them. */
async function offerDemoFiles({ loaded, log }: Base, { catalog }: ModelService): Promise<void> {
  const model = await catalog.resolve(undefined);
  if (!model.ok || !model.value.demo) return;
  try {
    const { layOutFirstFiles } = await import("./config/first-files.ts");
    await layOutFirstFiles(loaded.paths.files);
  } catch (error) {
    log.warn("no files could be laid out for the demo", { error });
  }
}

/** The limits that count when they are looked at: some can be changed while the gateway runs. */
function limitsNow(loaded: LoadedConfig): RunLimits {
  const now = (name: keyof RunLimits) => ({ enumerable: true, get: () => loaded.config.limits[name] });
  const names = Object.keys(loaded.config.limits) as (keyof RunLimits)[];
  return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, now(name)]))) as RunLimits;
}

/** What the owner set of the policy: a change between two starts leaves a receipt. */
function policySettings({ config, rules }: LoadedConfig): Readonly<Record<string, unknown>> {
  return {
    ...config.policy,
    rules,
    roots: config.files.roots,
    web: config.web,
    shell: config.shell,
    secretsOfTools: config.tools.secrets,
    commands: { safe: config.permissions?.safeCommands, dangerous: config.permissions?.dangerousPatterns },
  };
}

interface OpenedJobArea extends JobAreaService {
  readonly tools: () => readonly ToolDefinition[];
  /** Jobs as tools use them. */
  readonly schedule: () => ReturnType<typeof scheduleService>;
  /** Waits for due times from now on. */
  start(): Promise<void>;
}

const JOBS_START_MS = 250;

/** Loaded after the start, or when somebody asks. */
function openJobs(
  base: Base,
  later: {
    readonly store: OpenedStore;
    readonly storage: StorageWatch;
    readonly engine: () => Engine;
    readonly tools: () => ToolSystem;
    readonly channels: () => LazyChannels;
  },
  closing: CloseStack,
): OpenedJobArea {
  const { loaded, tenant, localTime, clock, ids, log, options } = base;
  const { stores, agents } = later.store;
  const reaches = (target: string) => later.channels().reaches(target);
  let opened: Promise<OpenedJobs> | undefined;
  const stopping = new AbortController();
  const open = () =>
    (opened ??= import("./jobs/open-jobs.ts").then(({ openJobs: make }) =>
      make({
        loaded,
        version: options.version,
        tenant,
        jobs: stores.jobs,
        stores,
        engine: later.engine(),
        ledger: stores.ledger,
        approvals: later.tools().approvalService,
        toolSnapshot: () => later.tools().policy.toolSnapshot(),
        agents,
        deliveries: later.channels().deliveries,
        reaches,
        refusal: () => later.storage.refusal(),
        localTime,
        clock,
        ids,
        log,
      }),
    ));
  closing.add({
    async jobs() {
      stopping.abort();
      await (await opened)?.stop();
    },
  });
  let begun: Promise<void> | undefined;
  const begin = async () => {
    try {
      const jobs = await open();
      if (!stopping.signal.aborted) await jobs.start();
    } catch (error) {
      log.error("jobs could not be started; nothing is done by itself until the next start", { error });
    }
  };
  let listens = false;
  const service = async () => {
    // Whoever asks sees the jobs of the configuration, too.
    if (listens) await (begun ??= begin());
    return (await open()).service;
  };
  const schedule = () =>
    scheduleService({ tenant, jobs: service, sessions: stores.sessions, reaches, localTime });
  return {
    service,
    schedule,
    tools: () => scheduleTools(schedule()),
    rehearsals: async () => (await open()).rehearsals,
    grants: async () => (await open()).grants,
    heartbeatNow: async () => (await open()).heartbeatNow(),
    async start() {
      listens = true;
      // Whoever waits for the gateway to be ready goes first.
      await clock.sleep(JOBS_START_MS, stopping.signal);
      if (!stopping.signal.aborted) await (begun ??= begin());
    },
  };
}

interface OpenedInstallation extends InstallationService {
  /** Entries of the owner's lists about commands that were left out, and why. */
  readonly leftOut: readonly string[];
}

async function openInstallation(
  base: Base,
  channels: () => Promise<readonly WireChannel[]>,
): Promise<OpenedInstallation> {
  const { options, loaded, homeNotices, clock } = base;
  const leftOut = await commandNotices(loaded);
  let owner: OwnerService | undefined;
  return {
    version: options.version,
    startedAt: clock.now(),
    notices: [...[...loaded.notices, ...homeNotices].map(({ text }) => text), ...leftOut],
    owner: async () =>
      (owner ??= (await import("./views/owner-service.ts")).ownerService({
        ...options,
        ...(hasChannels(loaded) ? { channels } : {}),
      })),
    leftOut,
  };
}

/** What may be spent, and who says how far it has come. Loaded with the first question to a model, or about it. */
interface BudgetArea {
  readonly observe: Observe;
  open(): Promise<Budgets>;
}

function openBudgets(
  { loaded, tenant: owner, localTime, clock, log }: Base,
  { stores }: OpenedStore,
  attention: () => AttentionWatch,
  closing: CloseStack,
): BudgetArea {
  const { prices, tenants } = loaded.config;
  const spent = async (tenant: string, since: number) =>
    (await stores.insight.usageByTenant(since)).find((each) => each.tenant === tenant) ?? { costUsd: 0 };
  let budgets: Budgets | undefined;
  const open = async () =>
    (budgets ??= new (await import("./views/budgets.ts")).Budgets({
      runs: stores.runs,
      spent,
      owner,
      get dayCostUsd() {
        return loaded.config.limits.dayCostUsd;
      },
      tenants,
      localTime,
      clock,
    }));
  let watch: Promise<BudgetWatch> | undefined;
  const watching = async () => {
    const { BudgetWatch: Watch } = await import("./views/budget-watch.ts");
    const reached = (tenant: string) => {
      attention().poke(tenant);
      if (tenant !== owner) attention().poke(owner);
    };
    return new Watch({ budgets: await open(), prices, localTime, clock, log, reached });
  };
  closing.add({ budgets: async () => (await watch)?.stop() });
  return {
    open,
    observe(fact) {
      if (fact.kind === "model" || fact.kind === "run")
        void (watch ??= watching()).then(({ observe }) => observe(fact));
    },
  };
}

function openStorage(base: Base, attention: () => AttentionWatch): StorageWatch {
  const { loaded, tenant, clock, log, options } = base;
  const { home } = loaded.paths;
  const endsSoon = options.mode === "oneshot";
  return new StorageWatch({ home, clock, log, endsSoon, changed: () => attention().poke(tenant) });
}

function openAttention(
  base: Base,
  parts: {
    readonly store: OpenedStore;
    readonly models: ModelService;
    readonly tools: ToolSystem;
    readonly installation: InstallationService;
    readonly clients: Clients;
    readonly budgets: BudgetArea;
    readonly storage: StorageWatch;
    readonly runs: Pick<Services["runs"], "engine">;
  },
): AttentionService {
  const { loaded, clock, log } = base;
  const { store, models, tools, installation, clients, budgets, storage, runs } = parts;
  const { stores, receipts } = store;
  let attention: Attention | undefined;
  const list = async (tenant: string) => {
    attention ??= new (await import("./views/attention.ts")).Attention({
      ledger: stores.ledger,
      stores,
      owner: base.tenant,
      budgets: await budgets.open(),
      storage,
      tenants: Object.keys(loaded.config.tenants),
      auth: models.credentials,
      models: models.catalog,
      receipts,
      toolProblems: () => tools.toolService.problems(),
      notices: () => [...installation.notices, ...tools.policy.idleRules()],
      clock,
      log,
    });
    return attention.list(tenant, () => watch.poke(tenant));
  };
  const watch = new AttentionWatch({
    clock,
    log,
    list,
    lastFailed: async (tenant) => {
      const [run] = (await stores.runs.list(tenant, { limit: 1 })).runs;
      return run?.status === "failed" ? run.id : undefined;
    },
    // The one that ended may still count.
    others: () => runs.engine.runsActive > 1,
    heard: () => clients.count() > 0,
  });
  return { list, watch };
}

function storeServices(
  base: Base,
  { stores, receipts, agents, audit }: OpenedStore,
): Pick<Services, "system" | "sessions" | "ledger" | "receipts" | "access"> {
  const { clock, ids, log, redact, localTime, requests } = base;
  return {
    system: { clock, ids, log, redact, localTime, requests },
    sessions: { stores, forks: stores.forks, agents, defaultAgentId: base.loaded.config.agents.default },
    ledger: stores.ledger,
    receipts,
    access: {
      tokens: stores.tokens,
      blobs: stores.blobs,
      devices: new DeviceLogins(clock),
      loginTickets: new Tickets(clock, LIMITS.loginTicketMs, LIMITS.loginTicketsMax),
      blobTickets: new Tickets(clock, LIMITS.blobTicketMs, LIMITS.blobTicketsMax),
      showFile: showFileOf(base.loaded),
      exportTickets: new Tickets(clock, LIMITS.exportTicketMs, LIMITS.exportTicketsMax),
      audit,
    },
  };
}

function openNotify(
  { loaded, tenant, clock, log, localTime, options }: Base,
  parts: {
    readonly store: OpenedStore;
    readonly tools: ToolSystem;
    readonly clients: Clients;
    readonly channels: LazyChannels;
  },
): Services["notify"] {
  const { store, tools, clients, channels } = parts;
  let opened: Promise<NotifyService> | undefined;
  return () =>
    (opened ??= import("./notify/notify-service.ts").then(
      (notify) =>
        new notify.NotifyService({
          settings: loaded.config.notify,
          tenant,
          ledger: store.stores.ledger,
          approvals: tools.approvals,
          states: store.stores.channelStates,
          channels: () => channels.opened(),
          fetch: makeWebAccess(loaded, () => clients.port(), options.resolve).fetch,
          pageLink: (path) => `${clients.url()}${path}`,
          env: options.outside?.env ?? process.env,
          clock,
          log,
          localTime,
        }),
    ));
}

/** Begins to tell the owner of what waits with the first thing that does: a start loads nothing for it. */
async function watchWaiting(
  { tenant, log, options }: Base,
  parts: { readonly store: OpenedStore; readonly tools: ToolSystem; readonly notify: Services["notify"] },
  closing: CloseStack,
): Promise<void> {
  const { store, tools, notify } = parts;
  if (options.mode !== "up" || options.loaded.config.notify.targets.length === 0) return;
  const telling = new LateStart(
    async () => (await notify()).run(),
    (error) => log.error("nobody is told what waits for them", { error }),
  );
  const unhear = tools.approvals.onEvent((event) => {
    if (event.tenant === tenant && event.kind === "requested") telling.begin();
  });
  closing.add({
    async notify() {
      unhear();
      if (telling.running === undefined) return;
      (await notify()).stop();
      await telling.running;
    },
  });
  try {
    const [waiting] = await store.stores.ledger.approvals(tenant, { status: "pending", limit: 1 });
    if (waiting) telling.begin();
  } catch (error) {
    log.warn("could not look at what waits for the owner", { error });
  }
}

function openHooks(
  { loaded, tenant, clock, ids, log }: Base,
  {
    store,
    runs,
    channels,
  }: { readonly store: OpenedStore; readonly runs: RunService; readonly channels: LazyChannels },
): Services["hooks"] {
  let opened: Promise<HookService> | undefined;
  return () =>
    (opened ??= import("./hooks/hook-service.ts").then(
      (hooks) =>
        new hooks.HookService({
          hooks: loaded.config.hooks,
          tenant,
          agentId: loaded.config.agents.default,
          engine: runs.engine,
          sessions: store.stores.sessions,
          runs: store.stores.runs,
          owe: async (runId, target) => {
            if (!channels.reaches(target))
              log.warn("the reply of a webhook waits for a chat service that is not connected", { target });
            await (await channels.open()).owe(runId, target);
          },
          clock,
          ids,
        }),
    ));
}

/** What a crash left undone about webhooks whose replies go to chats; nothing is loaded where none do. */
async function recoverHooks({ loaded, log, options }: Base, hooks: Services["hooks"]): Promise<void> {
  const targets = Object.values(loaded.config.hooks).some(({ target }) => target !== PAGE_TARGET);
  if (options.mode !== "up" || !targets) return;
  try {
    await (await hooks()).recover();
  } catch (error) {
    log.error("replies of webhooks may not reach their chats", { error });
  }
}

/** Channels are loaded with the first question about them, or at the start where one is configured. */
interface LazyChannels {
  readonly open: () => Promise<ChannelService>;
  /** The same, once those that are configured are open: what is due at the start waits for that. */
  readonly opened: () => Promise<ChannelService>;
  /** Only a gateway that stays listens to chat services. */
  start(): void;
  /** Brings texts to chats, and leaves those for the page there. */
  readonly deliveries: Deliveries;
  /** Whether something can be sent to a target such as `telegram:12345`. */
  readonly reaches: (target: string) => boolean;
}

function openChannels(
  { options, tenant, loaded, log }: Base,
  { stores }: OpenedStore,
  services: () => Services,
  closing: CloseStack,
): LazyChannels {
  let opened: Promise<ChannelService> | undefined;
  let started: Promise<void> | undefined;
  let current: ChannelService | undefined;
  const settled = new Set<Parameters<Deliveries["onSettled"]>[0]>();
  const open = () =>
    (opened ??= import("./channels/open-channels.ts").then((channels) => {
      current = channels.openChannels({
        tenant,
        loaded,
        services: services(),
        stores,
        listens: options.mode === "up",
      });
      current.onSettled((...told) => settled.forEach((listener) => listener(...told)));
      return current;
    }));
  const whenOpen = async () => {
    const service = await open();
    await started;
    return service;
  };
  return {
    open,
    opened: whenOpen,
    start() {
      closing.add({ channels: async () => (await opened)?.close() });
      if (options.mode !== "up" || !hasChannels(loaded)) return;
      started = open()
        .then((service) => service.start())
        .catch((error: unknown) => log.error("channels could not be opened", { error }));
    },
    deliveries: {
      async deliver(owner, delivery) {
        if (delivery.target === PAGE_TARGET) return ok("delivered");
        return (await whenOpen()).deliver(owner, delivery);
      },
      onSettled(listener) {
        settled.add(listener);
        return () => settled.delete(listener);
      },
    },
    reaches(target) {
      const [name = "", chat] = target.split(":");
      if (chat === undefined || chat === "") return false;
      return current ? current.isConfigured(name) : tokenOf(loaded, name) !== undefined;
    },
  };
}

/** What changes the settings, with what this process was started with; loaded with the first change. */
function openConfig({ options, loaded, clock }: Base, { audit }: OpenedStore): ConfigWriter {
  const { flags, env, cwd } = options.outside ?? {
    flags: { home: loaded.paths.home, ...(loaded.file === undefined ? {} : { config: loaded.file }) },
    env: {},
    cwd: loaded.paths.home,
  };
  let opened: Promise<ConfigWriter> | undefined;
  const writer = () =>
    (opened ??= import("./config/config-writer.ts").then(({ configWriter }) =>
      configWriter({
        load: { flags, env, cwd },
        clock,
        learnSecrets: (secrets) => options.learnSecrets(secrets),
        record: (change, by) => audit.noteSettings(change, by),
      }),
    ));
  return {
    revision: async () => (await writer()).revision(),
    look: async () => (await writer()).look(),
    change: async (change, by) => (await writer()).change(change, by),
  };
}

/** Settings as their owner changes them; loaded with the first question about them. */
function openSettings(
  base: Base,
  parts: {
    readonly config: ConfigWriter;
    readonly live: LiveSettings;
    readonly store: OpenedStore;
    readonly tools: ToolSystem;
    readonly attention: AttentionService;
  },
): Services["settings"] {
  const { config, live, store, tools, attention } = parts;
  const { loaded, tenant } = base;
  const { policy } = tools;
  const apply = async (key: string, { rules }: { readonly rules: boolean }) => {
    // Before the rules count: a permission from before them is no answer to them.
    if (rules) await store.audit.notePolicy(policySettings(loaded));
    policy.setMode(loaded.config.policy.mode);
    policy.setRules(loaded.rules);
    if (rules || key.startsWith("web.search.")) await policy.reload();
    attention.watch.poke(tenant);
  };
  let opened: Promise<SettingsService> | undefined;
  return () =>
    (opened ??= import("./settings/settings-service.ts").then(
      (settings) => new settings.SettingsService({ config, live, apply }),
    ));
}

function openAgentEditor({ loaded }: Base, { agents, audit }: OpenedStore): Services["agentEditor"] {
  let opened: Promise<AgentEditor> | undefined;
  return () =>
    (opened ??= import("./agents/agent-editor.ts").then(({ agentEditor }) =>
      agentEditor({
        workspaceDir: loaded.workspaceDir,
        agents,
        record: (change, by) => audit.noteSettings(change, by),
      }),
    ));
}

function toolServices(
  tools: ToolSystem,
  config: ConfigWriter,
  live: LiveSettings,
): Pick<Services, "tools" | "approvals"> {
  const { policy, toolService, approvalService, approvals, gate, offeredTo } = tools;
  return {
    tools: {
      policy,
      registry: toolService,
      offeredTo,
      async keepMode(mode, by) {
        live.take(["policy", "mode"], withMode(live.loaded, mode));
        // What commands may do unasked depends on it.
        await policy.reload();
        return keepMode(config, mode, by);
      },
    },
    approvals: { decisions: approvalService, events: approvals, gate },
  };
}

function withMode(loaded: LoadedConfig, mode: PolicyMode): LoadedConfig {
  const { config } = loaded;
  return { ...loaded, config: { ...config, policy: { ...config.policy, mode } } };
}

/** The server's clients, for parts that are made before it: until then there are none. */
interface Clients extends ClientService {
  port(): number | undefined;
  serve(server: RunningServer): void;
}

function openClients({ loaded }: Base): Clients {
  const { host, port } = loaded.config.gateway;
  let server: RunningServer | undefined;
  return {
    serve: (running) => (server = running),
    port: () => server?.port,
    url: () => addressOf(host, server?.port ?? port),
    count: () => server?.clients() ?? 0,
    isConnected: (tokenId) => server?.isConnected(tokenId) ?? false,
    closeToken: (tokenId) => server?.closeToken(tokenId),
    tell: (tenant, event, data) => server?.tell(tenant, event, data),
  };
}

async function openServer(
  base: Base,
  parts: {
    readonly services: Services;
    readonly clients: Clients;
    readonly memory: OpenedMemory;
    readonly care: TenantCare;
  },
  closing: CloseStack,
): Promise<RunningServer> {
  const { options, loaded, tenant, clock, ownerToken, stop } = base;
  const { services, clients, memory, care } = parts;
  const { gateway } = loaded.config;
  const oneshot = options.mode === "oneshot" ? { host: "127.0.0.1", port: 0 } : {};
  const { tokens, devices } = services.access;
  const arrived = (other: string) => care.of(other);
  const authenticator = new Authenticator({ tokens, devices, clock, ownerToken, tenant, arrived });
  const page = staticPage(fileURLToPath(new URL("../../web/dist", import.meta.url)));
  const deps = { services, authenticator, page };
  const server =
    options.mode === "local"
      ? serveThisProcess(deps)
      : await startServer({ ...gateway, ...oneshot }, deps).catch((error: unknown) => {
          throw portFailure(error, gateway);
        });
  clients.serve(server);
  closing.add({ erasing: () => memory.finishErasing() });
  closing.add({
    async runs() {
      stop.clean = false;
      stop.clean = await services.runs.engine.stop();
    },
    server: () => server.close(),
  });
  return server;
}

/** Tells other processes of this machine where the gateway is. */
function announce(
  { loaded }: Base,
  mode: "up" | "oneshot",
  clients: Clients,
  services: Services,
  closing: CloseStack,
): void {
  const { gatewayInfo } = loaded.paths;
  const { version, startedAt } = services.installation;
  writeGatewayInfo(gatewayInfo, {
    pid: process.pid,
    url: clients.url(),
    startedAt,
    version,
    mode,
  });
  closing.add({ announcement: () => removeGatewayInfo(gatewayInfo, process.pid) });
}

/** Reacts to every change of a session: indexes it, finishes erasing, and returns memory once nothing happens any more. */
function watchSessions(
  { clock }: Base,
  {
    store,
    memory,
    tools,
    engine,
  }: { store: OpenedStore; memory: OpenedMemory; tools: ToolSystem; engine: Engine },
  closing: CloseStack,
): void {
  const trim = new MemoryTrim({
    clock,
    busy: () => engine.runsActive > 0,
    release: () => {
      engine.rest();
      store.index.rest();
      store.stores.rest();
      memory.system.rest();
      tools.conversations.clearCache();
    },
  });
  engine.onSessionChange((owner, change) => {
    trim.soon();
    store.index.sessionChanged(owner, change);
    if (change.what === "updated") void memory.finishErasing();
  });
  closing.add({ trim: () => trim.stop() });
}

/** What goes on beside the runs: erasing, indexing, expiring approvals, sealing receipts, daily chores. */
function openBackground(
  base: Base,
  parts: {
    readonly store: OpenedStore;
    readonly storage: StorageWatch;
    readonly memory: OpenedMemory;
    readonly tools: ToolSystem;
    readonly mcp: McpService;
  },
  closing: CloseStack,
): void {
  const { options, tenant } = base;
  const { store, storage, memory, tools, mcp } = parts;
  void memory.finishErasing();
  if (options.mode === "up") void store.index.start();
  const stopping = new AbortController();
  const swept = tools.approvals.sweep(tenant, stopping.signal);
  store.signer.start(tenant);
  void tools.watch(stopping.signal);
  void mcp.readNew();
  // Other processes look when a message comes.
  const watched = options.mode === "up" ? storage.run(stopping.signal) : undefined;
  const chores = dailyChores(base, store, stopping.signal);
  closing.add({
    async background() {
      stopping.abort();
      await Promise.all([swept, watched, chores]);
    },
  });
}

function dailyChores({ loaded, tenant, clock, log }: Base, { stores }: OpenedStore, stopped: AbortSignal) {
  const undoDir = join(loaded.paths.home, "undo");
  const forEachTenant = async (sweep: (owner: string) => Promise<unknown>) => {
    for (const each of new Set([tenant, ...stores.tenants()])) await sweep(each);
  };
  return daily(
    { clock, log },
    {
      trash: () => forEachTenant((each) => sweepTrash({ stores, clock, log }, each)),
      forks: () => forEachTenant((each) => sweepForks({ stores, forks: stores.forks, clock }, each)),
      undo: async () => {
        if (!(await isLongSilent(stores.sessions, tenant, clock.now())))
          await sweepUndo(undoDir, clock.now());
      },
      // What was settled long ago, and events that will not come again.
      outbox: () => stores.outbox.prune(tenant, clock.now() - LIMITS.outboxKeptMs),
      inbox: () => stores.inbox.prune(tenant, clock.now() - LIMITS.inboxKeptMs),
    },
    stopped,
  );
}

function gatewayOf(
  { tenant, ownerToken, clock, log, stop }: Base,
  parts: {
    readonly store: OpenedStore;
    readonly models: ModelService;
    readonly tools: ToolSystem;
    readonly installation: OpenedInstallation;
    readonly services: Services;
    readonly recovered: Gateway["recovered"];
    readonly server: RunningServer;
  },
  closing: CloseStack,
): Gateway {
  const { store, models, tools, installation, services, recovered, server } = parts;
  const { clients, access, runs } = services;
  const { policy } = tools;
  return {
    url: clients.url(),
    ownerToken,
    engine: runs.engine,
    memory: store.index,
    recovered,
    connect: () => server.connect(),
    keepFile: async (bytes, mime) => (await access.blobs.put(tenant, bytes, mime, clock.now())).blobId,
    model: () => models.catalog.resolve(undefined),
    loginLink: () => `${clients.url()}/#t=${access.loginTickets.issue({ tenant }).ticket}`,
    clients: () => clients.count(),
    acts: () => ({
      risks: policy
        .toolSnapshot()
        .list()
        .map(({ contract }) => contract.risk),
      serversAsleep: services.mcp.asleep(),
      policyMode: policy.mode,
    }),
    idleRules: () => [...policy.idleRules(), ...installation.leftOut],
    async close() {
      await closing.close();
      log.info("stopped", { rests: stop.clean });
      return stop.clean;
    },
  };
}

function onlyModel(provider: ModelProvider): Models {
  const ref = { provider: provider.id, model: provider.id };
  return {
    resolve: async () => ok({ ref, provider, maxOutputTokens: ONLY_MODEL_OUTPUT_TOKENS, demo: false }),
  };
}

function wrapped(models: Models, wrap: GatewayOptions["wrapModel"]): Models {
  if (!wrap) return models;
  return {
    async resolve(asked, profile) {
      const found = await models.resolve(asked, profile);
      return found.ok ? ok({ ...found.value, provider: wrap(found.value.provider) }) : found;
    },
  };
}

const ONLY_MODEL_OUTPUT_TOKENS = 4_096;

export function modelsOf(
  loaded: LoadedConfig,
  credentials: Credentials,
  deps: { clock: Clock; log: Log; learnSecrets?: (secrets: Iterable<string>) => unknown },
): Models {
  const { providers, contextWindows } = loaded.config;
  const chosen = chosenModel(loaded.paths.chosenModel);
  return makeModels({
    get model() {
      return loaded.config.model;
    },
    chosen: () => chosen.current(),
    providers,
    contextWindows,
    credentials: credentials.lookup,
    keys: keyRing(credentials, deps),
    get fallbackModels() {
      return loaded.config.fallbackModels;
    },
    endpoint: (provider) => credentials.endpoint(provider),
    servers: () => credentials.providersWithKey(),
    ...deps,
  });
}

async function connectedModelsOf({ config }: LoadedConfig, credentials: Credentials, clock: Clock) {
  const { providers, contextWindows } = config;
  return connectedModels({ credentials, providers, contextWindows, clock });
}

/** Creates the service for model credentials; the command line uses it without a gateway. */
export function authService(
  loaded: LoadedConfig,
  credentials: Credentials,
  deps: { clock: Clock; learnSecrets: (secrets: Iterable<string>) => unknown },
): AuthService {
  const chosen = chosenModel(loaded.paths.chosenModel);
  return makeAuthService({
    credentials,
    clock: deps.clock,
    learnSecrets: deps.learnSecrets,
    modelInUse: () => loaded.config.model ?? chosen.current(),
    testCredential: liveTest(loaded, deps.clock),
  });
}

function liveTest(loaded: LoadedConfig, clock: Clock): TestWithoutKey {
  const { providers, prices } = loaded.config;
  return async (provider, credential, endpoint, model) =>
    (await import("@elwood/providers/live-test")).makeLiveTest({
      clock,
      prices,
      providers: { ...providers, [provider]: endpoint },
    })(provider, credential, model);
}
