import type { EventData } from "@elwood/core/protocol/events";
import { toWireApproval } from "@elwood/core/protocol/approval-shapes";
import type { ApprovalEvent } from "@elwood/runtime/gate/approvals";

type Pushed =
  | { readonly name: "exec.approval_request"; readonly data: EventData<"exec.approval_request"> }
  | { readonly name: "exec.approval_resolved"; readonly data: EventData<"exec.approval_resolved"> }
  | { readonly name: "owner.question"; readonly data: EventData<"owner.question"> };

/** What every client of the owner hears when something is asked, and when it is decided. */
export function approvalPush(event: Pick<ApprovalEvent, "kind" | "approval">): Pushed {
  const { approval } = event;
  const wire = toWireApproval(approval);
  const { approvalId, runId, sessionKey, summary, expiresAt, decided, editedInput } = wire;
  if (event.kind === "resolved") {
    const by = decided.by;
    const surface = by?.kind === "owner" ? by.surface : "gateway";
    return {
      name: "exec.approval_resolved",
      data: {
        approvalId,
        runId,
        decided: decided.status,
        by,
        surface,
        ...(editedInput === undefined ? {} : { editedInput }),
      },
    };
  }
  if (wire.kind !== "approval") {
    const data = { questionId: approvalId, runId, sessionKey, question: summary, kind: wire.kind, expiresAt };
    return { name: "owner.question", data: wire.options ? { ...data, options: wire.options } : data };
  }
  const { toolName, details, callId, digest, risk, preview, rule, reason, sources, decisions, showable } =
    wire;
  const { scopes, labels, plan, confirm, card } = wire;
  return {
    name: "exec.approval_request",
    data: {
      approvalId,
      toolName,
      summary,
      details,
      runId,
      sessionKey,
      callId,
      digest,
      risk,
      ...(preview ? { preview } : {}),
      rule,
      reason,
      sources,
      decisions,
      ...(scopes ? { scopes } : {}),
      ...(labels ? { labels } : {}),
      ...(plan ? { plan } : {}),
      ...(confirm === undefined ? {} : { confirm }),
      showable,
      expiresAt,
      card,
    },
  };
}
