import { activeSummary } from "@elwood/core/compaction/shown";
import { compactionLines } from "@elwood/core/compaction/lines";
import type { Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { callWord } from "@elwood/core/base/state-words";
import type { ActivityItem } from "@elwood/core/tool/activity";
import type { EngineDeps } from "./engine-deps.ts";

/** So many of the newest undos are told to a model at once. */
export const UNDOS_TOLD_MAX = 50;

type UndoneDeps = Pick<EngineDeps, "tools" | "stores" | "clock" | "ids" | "log">;

interface Asked {
  readonly tenant: string;
  readonly run: Run;
  readonly earlier: readonly Message[];
}

/**
 * The steps of a run with what the owner undid since the model was last told. The results of the
 * calls stand in the conversation as they were, so without this the model would go by them.
 *
 * U1 It is a step of the journal before the model is told it: after a crash the model is told the same.
 * U2 Each undo is told once, and again where a summary has taken the place of what told it.
 * U3 A ledger that cannot be read costs what would be told, never the run.
 */
export async function withUndone(
  { tools, stores, clock, ids, log }: UndoneDeps,
  { tenant, run, earlier }: Asked,
  steps: readonly Message[],
): Promise<readonly Message[]> {
  const begun = steps.some(({ role, meta }) => role === "assistant" || meta?.undos !== undefined);
  if (begun || !earlier.some(hasCalls)) return steps;
  try {
    const items = await tools.sessionActivity(tenant, run.sessionId, { runId: run.id, ifUndone: true });
    const undos = items.filter(({ undoes }) => undoes !== undefined);
    if (undos.length === 0) return steps;
    const told = toldIn(earlier);
    const fresh = undos.filter(({ callId }) => !told.has(callId)).slice(-UNDOS_TOLD_MAX);
    if (fresh.length === 0) return steps;
    const text = undosForModel(fresh, items);
    const step: Message = {
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin: "gateway",
      blocks: [{ type: "text", text, origin: "gateway" }],
      meta: { undos: fresh.map(({ callId }) => callId) },
    };
    await stores.runs.addStep(tenant, run.id, step);
    return [...steps, step];
  } catch (error) {
    log.error("what was undone could not be looked up; the run goes on without", { run: run.id, error });
    return steps;
  }
}

function hasCalls({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === "tool_use" || type === "compaction");
}

/** U2 */
function toldIn(earlier: readonly Message[]): ReadonlySet<string> {
  const summary = activeSummary(earlier, compactionLines(earlier), { intact: () => true });
  const shown = summary ? earlier.slice(summary.end) : earlier;
  return new Set(shown.flatMap(({ meta }) => meta?.undos ?? []));
}

function undosForModel(undos: readonly ActivityItem[], items: readonly ActivityItem[]): string {
  const lines = undos.map(({ cite, toolId, target, status, exitCode, undoes }) => {
    const what = `${toolId}${target === undefined ? "" : ` → ${target}`}`;
    const call = items.find(({ callId }) => callId === undoes);
    const which = call === undefined ? what : `[${call.cite}] ${what}`;
    return status === "succeeded"
      ? `${which}: undone by the owner; that undo is [${cite}]`
      : `${which}: the owner tried to undo it with [${cite}]: ${callWord(status, exitCode).word}`;
  });
  return `[Elwood, not the owner] The owner has undone calls of this conversation. Nothing of what an undone call did is left, whatever its result above says:\n${lines.join("\n")}`;
}
