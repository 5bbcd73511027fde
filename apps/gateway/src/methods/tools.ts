import { fail } from "@elwood/core/base/failure";
import type { WireTool, WireToolSummary } from "@elwood/core/protocol/tool-shapes";
import { showLine } from "@elwood/core/base/show";
import { resolveToolName } from "@elwood/core/tool/tool";
import type { RegisteredTool } from "@elwood/runtime/gate/ports";
import { closest } from "@elwood/core/base/suggest";
import { unavailableText, unavailableReason } from "../tools/unavailable-tools.ts";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import { liveSession } from "./sessions.ts";

type ToolMethods =
  | "policy.explain"
  | "tools.list"
  | "tools.get"
  | "tools.reload"
  | "tools.grant"
  | "tools.revoke";

/** What tools there are, and what would become of a call. None of these runs a tool. */
export const toolMethods: Pick<Handlers, ToolMethods> = {
  async "policy.explain"(params, context) {
    const { policy } = context.deps;
    const { contract } = knownTool(context.deps, params.toolId);
    if (params.sessionKey !== undefined) await liveSession(context, params.sessionKey);
    const found = await policy.explain(context.tenant, contract.id, params.input, params.sessionKey);
    if (found === undefined) fail("NOT_FOUND", `There is no tool ${contract.id} any more. Nothing was run.`);
    const { target, problems, sources, ...verdict } = found;
    return {
      toolId: contract.id,
      ...verdict,
      ...(sources === undefined ? {} : { sources: [...sources] }),
      ...(target === undefined ? {} : { target: showLine(target) }),
      ...(problems === undefined ? {} : { problems: problems.map(showLine) }),
    };
  },

  async "tools.list"(_params, context) {
    await context.deps.toolService.settled();
    const tools = context.deps.policy.toolSnapshot().list();
    const problems = context.deps.toolService.problems().map((each) => showLine(each));
    const off = context.deps.toolService.off().map((each) => showLine(unavailableText(each)));
    return {
      tools: await Promise.all(tools.map((tool) => summary(tool, context))),
      ...(problems.length === 0 ? {} : { problems }),
      ...(off.length === 0 ? {} : { off }),
    };
  },

  async "tools.get"(params, context) {
    await context.deps.toolService.settled();
    return { tool: await whole(knownTool(context.deps, params.toolId), context) };
  },

  async "tools.reload"(_params, { deps }) {
    const { added, changed, removed } = await deps.policy.reload();
    const problems = deps.toolService.problems().map((each) => showLine(each));
    return { added: [...added], changed: [...changed], removed: [...removed], problems };
  },

  async "tools.grant"({ toolId, contractHash }, context) {
    const { toolService } = context.deps;
    await toolService.grant(context.tenant, knownTool(context.deps, toolId), contractHash, personOf(context));
    return { ok: true };
  },

  async "tools.revoke"({ toolId }, context) {
    await context.deps.toolService.revoke(context.tenant, toolId, personOf(context));
    return { ok: true };
  },
};

/** By id or by one of the aliases. */
function knownTool(
  { policy, toolService }: Pick<MethodContext["deps"], "policy" | "toolService">,
  toolId: string,
): RegisteredTool {
  const tool = policy.toolSnapshot().get(toolId);
  if (tool !== undefined) return tool;
  const off = unavailableReason(toolService.off(), resolveToolName(toolId) ?? toolId);
  if (off !== undefined) fail("NOT_FOUND", `${unavailableText(off)} Nothing was run.`);
  const ids = policy
    .toolSnapshot()
    .list()
    .map(({ contract }) => contract.id);
  const near = closest(toolId, ids);
  const hint = near === undefined ? "See them with: elwood tools list" : `Did you mean ${near}?`;
  return fail("NOT_FOUND", `There is no tool "${showLine(toolId)}". Nothing was run. ${hint}`);
}

async function summary(tool: RegisteredTool, context: MethodContext): Promise<WireToolSummary> {
  const { id, description, risk, labels, canPreview, canUndo } = tool.contract;
  return {
    toolId: id,
    description,
    risk,
    egress: labels.egress,
    source: tool.source ?? "mcp",
    standing: await context.deps.policy.standing(context.tenant, tool),
    canPreview,
    canUndo,
  };
}

async function whole(tool: RegisteredTool, context: MethodContext): Promise<WireTool> {
  const { labels, policy, requiresApproval, idempotent, canReconcile, timeoutMs } = tool.contract;
  const { secrets = [], hosts, input, output } = tool.contract;
  const { toolService } = context.deps;
  const network = await toolService.network(tool);
  const secretsMissing = toolService.missingSecrets(tool);
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
