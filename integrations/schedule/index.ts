import {
  defineTool,
  result,
  ToolError,
  type CallFact,
  type CallNames,
  type Result,
  type ToolDefinition,
} from "@elwood/sdk/tool";
import { z } from "zod";

/** A job as it is told. `record` is all of it, for putting it back. */
export interface ScheduledJob {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly message: string;
  /** Its schedule in words. */
  readonly when: string;
  readonly status: string;
  /** The next times by the owner's clock, five at most. */
  readonly next: readonly string[];
  readonly repeats: boolean;
  /** When it is next by the clock of the zone that was named, where that is not the owner's. */
  readonly there?: string;
  readonly record: unknown;
}

export interface JobInput {
  readonly name?: string | undefined;
  readonly kind: "reminder" | "task";
  readonly message: string;
  readonly at?: string | undefined;
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Whoever keeps the jobs. An error is a sentence: what is wrong, and that nothing was stored. */
export interface ScheduleService {
  /** What `create` would make; nothing is stored. */
  plan(job: JobInput): Promise<Result<ScheduledJob, string>>;
  /** Replies go to where the session is read. Under the same key it is made once. */
  create(
    job: JobInput,
    by: { readonly key: string; readonly session: string },
  ): Promise<Result<ScheduledJob, string>>;
  wasCreated(key: string): Promise<boolean>;
  list(): Promise<readonly ScheduledJob[]>;
  get(name: string): Promise<Result<ScheduledJob, string>>;
  /** What `update` would make of it; nothing is stored. */
  planUpdate(name: string, change: Partial<JobInput>): Promise<Result<ScheduledJob, string>>;
  update(name: string, change: Partial<JobInput>): Promise<Result<ScheduledJob, string>>;
  remove(id: string): Promise<Result<ScheduledJob, string>>;
  /** Makes a job what it was, also where it was removed. */
  putBack(record: unknown): Promise<Result<ScheduledJob, string>>;
}

const MESSAGE_CHARS_MAX = 20_000;

const times = {
  at: z.string().max(40).optional().describe("Once: 2026-11-17T09:00, by the owner's clock."),
  every: z.string().max(20).optional().describe("Repeats: 30m, 2h, 1d."),
  cron: z.string().max(200).optional().describe("0 8 * * 1-5"),
  timeZone: z.string().max(64).optional().describe("Asia/Tokyo, if the owner means its clock."),
};
const name = z.string().min(1).max(80);
const job = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  message: z.string(),
  when: z.string(),
  status: z.string(),
  next: z.array(z.string()),
  repeats: z.boolean(),
  there: z.string().optional(),
  record: z.unknown(),
});

const labels = { egress: "none", output: "trusted", ids: {}, sensitive: false } as const;

/** Reminders and jobs, as the assistant sets them. */
export function scheduleTools(service: ScheduleService): ToolDefinition[] {
  return [createTool(service), listTool(service), updateTool(service), deleteTool(service)];
}

function createTool(service: ScheduleService): ToolDefinition {
  return defineTool({
    id: "schedule.job.create",
    description:
      "Sets a reminder (its message is delivered as it is) or a task (you get its message then, and your reply is delivered). One of at, every, cron. Keep the owner's words in the message.",
    risk: "write",
    labels: { ...labels, critical: [], content: ["message"], time: ["at"], verbs: ["schedule", "write"] },
    input: z.strictObject({
      kind: z.enum(["reminder", "task"]).default("reminder"),
      message: z.string().min(1).max(MESSAGE_CHARS_MAX),
      ...times,
      name: name.optional(),
    }),
    output: job,
    target: ({ message }) => message.slice(0, 80),
    facts: ({ every, cron }) => repeating(every !== undefined || cron !== undefined),
    async preview(input) {
      const planned = orThrow(await service.plan(input));
      const what = planned.kind === "reminder" ? "Remind you" : "Do by itself";
      const line = oneLine(planned.message);
      const sentence = `${what} ${momentOf(planned)}: ${line}`;
      const message = line === planned.message ? [] : [planned.message, ""];
      const after = [...message, ...nextLines(planned)].join("\n").trim();
      return { sentence: `${sentence}.`, ...(after === "" ? {} : { after }), creates: true, undoable: true };
    },
    async handler(input, ctx) {
      const made = orThrow(await service.create(input, { key: ctx.idempotencyKey, session: ctx.session }));
      return told(made, `Set: the ${made.kind} “${made.name}”, ${momentOf(made)}.`);
    },
    async undo(_input, output) {
      const gone = orThrow(await service.remove(output.id));
      return told(gone, `Removed the ${gone.kind} “${gone.name}”.`);
    },
    reconcile: async (_input, key) => ((await service.wasCreated(key)) ? "happened" : "did-not-happen"),
  });
}

