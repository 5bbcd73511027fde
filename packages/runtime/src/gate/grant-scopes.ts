import type { GrantScope } from "@elwood/core/approval";
import { criticalArguments } from "@elwood/core/grant";
import { isLiftable, type Verdict } from "@elwood/core/policy";
import { showLine } from "@elwood/core/show";
import type { RegisteredTool } from "./ports.ts";

/** What a standing permission would be bound to. */
export interface GrantBinding extends GrantScope {
  readonly match?: Readonly<Record<string, unknown>>;
}

/**
 * What the owner could allow for longer than once, narrowest first. Nothing where that would
 * not keep the question from being asked again: something about the call itself asked it.
 */
export async function grantScopes(
  tool: RegisteredTool,
  input: unknown,
  verdict: Verdict,
): Promise<readonly GrantBinding[]> {
  const { contract } = tool;
  if (contract.risk === "destructive" || !isLiftable(verdict)) return [];
  if (tool.grantKeys) return tool.grantKeys(input);
  const match = criticalArguments(contract, input);
  const call: GrantBinding = {
    scope: "call",
    match,
    words: `${contract.id} with ${showLine(JSON.stringify(match))}`,
  };
  // What sends data out is granted to named destinations only.
  if (contract.labels.egress !== "none") return [call];
  return [call, { scope: "tool", words: `${contract.id} with any input` }];
}
