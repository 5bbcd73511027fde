import { fstatSync } from "node:fs";
import { fail, failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Snapshot } from "@elwood/core/protocol/shapes";
import { deedOf } from "@elwood/core/tool/tool-words";
import { isPush, type GatewayClient, type Push } from "@elwood/sdk/client";
import { Answer, type Ending } from "./answer.ts";
import type { Link } from "./connect.ts";
import { reportFailure } from "./failure-text.ts";
import { OwnerPrompt, type Waiting } from "./ask-owner.ts";
import { durationText } from "./duration.ts";
import { findSession } from "./find-session.ts";
import { Progress } from "./progress.ts";
import { systemClock } from "@elwood/platform/system";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

export interface AskOptions {
  readonly prompt: string;
  readonly continueLast?: boolean;
  readonly session?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly stream: boolean;
  readonly json: boolean;
  /** How long to wait for a decision of the owner's; for ever where absent. */
  readonly waitMs?: number;
}

const RECONNECTS_MAX = 5;

/**
 * `elwood "prompt"`: one message, its answer on stdout, everything else on stderr.
 * The message is durable before it is answered; if the gateway dies meanwhile, the
 * command joins (or starts) the next one and takes the same run up again.
 */
export async function ask(terminal: Io, options: AskOptions, join: () => Promise<Link>): Promise<number> {
  const progress = new Progress(terminal, "Starting", systemClock);
  return progress.during(() => asked(progress, options, join));
}

async function asked(progress: Progress, options: AskOptions, join: () => Promise<Link>): Promise<number> {
  const { io } = progress;
  const piped = await readPiped(io);
  if (options.prompt.trim() === "" && piped.trim() === "") {
    fail("INVALID_INPUT", 'There is nothing to send. Write it after the command: elwood "what can you do?"');
  }
  let link: Link | undefined = await join();
  const interrupt = onInterrupt();
  try {
    const answer = new Answer(io, options);
    const idempotencyKey = crypto.randomUUID();
    let sessionKey: string | undefined;
    for (let reconnects = 0; ; reconnects++) {
      try {
        // Before a session is made for a message that could not be sent.
        if (sessionKey === undefined && options.model !== undefined)
          await link.client.call("models.check", { model: options.model });
        sessionKey ??= await chooseSession(link.client, options);
        const message = { sessionKey, idempotencyKey, piped, ...options };
        const ended = await run(progress, link.client, message, answer, interrupt);
        return "waiting" in ended
          ? stillWaiting(io, { ...options, sessionKey }, ended)
          : answer.finish(sessionKey, ended);
      } catch (error) {
        if (!isGone(error) || reconnects >= RECONNECTS_MAX || interrupt.signal.aborted) throw error;
        const gone = link;
        link = undefined;
        await gone.leave();
        link = await join();
      }
    }
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, options.json);
    throw error;
  } finally {
    interrupt.stop();
    await link?.leave();
  }
}

/** The gateway died or is leaving; another one, perhaps our own, takes its place. */
function isGone(error: unknown): boolean {
  return (
    error instanceof FailureError &&
    (error.failure.reason === "NETWORK" || error.failure.reason === "STOPPING")
  );
}

interface Outgoing {
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly prompt: string;
  readonly piped: string;
  readonly model?: string;
  readonly waitMs?: number;
}

/** The owner did not decide in time. */
interface Undecided {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
}

