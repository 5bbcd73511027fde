import type { OwnerRule, PolicyMode } from "@elwood/core/policy/policy";
import type { Redactor } from "@elwood/core/base/redact";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { labelOf } from "@elwood/core/tool/tool-label";
import { ApprovalService } from "@elwood/runtime/gate/approval-service";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger, Vault } from "@elwood/runtime/ports/gate-ports";
import { withRefreshedTools } from "@elwood/runtime/gate/refresh-tools";
import type { ToolSpec } from "@elwood/core/model/model";
import type { Agent, BlobStore, Clock, Ids, Log } from "@elwood/runtime/ports/ports";
import type { ProgramJournal } from "@elwood/runtime/ports/program-journal";
import { makePrograms } from "./make-programs.ts";
import { ToolOffers, type CallingMode } from "./offer.ts";
import { pooledRandom, sha256 } from "@elwood/platform/system";
import { catalogDefinitions, needsCatalog } from "./catalog.ts";
import { checkTool, type CheckToolDeps } from "./check-tool.ts";
import { withToolModules } from "./tool-modules.ts";
import { undoTool, type UndoToolDeps } from "./undo-tool.ts";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import { rulesSince } from "./audit.ts";
import { makePolicyService, type PolicyService } from "./policy-service.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { snapshotOf, type ToolGroup } from "./tool-snapshot.ts";
import { watchUnavailableTools } from "./unavailable-tools.ts";
import { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";
import { ToolService } from "./tool-service.ts";
import { writtenInRun } from "./written-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";
import { watchTools } from "@elwood/isolation/tool-host/watch-tools";

export interface ToolSystemDeps {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly toolGroups: () => Promise<readonly ToolGroup[]>;
  /** Takes in the tools that a start leaves asleep. Never rejects. */
  readonly wakeTools?: () => Promise<void>;
  /** The tools that the owner wrote; without it there are none. */
  readonly workspace?: WorkspaceTools;
  /** Whether unfinished runs will resume: they may wait for calls of tools that are not loaded yet. */
  readonly unfinished?: () => Promise<boolean>;
  /** The effect of a call was taken back. */
  readonly undone?: UndoToolDeps["undone"];
  /** What tools get besides their input: web access and secrets. */
  readonly provisions?: Pick<ToolProvisions, "fetch" | "secret">;
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  readonly approver: boolean;
  readonly knownDestinations: boolean;
  /** Why a tenant may not use a tool at all; undefined where it may. */
  readonly tenantRefusal?: (tenant: string, toolId: string) => string | undefined;
  readonly approvalMs: number;
  readonly head: (tenant: string) => { readonly size: number; readonly root: string };
  readonly journal: ProgramJournal;
  /** The owner's, IANA. */
  readonly timeZone: string;
  readonly runs: ConstructorParameters<typeof ConversationProvenance>[0];
  /** How models call tools where their agent does not say. */
  readonly calls: CallingMode;
}

/** Everything behind tool calls: the registry, policy, approvals, and the gate that all calls pass. */
export interface ToolSystem {
  readonly gate: Gate;
  readonly approvals: Approvals;
  readonly approvalService: ApprovalService;
  readonly policy: PolicyService;
  readonly toolService: ToolService;
  /** The tools of an agent, as a model is told of them. */
  readonly offeredTo: (agent: Agent, tenant: string) => readonly ToolSpec[];
  /** The provenance of text in conversations. */
  readonly conversations: Pick<ConversationProvenance, "of" | "hasUntrustedInput" | "clearCache">;
  /** Tools that were left out, and why. */
  readonly problems: readonly string[];
  /** Watches the workspace for changes, and loads the tools that the start left out. */
  watch(signal: AbortSignal): Promise<void>;
  /** Ends the processes that programs and tools run in. */
  close(): Promise<void>;
}

const SALT_BYTES = 16;

export async function buildToolSystem(deps: ToolSystemDeps): Promise<ToolSystem> {
  const { ledger, clock, ids, log, vault, redact, approver } = deps;
  const { workspace } = deps;
  let begun = false;
  let reading = Promise.resolve();
  const checking: CheckToolDeps | undefined = workspace && {
    workspace,
    reload: () => registry.reload(),
    toolSnapshot: () => registry.toolSnapshot(),
    leftOut: () => registry.problems(),
    refreshToolsForRun: (runId, toolIds) => gate.refreshToolsForRun(runId, toolIds),
  };
  const undo = undoTool({
    gate: () => gate,
    ledger,
    tenant: DEFAULT_TENANT,
    ...(deps.undone && { undone: deps.undone }),
  });
  const toolGroups = async (): Promise<readonly ToolGroup[]> => {
    const groups = await ownGroups();
    if (!needsCatalog(groups)) return groups;
    return [...groups, { source: "built-in", tools: catalogDefinitions([]) }];
  };
  const ownGroups = async (): Promise<readonly ToolGroup[]> => {
    if (!workspace || !checking) return deps.toolGroups();
    let own = begun ? await workspace.load() : await workspace.known();
    if (!begun && workspace.unread && (await deps.unfinished?.())) own = await workspace.load();
    begun = true;
    const groups = (await deps.toolGroups()).map((group) =>
      group.source === "built-in"
        ? { ...group, tools: group.tools.map((tool) => withToolModules(tool, checking)) }
        : group,
    );
    return [
      ...groups,
      { source: "built-in", tools: [checkTool(checking), undo] },
      { source: "workspace", tools: own },
    ];
  };
  const registry = new ToolRegistry(toolGroups, { sha256, ...deps.provisions }, async (tool) =>
    labelOf(await ledger.knownContract(DEFAULT_TENANT, tool.contract.id), tool.contractHash, sha256),
  );
  const { problems } = await registry.reload();
  const conversations = new ConversationProvenance(deps.runs, ledger, () => registry.toolSnapshot());
  const policy = makePolicyService({
    registry,
    rules: deps.rules,
    mode: deps.mode,
    approver,
    knownDestinations: deps.knownDestinations,
    tenantRefusal: deps.tenantRefusal,
    ...(workspace && { writtenInRun: writtenInRun(ledger, workspace.toolsDir) }),
    redact,
    sha256,
    ledger,
    clock,
    timeZone: deps.timeZone,
    conversation: (tenant, sessionId, runId) => conversations.of(tenant, sessionId, runId),
    hasPrivate: (tenant, sessionId) => conversations.hasPrivateInput(tenant, sessionId),
    rulesSince: (tenant) => rulesSince(ledger, tenant),
  });
  const approvals = new Approvals({ ledger, clock, ids, log });
  const toolSnapshot = () => registry.toolSnapshot();
  const chance = pooledRandom();
  const salt = () => chance(SALT_BYTES).toString("hex");
  const verdictFor: PolicyService["verdictFor"] = (...args) => policy.verdictFor(...args);
  const made = makePrograms({
    ...deps,
    verdictFor,
    toolSnapshot,
    seed: salt,
  });
  const { programs, declarations } = made;
  // A model is not told of what its owner turned off by name. One that calls it anyway is denied by the rule.
  const isOff = (toolId: string) => {
    const rule = policy.ruleOf(toolId);
    return rule?.decision === "deny" && rule.tool === toolId;
  };
  const offers = new ToolOffers({
    sha256,
    calls: deps.calls,
    declarations,
    refused: (tenant, toolId) => deps.tenantRefusal?.(tenant, toolId) !== undefined,
    hidden: isOff,
  });
  const gate = new Gate({
    ...deps,
    programs,
    approvals,
    toolSnapshot,
    verdictFor,
    sha256,
    ruleOfTwo: (tenant, run) => conversations.ruleOfTwo(tenant, run),
    salt,
    toolsOf: (agent, tenant, run) => {
      const offered = offers.to(registry.toolSnapshot(), agent, tenant);
      if (!run) return offered;
      const refreshed = new Map(offered.toolSnapshot.list().map((tool) => [tool.contract.id, tool]));
      return offers.of(snapshotOf(withRefreshedTools(run, refreshed)), agent);
    },
  });
  return {
    approvals,
    policy,
    conversations: {
      of: (tenant, sessionId, runId) => conversations.of(tenant, sessionId, runId),
      hasUntrustedInput: (tenant, run) => conversations.hasUntrustedInput(tenant, run),
      clearCache() {
        conversations.clearCache();
        policy.clearCache();
      },
    },
    problems,
    gate,
    offeredTo: (agent, tenant) => offers.to(registry.toolSnapshot(), agent, tenant).specs,
    toolService: new ToolService({
      registry,
      ledger,
      clock,
      sha256,
      workspace,
      secret: deps.provisions?.secret,
      wake: async () => deps.wakeTools?.(),
      settled: () => reading,
    }),
    watch(signal) {
      void watchUnavailableTools(registry, { clock, log, signal });
      reading = watchWorkspace(workspace, registry, { clock, log, signal });
      return reading;
    },
    async close() {
      workspace?.close();
      await made.close();
    },
    approvalService: new ApprovalService({
      approvals,
      ledger,
      toolSnapshot,
      vault,
      verdictFor,
      redact,
      ids,
      clock,
      sha256,
      salt,
    }),
  };
}

/** Watches the workspace for changes. Resolves once the tools that the start left out are loaded. */
async function watchWorkspace(
  workspace: WorkspaceTools | undefined,
  registry: ToolRegistry,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if (!workspace) return;
  const onChange = async () => {
    const { added, changed, removed } = await registry.reload();
    if (added.length + changed.length + removed.length > 0)
      log.info("the tools of the workspace have changed", { added, changed, removed });
    for (const problem of workspace.problems()) log.warn("a tool cannot be loaded", { problem });
  };
  try {
    watchTools({ toolsDir: workspace.toolsDir, clock, log, signal, onChange });
    if (workspace.unread) await onChange();
  } catch (error) {
    log.error("the tools of the workspace could not be read", { error });
  }
}
