import { formatModelRef } from "@elwood/core/model/model";
import { tokensOfText, tokensOfTool } from "@elwood/core/model/tokens";
import { PROTOCOL_VERSION } from "@elwood/core/protocol/frames";
import { toWireRun } from "@elwood/core/protocol/shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { fail } from "@elwood/core/base/failure";
import { foldCase, plainLine } from "@elwood/core/message/session-text";
import type { Run } from "@elwood/core/message/session";
import { agentFor } from "@elwood/runtime/run/agent-for";
import { systemPrompt } from "@elwood/runtime/run/prompt";
import type { Handlers } from "./context.ts";

export const gatewayMethods: Handlers<
  "health.check" | "gateway.status" | "agents.list" | "agents.prompt" | "runs.get" | "runs.list",
  "system" | "sessions" | "runs" | "tools" | "models" | "installation" | "storage" | "clients" | "agentEditor"
> = {
  async "health.check"(_params, { services: { system, installation } }) {
    return { status: "ok", uptime: (system.clock.now() - installation.startedAt) / 1000 };
  },

  async "gateway.status"(_params, { services, tenant }) {
    const { system, sessions, runs, tools, models, installation, storage, clients } = services;
    const now = system.clock.now();
    const model = await models.catalog.resolve(undefined);
    // Where keys are from and what the settings lack is the owner's alone.
    const isOwners = tenant === DEFAULT_TENANT;
    return {
      version: installation.version,
      protocol: PROTOCOL_VERSION,
      uptime: (now - installation.startedAt) / 1000,
      model: model.ok ? formatModelRef(model.value.ref) : "none",
      demo: model.ok && model.value.demo,
      ...(model.ok ? {} : { modelProblem: model.error.message }),
      ...(isOwners && model.ok && model.value.keyFrom !== undefined ? { keyFrom: model.value.keyFrom } : {}),
      policyMode: tools.policy.mode,
      ...(storage.trouble ? { storage: storage.trouble } : {}),
      runsActive: runs.engine.runsActive,
      runsQueued: runs.engine.runsQueued,
      clients: clients.count(),
      today: await sessions.stores.runs.spentSince(tenant, system.localTime.startOfDay(now)),
      limits: { ...runs.limits },
      notices: isOwners ? [...installation.notices, ...tools.policy.idleRules()] : [],
    };
  },

  async "agents.list"(_params, { services: { models, sessions } }) {
    const fallback = await models.catalog.resolve(undefined);
    const model = fallback.ok ? formatModelRef(fallback.value.ref) : "none";
    const agents = await sessions.agents.list();
    return {
      agents: agents.map((agent) => ({
        id: agent.id,
        name: agent.name,
        model: agent.model ?? model,
        // Without a list of its own it may use all.
        tools: [...(agent.tools ?? ["*"])],
        ...(agent.description ? { description: agent.description } : {}),
        ...(agent.problem ? { problem: agent.problem } : {}),
      })),
    };
  },

  async "agents.prompt"({ agentId }, { services: { models, sessions, tools, system, agentEditor }, tenant }) {
    const wanted = agentId ?? sessions.defaultAgentId;
    const loaded = await sessions.agents.load(wanted);
    const model = loaded && (await models.catalog.resolve(loaded.model));
    // As its model is told it; where that cannot be found, as any would be.
    const agent = loaded && model?.ok ? agentFor(loaded, model.value.ref) : loaded;
    if (!agent) {
      const known = (await sessions.agents.list()).map(({ id }) => id).join(", ");
      fail("NOT_FOUND", `There is no agent "${wanted}". Known agents: ${known}.`);
    }
    // As before a run: tools that a start leaves asleep are offered, too.
    await tools.registry.wake();
    const prompt = systemPrompt(agent);
    const offered = tools.offeredTo(agent, tenant).map(({ toolId, description, inputSchema, ...rest }) => ({
      toolId,
      description,
      inputSchema,
      tokens: tokensOfTool({ toolId, description, inputSchema, ...rest }),
    }));
    const systemTokens = tokensOfText(prompt);
    const text = await (await agentEditor()).read(agent.id);
    return {
      agentId: agent.id,
      system: system.redact(prompt),
      systemTokens,
      tools: offered,
      tokens: offered.reduce((sum, tool) => sum + tool.tokens, systemTokens),
      ...(text ? { text } : {}),
    };
  },

  async "runs.get"(params, { services: { sessions, runs }, tenant }) {
    const run = await sessions.stores.runs.get(tenant, params.runId);
    if (!run) fail("NOT_FOUND", `There is no run ${params.runId}.`);
    const ruleOfTwo = run.calls === 0 ? undefined : await runs.calls.ruleOfTwo?.(tenant, run);
    const begun = await runs.insight.beginnings(tenant, [run.id], LIMITS.runSummaryBytesMax);
    return { run: { ...summarised(run, begun), ...(ruleOfTwo ? { ruleOfTwo } : {}) } };
  },

  async "runs.list"(params, { services: { sessions, runs }, tenant }) {
    const limit = params.limit ?? LIMITS.pageSizeDefault;
    const list = (many: number, before: string | undefined) =>
      sessions.stores.runs.list(tenant, {
        limit: many,
        ...(params.sessionKey ? { sessionId: params.sessionKey } : {}),
        ...(params.status ? { status: params.status } : {}),
        ...(params.surface ? { surface: params.surface } : {}),
        ...(params.failures ? { failures: true } : {}),
        ...(before === undefined ? {} : { before }),
      });
    const beginnings = (ids: readonly string[]) =>
      runs.insight.beginnings(tenant, ids, LIMITS.runSummaryBytesMax);
    const words = foldCase(plainLine(params.query ?? ""));
    const page = words === "" ? await list(limit, params.before) : await searched();
    const ids = page.runs.map(({ id }) => id);
    const [begun, notDone] = await Promise.all([beginnings(ids), runs.insight.notDone(tenant, ids)]);

    /** Page by page, as far as a search may look at once; the cursor leads on from there. */
    async function searched() {
      const found: Run[] = [];
      let next = params.before;
      for (let looked = 0; looked < LIMITS.runsSearchedMax && found.length < limit;) {
        const some = await list(limit - found.length, next);
        const said = await beginnings(some.runs.map(({ id }) => id));
        found.push(...some.runs.filter(({ id }) => foldCase(plainLine(said.get(id) ?? "")).includes(words)));
        looked += some.runs.length;
        next = some.next;
        if (next === undefined) break;
      }
      return { runs: found, ...(next === undefined ? {} : { next }) };
    }
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