function listTool(service: ScheduleService): ToolDefinition {
  return defineTool({
    id: "schedule.job.list",
    description: "Reminders and jobs there are, with their next times.",
    risk: "read",
    labels: { ...labels, critical: [], content: [], time: [], lists: "job", sensitive: true },
    input: z.strictObject({}),
    output: z.strictObject({ jobs: z.array(job.omit({ record: true })) }),
    async handler() {
      const jobs = (await service.list()).map(({ record: _record, ...each }) => ({
        ...each,
        next: [...each.next],
      }));
      return result({ jobs }, { text: jobs.length === 0 ? "There are none." : jobs.map(lineOf).join("\n") });
    },
  });
}

function updateTool(service: ScheduleService): ToolDefinition {
  return defineTool({
    id: "schedule.job.update",
    description: "Changes a reminder or job, by its name; what is left out stays.",
    risk: "write",
    labels: {
      ...labels,
      critical: ["name"],
      content: ["message"],
      time: ["at"],
      verbs: ["schedule", "write", "move"],
    },
    input: z.strictObject({
      name,
      message: z.string().min(1).max(MESSAGE_CHARS_MAX).optional(),
      ...times,
    }),
    output: z.strictObject({ before: job, after: job }),
    target: (input) => input.name,
    names: (input) => namesOf(service, input.name),
    async facts({ name: which, every, cron }) {
      const known = await service.get(which);
      return repeating(every !== undefined || cron !== undefined || (known.ok && known.value.repeats));
    },
    async preview({ name: which, ...change }) {
      const before = orThrow(await service.get(which));
      const after = orThrow(await service.planUpdate(which, change));
      const isMoved = momentOf(before) !== momentOf(after);
      return {
        sentence: `${isMoved ? `Move “${before.name}” to ${momentOf(after).replace(/^on /, "")}` : `Change “${before.name}”`}.`,
        before: lines(before),
        after: [lines(after), ...nextLines(after)].join("\n"),
        subject: before.name,
        undoable: true,
      };
    },
    async handler({ name: which, ...change }) {
      const before = orThrow(await service.get(which));
      const after = orThrow(await service.update(which, change));
      return result(
        { before: plain(before), after: plain(after) },
        { text: `Changed: “${after.name}”, ${momentOf(after)}. Before: ${momentOf(before)}.` },
      );
    },
    async undo(_input, { before }) {
      const back = orThrow(await service.putBack(before.record));
      return told(back, `“${back.name}” is what it was: ${back.when}.`);
    },
  });
}

