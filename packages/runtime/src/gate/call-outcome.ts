import type { Approval } from "@elwood/core/policy/approval";
import { neutralised } from "@elwood/core/message/untrusted-frame";
import type { Answer } from "./approvals.ts";
import type { ToolOutcome } from "../ports/ports.ts";
import type { CallOutcome, CallRow, LedgerChange } from "./ports.ts";

/** The ledger change that a person's decision makes to its call. */
export function callChangeFor(
  approval: Approval,
  allowed: boolean,
  at: number,
  answer: Answer,
): LedgerChange {
  const move = { kind: "call.move" as const, callId: approval.callId, from: ["asked" as const], at };
  if (allowed) {
    return {
      ...move,
      to: "approved",
      ...(answer.editedInput === undefined ? {} : { executedInput: answer.editedInput }),
    };
  }
  const note = answer.note === undefined || answer.note === "" ? "" : ` Their note: ${answer.note}`;
  return {
    ...move,
    to: "denied",
    outcome: errorOutcome("denied", `Denied by the owner; nothing was done.${note}`),
  };
}

/** A tool's error message may quote somebody else, so control tokens of model formats are neutralised in it. */
export function errorOutcome(code: string, text: string): CallOutcome {
  return { status: "error", text: neutralised(text), code };
}

/** Converts a stored outcome for the run loop, with the precise end state where there is one. */
export function toToolOutcome({ state }: CallRow, outcome: CallOutcome): ToolOutcome {
  const ended = SPECIFIC_ENDS.find((each) => each === state);
  return ended === undefined ? outcome : { ...outcome, ended };
}

const SPECIFIC_ENDS = ["refused", "denied", "expired", "unknown"] as const;

/** The approval as it is once the ledger has applied the change. */
export function applyDecision(approval: Approval, change: LedgerChange): Approval {
  if (change.kind !== "approval.decide" || change.approvalId !== approval.id) return approval;
  const { status, decidedBy, at: decidedAt, decision, note, editedInput, grantId } = change;
  return {
    ...approval,
    status,
    decidedBy,
    decidedAt,
    ...(decision === undefined ? {} : { decision }),
    ...(note === undefined ? {} : { note }),
    ...(editedInput === undefined ? {} : { editedInput }),
    ...(grantId === undefined ? {} : { grantId }),
  };
}
