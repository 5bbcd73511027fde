import type { ApprovalCard, GrantScope } from "@elwood/core/policy/approval";
import type { Verdict } from "@elwood/core/policy/policy";
import { highestRisk, PLAN_WORD, type Plan, type PlanItem } from "@elwood/core/tool/plan";
import { CARD_CHARS_MAX, showLine } from "@elwood/core/base/show";
import type { Preview } from "@elwood/core/tool/tool";
import type { RegisteredTool } from "./ports.ts";

/** What the owner decides by: the whole call, and why they are asked. */
export function makeCard(
  tool: RegisteredTool,
  input: unknown,
  verdict: Verdict,
  preview: Preview | undefined,
  target: string | undefined,
  scopes: readonly GrantScope[],
  plan?: Plan,
): ApprovalCard {
  const { contract } = tool;
  const about = target === undefined ? "" : ` ${showLine(target)}`;
  const summary = showLine(preview?.sentence ?? `${contract.id}${about}`);
  const size = JSON.stringify({ input, preview, plan: plan?.items }).length;
  return {
    kind: "approval",
    toolId: contract.id,
    summary,
    input,
    risk: highestRisk([contract.risk, ...(plan?.items ?? []).map(({ risk }) => risk)]),
    ...(preview ? { preview } : {}),
    rule: verdict.rule,
    reason: verdict.reason,
    sources: verdict.sources ?? [],
    decisions: scopes.length > 0 ? ["once", "window", "always"] : ["once"],
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(plan ? { plan: plan.items, seen: plan.seen, ...confirming(plan.items) } : {}),
    showable: size <= CARD_CHARS_MAX,
  };
}

/** A plan that destroys something is allowed by a typed word, not by a click. */
function confirming(plan: readonly PlanItem[]): { readonly confirm?: string } {
  return plan.some(({ risk }) => risk === "destructive") ? { confirm: PLAN_WORD } : {};
}
