import type { Command } from "commander";
import type { Wiring } from "./program.ts";

/** up, status, open, config, doctor, completion, protocol. */
export function addSystemCommands(program: Command, { io, surroundings, run }: Wiring): void {
  program
    .command("up")
    .description("start the gateway: the page, the WebSocket, and everything that runs")
    .option("--port <port>", "listen on this port (0 takes a free one)")
    .option("--host <host>", "listen on this address; anything but loopback needs ELWOOD_TOKEN")
    .option("-m, --model <provider/model>", "the model that answers by default")
    .option("--no-open", "do not open the page")
    .addHelpText("after", "\nExamples:\n  elwood up --port 18790 --no-open\n  ELWOOD_HOME=~/elwood-test elwood up")
    .action((options: { port?: string; host?: string; model?: string; open: boolean }) =>
      run(false, async () => {
        const [{ up }, { VERSION }] = await Promise.all([import("./up-command.ts"), import("./version.ts")]);
        const loaded = await surroundings.load({ port: options.port, host: options.host, model: options.model });
        return up(io, loaded, { open: options.open, version: VERSION }, () => surroundings.start(loaded, "up"));
      }),
    );

  program
    .command("status")
    .description("what the running gateway does")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { status } = await import("./status-command.ts");
        const { loaded, client } = await surroundings.find("cli-status");
        return status(io, loaded, client, options.json ?? false);
      }),
    );
}
