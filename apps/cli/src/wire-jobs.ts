import { InvalidArgumentError, Option, type Command } from "commander";
import { CATCH_UP, OVERLAP, type CatchUp, type Overlap } from "@elwood/core/schedule/job";
import type { JobsDeps } from "./jobs-command.ts";
import type { Wiring } from "./program.ts";

interface AddFlags {
  readonly name?: string;
  readonly remind?: boolean;
  readonly at?: string;
  readonly every?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly shared?: boolean;
  readonly target?: string;
  readonly catchUp?: CatchUp;
  readonly overlap?: Overlap;
  readonly jitter?: number;
  readonly json?: boolean;
}

/** jobs … and heartbeat …: what Elwood does by itself. */
export function addJobCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const jobs = program.command("jobs").description("reminders, and what Elwood does by itself");
  jobs
    .command("list", { isDefault: true })
    .description("jobs, with their next time and what became of the last")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listJobs } = await import("./jobs-command.ts");
        return withGateway(wiring, (deps) => listJobs(io, deps, { json: options.json ?? false }));
      }),
    );
  jobs
    .command("show <name>")
    .description("one job: its message, its next times, its history")
    .option("--json", "print one JSON document")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { showJob } = await import("./jobs-command.ts");
        return withGateway(wiring, (deps) => showJob(io, deps, { name, json: options.json ?? false }));
      }),
    );
  addAdding(jobs, wiring);
  jobs
    .command("run <name>")
    .description("run a job now and print its reply; for timers of the system too")
    .option("--no-wait", "do not wait for the end")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExit code 1 where the run failed.")
    .action((name: string, options: { wait: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { runJob } = await import("./jobs-command.ts");
        const given = { name, wait: options.wait, json: options.json ?? false };
        return withGateway(wiring, (deps) => runJob(io, deps, given));
      }),
    );
  for (const [word, paused, what] of PAUSING)
    jobs
      .command(`${word} <name>`)
      .description(what)
      .option("--json", "print one JSON document")
      .action((name: string, options: { json?: boolean }) =>
        run(options.json ?? false, async () => {
          const { setPaused } = await import("./jobs-command.ts");
          const given = { name, paused, json: options.json ?? false };
          return withGateway(wiring, (deps) => setPaused(io, deps, given));
        }),
      );
  jobs
    .command("remove <name>")
    .description("remove a job and its history")
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .action((name: string, options: { yes?: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { removeJob } = await import("./jobs-command.ts");
        const given = { name, yes: options.yes ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => removeJob(io, deps, given));
      }),
    );
  jobs
    .command("history [name]")
    .description("what became of each time: the run, and its delivery")
    .option("--limit <n>", "how many", wholeNumber)
    .option("--json", "print one JSON document")
    .action((name: string | undefined, options: { limit?: number; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { jobHistory } = await import("./jobs-command.ts");
        const given = {
          ...(name === undefined ? {} : { name }),
          ...(options.limit === undefined ? {} : { limit: options.limit }),
          json: options.json ?? false,
        };
        return withGateway(wiring, (deps) => jobHistory(io, deps, given));
      }),
    );
  addGrants(jobs, wiring);
  addHeartbeat(program, wiring);
}

