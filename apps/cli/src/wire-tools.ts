import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import type { ToolsDeps } from "./tools-command.ts";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import { fail } from "@elwood/core/base/failure";
import { VERSION } from "./version.ts";

/** tools … and policy …: what Elwood can do, and what it would do unasked. */
export function addToolCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const tools = program.command("tools").description("what the assistant can do");
  tools
    .command("list", { isDefault: true })
    .description("tools, with their risk and whether they send anything out")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listTools } = await import("./tools-command.ts");
        return withGateway(wiring, (deps) => listTools(io, deps, { json: options.json ?? false }));
      }),
    );
  tools
    .command("show <tool>")
    .description("one tool, with its schema and labels")
    .option("--json", "print one JSON document")
    .action((toolId: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showTool } = await import("./tools-command.ts");
        return withGateway(wiring, (deps) => showTool(io, deps, { toolId, json: options.json ?? false }));
      }),
    );
  tools
    .command("reload")
    .description("reload the tools; runs in progress keep theirs")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { reloadTools } = await import("./tools-command.ts");
        return withGateway(wiring, (deps) => reloadTools(io, deps, { json: options.json ?? false }));
      }),
    );

  addGranting(tools, wiring);
  addOwnTools(tools, wiring);

  const policy = program.command("policy").description("what is allowed, asked or denied");
  policy
    .command("explain <tool> [input]")
    .description("what would become of a call, and which rule says so; nothing is run")
    .option("-s, --session <session>", "as if it were made in this session")
    .option("-t, --typed <message>", "as if you had typed this message")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      `\nExample:\n  elwood policy explain files.file.write '{"path": "notes.md", "content": "hello"}'`,
    )
    .action(
      (
        toolId: string,
        input: string | undefined,
        options: { session?: string; typed?: string; json?: boolean },
      ) =>
        run(options.json ?? false, async () => {
          const { explainPolicy } = await import("./policy-command.ts");
          return withGateway(wiring, (deps) =>
            explainPolicy(io, deps, {
              ...options,
              toolId,
              input: input ?? "{}",
              json: options.json ?? false,
            }),
          );
        }),
    );
  policy
    .command("mode [mode]")
    .description("tell or switch how much asks: strict, balanced, trusting")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .action((mode: string | undefined, options: { yes?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { policyMode } = await import("./policy-command.ts");
        const given = { yes: options.yes ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) =>
          policyMode(io, deps, mode === undefined ? given : { ...given, mode }),
        );
      }),
    );
  policy
    .command("test <file>")
    .description("try every case of a file, one JSON object per line; nothing is run")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "A case, all of it in one line:",
        `  {"typed": "Add milk to todo.md", "tool": "files.file.edit",`,
        `   "input": {"path": "todo.md", "oldText": "a", "newText": "a, milk"},`,
        `   "expect": "allow"}`,
      ].join("\n"),
    )
    .action((file: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { testPolicy } = await import("./policy-command.ts");
        const { readFile } = await import("node:fs/promises");
        const text = await readFile(file, "utf8").catch((error: Error) =>
          fail("INVALID_INPUT", `${file} cannot be read: ${error.message}. Nothing was tried.`),
        );
        return withGateway(wiring, (deps) => testPolicy(io, deps, { text, json: options.json ?? false }));
      }),
    );
}

function addGranting(tools: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  tools
    .command("grant <tool>")
    .description("know a tool of yours as it is, so that it no longer asks because it is new")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .action((toolId: string, options: { yes?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { grantTool } = await import("./tools-command.ts");
        const given = { toolId, yes: options.yes ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => grantTool(io, deps, given));
      }),
    );
  tools
    .command("revoke <tool>")
    .description("take that back: it asks for every call again")
    .option("--json", "print one JSON document")
    .action((toolId: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { revokeTool } = await import("./tools-command.ts");
        return withGateway(wiring, (deps) => revokeTool(io, deps, { toolId, json: options.json ?? false }));
      }),
    );
}

/** These look at files and need no gateway. */
function addOwnTools(tools: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  tools
    .command("new <name>")
    .description("begin a tool of your own, with a test: integration.resource.action")
    .option("--integration", "begin an integration in Elwood's own sources: a folder with a manifest")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood tools new posthog.visitors.count\n  elwood tools new weather --integration",
    )
    .action((name: string, options: { integration?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        if (options.integration === true) {
          const [{ newIntegration }, { INTEGRATIONS_DIR }] = await Promise.all([
            import("./tools-own-command.ts"),
            import("@elwood/gateway/integrations/scaffold-integration"),
          ]);
          return newIntegration(io, INTEGRATIONS_DIR, { name, json: options.json ?? false });
        }
        const { newTool } = await import("./tools-own-command.ts");
        return withWorkspace(wiring, (workspaceTools) =>
          newTool(io, workspaceTools, { name, json: options.json ?? false }),
        );
      }),
    );
  tools
    .command("check [integration]")
    .description("check the types of your tools, and whether they can be loaded")
    .option("--json", "print one JSON document")
    .action((integration: string | undefined, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { checkTools } = await import("./tools-own-command.ts");
        const given = { ...(integration === undefined ? {} : { integration }), json: options.json ?? false };
        return withWorkspace(wiring, (workspaceTools) => checkTools(io, workspaceTools, given));
      }),
    );
  tools
    .command("test <integration>")
    .description("run the tests beside your tools, in the same kind of process as the tools")
    .option("--json", "print one JSON document")
    .action((integration: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { testTools } = await import("./tools-own-command.ts");
        return wiring.working("Testing", (shown) =>
          withWorkspace(wiring, (workspaceTools) =>
            testTools(shown, workspaceTools, { integration, json: options.json ?? false }),
          ),
        );
      }),
    );
}

async function withWorkspace(
  { commandContext }: Wiring,
  work: (workspaceTools: WorkspaceTools) => Promise<number>,
): Promise<number> {
  const loaded = await commandContext.load();
  const { workspaceOf } = await import("@elwood/gateway/built-in-tools");
  const { log } = commandContext.logOf(loaded, "oneshot");
  const workspaceTools = workspaceOf(loaded, { version: VERSION, clock: commandContext.clock, log });
  try {
    return await work(workspaceTools);
  } finally {
    workspaceTools.close();
  }
}

async function withGateway(wiring: Wiring, work: (deps: ToolsDeps) => Promise<number>): Promise<number> {
  return wiring.commandContext.withClient("cli", (client) => work({ client }));
}
