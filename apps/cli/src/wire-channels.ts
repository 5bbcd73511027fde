import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import { withGateway } from "./wire-sessions.ts";

interface Json {
  readonly json?: boolean;
}

/** channels … and pair …: they talk to the running gateway, or to one of their own. */
export function addChannelCommands(program: Command, wiring: Wiring): void {
  addChannels(
    program.command("channels").description("talk to Elwood in Telegram and other chat services"),
    wiring,
  );
  addPairing(program.command("pair").description("who may write to Elwood in chat services"), wiring);
}

function addChannels(channels: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  channels
    .command("list", { isDefault: true })
    .description("chat services, and how each is doing")
    .option("--json", "print one JSON document")
    .action(({ json = false }: Json) =>
      run(json, async () => {
        const { listChannels } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => listChannels(io, deps, { json }));
      }),
    );
  channels
    .command("test <channel>")
    .description("ask the service whose token it is; changes nothing")
    .option("--json", "print one JSON document")
    .action((name: string, { json = false }: Json) =>
      run(json, async () => {
        const { testChannel } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => testChannel(io, deps, { name, json }));
      }),
    );
  channels
    .command("connect <channel>")
    .description("connect a service: the token is tried, kept only if that works, and never shown")
    .option("--token-stdin", "read the token from standard input")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  elwood channels connect telegram")
    .action((name: string, { json = false, tokenStdin = false }: Json & { tokenStdin?: boolean }) =>
      run(json, async () => {
        const { connectChannel } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => connectChannel(io, deps, { name, tokenStdin, json }));
      }),
    );
  channels
    .command("invite <channel>")
    .description("the link that adds the bot to a Discord server, or opens its chat")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  elwood channels invite discord")
    .action((name: string, { json = false }: Json) =>
      run(json, async () => {
        const { inviteChannel } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => inviteChannel(io, deps, { name, json }));
      }),
    );
  channels
    .command("disconnect <channel>")
    .description("stop listening to a service, and remove its token")
    .option("--json", "print one JSON document")
    .action((name: string, { json = false }: Json) =>
      run(json, async () => {
        const { disconnectChannel } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => disconnectChannel(io, deps, { name, json }));
      }),
    );
}

function addPairing(pair: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  pair
    .command("list", { isDefault: true })
    .description("people who may write, and those who were given a code")
    .option("--json", "print one JSON document")
    .action(({ json = false }: Json) =>
      run(json, async () => {
        const { listPeople } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => listPeople(io, deps, { json }));
      }),
    );
  pair
    .command("approve <code>")
    .description("let somebody in, by the code that the bot gave them")
    .option("--json", "print one JSON document")
    .action((code: string, { json = false }: Json) =>
      run(json, async () => {
        const { approveCode } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => approveCode(io, deps, { code, json }));
      }),
    );
  pair
    .command("remove <person>")
    .description("take back that somebody may write, or approve")
    .option("--json", "print one JSON document")
    .action((person: string, { json = false }: Json) =>
      run(json, async () => {
        const { removePerson } = await import("./channels-command.ts");
        return withGateway(wiring, (deps) => removePerson(io, deps, { person, json }));
      }),
    );
}
