import { isAbsolute } from "node:path";
import { isRecord } from "@elwood/core/base/is-record";
import { checkTypes } from "@elwood/isolation/tool-host/check-types";
import { isToolSource, readIntegration, sourcesHash } from "@elwood/isolation/tool-host/integration-files";
import { problemLine } from "@elwood/isolation/tool-host/module-problem";
import { readAnswer } from "@elwood/sdk/tool-answer";
import { result, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { loadIntegration, type CheckToolDeps } from "./check-tool.ts";
import { modulePlace, WRITE_TOOL } from "./written-tools.ts";

/**
 * Writing a tool is one step, and one card: a module with mistakes is refused before the owner is
 * asked, and one that was written is loaded at once. Any other file is written as ever.
 */
export function withToolModules(tool: ToolDefinition, deps: CheckToolDeps): ToolDefinition {
  if (tool.id === EDIT_TOOL) return withEditedModules(tool, deps);
  if (tool.id !== WRITE_TOOL) return tool;
  const { toolsDir } = deps.workspace;
  const moduleOf = (input: unknown): Module | undefined => {
    if (!isRecord(input) || typeof input.path !== "string" || typeof input.content !== "string")
      return undefined;
    if (!isAbsolute(input.path)) return undefined;
    const place = modulePlace(toolsDir, input.path);
    return place && isToolSource(place.file) ? { ...place, content: input.content } : undefined;
  };
  const { preview, facts, handler } = tool;
  return {
    ...tool,
    ...(facts && {
      async facts(input, about) {
        const given = await facts(input, about);
        return moduleOf(input) ? given.map((fact) => (fact.rule === AGENT_FILE ? MODULE_FACT : fact)) : given;
      },
    }),
    ...(preview && {
      async preview(input, signal, about) {
        const shown = await preview(input, signal, about);
        const module = moduleOf(input);
        // Looked at once: what was allowed is what was checked.
        if (module && about.approved !== true) await mustBeRight(toolsDir, module);
        return shown;
      },
    }),
    async handler(input, ctx) {
      const answer = await handler(input, ctx);
      const module = moduleOf(input);
      // Its types were looked at before it was written.
      return module ? withWords(answer, () => loadedWords(deps, module, ctx.run, async () => [])) : answer;
    },
  };
}

const EDIT_TOOL = "files.file.edit";

/** A module that was changed in part is loaded at once too: otherwise the next call would run what it was before. */
function withEditedModules(tool: ToolDefinition, deps: CheckToolDeps): ToolDefinition {
  const { handler } = tool;
  return {
    ...tool,
    async handler(input, ctx) {
      const answer = await handler(input, ctx);
      if (!isRecord(input) || typeof input.path !== "string" || !isAbsolute(input.path)) return answer;
      const place = modulePlace(deps.workspace.toolsDir, input.path);
      if (!place || !isToolSource(place.file)) return answer;
      return withWords(answer, () => loadedWords(deps, place, ctx.run));
    },
  };
}

async function withWords(
  answer: Awaited<ReturnType<ToolDefinition["handler"]>>,
  words: () => Promise<string>,
): Promise<typeof answer> {
  const done = readAnswer(answer);
  if (!done.ok) return answer;
  const { value, text, ...more } = done.value;
  return result(value, { ...more, text: [text, await words()].filter(Boolean).join("\n") });
}

interface Module {
  readonly integration: string;
  /** Within the folder. */
  readonly file: string;
  readonly content: string;
}

const AGENT_FILE = "ask.agent-file";
const MODULE_FACT = {
  kind: "ask",
  rule: AGENT_FILE,
  reason:
    "This makes a tool of Elwood's own, which may then be used for this message too, as long as it only reads, needs no key and is given nothing but what you typed.",
} as const;

async function mustBeRight(toolsDir: string, { integration, file, content }: Module): Promise<void> {
  const there = await readIntegration(toolsDir, integration);
  const sources = new Map(there.ok ? there.value.sources : []).set(file, content);
  const tests = there.ok ? there.value.tests : new Map<string, string>();
  const types = await checkTypes({ name: integration, sources, tests, hash: sourcesHash(sources) });
  const problems = [...strangeIds(integration, content), ...types.map(problemLine)];
  if (problems.length === 0) return;
  const list = problems.map((each) => `- ${each}`).join("\n");
  throw new ToolError(
    "invalid",
    `Not written, and the owner was not asked: the module has mistakes. Mend all of them and write it again:\n${list}`,
  );
}

/** The types cannot say it: a tool's id begins with the name of its folder. */
function strangeIds(integration: string, content: string): string[] {
  const ids = [...content.matchAll(/defineTool\(\s*\{\s*id:\s*["'`]([^"'`]*)["'`]/g)].map(
    ([, id = ""]) => id,
  );
  return ids
    .filter((id) => !id.startsWith(`${integration}.`))
    .map((id) => `the id "${id}" must begin with the name of its folder: ${integration}.resource.action.`);
}

/** What became of the module, for the model. The file is written whatever that is. */
async function loadedWords(
  deps: CheckToolDeps,
  { integration }: Pick<Module, "integration">,
  runId: string | undefined,
  typesOf?: typeof checkTypes,
): Promise<string> {
  const files = await readIntegration(deps.workspace.toolsDir, integration);
  if (!files.ok) return "";
  const { text = "" } = await loadIntegration(deps, files.value, runId, typesOf).catch(() => ({ text: "" }));
  return text;
}
