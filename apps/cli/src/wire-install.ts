import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import { VERSION } from "./version.ts";

/** install, update. */
export function addInstallCommands(program: Command, { io, commandContext, run, working }: Wiring): void {
  program
    .command("install <part>")
    .description("a part that Elwood does not bring along, at its exact version: browser")
    .addHelpText(
      "after",
      "\nIt is fetched from npm's registry (npm_config_registry), checked against its\nhash, and put into the data folder.\n\nExample:\n  elwood install browser",
    )
    .action((part: string) =>
      run(false, () =>
        working("Fetching", async (shown) => {
          const { installPart } = await import("./install-command.ts");
          return installPart(shown, { home: (await commandContext.paths()).home }, part);
        }),
      ),
    );
  program
    .command("update")
    .description("whether there is a newer Elwood; changes nothing")
    .option("--check", "ask npm's registry")
    .option("--notes", "what changed")
    .option("--json", "print one JSON document")
    .action((options: { check?: boolean; notes?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { update } = await import("./update-command.ts");
        const changelog = fileURLToPath(new URL("../../../CHANGELOG.md", import.meta.url));
        const { check = false, notes = false, json = false } = options;
        return update(io, { version: VERSION, changelog }, { check, notes, json });
      }),
    );
}
