import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { INTEGRATION_NAME } from "@elwood/core/integration/manifest";
import { isToolId } from "@elwood/core/model/model";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { checkTypes } from "@elwood/isolation/tool-host/check-types";
import {
  integrationNames,
  nameProblem,
  readIntegration,
  type IntegrationFiles,
} from "@elwood/isolation/tool-host/integration-files";
import { runToolTests } from "@elwood/isolation/tool-host/run-tests";
import { scaffold } from "@elwood/isolation/tool-host/scaffold";
import { problemLine } from "@elwood/isolation/tool-host/module-problem";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import { scaffoldIntegration } from "@elwood/gateway/integrations/scaffold-integration";
import { isMissingPath } from "@elwood/platform/system-error";
import { EXIT, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { say } from "./words/say.ts";

/** `elwood tools new <name>`: a module and a test of it, ready to be changed. */
export async function newTool(
  io: Io,
  { toolsDir }: Pick<WorkspaceTools, "toolsDir">,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const [integration = "", ...rest] = options.name.split(".");
  const toolId = rest.length === 0 ? `${integration}.text.count` : options.name;
  const problem = nameProblem(integration) ?? (isToolId(toolId) ? undefined : NO_ID);
  if (problem !== undefined) fail("INVALID_INPUT", `${options.name}: ${problem} Nothing was written.`);
  const files = scaffold(toolId);
  for (const { path, text } of files) {
    await mkdir(dirname(join(toolsDir, path)), { recursive: true, mode: 0o700 });
    if (await writeFileAtomic(join(toolsDir, path), text, { mode: 0o600, create: true })) continue;
    fail("CONFLICT", `${join(toolsDir, path)} is there already and was left alone. Choose another name.`);
  }
  const written = files.map(({ path }) => join(toolsDir, path));
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ toolId, files: written })}\n`);
    return EXIT.ok;
  }
  const next = [
    `elwood tools check ${integration}`,
    `elwood tools test ${integration}`,
    `elwood tools grant ${toolId}`,
  ];
  io.stdout.write(
    `${[...written, "", say(io, "Change it to your liking, then:"), ...next.map((each) => `  ${each}`)].join("\n")}\n`,
  );
  return EXIT.ok;
}

/** `elwood tools new <name> --integration`: a whole folder of Elwood's own sources. */
export async function newIntegration(
  io: Io,
  folder: string,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const { name } = options;
  if (!INTEGRATION_NAME.test(name))
    fail(
      "INVALID_INPUT",
      `${name}: an integration's name is one word of lower-case letters and digits, such as weather. Nothing was written.`,
    );
  if (await exists(join(folder, name)))
    fail("CONFLICT", `${join(folder, name)} is there already and was left alone. Choose another name.`);
  const files = scaffoldIntegration(name);
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFileAtomic(join(folder, path), text, { mode: 0o644, create: true });
  }
  const written = files.map(({ path }) => join(folder, path));
  if (options.json) io.stdout.write(`${JSON.stringify({ integration: name, files: written })}\n`);
  else {
    const next = ["npm install", `npm test -- integrations/${name}`, `elwood integrations setup ${name}`];
    io.stdout.write(
      `${[...written, "", say(io, "Change it to your liking; no other file needs to. Then:"), ...next.map((each) => `  ${each}`)].join("\n")}\n`,
    );
  }
  return EXIT.ok;
}

const NO_ID = "write integration.resource.action, such as posthog.visitors.count.";

/** `elwood tools check [integration]`: what the compiler says, and whether it can be loaded. */
export async function checkTools(
  io: Io,
  workspaceTools: WorkspaceTools,
  options: { readonly integration?: string; readonly json: boolean },
): Promise<number> {
  const names =
    options.integration === undefined
      ? await integrationNames(workspaceTools.toolsDir)
      : [options.integration];
  const workspace = workspaceTools.whole();
  const checked: { integration: string; tools: string[]; problems: string[] }[] = [];
  for (const name of names) {
    const files = await readIntegration(workspaceTools.toolsDir, name);
    if (!files.ok) {
      checked.push({ integration: name, tools: [], problems: [`tools/${name}: ${files.error}`] });
      continue;
    }
    const [types, loaded] = await Promise.all([checkTypes(files.value), workspace.inspect(files.value)]);
    checked.push({
      integration: name,
      tools: loaded.ok ? loaded.value.map(({ id }) => id) : [],
      problems: [...(loaded.ok ? [] : [loaded.error]), ...types].map(problemLine),
    });
  }
  if (options.json) io.stdout.write(`${JSON.stringify({ integrations: checked })}\n`);
  else io.stdout.write(checkedText(io, checked, workspaceTools.toolsDir));
  return checked.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.ok;
}

function checkedText(
  io: Io,
  checked: readonly { integration: string; tools: string[]; problems: string[] }[],
  toolsDir: string,
): string {
  if (checked.length === 0)
    return `${say(io, "There are no tools in {0}. Begin one: elwood tools new <integration>.<resource>.<action>", toolsDir)}\n`;
  const lines = checked.flatMap(({ integration, tools, problems }) => [
    ...problems.map((each) => `! ${each}`),
    tools.length > 0 ? `${integration}: ${tools.join(", ")}` : say(io, "{0}: cannot be loaded", integration),
  ]);
  return `${lines.map(visibleText).join("\n")}\n`;
}

/** `elwood tools test <integration>`: its tests, in the same kind of process as its tools. */
export async function testTools(
  io: Io,
  workspaceTools: WorkspaceTools,
  options: { readonly integration: string; readonly json: boolean },
): Promise<number> {
  const files = await testable(workspaceTools, options.integration);
  const { passed, output } = await runToolTests(workspaceTools.whole().pool, files);
  if (options.json) io.stdout.write(`${JSON.stringify({ integration: files.name, passed, output })}\n`);
  else io.stdout.write(`${visibleText(output.trimEnd())}\n`);
  return passed ? EXIT.ok : EXIT.failed;
}

async function testable(workspaceTools: WorkspaceTools, name: string): Promise<IntegrationFiles> {
  const files = await readIntegration(workspaceTools.toolsDir, name);
  if (!files.ok) fail("NOT_FOUND", `tools/${name}: ${files.error} Nothing was run.`);
  if (files.value.tests.size === 0)
    fail(
      "NOT_FOUND",
      `There are no tests in ${join(workspaceTools.toolsDir, name)}: files that end in .test.ts. Nothing was run.`,
    );
  return files.value;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissingPath(error)) return false;
    throw error;
  }
}
