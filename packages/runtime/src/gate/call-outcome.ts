import type { Approval } from "@elwood/core/approval";
import type { Answer } from "./approvals.ts";
import type { CallOutcome, LedgerChange } from "./ports.ts";

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
  const note = answer.note === undefined ? "" : ` They say: ${answer.note}`;
  return {
    ...move,
    to: "denied",
    outcome: outcomeOf("denied", `The owner denied this call. It was not made.${note}`),
  };
}

export function outcomeOf(code: string, text: string): CallOutcome {
  return { status: "error", text, code };
}
