import { formatModelRef } from "@elwood/core/model/model";
import { PROTOCOL_VERSION } from "@elwood/core/protocol/frames";
import { toWireRun } from "@elwood/core/protocol/shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { fail } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import type { Run } from "@elwood/core/message/session";
import type { Handlers } from "./context.ts";

export const gatewayMethods: Pick<
  Handlers,
  "health.check" | "gateway.status" | "agents.list" | "runs.get" | "runs.list"
> = {
  async "health.check"(_params, { deps }) {
    return { status: "ok", uptime: (deps.clock.now() - deps.startedAt) / 1000 };
  },

  async "gateway.status"(_params, { deps, tenant }) {
    const now = deps.clock.now();
    const model = await deps.models.resolve(undefined);
    return {
      version: deps.version,
      protocol: PROTOCOL_VERSION,
      uptime: (now - deps.startedAt) / 1000,
      model: model.ok ? formatModelRef(model.value.ref) : "none",
      demo: model.ok && model.value.demo,
      ...(model.ok ? {} : { modelProblem: model.error.message }),
      ...(model.ok && model.value.keyFrom !== undefined ? { keyFrom: model.value.keyFrom } : {}),
      policyMode: deps.policy.mode,
      runsActive: deps.engine.runsActive,
      runsQueued: deps.engine.runsQueued,
      clients: deps.clients(),
      today: await deps.stores.runs.spentSince(tenant, deps.localTime.startOfDay(now)),
      limits: { ...deps.limits },
      notices: [...deps.notices, ...deps.policy.idleRules()],
    };
  },

  async "agents.list"(_params, { deps }) {
    const fallback = await deps.models.resolve(undefined);
    const model = fallback.ok ? formatModelRef(fallback.value.ref) : "none";
    const agents = await deps.agents.list();
    return {
      agents: agents.map((agent) => ({
        id: agent.id,
        name: agent.name,
        model: agent.model ?? model,
        tools: [...(agent.tools ?? [])],
        ...(agent.description ? { description: agent.description } : {}),
        ...(agent.problem ? { problem: agent.problem } : {}),
      })),
    };
  },

  async "runs.get"(params, { deps, tenant }) {
    const run = await deps.stores.runs.get(tenant, params.runId);
    if (!run) fail("NOT_FOUND", `There is no run ${params.runId}.`);
    const ruleOfTwo = run.calls === 0 ? undefined : await deps.tools.ruleOfTwo?.(tenant, run);
    const begun = await deps.insight.beginnings(tenant, [run.id], LIMITS.runSummaryBytesMax);
    return { run: { ...summarised(run, begun), ...(ruleOfTwo ? { ruleOfTwo } : {}) } };
  },

  async "runs.list"(params, { deps, tenant }) {
    const page = await deps.stores.runs.list(tenant, {
      limit: params.limit ?? LIMITS.pageSizeDefault,
      ...(params.sessionKey ? { sessionId: params.sessionKey } : {}),
      ...(params.status ? { status: params.status } : {}),
      ...(params.surface ? { surface: params.surface } : {}),
      ...(params.failures ? { failures: true } : {}),
      ...(params.before ? { before: params.before } : {}),
    });
    const ids = page.runs.map(({ id }) => id);
    const [begun, notDone] = await Promise.all([
      deps.insight.beginnings(tenant, ids, LIMITS.runSummaryBytesMax),
      deps.insight.notDone(tenant, ids),
    ]);
    return {
      runs: page.runs.map((run) => {
        const count = notDone.get(run.id);
        return { ...summarised(run, begun), ...(count === undefined ? {} : { notDone: count }) };
      }),
      ...(page.next ? { next: page.next } : {}),
    };
  },
};

/** A run with the words that began it, as far as they fit in a line. */
function summarised(run: Run, begun: ReadonlyMap<string, string>) {
  const summary = firstBytes(plainLine(begun.get(run.id) ?? ""), LIMITS.runSummaryBytesMax);
  return { ...toWireRun(run), ...(summary === "" ? {} : { summary }) };
}

/** As much of a line as fits, with an ellipsis where something was left off. */
function firstBytes(line: string, bytesMax: number): string {
  if (Buffer.byteLength(line) <= bytesMax) return line;
  let kept = "";
  let bytes = ELLIPSIS_BYTES;
  for (const character of line) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

const ELLIPSIS_BYTES = 3;
