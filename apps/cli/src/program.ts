import { type Command, CommanderError, Option } from "commander";
import { fail } from "@elwood/core/base/failure";
import { describeBug, reporting, reportUsage } from "./failure-text.ts";
import { parseDuration } from "./duration.ts";
import { meantAsCommand, usageText, withHelpWord } from "./usage.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { guardedIo } from "./pipe-guard.ts";
import { CommandContext } from "./command-context.ts";
import { addActingCommands } from "./wire-acting.ts";
import { addAuthCommands } from "./wire-auth.ts";
import { addBackupCommands } from "./wire-backup.ts";
import { addChannelCommands } from "./wire-channels.ts";
import { addActionCommands } from "./wire-actions.ts";
import { addJobCommands } from "./wire-jobs.ts";
import { addDiagnosticsCommand } from "./wire-diagnostics.ts";
import { addPromptCommand } from "./wire-prompt.ts";
import { addUsageCommand } from "./wire-usage.ts";
import { addInstallCommands } from "./wire-install.ts";
import { addIntegrationCommands } from "./wire-integrations.ts";
import { addMcpCommands } from "./wire-mcp.ts";
import { addMemoryCommands } from "./wire-memory.ts";
import { addReceiptCommands } from "./wire-receipts.ts";
import { addServiceCommands } from "./wire-service.ts";
import { addSessionCommands } from "./wire-sessions.ts";
import { addToolCommands } from "./wire-tools.ts";
import { addSystemCommands } from "./wire-system.ts";
import { VERSION } from "./version.ts";
import type { Link } from "./connect.ts";
import { cliLanguage } from "./words/cli-language.ts";
import { germanWords, say, type Sentence } from "./words/say.ts";
import { SpokenCommand, type Translate } from "./words/spoken-command.ts";
import type { ChatOptions } from "./chat/chat-command.ts";

/** What every command gets: the terminal, a way to load the configuration, and a way to end with a code. */
export interface Wiring {
  readonly io: Io;
  readonly commandContext: CommandContext;
  /** Runs a command's work and keeps its exit code. */
  readonly run: (json: boolean, work: () => Promise<number>) => Promise<void>;
  /** For work that may take long and asks nobody anything: what goes on is shown on a terminal. */
  readonly working: (words: Sentence, work: (io: Io) => Promise<number>) => Promise<number>;
}

/** The command line. Modules of commands are loaded when they are used, so that each starts fast. */
export async function runCli(argv: readonly string[], terminal: Io): Promise<number> {
  const spoken = cliLanguage(terminal, argv) === "de" ? await germanWords() : undefined;
  const io = guardedIo(spoken ? { ...terminal, spoken } : terminal, asksForRaw(argv));
  let code: number = EXIT.ok;
  let given: Record<string, unknown> = {};
  const commandContext = new CommandContext(io, () => given);
  const wiring: Wiring = {
    io,
    commandContext,
    run: async (json, work) => {
      code = await reporting(io, json, work);
    },
    working: async (words, work) => {
      const { Progress } = await import("./progress.ts");
      const progress = new Progress(io, say(io, words), commandContext.clock);
      return progress.during(() => work(progress.io));
    },
  };
  const program = commandLine(
    argv,
    wiring,
    (english) => spoken?.help[english] ?? english,
    (command) => {
      given = command.optsWithGlobals();
    },
  );
  try {
    await program.parseAsync(withHelpWord(program, argv), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      io.stderr.write(usageText(io, program, argv, error));
      return EXIT.usage;
    }
    io.stderr.write(describeBug(error, io));
    return EXIT.failed;
  }
}

const EVERY_GROUP: readonly ((program: Command, wiring: Wiring) => void)[] = [
  addSystemCommands,
  addInstallCommands,
  addSessionCommands,
  addMemoryCommands,
  addAuthCommands,
  addChannelCommands,
  addActingCommands,
  addToolCommands,
  addIntegrationCommands,
  addMcpCommands,
  addReceiptCommands,
  addJobCommands,
  addActionCommands,
  addUsageCommand,
  addPromptCommand,
  addDiagnosticsCommand,
  addBackupCommands,
  addServiceCommands,
];

