import { InvalidArgumentError, type Command } from "commander";
import { systemClock } from "@elwood/platform/system";
import type { Wiring } from "./program.ts";
import type { SessionsDeps } from "./sessions-command.ts";

/** sessions … and token …: both talk to the running gateway, or to one of their own. */
export function addSessionCommands(program: Command, wiring: Wiring): void {
  const sessions = program.command("sessions").description("look at conversations and tidy them");
  addReading(sessions, wiring);
  addFinding(sessions, wiring);
  addChanging(sessions, wiring);
  addTrash(sessions, wiring);
  addCompaction(sessions, wiring);
  addTokenCommands(program, wiring);
}

interface Json {
  readonly json?: boolean;
}

function addReading(sessions: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  sessions
    .command("list", { isDefault: true })
    .description("sessions, newest first")
    .option("-n, --limit <count>", "how many", wholeNumber)
    .option("-q, --query <words>", "only those with these words in the title")
    .option("--deleted", "those in the trash")
    .option("--json", "print one JSON document")
    .action((options: { limit?: number; query?: string; deleted?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const json = options.json ?? false;
        if (options.deleted) {
          const { listDeleted } = await import("./sessions-trash.ts");
          return withGateway(wiring, (deps) => listDeleted(io, deps, { json }));
        }
        const { listSessions } = await import("./sessions-command.ts");
        return withGateway(wiring, (deps) => listSessions(io, deps, { ...options, json }));
      }),
    );
  sessions
    .command("show <session>")
    .description("print a conversation")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nA session is named by its key, the start or end of it, or words of its title.")
    .action((session: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { showSession } = await import("./sessions-show.ts");
        return withGateway(wiring, (deps) => showSession(io, deps, { session, json: options.json ?? false }));
      }),
    );
}

function addFinding(sessions: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  sessions
    .command("search <words...>")
    .description("find what was said")
    .option("-n, --limit <count>", "how many", wholeNumber)
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  elwood sessions search birthday cake")
    .action((words: string[], options: { limit?: number } & Json) =>
      run(options.json ?? false, async () => {
        const { searchSessions } = await import("./sessions-command.ts");
        return withGateway(wiring, (deps) =>
          searchSessions(io, deps, { ...options, words: words.join(" "), json: options.json ?? false }),
        );
      }),
    );
  sessions
    .command("export <session>")
    .description("a conversation as Markdown or JSON")
    .option("-f, --format <format>", "markdown or json")
    .option("-o, --output <file>", "a file or folder; standard output where none is given")
    .option("--force", "overwrite the file")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood sessions export holiday > holiday.md\n  elwood sessions export holiday --format json --output backup/",
    )
    .action((session: string, options: { format?: string; output?: string; force?: boolean }) =>
      run(false, async () => {
        const { exportSession } = await import("./sessions-command.ts");
        return withGateway(wiring, (deps) =>
          exportSession(io, deps, { ...options, session, force: options.force ?? false }),
        );
      }),
    );
}

function addCompaction(sessions: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  sessions
    .command("compactions <session>")
    .description("summaries that stand for messages")
    .option("--json", "print one JSON document")
    .action((session: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { listCompactions } = await import("./sessions-compaction.ts");
        const json = options.json ?? false;
        return withGateway(wiring, (deps) => listCompactions(io, deps, { session, json }));
      }),
    );
  sessions
    .command("compact <session>")
    .description("sum up the older part of a session")
    .option("--json", "print one JSON document")
    .action((session: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { compactSession } = await import("./sessions-compaction.ts");
        const json = options.json ?? false;
        return wiring.working("Summing up", (shown) =>
          withGateway(wiring, (deps) => compactSession(shown, deps, { session, json })),
        );
      }),
    );
  sessions
    .command("uncompact <session>")
    .description("take the newest summary back")
    .option("--all", "take all of them back")
    .option("--json", "print one JSON document")
    .action((session: string, options: { all?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { uncompactSession } = await import("./sessions-compaction.ts");
        const chosen = { session, all: options.all ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => uncompactSession(io, deps, chosen));
      }),
    );
}

