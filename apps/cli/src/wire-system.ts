import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import { VERSION } from "./version.ts";
import { withGateway } from "./wire-sessions.ts";

/** up, status, open, logs, state, config, doctor, completion, protocol. */
export function addSystemCommands(program: Command, wiring: Wiring): void {
  addUp(program, wiring);
  addLooking(program, wiring);
  addLogs(program, wiring);
  addState(program, wiring);
  addConfig(program, wiring);
  addDoctor(program, wiring);
  addForPrograms(program, wiring);
}

function addUp(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("up")
    .description("start the gateway: the page, the WebSocket, and everything that runs")
    .option("--port <port>", "listen on this port (0 takes a free one)")
    .option("--host <host>", "listen on this address; anything but loopback needs ELWOOD_TOKEN")
    .option("-m, --model <provider/model>", "the model that answers by default")
    .option("--workspace <folder>", "where the agents' words are (ELWOOD_WORKSPACE)")
    .option("--log-level <level>", "error, warn, info or debug (ELWOOD_LOG_LEVEL)")
    .option("--log-format <format>", "auto, json or pretty (ELWOOD_LOG_FORMAT)")
    .option("--log-file <file>", "write the log there; full ones are put aside (ELWOOD_LOG_FILE)")
    .option("--no-open", "do not open the page")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood up --port 18790 --no-open\n  ELWOOD_HOME=~/elwood-test elwood up",
    )
    .action((options: UpFlags) =>
      run(false, async () => {
        const { up } = await import("./up-command.ts");
        const { port, host, model, workspace, open } = options;
        const { logLevel, logFormat, logFile } = options;
        const log = { "log-level": logLevel, "log-format": logFormat, "log-file": logFile };
        const flags = { port, host, model, workspace, ...log };
        const loaded = await commandContext.load(flags);
        return up(io, loaded, { open, version: VERSION }, () => commandContext.start(loaded, "up"));
      }),
    );
}

interface UpFlags {
  readonly port?: string;
  readonly host?: string;
  readonly model?: string;
  readonly workspace?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly logFile?: string;
  readonly open: boolean;
}

function addLooking(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("status")
    .description("what the running gateway does")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExit code 1 where no gateway runs.")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { status } = await import("./status-command.ts");
        const { loaded, client } = await commandContext.find("cli-status");
        return status(io, loaded, client, options.json ?? false);
      }),
    );
  program
    .command("open")
    .description("a fresh one-time link to the page; opened where there is a desktop")
    .option("--no-browser", "only print it")
    .option("--qr", "print it as a QR code for a phone, also where no terminal is")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExit code 1 where no gateway runs.")
    .action((options: { browser: boolean; qr?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { openPage, ownAddresses } = await import("./open-command.ts");
        const { loaded, client } = await commandContext.find("cli-open");
        try {
          const { allowedOrigins: origins, host } = loaded.config.gateway;
          const addresses = host === "0.0.0.0" || host === "::" ? ownAddresses() : [];
          const deps = { client, home: loaded.paths.home, clock: commandContext.clock, origins, addresses };
          const { browser, qr = false, json = false } = options;
          return await openPage(io, deps, { browser, qr, json });
        } finally {
          await client?.close();
        }
      }),
    );
}

function addLogs(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("logs")
    .description("the newest lines of the log")
    .option("-f, --follow", "go on showing lines as they come, until Ctrl-C")
    .option("-n, --lines <count>", "how many", Number)
    .option("--level <level>", "only from this level on: error, warn, info or debug")
    .option("--json", "one JSON document a line")
    .addHelpText("after", "\nExamples:\n  elwood logs -f\n  elwood logs --level warn -n 50")
    .action((options: { follow?: boolean; lines?: number; level?: string; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showLogs } = await import("./logs-command.ts");
        const { loaded, client } = await commandContext.find("cli-logs");
        const { follow = false, json = false, lines, level } = options;
        const wanted = { follow, json, ...(lines === undefined ? {} : { lines }) };
        try {
          const deps = { client, file: loaded.config.log.file, clock: commandContext.clock };
          return await showLogs(io, deps, { ...wanted, ...(level === undefined ? {} : { level }) });
        } finally {
          await client?.close();
        }
      }),
    );
}

function addState(program: Command, { io, commandContext, run, working }: Wiring): void {
  const state = program.command("state").description("how much data there is, and less of it");
  state
    .command("show", { isDefault: true })
    .description("how much of the data folder is what")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showState } = await import("./state-command.ts");
        const deps = { paths: await commandContext.paths(), clock: commandContext.clock };
        return showState(io, deps, options.json ?? false);
      }),
    );
  state
    .command("prune")
    .description("remove what nothing needs; receipts stay, and are verified")
    .option(
      "--older-than <days>",
      "also put conversations that nobody touched for so long into the trash",
      Number,
    )
    .option("--dry-run", "say what would go, and remove nothing")
    .option("--yes", "do not ask")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nElwood must not be running. Examples:\n  elwood state prune --dry-run\n  elwood state prune --older-than 365",
    )
    .action((options: { olderThan?: number; dryRun?: boolean; yes?: boolean; json?: boolean }) =>
      run(options.json ?? false, () =>
        working("Looking", async (shown) => {
          const { prune } = await import("./state-command.ts");
          const deps = { paths: await commandContext.paths(), clock: commandContext.clock };
          const { olderThan, dryRun = false, yes = false, json = false } = options;
          const days = olderThan === undefined ? {} : { olderThanDays: olderThan };
          return prune(shown, deps, { ...days, dryRun, yes, json });
        }),
      ),
    );
}

