import type { Command } from "commander";
import type { Wiring } from "./program.ts";

interface Given {
  readonly agent?: string;
  readonly tokens?: boolean;
  readonly json?: boolean;
}

/** prompt show: what a model is told before the first message. */
export function addPromptCommand(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("prompt")
    .description("what the model is told before your first message")
    .command("show", { isDefault: true })
    .description("the system prompt and the text of every tool")
    .option("--agent <agent>", "of this agent instead of the default one")
    .option("--tokens", "only what each part costs, in tokens; estimated")
    .option("--json", "print one JSON document")
    .action(({ agent, tokens, json = false }: Given) =>
      run(json, async () => {
        const { showPrompt } = await import("./prompt-command.ts");
        const form = json ? "json" : tokens ? "tokens" : "text";
        return commandContext.withClient("cli", (client) =>
          showPrompt(io, client, { form, ...(agent === undefined ? {} : { agentId: agent }) }),
        );
      }),
    );
}
