import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import type { ToolsDeps } from "./tools-command.ts";

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
    .description("read the tools anew; runs that have begun keep those they have")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { reloadTools } = await import("./tools-command.ts");
        return withGateway(wiring, (deps) => reloadTools(io, deps, { json: options.json ?? false }));
      }),
    );

  const policy = program.command("policy").description("what is allowed, asked or denied");
  policy
    .command("explain <tool> [input]")
    .description("what would become of a call, and which rule says so; nothing is run")
    .option("-s, --session <session>", "as if it were made in this session")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      `\nExample:\n  elwood policy explain files.file.write '{"path": "notes.md", "content": "hello"}'`,
    )
    .action((toolId: string, input: string | undefined, options: { session?: string; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { explainPolicy } = await import("./policy-command.ts");
        return withGateway(wiring, (deps) =>
          explainPolicy(io, deps, { ...options, toolId, input: input ?? "{}", json: options.json ?? false }),
        );
      }),
    );
}

async function withGateway(wiring: Wiring, work: (deps: ToolsDeps) => Promise<number>): Promise<number> {
  const loaded = await wiring.surroundings.load();
  const link = await wiring.surroundings.join("cli", loaded);
  try {
    return await work({ client: link.client });
  } finally {
    await link.leave();
  }
}
