import { plainLine } from "@elwood/core/message/session-text";
import { textOf } from "@elwood/core/message/message";
import { counted, relativeTime } from "@elwood/core/base/relative-time";
import { formatLocal } from "@elwood/core/base/local-time";
import type { WireJob, WireOccurrence } from "@elwood/core/protocol/job-shapes";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";

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
    job.kind,
    job.when,
    job.status === "active" ? (job.next[0]?.local ?? "") : job.status,
    lastWords(job.last, deps),
  ]);
  io.stdout.write(table(LIST_COLUMNS, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
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
    ["kind", job.kind],
    ["when", job.when],
    ...(job.schedule.kind === "cron" ? [["cron", job.schedule.expression] as [string, string]] : []),
    ["status", job.status],
    ["set by", SOURCES[job.source]],
    ["session", job.isolated ? "a new one for every run" : "one that goes on"],
    ["delivered to", job.target],
    [
      "after downtime",
      job.catchUp === "once" ? "one run makes up for missed times" : "missed times are skipped",
    ],
    ["while it runs", job.overlap === "queue" ? "the next time waits" : "the next time is skipped"],
    ...(job.agentId === undefined ? [] : [["agent", job.agentId] as [string, string]]),
    ...(job.model === undefined ? [] : [["model", job.model] as [string, string]]),
    ...(job.grants === undefined
      ? []
      : [
          [
            "may unasked",
            `${counted(job.grants.count, "permission")}; see: ${ownName(io.env)} jobs grants`,
          ] as [string, string],
        ]),
    ...(job.jitterSeconds === 0 ? [] : [["jitter", `up to ${job.jitterSeconds} s`] as [string, string]]),
  ];
  io.stdout.write(`${plainLine(job.name)}\n\n`);
  for (const [label, value] of facts) io.stdout.write(`${label.padEnd(LABEL_WIDTH)}${value}\n`);
  if (job.message !== "") io.stdout.write(`\n${job.message}\n`);
  for (const problem of job.grants?.problems ?? []) io.stdout.write(`\n! ${problem}\n`);
  if (job.next.length > 0) io.stdout.write(`\nNext:\n${job.next.map(timeLine).join("")}`);
  if (history.length > 0) {
    io.stdout.write("\nLast:\n");
    for (const each of history.slice(0, SHOWN_WITH_JOB)) io.stdout.write(`  ${occurrenceLine(each, deps)}\n`);
  }
  return EXIT.ok;
}

const LABEL_WIDTH = 16;
const SHOWN_WITH_JOB = 5;
const SOURCES: Readonly<Record<WireJob["source"], string>> = {
  config: "the configuration",
  owner: "you",
  agent: "the assistant",
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
  io.stdout.write(`Added the ${job.kind} “${plainLine(job.name)}”: ${job.when}.\n`);
  io.stdout.write(`Next:\n${job.next.map(timeLine).join("")}`);
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
    io.stderr.write(`${endWords(ended, ownName(io.env))}\n`);
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

function endWords(occurrence: WireOccurrence, self: string): string {
  if (occurrence.waiting) return `It waits for your decision: ${self} approvals list`;
  if (occurrence.quiet) return "Nothing to report.";
  if (occurrence.status === "running") return `It runs: ${self} jobs history`;
  return `${STATUS_WORDS[occurrence.status]}${occurrence.reason === undefined ? "." : `: ${occurrence.reason}`}`;
}

const STATUS_WORDS: Readonly<Record<WireOccurrence["status"], string>> = {
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
      ? `“${plainLine(job.name)}” runs next ${next.local}.\n`
      : `“${plainLine(job.name)}” is ${job.status}. Resume it with: ${ownName(io.env)} jobs resume ${JSON.stringify(job.name)}\n`,
  );
  return EXIT.ok;
}

/** `elwood jobs remove <name>` */
export async function removeJob(
  io: Io,
  deps: JobsDeps,
  { name, yes, json }: Json & { readonly name: string; readonly yes: boolean },
): Promise<number> {
  if (!yes && canAsk(io) && !(await confirm(io, `Remove “${plainLine(name)}” and its history?`)))
    return EXIT.denied;
  const { job } = await deps.client.call("jobs.delete", { name });
  if (json) return print(io, { job });
  io.stdout.write(`Removed the ${job.kind} “${plainLine(job.name)}”.\n`);
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
    io.stdout.write("Nothing has come due yet.\n");
    return EXIT.ok;
  }
  const rows = occurrences.map((each) => [
    formatLocal(each.dueAt, deps.timeZone),
    plainLine(each.job ?? ""),
    statusWords(each),
    deliveryWords(each),
    plainLine(each.reason ?? each.deliveryProblem ?? ""),
  ]);
  io.stdout.write(table(HISTORY_COLUMNS, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  return EXIT.ok;
}

const HISTORY_COLUMNS = [
  { title: "DUE" },
  { title: "JOB" },
  { title: "RUN" },
  { title: "DELIVERY" },
  { title: "WHY", flexible: true },
] as const;

function timeLine({ local, there }: WireJob["next"][number]): string {
  return `  ${local}${there === undefined ? "" : `  (${there})`}\n`;
}

function occurrenceLine(occurrence: WireOccurrence, { timeZone }: JobsDeps): string {
  const { dueAt, reason, deliveryProblem } = occurrence;
  const delivery = deliveryWords(occurrence);
  const why = plainLine(reason ?? deliveryProblem ?? "");
  return [
    formatLocal(dueAt, timeZone),
    [statusWords(occurrence), delivery].filter((each) => each !== "").join(", "),
    ...(why === "" ? [] : [why]),
  ].join("  ");
}

function statusWords({ status, waiting, quiet, count, trigger }: WireOccurrence): string {
  if (waiting) return "waits for you";
  if (quiet) return "nothing to report";
  const many = count === undefined ? "" : ` ${counted(count, "time")}`;
  const how = trigger === "manual" ? " (by hand)" : trigger === "catch-up" ? " (late)" : "";
  return `${STATUS_WORDS[status].toLowerCase()}${many}${how}`;
}

function deliveryWords({ delivery }: WireOccurrence): string {
  if (delivery === "none") return "";
  return delivery === "failed" ? "not delivered" : delivery === "pending" ? "on its way" : "delivered";
}

function lastWords(last: WireOccurrence | undefined, { clock, timeZone }: JobsDeps): string {
  return last === undefined
    ? "never"
    : `${statusWords(last)} ${relativeTime(last.at, clock.now(), timeZone)}`;
}

function print(io: Io, document: object): number {
  io.stdout.write(`${JSON.stringify(document)}\n`);
  return EXIT.ok;
}
