import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { defineTool, err, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { TEMPLATES_DIR } from "../config/first-run.ts";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import {
  integrationNames,
  readIntegration,
  type IntegrationFiles,
} from "@elwood/isolation/tool-host/integration-files";
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
    description:
      "Tells how to write a tool of your own; with the integration that you wrote, loads it and names its mistakes.",
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
      return loadIntegration(deps, files.value, ctx.run);
    },
  });
}

/** What became of an integration: its mistakes, or which tools the run has from its next step on. */
export async function loadIntegration(
  deps: CheckToolDeps,
  files: IntegrationFiles,
  runId: string | undefined,
  typesOf = checkTypes,
) {
  const { name } = files;
  const [types] = await Promise.all([typesOf(files), deps.reload()]);
  const own = `tools/${name}`;
  const broken = [...deps.workspace.problems(), ...deps.leftOut()].filter(
    (each) => each.startsWith(`${own}:`) || each.startsWith(`${own}/`) || each.includes(` ${name}.`),
  );
  const tools = deps
    .toolSnapshot()
    .list()
    .filter(({ contract, source }) => source === "workspace" && contract.id.startsWith(`${name}.`));
  const ids = tools.map(({ contract }) => contract.id);
  // With the types wrong it may still run; which is for the model to know, and to mend.
  if (broken.length === 0 && runId !== undefined) deps.refreshToolsForRun(runId, ids);
  const problems = [...broken, ...types.map(problemLine)];
  const loaded = broken.length === 0;
  return result({ loaded, tools: ids, problems }, { text: told(loaded, ids, problems) });
}

function told(loaded: boolean, ids: readonly string[], problems: readonly string[]): string {
  const mistakes = problems.map((each) => `- ${each}`).join("\n");
  if (!loaded) return `Not loaded. Mend this, and check again:\n${mistakes}`;
  const usable = `Loaded: ${ids.join(", ")}. From your next step on you can call ${ids.length === 1 ? "it" : "them"}.`;
  return problems.length === 0 ? usable : `${usable}\nBut the types are not right:\n${mistakes}`;
}

/** A relative path begins in the owner's first folder, and what lies there is no tool. */
function whereTo({ toolsDir }: WorkspaceTools): string {
  return `Write modules with their full path, such as ${join(toolsDir, "posthog", "visitors.ts")}: elsewhere they are ordinary files.`;
}

/** Where the guide turns to people, and their command line. */
const FOR_PEOPLE = "\nBegin with `elwood tools new";

async function howTo({ toolsDir }: WorkspaceTools) {
  const written = await readFile(join(TEMPLATES_DIR, "tools", "README.md"), "utf8");
  const [forAll = ""] = written.split(FOR_PEOPLE);
  const guide = forAll.replace("// tools/", `// ${toolsDir}/`).trimEnd();
  const integrations = await integrationNames(toolsDir);
  const there = integrations.length === 0 ? "There are none yet." : `There are ${integrations.join(", ")}.`;
  const module = JSON.stringify(join(toolsDir, "posthog", "visitors.ts"));
  const steps = [
    `The owner's tools lie in ${toolsDir}, one folder for each integration. ${there} To make one:`,
    `1. Write the module whole, with its full path: files.file.write {"path": ${module}, "content": …}. Elsewhere it is an ordinary file. Its mistakes are told before the owner is asked; once written, it is loaded.`,
    "2. In your next step, call it like any other tool: posthog.visitors.count.",
    'After files.file.edit, workspace.tool.check {"integration": "posthog"} names every mistake.',
  ];
  return result({ folder: toolsDir, integrations, guide }, { text: `${steps.join("\n")}\n\n${guide}` });
}
