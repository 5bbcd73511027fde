import { Option, type Command } from "commander";
import { VERSIONING, type Versioning } from "@elwood/core/action/versioning";
import type { GatewayClient } from "@elwood/sdk/client";
import type { Wiring } from "./program.ts";

/** actions …: what programs ask models by name. */
export function addActionCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const load = () => import("./actions-command.ts");
  const actions = program.command("actions").description("what programs ask models by name, in versions");
  actions
    .command("list", { isDefault: true })
    .description("actions, by their current version")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listActions } = await load();
        return withClient(wiring, (client) => listActions(io, client, options.json ?? false));
      }),
    );
  actions
    .command("show <name>")
    .description("one action: what it says, and its versions")
    .option("--at <version>", "another version than the current one")
    .option("--json", "print one JSON document")
    .action((name: string, options: { at?: string; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showAction } = await load();
        return withClient(wiring, (client) =>
          showAction(io, client, { name, version: options.at ?? "latest", json: options.json ?? false }),
        );
      }),
    );
  const importing = (word: string, what: string, dry: boolean) =>
    actions
      .command(`${word} <file>`)
      .description(what)
      .addOption(
        new Option("--strategy <name>", "what becomes of names that are there").choices([...VERSIONING]),
      )
      .option("--openapi", "the file is an OpenAPI document: each operation becomes an http action")
      .option("--dry-run", "only say what would change")
      .option("--json", "print one JSON document")
      .action((file: string, options: ImportOptions) =>
        run(options.json ?? false, async () => {
          const { importActions } = await load();
          const { strategy = "AlwaysBump", dryRun = dry, openapi = false, json = false } = options;
          return withClient(wiring, (client) =>
            importActions(io, client, { file, openapi, strategy, dryRun: dryRun || dry, json }),
          );
        }),
      );
  importing("diff", "what an import of this file would change", true);
  importing("import", "store the connections and actions of a file", false);
  actions
    .command("export [names...]")
    .description("print them as a file, without secrets")
    .action((names: string[]) =>
      run(false, async () => {
        const { exportActions } = await load();
        return withClient(wiring, (client) => exportActions(io, client, names));
      }),
    );
  actions
    .command("rollback <name> <version>")
    .description("make an earlier version the current one")
    .option("--json", "print one JSON document")
    .action((name: string, version: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { rollbackAction } = await load();
        return withClient(wiring, (client) =>
          rollbackAction(io, client, { name, version, json: options.json ?? false }),
        );
      }),
    );
  actions
    .command("run <name> [message]")
    .description("execute an action and print its answer")
    .option("--at <version>", "another version than the current one")
    .option("--input <json>", "the whole input as JSON, in place of a message")
    .option("--json", "print one JSON document")
    .action(
      (name: string, message: string | undefined, options: { at?: string; input?: string; json?: boolean }) =>
        run(options.json ?? false, async () => {
          const { runAction } = await load();
          const { at: version = "latest", input, json = false } = options;
          return withClient(wiring, (client) =>
            runAction(io, client, { name, version, message, input, json }),
          );
        }),
    );
}

interface ImportOptions {
  readonly strategy?: Versioning;
  readonly openapi?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function withClient(wiring: Wiring, work: (client: GatewayClient) => Promise<number>): Promise<number> {
  return wiring.commandContext.withClient("cli", work);
}