function addConfig(program: Command, wiring: Wiring): void {
  const { io, commandContext, run } = wiring;
  const config = program.command("config").description("look at the configuration, and change it");
  config
    .command("show", { isDefault: true })
    .description("every setting; with --origin, where each value came from")
    .option("--origin", "say where each value came from")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nFlags go before environment variables, these before the file,\nthe file before defaults.\n\nExample:\n  elwood config show --origin",
    )
    .action((options: { origin?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showConfig } = await import("./config-command.ts");
        const flags = commandContext.flags();
        return showConfig(io, { flags }, { origin: options.origin ?? false, json: options.json ?? false });
      }),
    );
  config
    .command("path")
    .description("the configuration file")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showConfigPath } = await import("./config-command.ts");
        return showConfigPath(io, { flags: commandContext.flags() }, { json: options.json ?? false });
      }),
    );
  config
    .command("check")
    .description("whether Elwood could start with it")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { checkConfig } = await import("./config-command.ts");
        return checkConfig(io, { flags: commandContext.flags() }, { json: options.json ?? false });
      }),
    );
  config
    .command("list")
    .description("the settings that `config set` can change")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listSettable } = await import("./config-set-command.ts");
        return withGateway(wiring, (deps) => listSettable(io, deps, { json: options.json ?? false }));
      }),
    );
  config
    .command("set <key> [value]")
    .description("change one setting in your file; comments and all other lines stay")
    .option("--unset", "go back to the default")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood config set limits.dayCostUsd 5\n  elwood config set files.roots ~/notes:write,~/books\n  elwood config set timeZone --unset",
    )
    .action(
      (key: string, value: string | undefined, options: { unset?: boolean; yes?: boolean; json?: boolean }) =>
        run(options.json ?? false, async () => {
          const { setConfig } = await import("./config-set-command.ts");
          const { unset = false, yes = false, json = false } = options;
          const wanted = { key, ...(value === undefined ? {} : { value }), unset, yes, json };
          return withGateway(wiring, (deps) => setConfig(io, deps, wanted));
        }),
    );
}

function addDoctor(program: Command, { commandContext, run, working }: Wiring): void {
  program
    .command("doctor")
    .description("look for what is wrong; changes nothing unless asked to")
    .option("--fix", "mend what can be mended safely")
    .option("--live", "also ask the model once, which costs a little, and look from outside")
    .option("--lint [severity]", "exit code 1 from this severity on (error, or warning)")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExamples:\n  elwood doctor --fix\n  elwood doctor --lint warning --json")
    .action((options: { fix?: boolean; live?: boolean; lint?: boolean | string; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { doctor } = await import("./doctor-command.ts");
        const context = await commandContext.doctorContext(options.live ?? false);
        const given = {
          json: options.json ?? false,
          fix: options.fix ?? false,
          ...(options.lint === undefined ? {} : { lint: options.lint }),
        };
        return working("Looking", (shown) => doctor(shown, context, given));
      }),
    );
}

function addForPrograms(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("completion")
    .argument("[shell]", "bash, zsh or fish")
    .description("a script that completes commands in your shell")
    .addOption(program.createOption("--values <kind>").hideHelp())
    .addHelpText("after", '\nExample:\n  eval "$(elwood completion bash)"')
    .action((shell: string | undefined, options: { values?: string }) =>
      run(false, async () => {
        const { completion, completionValues } = await import("./completion-command.ts");
        if (options.values !== undefined) {
          return completionValues(
            io,
            { paths: await commandContext.paths(), load: () => commandContext.tryLoad() },
            options.values,
          );
        }
        const { commandTree } = await import("./completion/read-commander.ts");
        return completion(io, commandTree(program), shell === undefined ? {} : { shell });
      }),
    );
  const protocol = program.command("protocol").description("the WebSocket protocol, for authors of clients");
  protocol
    .command("schema", { isDefault: true })
    .description("every frame, method and push as JSON Schema")
    .option("--out <file>", "write it to a file")
    .addHelpText("after", "\nExample:\n  elwood protocol schema --out elwood.schema.json")
    .action((options: { out?: string }) =>
      run(false, async () => {
        const { protocolSchema } = await import("./protocol-command.ts");
        return protocolSchema(io, options);
      }),
    );
}
