import type { OwnerRule } from "@elwood/core/policy/policy";
import { matchesTool } from "@elwood/core/tool/tool";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { ToolRegistry } from "./tool-registry.ts";
import { closest } from "@elwood/core/base/suggest";

/**
 * The owner's rules that speak of no tool there is, in words: a slip of the pen in a deny
 * rule would otherwise go unnoticed. They stay in force for tools that come later.
 */
export function idleRules(
  rules: readonly OwnerRule[],
  toolSnapshot: ToolSnapshot,
  registry: Pick<ToolRegistry, "off" | "asleep">,
): readonly string[] {
  // What is off is told by itself; what is asleep will be there.
  const absent = [...registry.off().flatMap(({ tools }) => tools), ...registry.asleep()];
  const ids = toolSnapshot.list().map(({ contract }) => contract.id);
  return rules
    .filter(({ tool }) => !ids.some((id) => matchesTool(tool, id)))
    .filter(({ tool }) => !isAbsent(tool, absent))
    .map(({ tool, decision, origin }) => {
      const near = closest(tool, ids);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      return `${origin} has a rule (${decision}) for "${tool}", and there is no such tool now. It takes effect once there is.${hint}`;
    });
}

/** A rule and what is absent may each be a pattern. */
function isAbsent(rule: string, absent: readonly string[]): boolean {
  return absent.some((each) => matchesTool(each, rule) || matchesTool(rule, each));
}
