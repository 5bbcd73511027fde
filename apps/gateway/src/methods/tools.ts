import { fail } from "@elwood/core/base/failure";
import type { WireTool, WireToolSummary } from "@elwood/core/protocol/tool-shapes";
import { showLine } from "@elwood/core/base/show";
import { isLooser } from "@elwood/core/policy/policy";
import { suggestedLabel, type ToolClaims } from "@elwood/core/tool/tool-label";
import { resolveToolName } from "@elwood/core/tool/tool";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { closest } from "@elwood/core/base/suggest";
import { unavailableText, unavailableReason } from "../tools/unavailable-tools.ts";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import type { Services } from "./services.ts";
import { liveSession } from "./sessions.ts";

type ToolMethods =
  | "policy.explain"
  | "policy.mode"
  | "tools.list"
  | "tools.get"
  | "tools.reload"
  | "tools.grant"
  | "tools.revoke";

/** What tools there are, and what would become of a call. None of these runs a tool. */
export const toolMethods: Handlers<ToolMethods, "ledger" | "sessions" | "tools"> = {
  async "policy.explain"(params, context) {
    const { policy } = context.services.tools;
    const { contract } = knownTool(context.services.tools, params.toolId);
    if (params.sessionKey !== undefined) await liveSession(context, params.sessionKey);
    const found = await policy.explain(
      context.tenant,
      contract.id,
      params.input,
      params.sessionKey,
      params.typed,
    );
    if (found === undefined) fail("NOT_FOUND", `There is no tool ${contract.id} any more. Nothing was run.`);
    const { target, problems, sources, clause, values, ...verdict } = found;
    return {
      toolId: contract.id,
      ...verdict,
      ...(sources === undefined ? {} : { sources: [...sources] }),
      ...(target === undefined ? {} : { target: showLine(target) }),
      ...(problems === undefined ? {} : { problems: problems.map(showLine) }),
      ...(clause === undefined ? {} : { clause: showLine(clause) }),
      ...(values === undefined ? {} : { values: values.map(showLine) }),
    };
  },

  async "policy.mode"({ mode, confirm }, context) {
    const { ledger } = context.services;
    const { policy } = context.services.tools;
    const previous = policy.mode;
    if (mode === undefined || mode === previous) return { mode: previous, previous, kept: true };
    if (isLooser(previous, mode)) {
      if (!context.principal.scopes.has("approve"))
        fail(
          "SCOPE_MISSING",
          `Only who may approve can switch to ${mode}, which asks less. The mode is still ${previous}.`,
        );
      if (confirm !== true)
        fail(
          "INVALID_INPUT",
          `${mode} asks less than ${previous}: say confirm: true to mean it. The mode is still ${previous}.`,
        );
    }
    await mustWrite(ledger, context.tenant, "the mode of the policy", {
      receipts: [
        {
          type: "policy.changed",
          runId: "",
          actor: context.principal.name,
          surface: context.surface,
          payload: { what: "mode", mode, previous },
        },
      ],
      changes: [],
    });
    policy.setMode(mode);
    const { kept, note } = await context.services.tools.keepMode(mode, personOf(context));
    return { mode, previous, kept, ...(note === undefined ? {} : { note: showLine(note) }) };
  },

  async "tools.list"(_params, context) {
    await context.services.tools.registry.settled();
    const tools = context.services.tools.policy.toolSnapshot().list();
    const problems = context.services.tools.registry.problems().map((each) => showLine(each));
    const off = context.services.tools.registry.off().map((each) => showLine(unavailableText(each)));
    return {
      tools: await Promise.all(tools.map((tool) => summary(tool, context))),
      ...(problems.length === 0 ? {} : { problems }),
      ...(off.length === 0 ? {} : { off }),
    };
  },

  async "tools.get"(params, context) {
    await context.services.tools.registry.settled();
    return { tool: await whole(knownTool(context.services.tools, params.toolId), context) };
  },

  async "tools.reload"(_params, { services: { tools } }) {
    const { added, changed, removed } = await tools.policy.reload();
    const problems = tools.registry.problems().map((each) => showLine(each));
    return { added: [...added], changed: [...changed], removed: [...removed], problems };
  },

  async "tools.grant"({ toolId, contractHash }, context) {
    const { tools } = context.services;
    await tools.registry.grant(
      context.tenant,
      knownTool(context.services.tools, toolId),
      contractHash,
      personOf(context),
    );
    return { ok: true };
  },

  async "tools.revoke"({ toolId }, context) {
    await context.services.tools.registry.revoke(context.tenant, toolId, personOf(context));
    return { ok: true };
  },
};

/** By id or by one of the aliases. */
export function knownTool({ policy, registry }: Services["tools"], toolId: string): RegisteredTool {
  const tool = policy.toolSnapshot().get(toolId);
  if (tool !== undefined) return tool;
  const off = unavailableReason(registry.off(), resolveToolName(toolId) ?? toolId);
  if (off !== undefined) fail("NOT_FOUND", `${unavailableText(off)} Nothing was run.`);
  const ids = policy
    .toolSnapshot()
    .list()
    .map(({ contract }) => contract.id);
  const near = closest(toolId, ids);
  const hint = near === undefined ? "See them with: elwood tools list" : `Did you mean ${near}?`;
  return fail("NOT_FOUND", `There is no tool "${showLine(toolId)}". Nothing was run. ${hint}`);
}

async function summary(tool: RegisteredTool, context: MethodContext<"tools">): Promise<WireToolSummary> {
  const { id, description, risk, labels, canPreview, canUndo } = tool.contract;
  const rule = context.services.tools.policy.ruleOf(id);
  return {
    toolId: id,
    description,
    risk,
    egress: labels.egress,
    source: tool.source ?? "mcp",
    standing: await context.services.tools.policy.standing(context.tenant, tool),
    ...(tool.label && { label: tool.label }),
    ...(tool.claims && { labelling: suggestion(tool.claims) }),
    ...(rule && {
      rule: { decision: rule.decision, origin: showLine(rule.origin), exact: rule.tool === id },
    }),
    canPreview,
    canUndo,
  };
}

function suggestion(claims: ToolClaims): NonNullable<WireToolSummary["labelling"]> {
  const suggested = suggestedLabel(claims);
  return suggested === undefined ? {} : { suggested };
}

async function whole(tool: RegisteredTool, context: MethodContext<"tools">): Promise<WireTool> {
  const { labels, policy, requiresApproval, idempotent, canReconcile, timeoutMs } = tool.contract;
  const { secrets = [], hosts, input, output } = tool.contract;
  const { registry } = context.services.tools;
  const network = await registry.network(tool);
  const secretsMissing = registry.missingSecrets(tool);
  return {
    ...(await summary(tool, context)),
    contractHash: tool.contractHash,
    labels: {
      ...labels,
      critical: [...labels.critical],
      ids: { ...labels.ids },
      content: [...labels.content],
      time: [...labels.time],
    },
    ...(policy && { policy: { ...policy } }),
    requiresApproval,
    idempotent,
    canReconcile,
    timeoutMs,
    secrets: [...secrets],
    ...(secretsMissing.length === 0 ? {} : { secretsMissing }),
    ...(hosts === undefined ? {} : { hosts: [...hosts] }),
    ...(network === undefined ? {} : { network }),
    input,
    output,
  };
}
