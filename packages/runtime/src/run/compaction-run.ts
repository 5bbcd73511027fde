import type { LapUsage } from "@elwood/core/model/price";
import { textOf, type Message } from "@elwood/core/message/message";
import type { Run, SessionSettings } from "@elwood/core/message/session";
import { Budget } from "./budget.ts";
import type { EndedRun } from "./end-run.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { RunFeed } from "./feed.ts";
import { abortedFailure, neverBegan } from "./outcome.ts";
import type { Agent, ResolvedModel } from "../ports/ports.ts";
import { systemPrompt } from "./prompt.ts";
import { compact } from "../compaction/compact.ts";
import { RunContext, type ContextDeps } from "../compaction/context.ts";
import { COMPACTION_UNDONE } from "../compaction/request.ts";

export interface CompactionRun {
  readonly tenant: string;
  readonly run: Run;
  readonly agent: Agent;
  readonly model: ResolvedModel;
  readonly settings: SessionSettings;
  readonly earlier: readonly Message[];
  readonly steps: readonly Message[];
  readonly spentTodayUsd: number;
  readonly feed: RunFeed;
  readonly signal: AbortSignal;
}

/** A run that the owner started to have the conversation summed up, whatever its size. Resumed after a crash, it does so only once. */
export async function compactionRun(asked: CompactionRun, deps: EngineDeps & ContextDeps): Promise<EndedRun> {
  const { tenant, run, agent, model, settings, earlier, feed, signal } = asked;
  const steps = [...asked.steps];
  const budget = new Budget(deps.limits, asked.spentTodayUsd);
  const addStep = async (message: Message, lap?: LapUsage) => {
    await deps.stores.runs.addStep(tenant, run.id, message, lap);
    steps.push(message);
  };
  const context = new RunContext(
    {
      tenant,
      sessionId: run.sessionId,
      model,
      system: systemPrompt(agent, settings.system),
      specs: () => deps.tools.specs(agent, run.id, tenant),
      earlier,
      steps,
      budget,
      notify: (notice) => feed.emit("chat.notice", notice),
      signal,
      addStep,
    },
    deps,
  );
  if (steps.length === 1) await compact(context, { why: "asked", more: [] });
  if (signal.aborted) return neverBegan(abortedFailure());
  const line = steps.slice(1).at(-1);
  return saying(line ? textOf(line) : NOTHING_TO_DO, budget);
}

export function undoRun({ limits }: Pick<EngineDeps, "limits">): EndedRun {
  return saying(COMPACTION_UNDONE, new Budget(limits, 0));
}

const NOTHING_TO_DO = "There is too little to sum up. Nothing was changed.";

/** Elwood's own words: no model wrote a draft, so there is nothing to check. */
function saying(text: string, { usage }: Budget): EndedRun {
  return {
    status: "done",
    stopReason: "end_turn",
    usage,
    words: { text, segments: [{ text, by: "gateway" }], evidence: "", last: [] },
  };
}
