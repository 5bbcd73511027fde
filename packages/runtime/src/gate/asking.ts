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
import { OutOfTime, within } from "./within.ts";

export interface AskingDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly approvalMs: number;
  readonly redact: Redactor;
}

/** The row that asks whether a call may run. */
export function approvalFor(
  deps: AskingDeps & { readonly surface: string },
  row: CallRow,
  tool: RegisteredTool,
  verdict: Verdict,
  preview: Preview | undefined,
  scopes: readonly GrantScope[],
  plan?: Plan,
): Approval {
  const digest = approvalDigestOf(deps.sha256, tool, row.executedInput, preview, verdict.rule);
  // The preview was made from the input with its secrets in it; the card is kept and shown.
  const shown = preview && withoutSecrets(preview, deps.redact);
  const why = { ...verdict, reason: deps.redact(verdict.reason) };
  const card = makeCard(tool, row.executedInput, why, shown, row.target, scopes, plan);
  return pending(deps, row, digest, { ...card, surface: deps.surface });
}

/** A preview is made from the input with its secrets in it; what is kept and shown is without. */
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

/** The row that asks the owner something, and whose answer is the call's result. */
export function questionFor(deps: AskingDeps, row: CallRow, tool: RegisteredTool): Approval {
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

/** What the model must know of how the owner allowed its call: that it ran with another input, and their note. */
export function ownersWords(approval: Approval | undefined): string | undefined {
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

/** The row that asks the owner what became of a call that gave no answer. */
export function doubtFor(deps: AskingDeps, row: CallRow, reason: string): Approval {
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

function pending(deps: AskingDeps, row: CallRow, digest: string, card: ApprovalCard): Approval {
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

/** The row as the write of the owner's yes left it: both are one unit. */
export function asApproved(row: CallRow, { editedInput }: Approval): CallRow {
  return { ...row, state: "approved", ...(editedInput === undefined ? {} : { executedInput: editedInput }) };
}

/** Whether what would run now is what the owner allowed. */
export function isAsApproved(
  sha256: Sha256,
  row: CallRow,
  approval: Approval,
  tool: RegisteredTool,
  preview: Preview | undefined,
): boolean {
  if (tool.contractHash !== row.contractHash) return false;
  if (approval.editedInput !== undefined) {
    // The owner wrote this input themselves, so there was no preview of it to compare with.
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

export type Looked =
  | { readonly preview: Preview | undefined; readonly problem?: undefined }
  | { readonly problem: string };

/** A preview that cannot be made is an input that cannot work: the model hears it, and nobody is asked. */
export async function look(
  tool: RegisteredTool,
  input: unknown,
  { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId: string },
  clock: Pick<Clock, "sleep">,
): Promise<Looked> {
  if (!tool.preview) return { preview: undefined };
  const preview = tool.preview.bind(tool);
  try {
    const about = { session: sessionId };
    return {
      preview: await within(clock, LIMITS.toolPreviewMs, (told) => preview(input, told, about), signal),
    };
  } catch (error) {
    if (error instanceof OutOfTime)
      return {
        problem: `${tool.contract.id} could not show what this call would change (${error.message}), so nobody can decide about it. Nothing was done.`,
      };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