function deleteTool(service: ScheduleService): ToolDefinition {
  return defineTool({
    id: "schedule.job.delete",
    description: "Removes a reminder or job, by its name.",
    risk: "write",
    labels: { ...labels, critical: ["name"], content: [], time: [], verbs: ["delete"] },
    input: z.strictObject({ name }),
    output: job,
    target: (input) => input.name,
    names: (input) => namesOf(service, input.name),
    async preview(input) {
      const before = orThrow(await service.get(input.name));
      return {
        sentence: `Remove the ${before.kind} “${before.name}”.`,
        before: lines(before),
        after: "",
        subject: before.name,
        undoable: true,
      };
    },
    async handler(input) {
      const known = orThrow(await service.get(input.name));
      const gone = orThrow(await service.remove(known.id));
      return told(gone, `Removed the ${gone.kind} “${gone.name}”.`);
    },
    async undo(_input, { record }) {
      const back = orThrow(await service.putBack(record));
      return told(back, `Put back: “${back.name}”, ${back.when}.`);
    },
  });
}

const WORD_CHARS_MIN = 4;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const REMINDER_WORDS = [
  "reminder",
  "Erinnerung",
  "recordatorio",
  "rappel",
  "promemoria",
  "lembrete",
  "herinnering",
  "przypomnienie",
  "提醒",
  "リマインダー",
  "알림",
];

/** How people call a job: by its name, or by words of it that are in no other; and by what it is, where there is only one. */
async function namesOf(service: ScheduleService, which: string): Promise<CallNames> {
  const known = await service.get(which);
  if (!known.ok) return {};
  const { id, name: own, message, kind, next } = known.value;
  const others = (await service.list()).filter((each) => each.id !== id && each.status !== "over");
  const taken = new Set(others.flatMap((each) => wordsOf(`${each.name} ${each.message}`)));
  // What a message begins with is what to do, which says little of which one is meant: "Call the dentist".
  const first = /^[\p{L}\p{N}]+/u.exec(message.toLowerCase())?.[0] ?? "";
  const words = wordsOf(`${own} ${message}`).filter((word) => !taken.has(word) && word !== first);
  const isOnly = kind === "reminder" && !others.some((each) => each.kind === "reminder");
  // `Tue 2026-11-17 09:00`
  const at = /\d{4}-\d{2}-\d{2} \d{2}:\d{2}/u.exec(next[0] ?? "")?.[0];
  return {
    called: { name: [own, message, ...words, ...(isOnly ? REMINDER_WORDS : [])] },
    ...(at === undefined ? {} : { before: { at } }),
  };
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word.length > WORD_CHARS_MIN || (SPACELESS.test(word) && word.length > 1));
}

/** What goes on by itself for ever is decided once, by whoever sees when. */
function repeating(repeats: boolean): readonly CallFact[] {
  return repeats
    ? [{ kind: "ask", rule: "ask.recurring", reason: "A job that repeats always asks first." }]
    : [];
}

/** `on Tue 2026-11-17 09:00`, `every weekday at 08:00`; by both clocks where another place's was named. */
function momentOf({ when, next, repeats, there }: ScheduledJob): string {
  const moment = repeats || next[0] === undefined ? when : `on ${next[0]}`;
  return there === undefined || repeats ? moment : `${moment} (${there})`;
}

function lines(shown: ScheduledJob): string {
  return `${shown.message}\n${momentOf(shown)}`;
}

/** When it is the next times, where there are several. */
function nextLines({ next, repeats }: ScheduledJob): readonly string[] {
  return repeats ? ["Next:", ...next.map((time) => `  ${time}`)] : [];
}

function lineOf({ name: called, kind, when, status, next, repeats }: Omit<ScheduledJob, "record">): string {
  return `- ${called} (${kind}, ${status}): ${when}${repeats && next[0] !== undefined ? `; next ${next[0]}` : ""}`;
}

function told(shown: ScheduledJob, text: string) {
  return result(plain(shown), {
    text: `${text}${shown.next.length > 1 ? ` Next: ${shown.next.join(", ")}.` : ""}`,
  });
}

function plain(shown: ScheduledJob) {
  return { ...shown, next: [...shown.next] };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function orThrow<T>(answer: Result<T, string>): T {
  if (answer.ok) return answer.value;
  throw new ToolError("refused", answer.error);
}
