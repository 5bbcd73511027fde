import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Run } from "@elwood/core/message/session";
import type { Handlers, MethodContext } from "./context.ts";
import { callItems, callView } from "../views/call-view.ts";
import { timelineOf } from "../views/timeline.ts";

/** What a run did, call by call and minute by minute. Read from what is on record; nothing here changes anything. */
export const runMethods: Handlers<
  "calls.get" | "calls.list" | "runs.timeline",
  "system" | "sessions" | "ledger" | "tools" | "approvals"
> = {
  async "calls.get"({ callId }, { services: { ledger, tools, approvals }, tenant }) {
    const toolSnapshot = () => tools.policy.toolSnapshot();
    return { call: await callView({ ledger, toolSnapshot, approvals: approvals.events }, tenant, callId) };
  },

  async "calls.list"({ runId }, context) {
    const { id } = await knownRun(context, runId);
    const { ledger, tools } = context.services;
    const toolSnapshot = () => tools.policy.toolSnapshot();
    const calls = await callItems({ ledger, toolSnapshot }, context.tenant, id);
    const leftOut = Math.max(0, calls.length - LIMITS.callsListedMax);
    return { calls: calls.slice(0, LIMITS.callsListedMax), ...(leftOut > 0 ? { leftOut } : {}) };
  },

  async "runs.timeline"({ runId }, context) {
    const run = await knownRun(context, runId);
    const { ledger, sessions, system } = context.services;
    return timelineOf({ ledger, runs: sessions.stores.runs, now: system.clock.now() }, context.tenant, run);
  },
};

async function knownRun({ services, tenant }: MethodContext<"sessions">, runId: string): Promise<Run> {
  const run = await services.sessions.stores.runs.get(tenant, runId);
  return run ?? fail("NOT_FOUND", `There is no run ${runId}.`);
}