function addChanging(sessions: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  sessions
    .command("rename <session> <title...>")
    .description("give a session a title")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  elwood sessions rename 7xnwpaf5 Holiday plans")
    .action((session: string, title: string[], options: Json) =>
      run(options.json ?? false, async () => {
        const { renameSession } = await import("./sessions-command.ts");
        return withGateway(wiring, (deps) =>
          renameSession(io, deps, { session, title: title.join(" "), json: options.json ?? false }),
        );
      }),
    );
  for (const pinned of [true, false]) {
    sessions
      .command(`${pinned ? "pin" : "unpin"} <session>`)
      .description(pinned ? "keep a session at the top of lists" : "let a session go down lists again")
      .option("--json", "print one JSON document")
      .action((session: string, options: Json) =>
        run(options.json ?? false, async () => {
          const { pinSession } = await import("./sessions-command.ts");
          return withGateway(wiring, (deps) =>
            pinSession(io, deps, { session, pinned, json: options.json ?? false }),
          );
        }),
      );
  }
  sessions
    .command("fork <session>")
    .description("copy a session up to a run")
    .option("--run <id>", "up to this run; its last one unless told")
    .option("--before", "without that run")
    .option("--json", "print one JSON document")
    .action((session: string, options: { run?: string; before?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { forkSession } = await import("./sessions-command.ts");
        const { run: at, before = false, json = false } = options;
        return withGateway(wiring, (deps) =>
          forkSession(io, deps, { session, before, json, ...(at === undefined ? {} : { run: at }) }),
        );
      }),
    );
}

function addTrash(sessions: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  sessions
    .command("delete <session>")
    .description("put a session in the trash, for 30 days")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON document")
    .action((session: string, options: { yes?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { deleteSession } = await import("./sessions-trash.ts");
        return withGateway(wiring, (deps) =>
          deleteSession(io, deps, { session, yes: options.yes ?? false, json: options.json ?? false }),
        );
      }),
    );
  sessions
    .command("restore <session>")
    .description("take a session out of the trash")
    .option("--json", "print one JSON document")
    .action((session: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { restoreSession } = await import("./sessions-trash.ts");
        return withGateway(wiring, (deps) =>
          restoreSession(io, deps, { session, json: options.json ?? false }),
        );
      }),
    );
}

function addTokenCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const token = program.command("token").description("tokens for programs and other agents");
  token
    .command("create")
    .description("make a token; it is shown once")
    .requiredOption("--name <name>", "what it is for")
    .option(
      "--scope <scope>",
      "chat, approve, admin or execute; may be repeated",
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .option("--tenant <name>", "whose sessions, receipts and usage it opens, in place of your own")
    .option("--expires-days <days>", "end it after so many days", wholeNumber)
    .option("--json", "print one JSON document")
    .addHelpText("after", '\nExample:\n  elwood token create --name "home automation" --scope chat')
    .action((options: { name: string; scope: string[]; tenant?: string; expiresDays?: number } & Json) =>
      run(options.json ?? false, async () => {
        const { createToken } = await import("./token-command.ts");
        return withGateway(wiring, (deps) =>
          createToken(io, deps, { ...options, scopes: options.scope, json: options.json ?? false }),
        );
      }),
    );
  token
    .command("list", { isDefault: true })
    .description("tokens, without their secrets")
    .option("--json", "print one JSON document")
    .action((options: Json) =>
      run(options.json ?? false, async () => {
        const { listTokens } = await import("./token-command.ts");
        return withGateway(wiring, (deps) => listTokens(io, deps, { json: options.json ?? false }));
      }),
    );
  token
    .command("revoke <token>")
    .description("end a token by its id or name")
    .option("--json", "print one JSON document")
    .action((name: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { revokeToken } = await import("./token-command.ts");
        return withGateway(wiring, (deps) =>
          revokeToken(io, deps, { token: name, json: options.json ?? false }),
        );
      }),
    );
}

export async function withGateway(
  wiring: Wiring,
  work: (deps: SessionsDeps) => Promise<number>,
): Promise<number> {
  return wiring.commandContext.withClient("cli", (client, { config }) =>
    work({ client, clock: systemClock, timeZone: config.timeZone }),
  );
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Write a whole number.");
  return Number(text);
}