/** Sends (or, with a key the gateway knows, finds again) the run and follows it to its end. */
async function run(
  progress: Progress,
  client: GatewayClient,
  message: Outgoing,
  answer: Answer,
  { signal: interrupted, interrupt }: Interrupt,
): Promise<Ending | Undecided> {
  let runId: string | undefined;
  let seen = 0;
  /** Pushes wait here until it is known which run is ours and where it stands. */
  let early: Push[] | undefined = [];
  const ending = Promise.withResolvers<Ending | Undecided>();
  let patience: NodeJS.Timeout | undefined;
  const owner = new OwnerPrompt(progress.io, client, {
    interrupt,
    change(waiting) {
      progress.pause(waiting.length > 0);
      if (message.waitMs === undefined || runId === undefined) return;
      const id = runId;
      clearTimeout(patience);
      if (waiting.length > 0)
        patience = setTimeout(() => ending.resolve({ runId: id, waiting }), message.waitMs);
    },
  });
  const take = (push: Push) => {
    if (!isPush(push, "chat.delta")) answer.flush();
    if (owner.take(push, runId)) return;
    if (!("seq" in push.data) || push.data.runId !== runId || push.data.seq <= seen) return;
    seen = push.data.seq;
    if (isPush(push, "chat.final")) ending.resolve({ final: push.data });
    else if (isPush(push, "chat.error")) ending.resolve({ error: push.data });
    else {
      answer.take(push);
      const words = progressWords(push);
      if (words !== undefined) progress.say(words);
    }
  };
  const stopListening = client.onPush((push) => (early ? early.push(push) : take(push)));
  const abort = () => {
    if (runId !== undefined)
      client.call("chat.abort", { runId }).catch((error: unknown) => ending.reject(error));
  };
  try {
    const sent = await client.call("chat.send", {
      sessionKey: message.sessionKey,
      message: message.prompt,
      ...(message.piped === "" ? {} : { parts: [{ kind: "text", text: message.piped, origin: "piped" }] }),
      ...(message.model ? { model: message.model } : {}),
      idempotencyKey: message.idempotencyKey,
    });
    runId = sent.runId;
    progress.say("Thinking");
    if (sent.repeated) {
      const { snapshot, seq } = await client.call("chat.resume", { runId });
      seen = seq;
      const ended = storedEnding(snapshot);
      if (ended) return ended;
      answer.restart(snapshot.text);
    }
    const waited = early;
    early = undefined;
    for (const push of waited) take(push);
    if (interrupted.aborted) abort();
    interrupted.addEventListener("abort", abort, { once: true });
    void client.closed.then(() =>
      ending.reject(new FailureError(failure("NETWORK", "The connection to the gateway broke."))),
    );
    return await ending.promise;
  } finally {
    interrupted.removeEventListener("abort", abort);
    stopListening();
    clearTimeout(patience);
    owner.stop();
  }
}

/** What goes on after this push; undefined where that is as before. */
function progressWords(push: Push): string | undefined {
  if (isPush(push, "tool.started")) return deedOf(push.data.tool).doing;
  if (isPush(push, "run.queued")) return "Waiting for the message before it";
  if (isPush(push, "tool.finished") || isPush(push, "run.started")) return "Thinking";
  return isPush(push, "chat.delta") ? "Writing" : undefined;
}

function storedEnding({ final, error }: Snapshot): Ending | undefined {
  if (final) return { final };
  return error && { error };
}

async function chooseSession(client: GatewayClient, options: AskOptions): Promise<string> {
  if (options.session) return (await findSession(client, options.session)).sessionKey;
  if (options.continueLast) {
    const { sessions } = await client.call("sessions.list", { limit: 1 });
    if (sessions[0]) return sessions[0].sessionKey;
  }
  const created = await client.call("sessions.create", options.agent ? { agentId: options.agent } : {});
  return created.sessionKey;
}

/** The time that --wait gave is over; the run waits on, and goes on when it is decided. */
function stillWaiting(
  io: Io,
  { json, sessionKey, waitMs = 0 }: AskOptions & { readonly sessionKey: string },
  { runId, waiting }: Undecided,
): number {
  const said = `Nobody decided within ${durationText(waitMs)}. The run waits on, and goes on when it is decided.`;
  if (json) {
    const error = failure("TIMEOUT", said, { retryable: false });
    const document = { sessionKey, runId, waiting, error: { ...error, code: error.reason } };
    io.stdout.write(`${JSON.stringify(document)}\n`);
    return EXIT.expired;
  }
  const lines = waiting.flatMap(({ what, how }) => [`  ${visibleText(what)}`, `    ${how}`]);
  const read = `Read the answer then with: ${ownName(io.env)} sessions show ${sessionKey}`;
  io.stderr.write(`\n${[said, ...lines, read].join("\n")}\n`);
  return EXIT.expired;
}

interface Interrupt {
  readonly signal: AbortSignal;
  /** As Ctrl-C does. */
  readonly interrupt: () => void;
  stop(): void;
}

/** Ctrl-C stops the run and keeps what was written; a second one leaves at once. */
function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const handle = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", handle);
  return { signal: controller.signal, interrupt: handle, stop: () => process.off("SIGINT", handle) };
}

/** Standard input, where something is piped into it; a terminal or /dev/null is not asked. */
async function readPiped(io: Io): Promise<string> {
  if (io.stdin.isTTY || !isPiped(io.stdin.fd)) return "";
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin as AsyncIterable<Buffer | string>) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > LIMITS.messageCharsMax * 4) break;
    chunks.push(piece);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (text.length > LIMITS.messageCharsMax) {
    fail(
      "INVALID_INPUT",
      `The piped text is longer than ${LIMITS.messageCharsMax} characters. Nothing was sent; pipe a part of it.`,
    );
  }
  if (text.includes("\0")) fail("INVALID_INPUT", "The piped input is binary, not text. Nothing was sent.");
  return text;
}

function isPiped(fd: number | undefined): boolean {
  if (fd === undefined) return true;
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isFile() || stat.isSocket();
}
