import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MethodResult } from "@elwood/core/protocol/results";
import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Redactor } from "@elwood/core/base/redact";
import type { Risk } from "@elwood/core/tool/tool";
import { Engine } from "@elwood/runtime/run/engine";
import type { Vault } from "@elwood/runtime/gate/ports";
import type { Clock, Log, Models } from "@elwood/runtime/ports/ports";
import {
  browserOf,
  builtInTools,
  commandNotices,
  provisionsFor,
  workingContextOf,
  workspaceOf,
} from "./built-in-tools.ts";
import { folderAgents } from "./agents/folder-agents.ts";
import { skillTool } from "./agents/skill-tool.ts";
import { makeCredentials, type Credentials } from "./auth/credentials.ts";
import { chosenModel } from "./auth/chosen-model.ts";
import { makeAuthService, type AuthService, type TestWithoutKey } from "./auth/auth-service.ts";
import { makeUseModel } from "./auth/use-model.ts";
import type { DoctorOutside } from "./doctor/outside.ts";
import type { LoadedConfig } from "./config/load.ts";
import { prepareHome } from "./config/first-run.ts";
import { buildMemorySystem } from "@elwood/memory/recall/memory-system";
import { Memory } from "@elwood/memory/open-memory";
import type { EraseService } from "@elwood/memory/erase/erase-service";
import type { MemoryService } from "@elwood/memory/memory-service";
import type { LogTail } from "./log/log-tail.ts";
import type { Services } from "./methods/services.ts";
import type { CredentialLookup } from "@elwood/providers/credential";
import { makeModels } from "@elwood/providers/models";
import { openReceipts } from "@elwood/store-sqlite/receipts/open-receipts";
import { AttentionWatch } from "./views/attention-watch.ts";
import { Authenticator } from "./auth/authenticate.ts";
import { startServer, type RunningServer } from "./server/server.ts";
import { addressOf, alreadyRunning, portFailure } from "./server/start-failures.ts";
import { staticPage } from "./server/static-page.ts";
import { Tickets } from "./auth/tickets.ts";
import { daily } from "@elwood/platform/daily";
import { removeGatewayInfo, writeGatewayInfo } from "./state/discovery.ts";
import { acquireLock } from "@elwood/platform/lock";
import { fileVault } from "@elwood/store-sqlite/file-vault";
import { MemoryTrim } from "@elwood/platform/memory-trim";
import { ownerToken } from "./state/owner-token.ts";
import { sha256, systemIds } from "@elwood/platform/system";
import type { TranscriptChange } from "@elwood/store-sqlite/file-transcripts";
import { openStores, type OpenedStores } from "@elwood/store-sqlite/open-stores";
import { Audit } from "./tools/audit.ts";
import { buildToolSystem, type ToolSystem } from "./tools/tool-system.ts";
import { resultTool } from "./tools/result-tool.ts";
import type { ToolGroup } from "./tools/tool-snapshot.ts";
import { makeWebAccess } from "./web/web-access.ts";
import type { Attention } from "./views/attention.ts";
import type { OwnerService } from "./views/owner-service.ts";
import { sweepTrash } from "@elwood/store-sqlite/sweep-trash";
import { sweepForks } from "./methods/fork-session.ts";
import { connectedModels } from "./auth/connected-models.ts";

export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly mode: "up" | "oneshot";
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every secret as it becomes known, so that the log and all frames leave it out. */
  readonly learnSecrets: (secrets: Iterable<string>) => Redactor;
  /** The last lines of the log, for the owner to look at. */
  readonly logTail?: LogTail;
  /** What the process was started with, for looking the installation over. */
  readonly outside?: DoctorOutside;
  /** For programs that embed a gateway, and for tests: tools beside Elwood's own. */
  readonly extraTools?: readonly ToolGroup[];
  /** For the same: stands between the gateway and its stores, such as to watch every write. */
  readonly wrapStores?: (stores: GatewayStores) => GatewayStores;
}

export type GatewayStores = OpenedStores & { readonly vault: Vault };

