import { canonicalJson } from "../base/canonical-json.ts";
import type { PlanItem, DryRunSeed } from "../tool/plan.ts";
import type { Decider, Sha256 } from "../receipts/receipt.ts";
import type { JobBinding, RunJob } from "../schedule/job-binding.ts";
import type { Preview, Risk } from "../tool/tool.ts";
import type { ToolLabel } from "../tool/tool-label.ts";

/** A person's decision on a call: a row that waits, not a promise in memory. */
export const APPROVAL_STATUSES = ["pending", "approved", "denied", "expired"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const APPROVAL_DECISIONS = ["once", "window", "always"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** What the owner is shown. Everything that will run is here, whole. */
export interface ApprovalCard {
  /** `approval`: may this call run? `question`: the model asks the owner something. `settle`: did a call that broke off take effect? */
  readonly kind: "approval" | "question" | "settle";
  readonly toolId: string;
  readonly summary: string;
  /** The input as it will run, secrets as handles. */
  readonly input: unknown;
  readonly risk: Risk;
  readonly preview?: Preview;
  readonly rule: string;
  readonly reason: string;
  /** Where the run was begun that asks. */
  readonly surface?: string;
  /** What whoever began that run is called, where it was not the owner: a job, a webhook, somebody else. */
  readonly asker?: string;
  /** The job whose run asks: a longer decision is then for that job alone. */
  readonly job?: RunJob;
  /** What untrusted things the session had read, to explain where a value may come from. */
  readonly sources: readonly string[];
  /** Answers to choose from, for questions. */
  readonly options?: readonly string[];
  /** Which longer decisions may be given; destructive calls allow none. */
  readonly decisions: readonly ApprovalDecision[];
  /** What a longer decision would cover, narrowest first, in words. */
  readonly scopes?: readonly GrantScope[];
  /** The owner may say with their answer what the tool does, so that it need not ask each time; its server may suggest a label. */
  readonly labels?: { readonly suggested?: ToolLabel; readonly says?: string };
  /** The calls that a program would make, allowed all at once. */
  readonly plan?: readonly PlanItem[];
  /** What must be typed to allow it. */
  readonly confirm?: string;
  /** From where the plan was seen. */
  readonly seen?: DryRunSeed;
  /** False where the card cannot be shown whole: then nobody may allow it. */
  readonly showable: boolean;
}

/** `call`: this very call. `similar`: calls like it, as the tool defines them. `tool`: any input. */
export interface GrantScope {
  readonly scope: "call" | "similar" | "tool";
  readonly words: string;
}

export interface Approval {
  readonly id: string;
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly toolId: string;
  /** Over the exact call, its contract, what the preview showed and the rule that asked. */
  readonly digest: string;
  readonly card: ApprovalCard;
  readonly status: ApprovalStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decision?: ApprovalDecision;
  readonly decidedBy?: Decider;
  readonly decidedAt?: number;
  /** A note to the model, given with a denial or an approval. */
  readonly note?: string;
  /** The owner changed the input before allowing it. */
  readonly editedInput?: unknown;
  /** The grant that a longer decision made. */
  readonly grantId?: string;
}

/** How the result of a call begins whose input the owner changed. */
export const EDITED_INPUT = "The owner changed the input before allowing this call.";

export function approvalDigest(
  parts: {
    readonly toolId: string;
    readonly contractHash: string;
    readonly input: unknown;
    /** Hash of what the preview showed as `before`; empty where it showed nothing. */
    readonly beforeHash: string;
    readonly ruleHash: string;
  },
  sha256: Sha256,
): string {
  return sha256(`elwood.approval.v1\n${canonicalJson(parts)}`);
}

/** A standing permission the owner gave: for a while, or until revoked. */
export interface Grant {
  readonly id: string;
  readonly toolId: string;
  /** `call`: only calls that `match` means. `tool`: any input of the tool. */
  readonly scope: "call" | "tool";
  /** The critical arguments, or what the tool says a grant is bound to. */
  readonly match?: Readonly<Record<string, unknown>>;
  /** Only in this session; everywhere where absent. */
  readonly sessionId?: string;
  /** Over the contract as it was when the grant was given; a changed tool is not covered. */
  readonly contractHash: string;
  readonly createdAt: number;
  /** Absent: until revoked. */
  readonly expiresAt?: number;
  readonly createdBy: Decider;
  readonly uses: number;
  readonly usesMax?: number;
  /** Only in runs of this job, as long as it is as it was; without it only in runs that a person began. */
  readonly job?: JobBinding;
  /** How often it may be used in one run. */
  readonly usesPerRun?: number;
  readonly revokedAt?: number;
  /** The scope in words, as the owner saw it. */
  readonly words: string;
}
