import {
  approvalDigest,
  type Approval,
  type ApprovalCard,
  type GrantScope,
} from "@elwood/core/policy/approval";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { LIMITS } from "@elwood/core/base/limits";
import type { Plan } from "@elwood/core/tool/plan";
import type { Verdict } from "@elwood/core/policy/policy";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Redactor } from "@elwood/core/base/redact";
import { showLine } from "@elwood/core/base/show";
import type { Preview } from "@elwood/core/tool/tool";
import type { Clock, Ids } from "../ports/ports.ts";
import { makeCard } from "./card.ts";
import type { CallRow, RegisteredTool } from "./ports.ts";
import { TimedOut, withTimeout } from "../async/deadline.ts";

export interface ApprovalRequestDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly approvalMs: number;
  readonly redact: Redactor;
}

/** Creates the approval that asks whether a call may run. */
export function newApproval(
  deps: ApprovalRequestDeps & { readonly surface: string },
  row: CallRow,
  tool: RegisteredTool,
  verdict: Verdict,
  preview: Preview | undefined,
  scopes: readonly GrantScope[],
  plan?: Plan,
): Approval {
  const digest = approvalDigestOf(deps.sha256, tool, row.executedInput, preview, verdict.rule);
  // The preview was made from the input with secrets; the card is stored and shown.
  const shown = preview && withoutSecrets(preview, deps.redact);
  const why = { ...verdict, reason: deps.redact(verdict.reason) };
  const card = makeCard(tool, row.executedInput, why, shown, row.target, scopes, plan);
  return pending(deps, row, digest, { ...card, surface: deps.surface });
}

/** Redacts a preview, which was made from the input with its secrets. */
export function withoutSecrets(preview: Preview, redact: Redactor): Preview {
  const { sentence, before, after, subject, base, ...rest } = preview;
  return {
    ...rest,
    sentence: redact(sentence),
    ...(before === undefined ? {} : { before: redact(before) }),
    ...(after === undefined ? {} : { after: redact(after) }),
    ...(subject === undefined ? {} : { subject: redact(subject) }),
    ...(base === undefined ? {} : { base: redact(base) }),
  };
}

/** Creates the approval that asks the owner a question; the answer is the call's result. */
export function newQuestion(deps: ApprovalRequestDeps, row: CallRow, tool: RegisteredTool): Approval {
  // Checked by the tool's own schema before the call was recorded.
  const { question, options } = row.executedInput as { question: string; options?: string[] };
  return pending(deps, row, "", {
    kind: "question",
    toolId: row.toolId,
    summary: showLine(question),
    input: row.executedInput,
    risk: tool.contract.risk,
    rule: "owner.question",
    reason: "The assistant asks you something.",
    sources: [],
    ...(options ? { options } : {}),
    decisions: [],
    showable: true,
  });
}

/** What the model must know about the approval: an edited input, and the owner's note. */
export function ownerRemarks(approval: Approval | undefined): string | undefined {
  if (approval?.card.kind !== "approval") return undefined;
  const { editedInput, note } = approval;
  const words = [
    ...(editedInput === undefined
      ? []
      : [
          `The owner changed the input before allowing this call. It ran with ${JSON.stringify(editedInput)}.`,
        ]),
    ...(note === undefined ? [] : [`The owner says: ${note}`]),
  ];
  return words.length === 0 ? undefined : words.join(" ");
}

/** Creates the approval that asks the owner whether a call without an answer took effect. */
export function newOutcomeQuestion(deps: ApprovalRequestDeps, row: CallRow, reason: string): Approval {
  const about = row.target === undefined ? row.toolId : `${row.toolId} → ${showLine(row.target)}`;
  return pending(deps, row, "", {
    kind: "settle",
    toolId: row.toolId,
    summary: `Did this happen? ${row.undoes === undefined ? "" : "undo of "}${about}`,
    input: row.executedInput,
    risk: row.risk,
    rule: "gate.in-doubt",
    reason,
    sources: [],
    options: ["happened", "did-not-happen"],
    decisions: [],
    showable: true,
  });
}

function pending(deps: ApprovalRequestDeps, row: CallRow, digest: string, card: ApprovalCard): Approval {
  const createdAt = deps.clock.now();
  return {
    id: deps.ids.next("approval"),
    callId: row.callId,
    runId: row.runId,
    sessionId: row.sessionId,
    toolId: row.toolId,
    digest,
    card,
    status: "pending",
    createdAt,
    expiresAt: createdAt + deps.approvalMs,
  };
}

export function approvalDigestOf(
  sha256: Sha256,
  tool: RegisteredTool,
  input: unknown,
  preview: Preview | undefined,
  rule: string,
): string {
  return approvalDigest(
    {
      toolId: tool.contract.id,
      contractHash: tool.contractHash,
      input,
      beforeHash: preview?.before === undefined ? "" : sha256(preview.before),
      ruleHash: sha256(rule),
    },
    sha256,
  );
}

/** The row after the approval, which was written in the same unit. */
export function withApprovedInput(row: CallRow, { editedInput }: Approval): CallRow {
  return { ...row, state: "approved", ...(editedInput === undefined ? {} : { executedInput: editedInput }) };
}

/** Whether the call that would run now is the one the owner approved. */
export function matchesApproval(
  sha256: Sha256,
  row: CallRow,
  approval: Approval,
  tool: RegisteredTool,
  preview: Preview | undefined,
): boolean {
  if (tool.contractHash !== row.contractHash) return false;
  if (approval.editedInput !== undefined) {
    // The owner wrote this input, so there is no preview to compare with.
    return canonicalJson(approval.editedInput) === canonicalJson(row.executedInput);
  }
  const { plan, rule } = approval.card;
  // A call of a program whose plan was allowed: one of those that were listed.
  const item = plan?.find(({ toolId }) => toolId === row.toolId);
  if (plan && item) {
    const digest = (asked: string) => approvalDigestOf(sha256, tool, row.executedInput, preview, asked);
    return plan.some((each) => each.toolId === row.toolId && each.digest === digest(each.rule));
  }
  return approvalDigestOf(sha256, tool, row.executedInput, preview, rule) === approval.digest;
}

export type PreviewResult =
  | { readonly preview: Preview | undefined; readonly problem?: undefined }
  | { readonly problem: string };

/** A failing preview means that the input cannot work: the model gets the problem, and nobody is asked. */
export async function makePreview(
  tool: RegisteredTool,
  input: unknown,
  { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId: string },
  clock: Pick<Clock, "sleep">,
): Promise<PreviewResult> {
  if (!tool.preview) return { preview: undefined };
  const preview = tool.preview.bind(tool);
  try {
    const about = { session: sessionId };
    return {
      preview: await withTimeout(clock, LIMITS.toolPreviewMs, (told) => preview(input, told, about), signal),
    };
  } catch (error) {
    if (error instanceof TimedOut)
      return {
        problem: `${tool.contract.id} could not show what this call would change (${error.message}), so nobody can decide about it. Nothing was done.`,
      };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
