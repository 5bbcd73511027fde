import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Run } from "@elwood/core/message/session";
import type { Handlers, MethodContext } from "./context.ts";
import { callItems, callView } from "../views/call-view.ts";
import { timelineOf } from "../views/timeline.ts";

/** What a run did, call by call and minute by minute. Read from what is on record; nothing here changes anything. */
export const runMethods: Pick<Handlers, "calls.get" | "calls.list" | "runs.timeline"> = {
  async "calls.get"({ callId }, { deps, tenant }) {
    const { ledger, policy } = deps;
    return { call: await callView({ ledger, toolSnapshot: () => policy.toolSnapshot() }, tenant, callId) };
  },

  async "calls.list"({ runId }, context) {
    const { id } = await knownRun(context, runId);
    const calls = await callItems(context.deps, context.tenant, id);
    const leftOut = Math.max(0, calls.length - LIMITS.callsListedMax);
    return { calls: calls.slice(0, LIMITS.callsListedMax), ...(leftOut > 0 ? { leftOut } : {}) };
  },

  async "runs.timeline"({ runId }, context) {
    const run = await knownRun(context, runId);
    const { ledger, stores, clock } = context.deps;
    return timelineOf({ ledger, runs: stores.runs, now: clock.now() }, context.tenant, run);
  },
};

async function knownRun({ deps, tenant }: MethodContext, runId: string): Promise<Run> {
  const run = await deps.stores.runs.get(tenant, runId);
  return run ?? fail("NOT_FOUND", `There is no run ${runId}.`);
}
