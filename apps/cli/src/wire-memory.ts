import type { Command } from "commander";
import type { Wiring } from "./program.ts";
import { wholeNumber, withGateway } from "./wire-sessions.ts";

interface Json {
  readonly json?: boolean;
}

/** memory …: all of it talks to the running gateway, or to one of its own. */
export function addMemoryCommands(program: Command, wiring: Wiring): void {
  const memory = program.command("memory").description("look into memory, edit notes, and forget");
  addLooking(memory, wiring);
  addChanging(memory, wiring);
}

function addLooking(memory: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  memory
    .command("list", { isDefault: true })
    .description("the notes")
    .option("--json", "print one JSON document")
    .action(({ json = false }: Json) =>
      run(json, async () => {
        const { listNotes } = await import("./memory-command.ts");
        return withGateway(wiring, (deps) => listNotes(io, deps, { json }));
      }),
    );
  memory
    .command("search <words...>")
    .description("find in notes and conversations, the best first")
    .option("-n, --limit <count>", "how many", wholeNumber)
    .option("-s, --session <session>", "only in this session")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  elwood memory search where does Ada live")
    .action((words: string[], options: { limit?: number; session?: string } & Json) =>
      run(options.json ?? false, async () => {
        const { searchMemory } = await import("./memory-command.ts");
        return withGateway(wiring, (deps) =>
          searchMemory(io, deps, { ...options, words: words.join(" "), json: options.json ?? false }),
        );
      }),
    );
  memory
    .command("show <note>")
    .description("print a note, or the line that a search named")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood memory show home\n  elwood memory show 'sessions/default/ses_….jsonl#12'",
    )
    .action((note: string, { json = false }: Json) =>
      run(json, async () => {
        const { showMemory } = await import("./memory-command.ts");
        return withGateway(wiring, (deps) => showMemory(io, deps, { note, json }));
      }),
    );
  for (const rebuild of [false, true]) {
    memory
      .command(rebuild ? "rebuild" : "status")
      .description(
        rebuild ? "rebuild the index from the files" : "how much there is, and whether its index is sound",
      )
      .option("--json", "print one JSON document")
      .action(({ json = false }: Json) =>
        run(json, async () => {
          const { memoryStatus } = await import("./memory-command.ts");
          return wiring.working(rebuild ? "Building the index" : "Looking", (shown) =>
            withGateway(wiring, (deps) => memoryStatus(shown, deps, { json, rebuild })),
          );
        }),
      );
  }
}

function addChanging(memory: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  memory
    .command("edit <note>")
    .description("write a note in your editor, or from standard input")
    .option("--json", "print one JSON document")
    .action((note: string, { json = false }: Json) =>
      run(json, async () => {
        const { editNote } = await import("./memory-command.ts");
        return withGateway(wiring, (deps) => editNote(io, deps, { note, json }));
      }),
    );
  memory
    .command("forget [note]")
    .description("remove something for good, everywhere; says what first, and asks")
    .option("--word <word>", "everything that holds this word or phrase")
    .option("-s, --session <session>", "a session, whole")
    .option("--run <id>", "one message with its answer and calls")
    .option("--backups", "also delete own backups of the database that hold it")
    .option("--dry-run", "only say what would go")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood memory forget home\n  elwood memory forget 'memory/default/home.md#4'\n  elwood memory forget --word rhubarb --dry-run",
    )
    .action((note: string | undefined, options: ForgetOptions) =>
      run(options.json ?? false, async () => {
        const { forgetMemory } = await import("./memory-forget.ts");
        const { word, session, run: runId } = options;
        return withGateway(wiring, (deps) =>
          forgetMemory(io, deps, {
            ...(note === undefined ? {} : { note }),
            ...(word === undefined ? {} : { word }),
            ...(session === undefined ? {} : { session }),
            ...(runId === undefined ? {} : { run: runId }),
            backups: options.backups ?? false,
            dryRun: options.dryRun ?? false,
            yes: options.yes ?? false,
            json: options.json ?? false,
          }),
        );
      }),
    );
}

interface ForgetOptions extends Json {
  readonly word?: string;
  readonly session?: string;
  readonly run?: string;
  readonly backups?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}
