import type { ChannelCommand } from "@elwood/core/channel/channel";
import { FailureError } from "@elwood/core/base/failure";
import { showLine } from "@elwood/core/base/show";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { Result } from "@elwood/core/base/result";
import type { Failure } from "@elwood/core/base/failure";
import type { Session } from "@elwood/core/message/session";

/** What a command works with: the chat it was sent in, and the methods with the rights of whoever sent it. */
export interface CommandContext {
  readonly argument: string;
  /** "Telegram" */
  readonly channelTitle: string;
  /** The session of the chat; undefined where nothing was said in it yet. */
  readonly session: () => Promise<Session | undefined>;
  /** Begins a new session for the chat. Repeating the same command does it once. */
  readonly newSession: () => Promise<Session>;
  /** What is going to be done, stored before it is done: the same when the command is repeated after a crash. */
  readonly plan: (what: string) => Promise<string>;
  /** Shows the cards of what waits in this chat; answers how many there are. */
  readonly showWaiting: () => Promise<number>;
  readonly call: <M extends MethodName>(
    method: M,
    params: MethodParams<M>,
  ) => Promise<Result<MethodResult<M>, Failure>>;
  readonly pageLink: (path: string) => string;
}

interface Command extends ChannelCommand {
  /** Only for those who speak as the owner: it tells of, or changes, more than the own conversation. */
  readonly owner: boolean;
  /** What the chat is told; plain text. */
  run(context: CommandContext): Promise<string>;
}

const SESSIONS_SHOWN = 10;
const MODELS_SHOWN = 12;
const JOBS_SHOWN = 20;
const RUNS_LOOKED_AT = 5;

