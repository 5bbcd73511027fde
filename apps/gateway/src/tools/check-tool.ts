import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { defineTool, err, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { TEMPLATES_DIR } from "../config/first-run.ts";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import { integrationNames, readIntegration } from "@elwood/isolation/tool-host/integration-files";
import { problemLine } from "@elwood/isolation/tool-host/module-problem";
import { checkTypes } from "@elwood/isolation/tool-host/check-types";

export interface CheckToolDeps {
  readonly workspace: WorkspaceTools;
  readonly reload: () => Promise<unknown>;
  readonly toolSnapshot: () => ToolSnapshot;
  /** Tools that were left out of the table, and why. */
  readonly leftOut: () => readonly string[];
  /** Gives the run these tools as they are now. */
  readonly refreshToolsForRun: (runId: string, toolIds: readonly string[]) => void;
}

/**
 * By this a model that wrote a tool sees what became of it: what the compiler says, what could
 * not be loaded, and which tools its run has from the next step on. It changes nothing itself; the
 * file was written by the file tools, under approval.
 */
export function checkTool(deps: CheckToolDeps): ToolDefinition {
  const { workspace } = deps;
  return defineTool({
    id: "workspace.tool.check",
    description: `Loads tools that you wrote into ${workspace.toolsDir}/<integration>/ because none did what is asked: tells mistakes by line, or what you can use from your next step on. Without an integration it tells how to write one.`,
    risk: "read",
    input: z.strictObject({
      integration: z.string().max(64).optional(),
    }),
    labels: {
      egress: "none",
      output: "trusted",
      critical: [],
      ids: {},
      content: [],
      time: [],
      sensitive: false,
    },
    timeoutMs: 120_000,
    target: ({ integration }) => (integration === undefined ? undefined : `tools/${integration}`),
    async handler({ integration }, ctx) {
      if (integration === undefined) return howTo(workspace);
      const files = await readIntegration(workspace.toolsDir, integration);
      if (!files.ok)
        return err({
          code: "not_found",
          message: `tools/${integration}: ${files.error} ${whereTo(workspace)}`,
          retryable: false,
        });
      const [types] = await Promise.all([checkTypes(files.value), deps.reload()]);
      const own = `tools/${integration}`;
      const broken = [...workspace.problems(), ...deps.leftOut()].filter(
        (each) =>
          each.startsWith(`${own}:`) || each.startsWith(`${own}/`) || each.includes(` ${integration}.`),
      );
      const tools = deps
        .toolSnapshot()
        .list()
        .filter(
          ({ contract, source }) => source === "workspace" && contract.id.startsWith(`${integration}.`),
        );
      const ids = tools.map(({ contract }) => contract.id);
      // With the types wrong it may still run; which is for the model to know, and to mend.
      if (broken.length === 0 && ctx.run !== undefined) deps.refreshToolsForRun(ctx.run, ids);
      const problems = [...broken, ...types.map(problemLine)];
      const loaded = broken.length === 0;
      return result({ loaded, tools: ids, problems }, { text: told(loaded, ids, problems) });
    },
  });
}

function told(loaded: boolean, ids: readonly string[], problems: readonly string[]): string {
  const mistakes = problems.map((each) => `- ${each}`).join("\n");
  if (!loaded) return `Not loaded. Mend this, and check again:\n${mistakes}`;
  const usable = `Loaded: ${ids.join(", ")}. From your next step on you can call ${ids.length === 1 ? "it" : "them"}; calls ask the owner until they grant ${ids.length === 1 ? "it" : "them"}.`;
  return problems.length === 0 ? usable : `${usable}\nBut the types are not right:\n${mistakes}`;
}

/** A relative path begins in the owner's first folder, and what lies there is no tool. */
function whereTo({ toolsDir }: WorkspaceTools): string {
  return `Write modules with their full path, such as ${join(toolsDir, "posthog", "visitors.ts")}: elsewhere they are ordinary files.`;
}

async function howTo(workspace: WorkspaceTools) {
  const { toolsDir } = workspace;
  const written = await readFile(join(TEMPLATES_DIR, "tools", "README.md"), "utf8");
  const guide = written.replace("// tools/", `// ${toolsDir}/`);
  const integrations = await integrationNames(toolsDir);
  const there = integrations.length === 0 ? "There are none yet." : `There are ${integrations.join(", ")}.`;
  return result(
    { folder: toolsDir, integrations, guide },
    { text: `Tools of the owner's lie in ${toolsDir}. ${there} ${whereTo(workspace)}\n\n${guide}` },
  );
}
