import type { OwnerRule, PolicyMode } from "@elwood/core/policy/policy";
import type { Redactor } from "@elwood/core/base/redact";
import { ApprovalDesk } from "@elwood/runtime/gate/approval-desk";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger, Vault } from "@elwood/runtime/gate/ports";
import { takenUp } from "@elwood/runtime/gate/taken-up";
import type { BlobStore, Clock, Ids, Log, RunStore } from "@elwood/runtime/ports/ports";
import type { ProgramJournal } from "@elwood/runtime/programs/journal";
import { SKILL_TOOL } from "@elwood/runtime/run/prompt";
import { makePrograms } from "./make-programs.ts";
import { offeredTools, type CallingMode } from "./offer.ts";
import { pooledRandom, sha256 } from "@elwood/platform/system";
import { checkTool } from "./check-tool.ts";
import type { WorkspaceDoor } from "@elwood/isolation/tool-host/workspace-door";
import { makePolicyDesk, type PolicyDesk } from "./policy-desk.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { tableOf, toolsFor, type ToolShelf } from "./registry.ts";
import { watchOffTools } from "./off-tools.ts";
import { Conversations } from "@elwood/runtime/gate/conversation-provenance";
import { ToolDesk } from "./tool-desk.ts";
import { ToolRack } from "./tool-rack.ts";
import { watchTools } from "@elwood/isolation/tool-host/watch-tools";

export interface ActingDeps {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly shelves: () => Promise<readonly ToolShelf[]>;
  /** The tools that the owner wrote; without it there are none. */
  readonly workspace?: WorkspaceDoor;
  /** Whether runs are to be taken up: they may wait for calls of tools that nobody has read yet. */
  readonly unfinished?: () => Promise<boolean>;
  /** What tools are given beside their input: the way to the web, and secrets. */
  readonly provisions?: Pick<ToolProvisions, "fetch" | "secret">;
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  readonly approver: boolean;
  readonly knownDestinations: boolean;
  readonly approvalMs: number;
  readonly head: (tenant: string) => { readonly size: number; readonly root: string };
  readonly journal: ProgramJournal;
  /** The owner's, IANA. */
  readonly timeZone: string;
  readonly runs: Pick<RunStore, "idsOfSession" | "journal">;
  /** How models call tools where their agent does not say. */
  readonly calls: CallingMode;
}

/** The parts by which Elwood acts, joined: tools, policy, approvals, and the one gate before them all. */
export interface Acting {
  readonly gate: Gate;
  readonly approvals: Approvals;
  readonly desk: ApprovalDesk;
  readonly policy: PolicyDesk;
  readonly toolDesk: ToolDesk;
  /** What was said and read in conversations. */
  readonly conversations: Pick<Conversations, "of" | "readOthers" | "forgot">;
  /** Tools that were left out, and why. */
  readonly problems: readonly string[];
  /** Follows changes in the workspace from now on, and reads in what the start left out. */
  watch(signal: AbortSignal): Promise<void>;
  /** Ends the processes that programs and tools run in. */
  close(): Promise<void>;
}

const SALT_BYTES = 16;

export async function makeActing(deps: ActingDeps): Promise<Acting> {
  const { ledger, clock, ids, log, vault, redact, approver } = deps;
  const { workspace } = deps;
  let begun = false;
  let reading = Promise.resolve();
  const check =
    workspace &&
    checkTool({
      workspace,
      reload: () => rack.reload(),
      table: () => rack.table(),
      leftOut: () => rack.problems(),
      takeUp: (runId, toolIds) => gate.takeUp(runId, toolIds),
    });
  const shelves = async (): Promise<readonly ToolShelf[]> => {
    if (!workspace || !check) return deps.shelves();
    let own = begun ? await workspace.load() : await workspace.known();
    if (!begun && workspace.unread && (await deps.unfinished?.())) own = await workspace.load();
    begun = true;
    return [
      ...(await deps.shelves()),
      { source: "built-in", tools: [check] },
      { source: "workspace", tools: own },
    ];
  };
  const rack = new ToolRack(shelves, { sha256, ...deps.provisions });
  const { problems } = await rack.reload();
  const conversations = new Conversations(deps.runs, ledger, () => rack.table());
  const policy = makePolicyDesk({
    rack,
    rules: deps.rules,
    mode: deps.mode,
    approver,
    knownDestinations: deps.knownDestinations,
    redact,
    ledger,
    clock,
    spoken: (tenant, sessionId) => conversations.of(tenant, sessionId),
  });
  const approvals = new Approvals({ ledger, clock, ids, log });
  const table = () => rack.table();
  const chance = pooledRandom();
  const verdictFor: PolicyDesk["verdictFor"] = (...args) => policy.verdictFor(...args);
  const made = makePrograms({ ...deps, verdictFor, table, seed: () => chance(SALT_BYTES).toString("hex") });
  const { programs, declarations } = made;
  const gate = new Gate({
    ...deps,
    programs,
    approvals,
    table,
    verdictFor,
    sha256,
    ruleOfTwo: (tenant, run) => conversations.ruleOfTwo(tenant, run),
    salt: () => chance(SALT_BYTES).toString("hex"),
    toolsOf: (agent, run) => {
      const offered = new Map(toolsFor(rack.table(), agent.tools).map((tool) => [tool.contract.id, tool]));
      // What there is nothing of to read need not be told with every message.
      if (!agent.skills?.length) offered.delete(SKILL_TOOL);
      const table = tableOf(run ? takenUp(run, offered) : offered);
      return { table, specs: offeredTools(table, agent.calls ?? deps.calls, declarations) };
    },
  });
  return {
    approvals,
    policy,
    conversations,
    problems,
    gate,
    toolDesk: new ToolDesk({
      rack,
      ledger,
      clock,
      workspace,
      secret: deps.provisions?.secret,
      settled: () => reading,
    }),
    watch(signal) {
      void watchOffTools(rack, { clock, log, signal });
      reading = watchWorkspace(workspace, rack, { clock, log, signal });
      return reading;
    },
    async close() {
      workspace?.close();
      await made.close();
    },
    desk: new ApprovalDesk({ approvals, ledger, table, vault, verdictFor, redact, ids, clock }),
  };
}

/** Follows changes in the workspace, and reads in what the start left out; that is done when this resolves. */
async function watchWorkspace(
  workspace: WorkspaceDoor | undefined,
  rack: ToolRack,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if (!workspace) return;
  const onChange = async () => {
    const { added, changed, removed } = await rack.reload();
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
