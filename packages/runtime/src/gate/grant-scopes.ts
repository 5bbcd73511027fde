import type { GrantScope } from "@elwood/core/policy/approval";
import { criticalArguments, type GrantKey } from "@elwood/core/policy/grant";
import { LIMITS } from "@elwood/core/base/limits";
import { isLiftable, type Verdict } from "@elwood/core/policy/policy";
import { showLine } from "@elwood/core/base/show";
import type { Clock } from "../ports/ports.ts";
import type { RegisteredTool } from "./ports.ts";
import { TimedOut, withTimeout } from "../async/deadline.ts";

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
  clock: Pick<Clock, "sleep">,
): Promise<readonly GrantBinding[]> {
  const { contract } = tool;
  if (contract.risk === "destructive" || !isLiftable(verdict)) return [];
  if (tool.grantKeys) return narrowest(await grantKeysOf(tool, input, clock));
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

/** Of several keys of one kind the first is offered; the others only recognise what was granted before. */
function narrowest(keys: readonly GrantKey[]): readonly GrantKey[] {
  return keys.filter(({ scope }, i) => keys.findIndex((each) => each.scope === scope) === i);
}

/** None where the tool does not say so in time: then nothing covers the call, and it is asked about. */
export async function grantKeysOf(
  tool: RegisteredTool,
  input: unknown,
  clock: Pick<Clock, "sleep">,
): Promise<readonly GrantKey[]> {
  try {
    return await withTimeout(clock, LIMITS.toolFactsMs, async () => (await tool.grantKeys?.(input)) ?? []);
  } catch (error) {
    if (error instanceof TimedOut) return [];
    throw error;
  }
}
