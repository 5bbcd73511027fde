import type { OwnerRule, PolicyMode } from "@elwood/core/policy";
import type { Redactor } from "@elwood/core/redact";
import { ApprovalDesk } from "@elwood/runtime/gate/approval-desk";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger, Vault } from "@elwood/runtime/gate/ports";
import type { BlobStore, Clock, Ids, Log, RunStore } from "@elwood/runtime/ports";
import type { ProgramJournal } from "@elwood/runtime/programs/journal";
import { makePrograms } from "../programs/make-programs.ts";
import { offeredTools, type CallingMode } from "../programs/offer.ts";
import { pooledRandom, sha256 } from "../state/system.ts";
import { makePolicyDesk, type PolicyDesk } from "./policy-desk.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { tableOf, toolsFor, type ToolShelf } from "./registry.ts";
import { Conversations } from "./spoken.ts";
import { ToolRack } from "./tool-rack.ts";

export interface ActingDeps {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly shelves: () => Promise<readonly ToolShelf[]>;
  /** What tools are given beside their input: the way to the web, and secrets. */
  readonly provisions?: Pick<ToolProvisions, "fetch" | "secret">;
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  readonly approver: boolean;
  readonly approvalMs: number;
  readonly head: (tenant: string) => string;
  readonly journal: ProgramJournal;
  readonly runs: Pick<RunStore, "list" | "journal">;
  /** How models call tools where their agent does not say. */
  readonly calls: CallingMode;
}

/** The parts by which Elwood acts, joined: tools, policy, approvals, and the one gate before them all. */
export interface Acting {
  readonly gate: Gate;
  readonly approvals: Approvals;
  readonly desk: ApprovalDesk;
  readonly policy: PolicyDesk;
  /** Tools that were left out, and why. */
  readonly problems: readonly string[];
  /** Ends the processes that programs run in. */
  close(): Promise<void>;
}

const SALT_BYTES = 16;

export async function makeActing(deps: ActingDeps): Promise<Acting> {
  const { ledger, clock, ids, log, vault, redact, approver } = deps;
  const rack = new ToolRack(deps.shelves, { sha256, ...deps.provisions });
  const { problems } = await rack.reload();
  const conversations = new Conversations(deps.runs, ledger, () => rack.table());
  const policy = makePolicyDesk({
    rack,
    rules: deps.rules,
    mode: deps.mode,
    approver,
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
  return {
    approvals,
    policy,
    problems,
    close: () => made.close(),
    desk: new ApprovalDesk({ approvals, ledger, table, vault, verdictFor, redact, ids, clock }),
    gate: new Gate({
      ...deps,
      programs,
      approvals,
      table,
      verdictFor,
      sha256,
      salt: () => chance(SALT_BYTES).toString("hex"),
      toolsOf: (agent) => {
        const offered = toolsFor(rack.table(), agent.tools);
        const table = tableOf(new Map(offered.map((tool) => [tool.contract.id, tool])));
        return { table, specs: offeredTools(table, agent.calls ?? deps.calls, declarations) };
      },
    }),
  };
}