/** The commands, the same in every channel. */
const COMMANDS: readonly Command[] = [
  {
    name: "new",
    description: "Begin a new conversation",
    owner: false,
    async run({ newSession }) {
      await newSession();
      return "A new conversation begins here. The last one is kept.";
    },
  },
  {
    name: "stop",
    description: "Stop what is being done in this chat",
    owner: false,
    async run({ session, call }) {
      const current = await session();
      const { runs } = current ? must(await call("sessions.get", { sessionKey: current.id })) : { runs: [] };
      if (runs.length === 0) return "Nothing is running in this chat.";
      for (const run of runs) must(await call("chat.abort", { runId: run.runId }));
      return runs.length === 1 ? "Stopped." : `Stopped ${runs.length} runs.`;
    },
  },
  {
    name: "status",
    description: "What runs, which model answers, what today cost",
    owner: true,
    async run({ session, call }) {
      const status = must(await call("gateway.status", {}));
      const current = await session();
      const model = current?.model ?? status.model;
      const waiting = must(await call("approvals.list", { status: "pending" })).approvals.length;
      return [
        status.modelProblem ?? `Model: ${model}${status.demo ? " (demo)" : ""}`,
        `Running: ${status.runsActive}, queued: ${status.runsQueued}, waiting for you: ${waiting}`,
        `Today: ${dollars(status.today.costUsd)}, ${status.today.tokens} tokens`,
        ...(current ? [`This conversation: ${showLine(current.title)}`] : []),
      ].join("\n");
    },
  },
  {
    name: "sessions",
    description: "The last conversations",
    owner: true,
    async run({ call, pageLink }) {
      const { sessions } = must(await call("sessions.list", { limit: SESSIONS_SHOWN }));
      if (sessions.length === 0) return "There are no conversations yet.";
      return [...sessions.map(({ title }, i) => `${i + 1}. ${showLine(title)}`), pageLink("/")].join("\n");
    },
  },
  {
    name: "approvals",
    description: "What waits for your decision",
    owner: true,
    async run({ showWaiting }) {
      const count = await showWaiting();
      if (count === 0) return "Nothing waits for you.";
      return count === 1 ? "One request waits for you." : `${count} requests wait for you.`;
    },
  },
  {
    name: "undo",
    description: "Take back the last change of this conversation",
    owner: true,
    async run({ session, call, plan }) {
      const current = await session();
      const found = current && (await lastUndoable(current.id, call));
      // Repeated after a crash, it must not take back the change before.
      const callId = await plan(found ?? "");
      if (callId === "") return "There is nothing in this conversation that can be undone.";
      return must(await call("calls.undo", { callId })).text;
    },
  },
  {
    name: "model",
    description: "Which model answers here, or another one from now on",
    argument: "provider/model",
    owner: true,
    async run({ argument, session, newSession, call }) {
      const current = await session();
      if (argument !== "") {
        const { id } = current ?? (await newSession());
        const { session: changed } = must(
          await call("sessions.configure", { sessionKey: id, model: argument }),
        );
        return `${changed.model ?? argument} answers in this conversation from now on.`;
      }
      const { model } = must(await call("gateway.status", {}));
      const { providers } = must(await call("models.list", {}));
      const models = providers.flatMap((provider) => provider.models.map((each) => each.model));
      return [
        `${current?.model ?? model} answers in this conversation.`,
        ...(models.length > 0 ? ["For another one, write /model and its name, such as:"] : []),
        ...models.slice(0, MODELS_SHOWN),
        ...(models.length > MODELS_SHOWN ? [`and ${models.length - MODELS_SHOWN} more`] : []),
      ].join("\n");
    },
  },
  {
    name: "jobs",
    description: "Reminders and jobs, with their next times",
    owner: true,
    async run({ call }) {
      const { jobs } = must(await call("jobs.list", {}));
      const shown = jobs.filter(({ status }) => status === "active" || status === "paused");
      if (shown.length === 0) return "There are no reminders or jobs.";
      return [
        ...shown.slice(0, JOBS_SHOWN).map(({ name, when, status, next }) => {
          const then = status === "paused" ? "paused" : (next[0]?.local ?? "no further time");
          return `${showLine(name)}: ${when} (${then})`;
        }),
        ...(shown.length > JOBS_SHOWN ? [`and ${shown.length - JOBS_SHOWN} more`] : []),
      ].join("\n");
    },
  },
  {
    name: "usage",
    description: "What was spent",
    owner: true,
    async run({ call }) {
      const { total, caps, models, days } = must(await call("usage.summary", {}));
      return [
        `Today: ${dollars(caps.todayUsd)} of ${dollars(caps.dayCostUsd)}`,
        `Last ${days.length} days: ${dollars(total.costUsd)}, ${total.tokens} tokens`,
        ...models.slice(0, MODELS_SHOWN).map((each) => `${each.model}: ${dollars(each.costUsd)}`),
      ].join("\n");
    },
  },
  {
    name: "help",
    description: "What you can write here",
    owner: false,
    run: async () => HELP,
  },
];

const HELP = [
  "Write a message, and Elwood answers. Send pictures and files along with it.",
  ...COMMANDS.filter(({ name }) => name !== "help").map(
    ({ name, description }) => `/${name}: ${description}`,
  ),
  "What Elwood wants to do and has to ask about comes with buttons. Words in the chat never allow anything.",
].join("\n");

/** What the menus of platforms list. */
export const CHANNEL_COMMANDS: readonly ChannelCommand[] = COMMANDS.map(
  ({ name, description, argument }) => ({
    name,
    description,
    ...(argument === undefined ? {} : { argument }),
  }),
);

/** What a command answers; undefined where there is no such command. */
export async function runCommand(
  name: string,
  isOwner: boolean,
  context: CommandContext,
): Promise<string | undefined> {
  if (name === "start") return `Hello. This is Elwood.\n\n${HELP}`;
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) return undefined;
  if (command.owner && !isOwner) return `Only the owner of this assistant can use /${name}.`;
  try {
    return await command.run(context);
  } catch (error) {
    if (error instanceof FailureError && !error.failure.retryable) return error.failure.message;
    throw error;
  }
}

async function lastUndoable(sessionId: string, call: CommandContext["call"]): Promise<string | undefined> {
  const { runs } = must(await call("runs.list", { sessionKey: sessionId, limit: RUNS_LOOKED_AT }));
  for (const { runId } of runs) {
    const { calls } = must(await call("calls.list", { runId }));
    const last = calls.findLast(({ canUndo }) => canUndo);
    if (last) return last.callId;
  }
  return undefined;
}

function must<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new FailureError(result.error);
  return result.value;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}