export interface Gateway {
  readonly url: string;
  readonly ownerToken: string;
  readonly engine: Engine;
  readonly memory: Memory;
  readonly recovered: { committed: number; resumed: number };
  loginLink(): string;
  /** The model that answers by default, or why none does. */
  model(): ReturnType<Models["resolve"]>;
  clients(): number;
  /** The risk of each tool there is, and what the policy does about changes that no rule speaks of. */
  acts(): { readonly risks: readonly Risk[]; readonly policyMode: string };
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
  const { loaded, clock, log, mode } = options;
  const { config, paths } = loaded;
  const { notices } = await prepareHome(loaded);
  const lock = acquireLock(paths.gatewayLock) ?? alreadyRunning(loaded);
  const token = ownerToken(paths.ownerToken, loaded.secrets.get("ELWOOD_TOKEN")?.value);
  const credentials = makeCredentials(loaded, clock, log);
  const redact = options.learnSecrets([token, ...loaded.secretValues, ...(await credentials.knownSecrets())]);
  const memory: Memory = new Memory({
    enabled: config.memory.enabled,
    paths,
    tenant: DEFAULT_TENANT,
    clock,
    log,
    redact,
    stores: () => opened,
    ...(config.memory.embeddings && {
      semanticSearch: async () =>
        (await import("./memory/make-semantic-search.ts")).makeSemanticSearch(
          loaded,
          modelsOf(loaded, credentials, { clock, log }),
          { clock, log, redact },
        ),
    }),
  });
  const onTranscript = (change: TranscriptChange) => memory.transcriptChanged(change);
  const opened = await openStores({ paths, clock, log, onTranscript }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const kept = { ...opened, vault: fileVault(paths.vault, redact) };
  const { vault, ...stores } = options.wrapStores?.(kept) ?? kept;
  let stopSealing = () => {};
  try {
    const ids = systemIds(clock);
    const { receiptService: receipts, signer } = await openReceipts(stores, { keys: paths.keys, clock, log });
    stopSealing = () => signer.stop();
    const models = modelsOf(loaded, credentials, { clock, log });
    const agents = folderAgents({
      workspaceDir: loaded.workspaceDir,
      defaultAgentId: config.agents.default,
      log,
      workingContext: workingContextOf(loaded),
    });
    let server: RunningServer | undefined;
    const web = makeWebAccess(loaded, () => server?.port);
    const browser = await browserOf(loaded, web, clock);
    const localTime = new LocalTime(config.timeZone);
    const { noteOrigins, noteCopies, neverRecalled } = stores;
    let forgetter: Promise<EraseService> | undefined;
    const eraseService = () =>
      (forgetter ??= import("./memory/make-erase-service.ts").then(({ makeEraseService }) =>
        makeEraseService({
          home: paths.home,
          stores,
          engine,
          clock,
          ids,
          log,
          parts: memorySystem.parts,
          index: () => memory.index(),
          conversations: () => toolSystem.conversations,
          forgetLog: (holds) => options.logTail?.forget(holds),
        }),
      ));
    const memorySystem = buildMemorySystem({
      never: neverRecalled,
      traces: async (tenant, what) => (await eraseService()).traces(tenant, what),
      words: {
        find: async (tenant, word) => (await eraseService()).find(tenant, word),
        begin: async (tenant, word) => (await eraseService()).traces(tenant, { kind: "word", word }),
      },
      tenant: DEFAULT_TENANT,
      settings: config.memory,
      folder: paths.memory,
      origins: noteOrigins,
      copies: noteCopies,
      redact,
      clock,
      localTime,
      index: () => memory.index(),
      conversations: () => toolSystem.conversations,
    });
    const skills = skillTool({
      agents,
      sessions: stores.sessions,
      tenant: DEFAULT_TENANT,
      workspaceDir: loaded.workspaceDir,
    });
    const results = resultTool({ stores, tenant: DEFAULT_TENANT });
    const ownToolGroup = async (): Promise<ToolGroup> => {
      const [{ tools, off }, browserUnavailable] = await Promise.all([
        builtInTools(loaded, web),
        browser?.off(),
      ]);
      const browsing = browserUnavailable ? [] : (browser?.tools ?? []);
      return {
        source: "built-in",
        tools: [...tools, ...memorySystem.tools, skills, results, ...browsing],
        off: [...off, ...(browserUnavailable ? [browserUnavailable] : [])],
      };
    };
    const toolSystem: ToolSystem = await buildToolSystem({
      timeZone: config.timeZone,
      ledger: stores.ledger,
      vault,
      blobs: stores.blobs,
      clock,
      ids,
      log,
      redact,
      toolGroups: async () => [await ownToolGroup(), ...(options.extraTools ?? [])],
      workspace: workspaceOf(loaded, options),
      unfinished: async () => (await stores.runs.unfinished(DEFAULT_TENANT)).length > 0,
      provisions: provisionsFor(loaded, web),
      rules: loaded.rules,
      mode: config.policy.mode,
      approver: config.policy.approver,
      knownDestinations: config.policy.knownDestinations,
      approvalMs: config.policy.approvalExpiryHours * 3_600_000,
      head: (tenant) => receipts.head(tenant),
      journal: stores.programs,
      runs: stores.runs,
      calls: config.programs.mode,
    });
    const tools = toolSystem.gate;
    const audit = new Audit(stores.ledger, log, DEFAULT_TENANT);
    await audit.notePolicy({
      ...config.policy,
      rules: loaded.rules,
      roots: config.files.roots,
      web: config.web,
      shell: config.shell,
      secretsOfTools: config.tools.secrets,
      commands: { safe: config.permissions?.safeCommands, dangerous: config.permissions?.dangerousPatterns },
    });
    const { limits, prices } = config;
    const engine = new Engine({
      stores,
      models,
      agents,
      tools,
      recorder: tools,
      clock,
      ids,
      log,
      hash: sha256,
      redact,
      limits,
      prices,
      compactionModel: config.compactionModel,
      localTime,
      ...memorySystem.engine,
    });
    const loginTickets = new Tickets<{ readonly tenant: string }>(
      clock,
      LIMITS.loginTicketMs,
      LIMITS.loginTicketsMax,
    );
    const url = () => addressOf(config.gateway.host, server?.port ?? config.gateway.port);
    const leftOut = await commandNotices(loaded);
    let owner: OwnerService | undefined;
    const learnSecrets = (secrets: Iterable<string>) => {
      options.learnSecrets(secrets);
      memory.secretsLearned();
    };
    const auth = authService(loaded, credentials, { clock, learnSecrets });
    const useModel = makeUseModel({
      configured: config.model,
      chosen: chosenModel(paths.chosenModel),
      credentials,
      test: liveTest(loaded, clock),
    });
    let connected: (() => Promise<MethodResult<"models.list">["providers"]>) | undefined;
    let looker: Attention | undefined;
    const attention = async (tenant: string) => {
      looker ??= new (await import("./views/attention.ts")).Attention({
        ledger: stores.ledger,
        stores,
        auth,
        models,
        receipts,
        toolProblems: () => toolSystem.toolService.problems(),
        notices: () => [...services.installation.notices, ...toolSystem.policy.idleRules()],
        clock,
        log,
      });
      return looker.list(tenant, () => attentionWatch.poke(tenant));
    };
    const attentionWatch = new AttentionWatch({
      clock,
      log,
      list: attention,
      lastFailed: async (tenant) => {
        const [run] = (await stores.runs.list(tenant, { limit: 1 })).runs;
        return run?.status === "failed" ? run.id : undefined;
      },
      heard: () => (server?.clients() ?? 0) > 0,
    });
    let memoryService: MemoryService | undefined;
    const services: Services = {
      system: { clock, ids, log, redact, localTime },
      sessions: { stores, forks: stores.forks, agents, defaultAgentId: config.agents.default },
      runs: { engine, calls: tools, insight: stores.insight, limits },
      ledger: stores.ledger,
      tools: { policy: toolSystem.policy, registry: toolSystem.toolService },
      approvals: {
        decisions: toolSystem.approvalService,
        events: toolSystem.approvals,
        gate: toolSystem.gate,
      },
      receipts,
      memory: {
        notes: async () =>
          (memoryService ??= new (await import("@elwood/memory/memory-service")).MemoryService({
            tenant: DEFAULT_TENANT,
            parts: memorySystem.parts,
            index: () => memory.index(),
            never: neverRecalled,
            ledger: stores.ledger,
            clock,
            localTime,
            waiting: async () =>
              stores.forgetting.pending(DEFAULT_TENANT) ? (await eraseService()).waiting(DEFAULT_TENANT) : 0,
          })),
        erase: eraseService,
      },
      models: {
        catalog: models,
        credentials: auth,
        use: useModel,
        connected: async () => (connected ??= await connectedModelsOf(loaded, credentials, clock))(),
      },
      attention: { list: attention, watch: attentionWatch },
      installation: {
        version: options.version,
        startedAt: clock.now(),
        notices: [...[...loaded.notices, ...notices].map((n) => n.text), ...leftOut],
        owner: async () => (owner ??= (await import("./views/owner-service.ts")).ownerService(options)),
      },
      access: {
        tokens: stores.tokens,
        blobs: stores.blobs,
        loginTickets,
        blobTickets: new Tickets(clock, LIMITS.blobTicketMs, LIMITS.blobTicketsMax),
        exportTickets: new Tickets(clock, LIMITS.exportTicketMs, LIMITS.exportTicketsMax),
        audit,
      },
      clients: {
        url,
        count: () => server?.clients() ?? 0,
        closeToken: (tokenId) => server?.closeToken(tokenId),
        tell: (tenant, event, data) => server?.tell(tenant, event, data),
      },
    };
    server = await startServer(
      { ...config.gateway, ...(mode === "oneshot" ? { host: "127.0.0.1", port: 0 } : {}) },
      {
        services,
        authenticator: new Authenticator({
          tokens: stores.tokens,
          clock,
          ownerToken: token,
          tenant: DEFAULT_TENANT,
        }),
        page: staticPage(fileURLToPath(new URL("../../web/dist", import.meta.url))),
      },
    ).catch((error: unknown) => {
      throw portFailure(error, config.gateway);
    });
    const recovered = await engine.recover(DEFAULT_TENANT);
    writeGatewayInfo(paths.gatewayInfo, {
      pid: process.pid,
      url: url(),
      startedAt: services.installation.startedAt,
      version: options.version,
      mode,
    });
    server.ready();
    /** Finishes what is to be forgotten, once nothing that holds it is going on. */
    const finishForgetting = async () => {
      try {
        if (stores.forgetting.pending(DEFAULT_TENANT)) await (await eraseService()).resume(DEFAULT_TENANT);
        await (await forgetter)?.settled();
      } catch (error) {
        log.error("something that is to be forgotten is not yet; it is tried again", { error });
      }
    };
    void finishForgetting();
    const trim = new MemoryTrim(() => engine.runsActive > 0);
    engine.onSessionChange((tenant, change) => {
      trim.soon();
      memory.sessionChanged(tenant, change);
      if (change.what === "updated") void finishForgetting();
    });
    if (mode === "up") void memory.start();
    const sweeping = new AbortController();
    const swept = toolSystem.approvals.sweep(DEFAULT_TENANT, sweeping.signal);
    signer.start(DEFAULT_TENANT);
    void toolSystem.watch(sweeping.signal);
    const undoDir = join(paths.home, "undo");
    const chores = daily(
      { clock, log },
      {
        trash: () => sweepTrash({ stores, clock, log }, DEFAULT_TENANT),
        forks: async () => {
          await sweepForks({ stores, forks: stores.forks, clock }, DEFAULT_TENANT);
        },
        undo: async () => (await import("@elwood/integration-files")).sweepUndo(undoDir, clock.now()),
      },
      sweeping.signal,
    );
    log.info("ready", { url: url(), mode, ...recovered });
    return {
      url: url(),
      ownerToken: token,
      engine,
      memory,
      recovered,
      model: () => models.resolve(undefined),
      loginLink: () => `${url()}/#t=${loginTickets.issue({ tenant: DEFAULT_TENANT }).ticket}`,
      clients: () => server?.clients() ?? 0,
      acts: () => ({
        risks: toolSystem.policy
          .toolSnapshot()
          .list()
          .map(({ contract }) => contract.risk),
        policyMode: toolSystem.policy.mode,
      }),
      idleRules: () => [...toolSystem.policy.idleRules(), ...leftOut],
      async close() {
        trim.stop();
        removeGatewayInfo(paths.gatewayInfo, process.pid);
        sweeping.abort();
        const [rests] = await Promise.all([engine.stop(), server?.close(), swept, chores]);
        await finishForgetting();
        stopSealing();
        await toolSystem.close();
        await browser?.close();
        await memory.close();
        await stores.close();
        // While a tool is still at work nobody else may take its call for one that broke off: the lock goes with the process.
        if (rests) lock.release();
        log.info("stopped", { rests });
        return rests;
      },
    };
  } catch (error) {
    // Its timer would keep a process alive that has nothing left to do.
    stopSealing();
    await memory.close();
    await stores.close();
    lock.release();
    throw error;
  }
}

export function modelsOf(
  loaded: LoadedConfig,
  credentials: Credentials,
  deps: { clock: Clock; log: Log },
): Models {
  const { model, providers, contextWindows } = loaded.config;
  const lookup: CredentialLookup = async (provider) => {
    const found = await credentials.lookup(provider);
    const id = found.ok ? found.value?.profileId : undefined;
    if (id !== undefined) await credentials.used(id);
    return found;
  };
  const chosen = chosenModel(loaded.paths.chosenModel);
  return makeModels({
    model,
    chosen: () => chosen.current(),
    providers,
    contextWindows,
    credentials: lookup,
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
