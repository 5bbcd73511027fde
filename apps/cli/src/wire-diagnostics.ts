import type { Command } from "commander";
import { systemClock } from "@elwood/platform/system";
import type { Wiring } from "./program.ts";

/** diagnostics: a file for whoever helps. */
export function addDiagnosticsCommand(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("diagnostics")
    .description("what to send to whoever helps, without secrets and without what was said")
    .option("--out <file>", "write it there; - prints it")
    .action((options: { out?: string }) =>
      run(false, async () => {
        const { diagnostics } = await import("./diagnostics-command.ts");
        return commandContext.withClient("cli", (client, { secretValues }) =>
          diagnostics(io, { client, clock: systemClock, secrets: secretValues }, { out: options.out }),
        );
      }),
    );
}
