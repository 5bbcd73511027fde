import { textOf, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { Budget } from "../run/budget.ts";
import type { EndedRun } from "../run/end-run.ts";
import type { EngineDeps } from "../run/engine-deps.ts";
import type { RunFeed } from "../run/feed.ts";
import { abortedFailure, neverBegan } from "../run/outcome.ts";
import type { Agent, LapUsage, ResolvedModel } from "../ports/ports.ts";
import { systemPrompt } from "../run/prompt.ts";
import { compact } from "./compact.ts";
import { RunContext, type ContextDeps } from "./context.ts";
import { COMPACTION_UNDONE } from "./request.ts";

export interface CompactionRun {
  readonly tenant: string;
  readonly run: Run;
  readonly agent: Agent;
  readonly model: ResolvedModel;
  readonly earlier: readonly Message[];
  readonly steps: readonly Message[];
  readonly spentTodayUsd: number;
  readonly feed: RunFeed;
  readonly signal: AbortSignal;
}

/** Sums up because the owner asked for it, whatever the size. Taken up again after a crash, it does not do so twice. */
export async function compactionRun(asked: CompactionRun, deps: EngineDeps & ContextDeps): Promise<EndedRun> {
  const { tenant, run, agent, model, earlier, feed, signal } = asked;
  const steps = [...asked.steps];
  const budget = new Budget(deps.limits, asked.spentTodayUsd);
  const addStep = async (message: Message, lap?: LapUsage) => {
    await deps.stores.runs.addStep(tenant, run.id, message, lap);
    steps.push(message);
  };
  const about = { tenant, sessionId: run.sessionId, model, earlier, steps, budget, feed, signal, addStep };
  const specs = () => deps.tools.specs(agent, run.id);
  const context = new RunContext({ ...about, system: systemPrompt(agent), specs }, deps);
  if (steps.length === 1) await compact(context, { why: "asked", more: [] });
  if (signal.aborted) return neverBegan(abortedFailure());
  const line = steps.slice(1).at(-1);
  return saying(line ? textOf(line) : NOTHING_TO_DO, budget);
}

export function undoRun({ limits }: Pick<EngineDeps, "limits">): EndedRun {
  return saying(COMPACTION_UNDONE, new Budget(limits, 0));
}

const NOTHING_TO_DO = "There is too little to sum up. Nothing was changed.";

/** Elwood's own words; there is no draft of a model's to be held against anything. */
function saying(text: string, { usage }: Budget): EndedRun {
  return {
    status: "done",
    stopReason: "end_turn",
    usage,
    words: { text, segments: [{ text, by: "gateway" }], evidence: "", last: [] },
  };
}
