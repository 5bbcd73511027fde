import { offersLonger, READ_LAYER, type Verdict } from "@elwood/core/policy/policy";
import type { Redactor } from "@elwood/core/base/redact";
import { bindingOf, type JobBinding } from "@elwood/core/schedule/job-binding";
import type { PlannedCall } from "@elwood/core/tool/plan";
import type { CallOutcome, RegisteredTool } from "../ports/gate-ports.ts";
import type { ToolCallContext } from "../ports/ports.ts";
import { approvalDigestOf, makePreview, withoutSecrets } from "./approvals.ts";
import type { GateDeps } from "./gate-deps.ts";

/**
 * Calls that are looked at instead of made. A program is looked at before it runs (`programs/dry-run.ts`),
 * a job when the owner rehearses it; both list what they see in this form.
 */

export type Planned =
  | { readonly call: PlannedCall; readonly problem?: undefined }
  /** It could not be made as things stand. */
  | { readonly problem: string };

/** What a call would do, with its preview. `input` is with its secrets, `shown` without; nothing is done. */
export async function planCall(
  { sha256, clock, redact }: Pick<GateDeps, "sha256" | "clock"> & { readonly redact: Redactor },
  tool: RegisteredTool,
  { input, shown = input }: { readonly input: unknown; readonly shown?: unknown },
  verdict: Verdict,
  context: Pick<ToolCallContext, "signal" | "sessionId">,
): Promise<Planned> {
  const looked = await makePreview(tool, input, context, clock);
  if (looked.problem !== undefined) return { problem: looked.problem };
  const { contract, contractHash } = tool;
  const { preview } = looked;
  const about = await tool.target(input);
  const target = about === undefined ? undefined : redact(about);
  const told = preview && withoutSecrets(preview, redact);
  return {
    call: {
      toolId: contract.id,
      input: shown,
      risk: contract.risk,
      digest: approvalDigestOf(sha256, tool, shown, preview, verdict.rule),
      summary:
        told?.sentence ?? tool.claims?.heading ?? `${contract.id}${target === undefined ? "" : ` ${target}`}`,
      ...(target === undefined ? {} : { target }),
      ...(told ? { preview: told } : {}),
      rule: verdict.rule,
      contractHash,
      reason: redact(verdict.reason),
      ...(verdict.decision === "allow" ? { unasked: true } : {}),
      ...(verdict.decision === "ask" && !offersLonger(verdict) ? { always: true } : {}),
    },
  };
}

/** The job of a run, as the policy is told of it. */
export function jobOf({ job }: Pick<ToolCallContext, "job">): { readonly job?: JobBinding } {
  return job === undefined ? {} : { job: bindingOf(job) };
}

/** Whether a rehearsal makes this call itself: it reads, and nobody would be asked. */
export function isMadeInRehearsal(tool: RegisteredTool, verdict: Verdict): boolean {
  if (verdict.decision !== "allow" || tool.kind !== "handler") return false;
  return tool.contract.risk === "read" || verdict.layer === READ_LAYER;
}

/** Who ended a call of a rehearsal before it began. */
export const REHEARSED = { kind: "policy", rule: "gate.rehearsal" } as const;
export const REHEARSED_REASON = "This was a rehearsal: the call was listed, and not made.";

const REHEARSED_CODE = "rehearsal";

/** What the model is told, and what is stored of the calls: their list is read back by `plannedIn`. */
export function plannedOutcome(planned: readonly PlannedCall[], gaps?: string): CallOutcome {
  const told =
    "This is a rehearsal: the call was listed and not made, so nothing has changed and no result is known. Go on as if it had been made and had succeeded, so that everything else can be listed too.";
  return {
    status: "error",
    code: REHEARSED_CODE,
    text: gaps === undefined ? told : `${told} ${gaps}`,
    value: { planned, ...(gaps === undefined ? {} : { gaps }) },
  };
}

/** The calls that were listed in place of this one; undefined where it was no call of a rehearsal. */
export function plannedIn(
  outcome: CallOutcome | undefined,
): { readonly planned: readonly PlannedCall[]; readonly gaps?: string } | undefined {
  if (outcome?.code !== REHEARSED_CODE || outcome.value === undefined) return undefined;
  // Written by `plannedOutcome` alone; what was forgotten since is gone as a whole.
  const stored = outcome.value as { planned?: readonly PlannedCall[]; gaps?: string };
  return stored.planned === undefined
    ? undefined
    : { planned: stored.planned, ...(stored.gaps === undefined ? {} : { gaps: stored.gaps }) };
}
