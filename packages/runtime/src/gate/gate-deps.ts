import type { Redactor } from "@elwood/core/base/redact";
import type { Verdict } from "@elwood/core/policy/policy";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type {
  CallBeingDecided,
  Ledger,
  OfferedTools,
  RegisteredTool,
  ToolSnapshot,
  Vault,
} from "../ports/gate-ports.ts";
import type { Agent, BlobStore, Clock, Ids, Log, ToolHost } from "../ports/ports.ts";
import type { ProgramRunner } from "../ports/program-runner.ts";
import type { Approvals } from "./approvals.ts";

/** Everything the gate works with; assembled in one place and passed down from here. */
export interface GateDeps {
  readonly ledger: Ledger;
  readonly approvals: Approvals;
  readonly vault: Vault;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sha256: Sha256;
  readonly salt: () => string;
  readonly redact: Redactor;
  /** Takes in the tools that a start leaves asleep. */
  readonly wakeTools?: () => Promise<void>;
  /** The pinned tools of a run that has begun, else the current ones. */
  readonly toolSnapshot: (runId?: string) => ToolSnapshot;
  /**
   * The tools that an agent may use for a tenant, as snapshot and as specs for the model. A run that has
   * begun keeps its pinned tools, except those to refresh.
   */
  readonly toolsOf: (
    agent: Agent,
    tenant: string,
    run?: { readonly pinnedTools: ToolSnapshot; readonly toRefresh: ReadonlySet<string> },
  ) => OfferedTools;
  /** `approved`: the owner has approved this call, so only a denial matters. */
  readonly verdictFor: (
    tenant: string,
    tool: RegisteredTool,
    input: unknown,
    sessionId: string,
    about?: CallBeingDecided,
  ) => Promise<Verdict>;
  /** False if nobody is configured to decide: then calls that would ask are denied. */
  readonly approver: boolean;
  readonly approvalMs: number;
  /** Runs programs; without it there are none. */
  readonly programs?: ProgramRunner;
  readonly ruleOfTwo?: ToolHost["ruleOfTwo"];
  /** Size and root of the log, for the line under each reply. */
  readonly head?: (tenant: string) => { readonly size: number; readonly root: string };
}