interface GrantFlags {
  readonly call: number[];
  readonly folder?: boolean;
  readonly host?: boolean;
  readonly perRun: number;
  readonly days: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What a job would do, and what of it is allowed without asking. */
function addGrants(jobs: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  jobs
    .command("rehearse <name>")
    .description("run a job with real reads, and list everything else instead of doing it")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExit code 1 where the run failed.")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { rehearseJob } = await import("./job-grants-command.ts");
        return withGateway(wiring, (deps) => rehearseJob(io, deps, { name, json: options.json ?? false }));
      }),
    );
  jobs
    .command("grant <name>")
    .description("allow calls of the last rehearsal in the runs of a job")
    .requiredOption("--call <numbers...>", "which, by their numbers in the rehearsal", numbers)
    .addOption(
      new Option("--exact", "only this very thing; unless told otherwise").conflicts(["folder", "host"]),
    )
    .addOption(new Option("--folder", "whatever lies in its folder").conflicts(["exact", "host"]))
    .addOption(new Option("--host", "whatever is on its host").conflicts(["exact", "folder"]))
    .option("--per-run <n>", "how often in one run", wholeNumber, 1)
    .option("--days <n>", "for how many days", wholeNumber, DAYS)
    .option("-y, --yes", "do not ask whether you mean it")
    .option("--json", "print one JSON document")
    .action((name: string, options: GrantFlags) =>
      run(options.json ?? false, async () => {
        const { grantCalls } = await import("./job-grants-command.ts");
        const { call, folder, host, perRun, days, yes = false, json = false } = options;
        const constraint = folder ? "folder" : host ? "host" : "exact";
        const given = { name, json, numbers: call, constraint, perRun, days, yes } as const;
        return withGateway(wiring, (deps) => grantCalls(io, deps, given));
      }),
    );
  jobs
    .command("grants <name>")
    .description("what a job may do without asking")
    .option("--json", "print one JSON document")
    .action((name: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listJobGrants } = await import("./job-grants-command.ts");
        return withGateway(wiring, (deps) => listJobGrants(io, deps, { name, json: options.json ?? false }));
      }),
    );
  jobs
    .command("revoke <name> <which>")
    .description("take such a permission back: its number in `jobs grants`, or all")
    .option("--json", "print one JSON document")
    .action((name: string, which: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { revokeJobGrants } = await import("./job-grants-command.ts");
        const given = { name, which, json: options.json ?? false };
        return withGateway(wiring, (deps) => revokeJobGrants(io, deps, given));
      }),
    );
}

const DAYS = 30;

/** Commander hands over one word at a time. */
function numbers(word: string, before: readonly number[] = []): number[] {
  return [...before, wholeNumber(word)];
}

const PAUSING = [
  ["pause", true, "keep a job from running"],
  ["resume", false, "let a paused job run again, from its next time on"],
] as const;

function addAdding(jobs: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  jobs
    .command("add <message...>")
    .description("add a job, or with --remind a reminder")
    .option("--remind", "deliver the message as it is; no model is asked")
    .option("--at <time>", "once, by your clock: 2026-11-17T09:00")
    .option("--every <interval>", "again and again: 30m, 2h, 1d")
    .option("--cron <expression>", 'by a cron expression: "0 9 * * 1-5"')
    .option("--time-zone <zone>", "the zone of --cron or --at; yours unless told")
    .option("--name <name>", "what to call it; its first words unless told")
    .option("--agent <agent>", "who does it")
    .option("-m, --model <provider/model>", "which model answers")
    .option("--shared", "go on in one session; otherwise every run has its own")
    .option("--target <target>", "where the reply goes: page, or a chat such as telegram:12345")
    .addOption(new Option("--catch-up <what>", "after downtime").choices(CATCH_UP))
    .addOption(new Option("--overlap <what>", "while the run before has not ended").choices(OVERLAP))
    .option("--jitter <seconds>", "up to so much later", wholeNumber)
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  elwood jobs add --remind --at 2026-11-17T09:00 call the landlord",
        '  elwood jobs add --cron "0 8 * * 1-5" --name news "What is new in my inbox notes?"',
      ].join("\n"),
    )
    .action((words: string[], options: AddFlags) =>
      run(options.json ?? false, async () => {
        const { addJob } = await import("./jobs-command.ts");
        const { agent, shared, jitter, remind, json = false, ...rest } = options;
        const job = {
          ...rest,
          kind: remind ? ("reminder" as const) : ("task" as const),
          message: words.join(" "),
          ...(agent === undefined ? {} : { agentId: agent }),
          ...(shared ? { isolated: false } : {}),
          ...(jitter === undefined ? {} : { jitterSeconds: jitter }),
        };
        return withGateway(wiring, (deps) => addJob(io, deps, { job, json }));
      }),
    );
}

function addHeartbeat(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const heartbeat = program.command("heartbeat").description("the regular look around");
  heartbeat
    .command("run", { isDefault: true })
    .description("look around now, with what HEARTBEAT.md says")
    .option("--no-wait", "do not wait for the end")
    .option("--json", "print one JSON document")
    .action((options: { wait: boolean; json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { runHeartbeat } = await import("./jobs-command.ts");
        const given = { wait: options.wait, json: options.json ?? false };
        return withGateway(wiring, (deps) => runHeartbeat(io, deps, given));
      }),
    );
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a whole number.");
}

async function withGateway(wiring: Wiring, work: (deps: JobsDeps) => Promise<number>): Promise<number> {
  const { commandContext } = wiring;
  return commandContext.withClient("cli", (client, loaded) =>
    work({ client, clock: commandContext.clock, timeZone: loaded.config.timeZone }),
  );
}
