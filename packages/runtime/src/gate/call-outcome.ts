import type { Approval } from "@elwood/core/policy/approval";
import { neutralised } from "@elwood/core/message/untrusted-frame";
import type { Answer } from "./approvals.ts";
import type { ToolOutcome } from "../ports/ports.ts";
import type { CallOutcome, CallRow, LedgerChange } from "./ports.ts";

/** A call's next state after a person's answer. */
export function callAfter(approval: Approval, allowed: boolean, at: number, answer: Answer): LedgerChange {
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
    outcome: outcomeOf("denied", `Denied by the owner; nothing was done.${note}`),
  };
}

/** What a tool says of its failure may quote somebody else, so no word in it means anything to a model's format. */
export function outcomeOf(code: string, text: string): CallOutcome {
  return { status: "error", text: neutralised(text), code };
}

/** What the run loop is told of a call that has ended: that it failed, or more closely how it came to nothing. */
export function toldOf({ state }: CallRow, outcome: CallOutcome): ToolOutcome {
  const ended = CLOSER.find((each) => each === state);
  return ended === undefined ? outcome : { ...outcome, ended };
}

const CLOSER = ["refused", "denied", "expired", "unknown"] as const;

/** As its row stands once the ledger has taken the change. */
export function approvalAfter(approval: Approval, change: LedgerChange): Approval {
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