/** Starting the gateway needs only the commands next to `up`: building all 150 would delay every start by 8 ms. */
function isStart([first]: readonly string[]): boolean {
  return first === "up";
}

/** All commands there are, with their help as `translate` puts it. For a start, only those next to `up`. */
export function commandLine(
  argv: readonly string[],
  wiring: Wiring,
  translate: Translate,
  chosen: (command: Command) => void,
): Command {
  const { io } = wiring;
  const program = new SpokenCommand("elwood", translate);
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Told below, in words that fit what was written.
      outputError: () => undefined,
    })
    .version(VERSION, "-V, --version", translate(VERSION_HELP))
    .description("A personal AI assistant that you run yourself.")
    .enablePositionalOptions()
    .hook("preAction", (_program, command) => chosen(command));
  addAskCommand(program, wiring, argv.includes("--"));
  addChatCommand(program, wiring);
  for (const add of isStart(argv) ? [addSystemCommands] : EVERY_GROUP) add(program, wiring);
  addEverywhere(program);
  program.speakHelp();
  program.addHelpText("after", () => (io.spoken?.examples ?? HELP).replaceAll("elwood", ownName(io.env)));
  return program;
}

/** Before a `--`: what follows it is meant for the assistant. */
function asksForRaw(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? undefined : end).includes("--raw");
}

const VERSION_HELP = "output the version number";

const HELP = `
Examples:
  elwood up                              start the gateway and open the page
  elwood "what can you do?"              ask once, in a new session
  elwood -c "and in German?"             go on in the last session
  git diff | elwood "review this"        hand something over on standard input
  elwood -m ollama/qwen3 "hello"         ask a certain model
  elwood --json "hello" | jq -r .text    one JSON document instead of text

Exit codes: 0 done · 1 failed · 2 wrong usage · 3 denied · 4 approval expired ·
            130 interrupted
`;

/** Options that may stand before a command or behind it; the help shows them once. */
function addEverywhere(command: Command, outermost = true): void {
  const home = new Option("--home <folder>", "where Elwood keeps its data (ELWOOD_HOME); with any command");
  const config = new Option("--config <file>", "the configuration file (ELWOOD_CONFIG); with any command");
  const raw = new Option(
    "--raw",
    "into a pipe or a file, write control characters as they are; with any command",
  );
  for (const option of [home, config, raw]) command.addOption(outermost ? option : option.hideHelp());
  for (const inner of command.commands) addEverywhere(inner, false);
}

/** `spoken`: the owner wrote `--`, so what follows is meant for the assistant. */
function addAskCommand(program: Command, { io, commandContext, run }: Wiring, spoken: boolean): void {
  program
    .argument("[prompt...]", "what to say to the assistant")
    .option("-c, --continue", "go on in the last session")
    .option(
      "-s, --session <session>",
      "go on in this session: its key, the start of it, or words of its title",
    )
    .option("-m, --model <provider/model>", "ask this model")
    .option("--profile <profile>", "have this key pay, such as anthropic:work, and no other")
    .option("-a, --agent <agent>", "open the session with this agent")
    .addOption(new Option("--stream", "print the answer as it comes").default(true).hideHelp())
    .option("--no-stream", "print the answer once it is whole")
    .option("--wait <time>", "wait so long (10m, 90s, 1h) for your decision, then exit: 4", parseDuration)
    .option("--local", LOCAL_HELP)
    .option("--json", "print one JSON document")
    .action(async (words: string[], options: AskFlags) => {
      const join = joining(commandContext, options);
      const prompt = words.join(" ");
      const { json = false } = options;
      const wrong = spoken ? undefined : meantAsCommand(json ? {} : io, program, words, ownName(io.env));
      if (wrong !== undefined) {
        await run(json, async () => (json ? fail("INVALID_INPUT", wrong) : reportUsage(io, wrong)));
        return;
      }
      if (prompt === "" && io.stdin.isTTY) {
        if (io.stdout.isTTY !== true) program.outputHelp();
        else {
          const { chat } = await import("./chat/chat-command.ts");
          await run(false, () => chat(io, chatOptions(options), join));
        }
        return;
      }
      await run(options.json ?? false, async () => {
        const { ask } = await import("./ask-command.ts");
        return ask(
          io,
          {
            prompt,
            ...(options.continue ? { continueLast: true } : {}),
            ...(options.session ? { session: options.session } : {}),
            ...(options.model ? { model: options.model } : {}),
            ...(options.profile ? { profile: options.profile } : {}),
            ...(options.agent ? { agent: options.agent } : {}),
            ...(options.wait === undefined ? {} : { waitMs: options.wait }),
            stream: options.stream,
            json: options.json ?? false,
          },
          join,
        );
      });
    });
}

