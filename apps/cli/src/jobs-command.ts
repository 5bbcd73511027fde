import { plainLine } from "@elwood/core/message/session-text";
import { textOf } from "@elwood/core/message/message";
import type { WireJob, WireOccurrence } from "@elwood/core/protocol/job-shapes";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";
import { agoText, gatewayText, say, sayCount, type Sentence, timeText } from "./words/say.ts";

/** The client is left open; who opened it closes it. */
export interface JobsDeps {
  readonly client: GatewayClient;
  readonly clock: Clock;
  readonly timeZone: string;
}

interface Json {
  readonly json: boolean;
}

/** `elwood jobs list` */
export async function listJobs(io: Io, deps: JobsDeps, { json }: Json): Promise<number> {
  const { jobs } = await deps.client.call("jobs.list", {});
  if (json) return print(io, { jobs });
  const rows = jobs.map((job) => [
    plainLine(job.name),
    say(io, KINDS[job.kind]),
    gatewayText(io, job.when),
    job.status === "active" ? gatewayText(io, job.next[0]?.local ?? "") : say(io, JOB_STATES[job.status]),
    lastWords(io, job.last, deps),
  ]);
  io.stdout.write(table(io, LIST_COLUMNS, rows));
  return EXIT.ok;
}

const LIST_COLUMNS = [
  { title: "NAME", flexible: true },
  { title: "KIND" },
  { title: "WHEN" },
  { title: "NEXT" },
  { title: "LAST" },
] as const;

/** `elwood jobs show <name>` */
export async function showJob(
  io: Io,
  deps: JobsDeps,
  { name, json }: Json & { readonly name: string },
): Promise<number> {
  const shown = await deps.client.call("jobs.get", { name });
  if (json) return print(io, shown);
  const { job, history } = shown;
  const facts: [string, string][] = [
    [say(io, "kind"), say(io, KINDS[job.kind])],
    [say(io, "when"), gatewayText(io, job.when)],
    ...(job.schedule.kind === "cron" ? [["cron", job.schedule.expression] as [string, string]] : []),
    [say(io, "status"), say(io, JOB_STATES[job.status])],
    [say(io, "set by"), say(io, SOURCES[job.source])],
    [say(io, "session"), job.isolated ? say(io, "a new one for every run") : say(io, "one that goes on")],
    [say(io, "delivered to"), job.target],
    [
      say(io, "after downtime"),
      job.catchUp === "once"
        ? say(io, "one run makes up for missed times")
        : say(io, "missed times are skipped"),
    ],
    [
      say(io, "while it runs"),
      job.overlap === "queue" ? say(io, "the next time waits") : say(io, "the next time is skipped"),
    ],
    ...(job.agentId === undefined ? [] : [[say(io, "agent"), job.agentId] as [string, string]]),
    ...(job.model === undefined ? [] : [[say(io, "model"), job.model] as [string, string]]),
    ...(job.grants === undefined
      ? []
      : [
          [
            say(io, "may unasked"),
            say(
              io,
              "{0}; see: {1} jobs grants",
              sayCount(io, job.grants.count, "1 permission", "{0} permissions"),
              ownName(io.env),
            ),
          ] as [string, string],
        ]),
    ...(job.jitterSeconds === 0
      ? []
      : [[say(io, "jitter"), say(io, "up to {0} s", job.jitterSeconds)] as [string, string]]),
  ];
  io.stdout.write(`${plainLine(job.name)}\n\n`);
  for (const [label, value] of facts) io.stdout.write(`${label.padEnd(LABEL_WIDTH)}${value}\n`);
  if (job.message !== "") io.stdout.write(`\n${job.message}\n`);
  for (const problem of job.grants?.problems ?? []) io.stdout.write(`\n! ${gatewayText(io, problem)}\n`);
  if (job.next.length > 0)
    io.stdout.write(`\n${say(io, "Next:")}\n${job.next.map((each) => timeLine(io, each)).join("")}`);
  if (history.length > 0) {
    io.stdout.write(`\n${say(io, "Last:")}\n`);
    for (const each of history.slice(0, SHOWN_WITH_JOB))
      io.stdout.write(`  ${occurrenceLine(io, each, deps)}\n`);
  }
  return EXIT.ok;
}

const LABEL_WIDTH = 16;
const SHOWN_WITH_JOB = 5;
const SOURCES: Readonly<Record<WireJob["source"], Sentence>> = {
  config: "the configuration",
  owner: "you",
  agent: "the assistant",
};

