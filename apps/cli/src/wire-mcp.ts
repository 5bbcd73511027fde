import { homedir } from "node:os";
import type { Command } from "commander";
import type { AddFlags, McpDeps } from "./mcp-command.ts";
import type { Wiring } from "./program.ts";

/** mcp …: servers whose tools the assistant can use. */
export function addMcpCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const mcp = program.command("mcp").description("MCP servers whose tools the assistant can use");
  mcp
    .command("list", { isDefault: true })
    .description("the servers, what they are doing, and how many tools they have")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listServers } = await import("./mcp-command.ts");
        return withGateway(wiring, (deps) => listServers(io, deps, { json: options.json ?? false }));
      }),
    );
  addAdding(mcp, wiring);
  mcp
    .command("serve")
    .description("be an MCP server on standard input and output, for a program that starts this")
    .addHelpText(
      "after",
      `\nIn a host's configuration:\n  {"mcpServers": {"elwood": {"command": "elwood", "args": ["mcp", "serve"]}}}`,
    )
    .action(() =>
      run(false, async () => {
        const { serveMcp } = await import("./mcp-serve-command.ts");
        return serveMcp(io, await wiring.commandContext.join("cli"));
      }),
    );
  mcp
    .command("test <name>")
    .description("start a server, also one that crashed, and list its tools as they are now")
    .option("--json", "print one JSON document")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { testServer } = await import("./mcp-command.ts");
        return wiring.working("Starting", (shown) =>
          withGateway(wiring, (deps) => testServer(shown, deps, { name, json: options.json ?? false })),
        );
      }),
    );
  mcp
    .command("import [file]")
    .description(
      "servers and skills of Claude Desktop, Claude Code, Codex and OpenClaw: what would be taken over",
    )
    .option("--apply", "take them over; none of their tools is granted by it")
    .option("--json", "print one JSON document")
    .action((file: string | undefined, options: { apply?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { importServers } = await import("./import-servers.ts");
        const { apply = false, json = false } = options;
        return wiring.commandContext.withClient("cli", (client, { workspaceDir }) =>
          importServers(io, client, {
            ...(file === undefined ? {} : { file }),
            apply,
            json,
            home: homedir(),
            workspaceDir,
          }),
        );
      }),
    );
  mcp
    .command("login <name> [address]")
    .description("log in to a server with your browser; the address is the one that the browser ended at")
    .option("--json", "print one JSON document")
    .action((name: string, address: string | undefined, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { logIn } = await import("./mcp-command.ts");
        const json = options.json ?? false;
        const given = { name, ...(address === undefined ? {} : { address }), json, pauseMs: 1_000 };
        return withGateway(wiring, (deps) => logIn(io, deps, given));
      }),
    );
  mcp
    .command("logout <name>")
    .description("remove a server's tokens from this machine")
    .option("--json", "print one JSON document")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { logOut } = await import("./mcp-command.ts");
        return withGateway(wiring, (deps) => logOut(io, deps, { name, json: options.json ?? false }));
      }),
    );
  mcp
    .command("label <tool> [label]")
    .description("say what a tool does: reads, changes, sends; or none, to be asked for every call")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .action((toolId: string, label: string | undefined, options: { yes?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { labelTool } = await import("./mcp-command.ts");
        const flags = { toolId, label, yes: options.yes ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => labelTool(io, deps, flags));
      }),
    );
  mcp
    .command("remove <name>")
    .description("end a server, and take it out of the settings")
    .option("--json", "print one JSON document")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { removeServer } = await import("./mcp-command.ts");
        return withGateway(wiring, (deps) => removeServer(io, deps, { name, json: options.json ?? false }));
      }),
    );
  mcp
    .command("logs <name>")
    .description("what a server wrote last, and what became of it")
    .option("-n, --lines <number>", "how many lines, 100 unless told")
    .option("--json", "print one JSON document")
    .action((name: string, options: { lines?: string; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showLogs } = await import("./mcp-command.ts");
        const lines = options.lines === undefined ? {} : { lines: Number(options.lines) };
        return withGateway(wiring, (deps) =>
          showLogs(io, deps, { name, ...lines, json: options.json ?? false }),
        );
      }),
    );
}

function addAdding(mcp: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const more = (value: string, before: readonly string[] = []) => [...before, value];
  mcp
    .command("add <name> [command...]")
    .description("add a server: a command of this machine behind --, or an address")
    .option("--url <address>", "where it is reached, in place of a command")
    .option("--header <name=value>", "a header for it; a key is stored apart from the settings", more)
    .option("--oauth-id <id>", "a client that you registered with it, to log in as")
    .option("--oauth-secret <secret>", "the secret of that client; it is stored apart from the settings")
    .option("--oauth-port <port>", "where your browser comes back to: http://127.0.0.1:<port>/callback")
    .option("--oauth-scope <scope>", "what a login asks for, in place of what it suggests", more)
    .option("--env <name=value>", "a variable for it; a key is stored apart from the settings", more)
    .option("--folder <path>", "a folder that it may read in its cage", more)
    .option("--write-folder <path>", "a folder that it may change, too", more)
    .option("--no-network", "without the network, where it can be caged")
    .option("--cwd <path>", "the folder that it is started in")
    .option("--timeout <seconds>", "how long a call may take")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  elwood mcp add notes --write-folder ~/notes -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ~/notes",
        "  elwood mcp add wiki --url https://mcp.example.com/mcp --header 'Authorization=Bearer …'",
        "  elwood mcp add desk --url https://desk.example.com/mcp --oauth-id my-client --oauth-port 8080 --oauth-scope tickets:read",
      ].join("\n"),
    )
    .action((name: string, words: string[], options: Omit<AddFlags, "json"> & { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { addServer } = await import("./mcp-command.ts");
        const flags = { ...options, json: options.json ?? false };
        return withGateway(wiring, (deps) => addServer(io, deps, name, words, flags));
      }),
    );
}

async function withGateway(wiring: Wiring, work: (deps: McpDeps) => Promise<number>): Promise<number> {
  return wiring.commandContext.withClient("cli", (client) => work({ client }));
}