/** The same as `elwood` without words; the name is for scripts and for who looks for it. */
function addChatCommand(program: Command, { io, commandContext, run }: Wiring): void {
  program
    .command("chat [words...]")
    .alias("tui")
    .description("talk in this terminal; words are the first message")
    .option("-c, --continue", "go on in the last session")
    .option("-s, --session <session>", "go on in this session")
    .option("-m, --model <provider/model>", "the model that answers in it")
    .option("--profile <profile>", "the key that pays in it, such as anthropic:work")
    .option("--provider <provider>", "a model of this provider; the first one unless --model names it")
    .addOption(new Option("--stream", "show an answer as it comes").default(true).hideHelp())
    .option("--no-stream", "show an answer once it is whole")
    .option("--panes", "with panes beside the conversation")
    .option("--local", LOCAL_HELP)
    .option("--url <address>", "a gateway elsewhere, such as https://elwood.example:18789")
    .option("--token <token>", "a token of that gateway (ELWOOD_TOKEN)")
    .addHelpText("after", CHAT_HELP)
    .action((words: string[], options: ChatFlags) =>
      run(false, async () => {
        const { chat } = await import("./chat/chat-command.ts");
        const first = { ...chatOptions(options), words: words.join(" ") };
        return chat(io, first, joining(commandContext, options));
      }),
    );
}

const LOCAL_HELP = "run it all in this process, without a gateway beside it and without a port";

/** How the command comes to its gateway. */
function joining(
  commandContext: CommandContext,
  { local, url }: { readonly local?: boolean; readonly url?: string },
): (log?: Io["stderr"]) => Promise<Link> {
  if (local && url !== undefined)
    fail(
      "INVALID_INPUT",
      "--local is this process, and --url a gateway elsewhere: give one of them. Nothing was sent.",
    );
  return (log) => (local ? commandContext.local("cli", log) : commandContext.join("cli", undefined, log));
}

const CHAT_HELP =
  "\nWithout a terminal, or with TERM=dumb, each line is a message.\nYour own keys and prompts: keys.yaml and prompts/ in ~/.config/elwood";

interface ChatFlags {
  readonly local?: boolean;
  readonly continue?: boolean;
  readonly session?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly profile?: string;
  readonly stream?: boolean;
  readonly panes?: boolean;
  readonly url?: string;
  readonly token?: string;
}

function chatOptions({ continue: continueLast, ...given }: ChatFlags): ChatOptions {
  const { session, provider, model, profile, stream, panes, url, token } = given;
  const all = { continueLast, session, provider, model, profile, stream, panes, url, token };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

interface AskFlags {
  readonly continue?: boolean;
  readonly session?: string;
  readonly model?: string;
  readonly profile?: string;
  readonly agent?: string;
  readonly stream: boolean;
  readonly wait?: number;
  readonly local?: boolean;
  readonly json?: boolean;
}