const KINDS: Readonly<Record<WireJob["kind"], Sentence>> = {
  reminder: "reminder",
  task: "task",
  heartbeat: "heartbeat",
  backup: "backup",
};
const JOB_STATES: Readonly<Record<WireJob["status"], Sentence>> = {
  active: "active",
  paused: "paused",
  over: "over",
  off: "off",
};
const ADDED: Readonly<Record<WireJob["kind"], Sentence>> = {
  reminder: "Added the reminder “{0}”: {1}.",
  task: "Added the task “{0}”: {1}.",
  heartbeat: "Added the heartbeat “{0}”: {1}.",
  backup: "Added the backup “{0}”: {1}.",
};
const REMOVED: Readonly<Record<WireJob["kind"], Sentence>> = {
  reminder: "Removed the reminder “{0}”.",
  task: "Removed the task “{0}”.",
  heartbeat: "Removed the heartbeat “{0}”.",
  backup: "Removed the backup “{0}”.",
};

export type JobToAdd = MethodParams<"jobs.create">;

/** `elwood jobs add <message>` */
export async function addJob(
  io: Io,
  deps: JobsDeps,
  { job: given, json }: Json & { readonly job: JobToAdd },
): Promise<number> {
  const { job } = await deps.client.call("jobs.create", given);
  if (json) return print(io, { job });
  io.stdout.write(`${say(io, ADDED[job.kind], plainLine(job.name), gatewayText(io, job.when))}\n`);
  io.stdout.write(`${say(io, "Next:")}\n${job.next.map((each) => timeLine(io, each)).join("")}`);
  return EXIT.ok;
}

/** `elwood jobs run <name>`: what a timer of the system calls. Waits for the end, and prints the reply. */
export async function runJob(
  io: Io,
  deps: JobsDeps,
  options: Json & { readonly name: string; readonly wait: boolean },
): Promise<number> {
  const { occurrence } = await deps.client.call("jobs.run", { name: options.name });
  return begun(io, deps, options, options.name, occurrence);
}

/** `elwood heartbeat run` */
export async function runHeartbeat(
  io: Io,
  deps: JobsDeps,
  options: Json & { readonly wait: boolean },
): Promise<number> {
  const { occurrence, note } = await deps.client.call("heartbeat.run", {});
  if (occurrence) return begun(io, deps, options, "heartbeat", occurrence);
  if (options.json) return print(io, { note });
  io.stdout.write(`${note}\n`);
  return EXIT.ok;
}

async function begun(
  io: Io,
  deps: JobsDeps,
  { wait, json }: Json & { readonly wait: boolean },
  name: string,
  first: WireOccurrence,
): Promise<number> {
  const ended = wait ? await untilEnded(deps, name, first) : first;
  const text = ended.status === "done" && !ended.quiet ? await replyIn(deps.client, ended) : "";
  if (json) {
    print(io, { occurrence: ended, ...(text === "" ? {} : { text }) });
  } else if (text !== "") {
    io.stdout.write(`${text}\n`);
  } else {
    io.stderr.write(`${endWords(io, ended, ownName(io.env))}\n`);
  }
  return ended.status === "failed" ? EXIT.failed : ended.status === "stopped" ? EXIT.interrupted : EXIT.ok;
}

/** Until it is over, or waits for somebody. */
async function untilEnded(
  { client, clock }: JobsDeps,
  name: string,
  first: WireOccurrence,
): Promise<WireOccurrence> {
  let ended = first;
  let woken = new AbortController();
  const deaf = client.onPush(() => woken.abort());
  try {
    while (isOpen(ended) && !ended.waiting) {
      woken = new AbortController();
      const { history } = await client.call("jobs.get", { name });
      ended = history.find(({ occurrenceId }) => occurrenceId === first.occurrenceId) ?? ended;
      if (isOpen(ended) && !ended.waiting) await clock.sleep(LOOK_AGAIN_MS, woken.signal);
    }
    return ended;
  } finally {
    deaf();
  }
}

const LOOK_AGAIN_MS = 1_000;

function isOpen({ status }: WireOccurrence): boolean {
  return status === "due" || status === "queued" || status === "running";
}

async function replyIn(client: GatewayClient, { sessionKey, runId }: WireOccurrence): Promise<string> {
  if (sessionKey === undefined) return "";
  const { messages } = await client.call("chat.history", { sessionKey, limit: REPLY_MESSAGES });
  const said = messages.findLast((message) => message.runId === runId && message.role === "assistant");
  return said ? textOf(said) : "";
}

const REPLY_MESSAGES = 20;

function endWords(io: Io, occurrence: WireOccurrence, self: string): string {
  if (occurrence.waiting) return say(io, "It waits for your decision: {0} approvals list", self);
  if (occurrence.quiet) return say(io, "Nothing to report.");
  if (occurrence.status === "running") return say(io, "It runs: {0} jobs history", self);
  const ended = say(io, STATUS_WORDS[occurrence.status]);
  return `${ended}${occurrence.reason === undefined ? "." : `: ${gatewayText(io, occurrence.reason)}`}`;
}

