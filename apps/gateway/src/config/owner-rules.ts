import type { OwnerRule } from "@elwood/core/policy/policy";
import { resolveToolName } from "@elwood/core/tool/tool";
import { originText, type Place } from "./problem.ts";
import type { Config } from "./schema.ts";

/**
 * The rules of `policy.rules` and of the older `permissions.toolPolicy`, in one list, each
 * with the place it stands at. Which of them speaks is the policy's business: a deny goes
 * before an ask and that before an allow, wherever they are written.
 */
export function ownerRules(
  config: Pick<Config, "policy" | "permissions">,
  placeOf: (path: readonly string[]) => Place | undefined,
): OwnerRule[] {
  const rule = (name: string, decision: OwnerRule["decision"], path: readonly string[]): OwnerRule => ({
    tool: resolveToolName(name) ?? name,
    decision,
    origin: originText(placeOf(path) ?? { kind: "default" }),
  });
  return [
    ...config.policy.rules.map(({ tool, decision }, i) =>
      rule(tool, decision, ["policy", "rules", String(i)]),
    ),
    ...Object.entries(config.permissions?.toolPolicy ?? {}).map(([name, decision]) =>
      rule(name, decision, ["permissions", "toolPolicy", name]),
    ),
  ];
}
