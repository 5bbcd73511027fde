import type { Command } from "commander";
import type { IntegrationsDeps, SetupFlags } from "./integrations-command.ts";
import type { Wiring } from "./program.ts";

interface Json {
  readonly json?: boolean;
}

/** integrations …: services that the assistant can use. */
export function addIntegrationCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const integrations = program
    .command("integrations")
    .description("calendar, GitHub and other services that the assistant can use");
  integrations
    .command("list", { isDefault: true })
    .description("the integrations there are, and which are set up")
    .option("--json", "print one JSON document")
    .action(({ json = false }: Json) =>
      run(json, async () => {
        const { listIntegrations } = await import("./integrations-command.ts");
        return withGateway(wiring, (deps) => listIntegrations(io, deps, { json }));
      }),
    );
  addSetup(integrations, wiring);
  integrations
    .command("test <name>")
    .description("try one as it is set up; changes nothing")
    .option("--json", "print one JSON document")
    .action((name: string, { json = false }: Json) =>
      run(json, async () => {
        const { testIntegration } = await import("./integrations-command.ts");
        return withGateway(wiring, (deps) => testIntegration(io, deps, { name, json }));
      }),
    );
  for (const on of [true, false])
    integrations
      .command(on ? "enable <name>" : "disable <name>")
      .description(
        on
          ? "switch one on again that is set up"
          : "switch one off: its tools are gone, what was set up stays",
      )
      .option("--json", "print one JSON document")
      .action((name: string, { json = false }: Json) =>
        run(json, async () => {
          const { switchIntegration } = await import("./integrations-command.ts");
          return withGateway(wiring, (deps) => switchIntegration(io, deps, { name, on, json }));
        }),
      );
}

function addSetup(integrations: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const more = (value: string, before: readonly string[] = []) => [...before, value];
  integrations
    .command("setup <name>")
    .description("connect one: it is tried, and stored only if that works; secrets are never shown")
    .option("--set <key=value>", "a setting, in place of the question for it", more)
    .option("--secret-env <NAME>", "name a variable that has the secret, in place of storing it", more)
    .option("--secret-stdin", "read the secret from standard input")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  elwood integrations setup calendar",
        "  elwood integrations setup github --set repositories=me/notes --secret-env GITHUB_TOKEN",
      ].join("\n"),
    )
    .action((name: string, options: Omit<SetupFlags, "json"> & Json) =>
      run(options.json ?? false, async () => {
        const { setupIntegration } = await import("./integrations-command.ts");
        return withGateway(wiring, (deps) =>
          setupIntegration(io, deps, name, { ...options, json: options.json ?? false }),
        );
      }),
    );
}

async function withGateway(
  wiring: Wiring,
  work: (deps: IntegrationsDeps) => Promise<number>,
): Promise<number> {
  return wiring.commandContext.withClient("cli", (client) => work({ client }));
}