const STATUS_WORDS: Readonly<Record<WireOccurrence["status"], Sentence>> = {
  due: "Due",
  queued: "Queued",
  running: "Running",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
  missed: "Missed",
  skipped: "Skipped",
};

/** `elwood jobs pause|resume <name>` */
export async function setPaused(
  io: Io,
  deps: JobsDeps,
  { name, paused, json }: Json & { readonly name: string; readonly paused: boolean },
): Promise<number> {
  const { job } = await deps.client.call(paused ? "jobs.pause" : "jobs.resume", { name });
  if (json) return print(io, { job });
  const next = job.next[0];
  io.stdout.write(
    job.status === "active" && next
      ? `${say(io, "“{0}” runs next {1}.", plainLine(job.name), gatewayText(io, next.local))}\n`
      : `${say(io, "“{0}” is {1}. Resume it with: {2} jobs resume {3}", plainLine(job.name), say(io, JOB_STATES[job.status]), ownName(io.env), JSON.stringify(job.name))}\n`,
  );
  return EXIT.ok;
}

/** `elwood jobs remove <name>` */
export async function removeJob(
  io: Io,
  deps: JobsDeps,
  { name, yes, json }: Json & { readonly name: string; readonly yes: boolean },
): Promise<number> {
  if (!yes && canAsk(io) && !(await confirm(io, say(io, "Remove “{0}” and its history?", plainLine(name)))))
    return EXIT.denied;
  const { job } = await deps.client.call("jobs.delete", { name });
  if (json) return print(io, { job });
  io.stdout.write(`${say(io, REMOVED[job.kind], plainLine(job.name))}\n`);
  return EXIT.ok;
}

/** `elwood jobs history [name]` */
export async function jobHistory(
  io: Io,
  deps: JobsDeps,
  { name, limit, json }: Json & { readonly name?: string; readonly limit?: number },
): Promise<number> {
  const { occurrences } = await deps.client.call("jobs.history", {
    ...(name === undefined ? {} : { name }),
    ...(limit === undefined ? {} : { limit }),
  });
  if (json) return print(io, { occurrences });
  if (occurrences.length === 0) {
    io.stdout.write(`${say(io, "Nothing has come due yet.")}\n`);
    return EXIT.ok;
  }
  const rows = occurrences.map((each) => [
    timeText(io, each.dueAt, deps.timeZone),
    plainLine(each.job ?? ""),
    statusWords(io, each),
    deliveryWords(io, each),
    plainLine(gatewayText(io, each.reason ?? each.deliveryProblem ?? "")),
  ]);
  io.stdout.write(table(io, HISTORY_COLUMNS, rows));
  return EXIT.ok;
}

const HISTORY_COLUMNS = [
  { title: "DUE" },
  { title: "JOB" },
  { title: "RUN" },
  { title: "DELIVERY" },
  { title: "WHY", flexible: true },
] as const;

function timeLine(io: Io, { local, there }: WireJob["next"][number]): string {
  return `  ${gatewayText(io, local)}${there === undefined ? "" : `  (${gatewayText(io, there)})`}\n`;
}

function occurrenceLine(io: Io, occurrence: WireOccurrence, { timeZone }: JobsDeps): string {
  const { dueAt, reason, deliveryProblem } = occurrence;
  const delivery = deliveryWords(io, occurrence);
  const why = plainLine(gatewayText(io, reason ?? deliveryProblem ?? ""));
  return [
    timeText(io, dueAt, timeZone),
    [statusWords(io, occurrence), delivery].filter((each) => each !== "").join(", "),
    ...(why === "" ? [] : [why]),
  ].join("  ");
}

function statusWords(io: Io, { status, waiting, quiet, count, trigger }: WireOccurrence): string {
  if (waiting) return say(io, "waits for you");
  if (quiet) return say(io, "nothing to report");
  const many = count === undefined ? "" : ` ${sayCount(io, count, "1 time", "{0} times")}`;
  const how =
    trigger === "manual" ? ` ${say(io, "(by hand)")}` : trigger === "catch-up" ? ` ${say(io, "(late)")}` : "";
  return `${say(io, STATUS_WORDS[status]).toLowerCase()}${many}${how}`;
}

function deliveryWords(io: Io, { delivery }: WireOccurrence): string {
  if (delivery === "none") return "";
  return delivery === "failed"
    ? say(io, "not delivered")
    : delivery === "pending"
      ? say(io, "on its way")
      : say(io, "delivered");
}

function lastWords(io: Io, last: WireOccurrence | undefined, { clock, timeZone }: JobsDeps): string {
  return last === undefined
    ? say(io, "never")
    : `${statusWords(io, last)} ${agoText(io, last.at, clock.now(), timeZone)}`;
}

function print(io: Io, document: object): number {
  io.stdout.write(`${JSON.stringify(document)}\n`);
  return EXIT.ok;
}
