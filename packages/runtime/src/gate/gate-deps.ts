import type { ToolSpec } from "@elwood/core/model/model";
import type { Verdict } from "@elwood/core/policy/policy";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Redactor } from "@elwood/core/base/redact";
import type { Agent, BlobStore, Clock, Ids, Log, ToolHost } from "../ports/ports.ts";
import type { ProgramRunner } from "../programs/programs.ts";
import type { Approvals } from "./approvals.ts";
import type { Ledger, RegisteredTool, ToolTable, Vault } from "./ports.ts";

export interface OfferedTools {
  readonly table: ToolTable;
  readonly specs: readonly ToolSpec[];
}

/** Everything the gate works with. */
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
  /** The tools of a run, where it has begun; else those there are now. */
  readonly table: (runId?: string) => ToolTable;
  /**
   * The part of the table that an agent may use, as the model sees it and as the gate knows it. A run
   * that has begun keeps what it holds, but for the tools it took up.
   */
  readonly toolsOf: (
    agent: Agent,
    run?: { readonly holds: ToolTable; readonly takesUp: ReadonlySet<string> },
  ) => OfferedTools;
  /** `approved`: the owner has allowed this very call, so that only what forbids it matters. */
  readonly verdictFor: (
    tenant: string,
    tool: RegisteredTool,
    input: unknown,
    sessionId: string,
    standing?: { readonly approved: boolean },
  ) => Promise<Verdict>;
  /** False where nobody is configured who could decide: then what asks is denied. */
  readonly approver: boolean;
  readonly approvalMs: number;
  /** Runs programs; without it there are none. */
  readonly programs?: ProgramRunner;
  readonly ruleOfTwo?: ToolHost["ruleOfTwo"];
  /** Size and root of the log, for the line under each reply. */
  readonly head?: (tenant: string) => { readonly size: number; readonly root: string };
}
