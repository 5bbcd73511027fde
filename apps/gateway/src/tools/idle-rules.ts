import type { OwnerRule } from "@elwood/core/policy/policy";
import { matchesTool } from "@elwood/core/tool/tool";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { UnavailableTools } from "./unavailable-tools.ts";
import { closest } from "@elwood/core/base/suggest";

/**
 * The owner's rules that speak of no tool there is, in words: a slip of the pen in a deny
 * rule would otherwise go unnoticed. They stay in force for tools that come later.
 */
export function idleRules(
  rules: readonly OwnerRule[],
  toolSnapshot: ToolSnapshot,
  off: readonly UnavailableTools[] = [],
): readonly string[] {
  const ids = toolSnapshot.list().map(({ contract }) => contract.id);
  return (
    rules
      .filter(({ tool }) => !ids.some((id) => matchesTool(tool, id)))
      // What is off is told by itself.
      .filter(({ tool }) => !isOff(tool, off))
      .map(({ tool, decision, origin }) => {
        const near = closest(tool, ids);
        const hint = near === undefined ? "" : ` Did you mean ${near}?`;
        return `${origin} has a rule (${decision}) for "${tool}", and there is no such tool now. It takes effect once there is.${hint}`;
      })
  );
}

/** A rule and what is off may each be a pattern. */
function isOff(rule: string, off: readonly UnavailableTools[]): boolean {
  return off.some(({ tools }) => tools.some((each) => matchesTool(each, rule) || matchesTool(rule, each)));
}
