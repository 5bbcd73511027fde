import { fstatSync } from "node:fs";
import { fail, failure, FailureError, type Failure } from "@elwood/core/failure";
import { LIMITS } from "@elwood/core/limits";
import type { EventData } from "@elwood/core/protocol/events";
import { isPush, type GatewayClient, type Push } from "@elwood/sdk/client";
import { exitCodeOf, reportFailure } from "./failure-text.ts";
import { EXIT, type Io } from "./io.ts";
import type { Link } from "./connect.ts";
import { findSession } from "./find-session.ts";
import { visibleText } from "./terminal-text.ts";

export interface AskOptions {
  readonly prompt: string;
  readonly continueLast?: boolean;
  readonly session?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly stream: boolean;
  readonly json: boolean;
}

const RECONNECTS_MAX = 5;

/**
 * `elwood "prompt"`: one message, its answer on stdout, everything else on stderr.
 * The message is durable before it is answered; if the gateway dies meanwhile, the
 * command joins (or starts) the next one and takes the same run up again.
 */
export async function ask(io: Io, options: AskOptions, join: () => Promise<Link>): Promise<number> {
  const piped = await readPiped(io);
  if (options.prompt.trim() === "" && piped.trim() === "") {
    fail("INVALID_INPUT", 'There is nothing to send. Write it after the command: elwood "what can you do?"');
  }
  let link = await join();
  const interrupt = onInterrupt();
  try {
    const sessionKey = await chooseSession(link.client, options);
    const idempotencyKey = crypto.randomUUID();
    const answer = new Answer(io, options);
    for (let reconnects = 0; ; reconnects++) {
      try {
        const final = await run(
          link.client,
          sessionKey,
          idempotencyKey,
          piped,
          options,
          answer,
          interrupt.signal,
        );
        return answer.finish(sessionKey, final);
      } catch (error) {
        const lost = error instanceof FailureError && error.failure.reason === "NETWORK";
        if (!lost || reconnects >= RECONNECTS_MAX || interrupt.signal.aborted) throw error;
        link = await join();
      }
    }
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, options.json);
    throw error;
  } finally {
    interrupt.stop();
    await link.leave();
  }
}

type Ending = { final: EventData<"chat.final"> } | { error: EventData<"chat.error"> };

/** Sends (or, with a key the gateway knows, finds again) the run and follows it to its end. */
async function run(
  client: GatewayClient,
  sessionKey: string,
  idempotencyKey: string,
  piped: string,
  options: AskOptions,
  answer: Answer,
  interrupted: AbortSignal,
): Promise<Ending> {
  let runId: string | undefined;
  const early: Push[] = [];
  const ending = Promise.withResolvers<Ending>();
  const take = (push: Push) => {
    if (!("runId" in push.data) || push.data.runId !== runId) return;
    if (isPush(push, "chat.final")) ending.resolve({ final: push.data });
    else if (isPush(push, "chat.error")) ending.resolve({ error: push.data });
    else answer.take(push);
  };
  const stopListening = client.onPush((push) => (runId === undefined ? early.push(push) : take(push)));
  const abort = () => {
    if (runId !== undefined)
      client.call("chat.abort", { runId }).catch((error: unknown) => ending.reject(error));
  };
  try {
    const sent = await client.call("chat.send", {
      sessionKey,
      message: options.prompt,
      ...(piped === "" ? {} : { parts: [{ kind: "text", text: piped, origin: "piped" }] }),
      ...(options.model ? { model: options.model } : {}),
      idempotencyKey,
    });
    runId = sent.runId;
    if (sent.repeated) {
      const { snapshot } = await client.call("chat.resume", { runId });
      const ended = storedEnding(snapshot);
      if (ended) return ended;
      answer.restart(snapshot.text);
    }
    for (const push of early) take(push);
    if (interrupted.aborted) abort();
    interrupted.addEventListener("abort", abort, { once: true });
    void client.closed.then(() =>
      ending.reject(new FailureError(failure("NETWORK", "The connection to the gateway broke."))),
    );
    return await ending.promise;
  } finally {
    interrupted.removeEventListener("abort", abort);
    stopListening();
  }
}

function storedEnding(snapshot: { final?: unknown; error?: unknown }): Ending | undefined {
  // Sent by our own gateway in the shape of the push it repeats.
  if (snapshot.final) return { final: snapshot.final as EventData<"chat.final"> };
  if (snapshot.error) return { error: snapshot.error as EventData<"chat.error"> };
  return undefined;
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

/** Puts the answer on the terminal as it comes, or once it is whole. */
class Answer {
  readonly #io: Io;
  readonly #options: AskOptions;
  #shown = "";

  constructor(io: Io, options: AskOptions) {
    this.#io = io;
    this.#options = options;
  }

  get #streams(): boolean {
    return this.#options.stream && !this.#options.json;
  }

  take(push: Push): void {
    if (isPush(push, "chat.delta")) {
      if (push.data.reset) this.restart("");
      if (push.data.text !== "") this.#write(push.data.text);
    } else if (isPush(push, "chat.notice")) this.#note(push.data.message);
    else if (isPush(push, "tool.progress")) this.#note(`${push.data.tool}: ${push.data.message}`);
    else if (isPush(push, "run.queued")) this.#note(`Waiting: ${push.data.ahead} ahead in this session.`);
  }

  /** What was shown is void; the answer begins anew with `text`. */
  restart(text: string): void {
    if (this.#shown !== "") this.#io.stdout.write("\n");
    this.#shown = "";
    if (text !== "") this.#write(text);
  }

  finish(sessionKey: string, ending: Ending): number {
    if ("error" in ending) return this.#failed(sessionKey, ending.error);
    const { final } = ending;
    if (this.#options.json) {
      this.#io.stdout.write(`${JSON.stringify({ ...final, sessionKey })}\n`);
    } else {
      // The final text is the truth: whatever was streamed and differs is shown again, whole.
      if (final.text.trimEnd() !== this.#shown.trimEnd()) {
        if (this.#shown !== "") this.#io.stdout.write("\n");
        this.#io.stdout.write(this.#safe(final.text));
      }
      if (final.text !== "" && !final.text.endsWith("\n")) this.#io.stdout.write("\n");
      if (final.note) this.#note(final.note);
      if (final.demo)
        this.#note("Demo model: scripted answers. Connect a real one with: elwood auth anthropic");
      if (this.#io.stderr.isTTY) this.#note(final.evidence);
    }
    return final.aborted ? EXIT.interrupted : EXIT.ok;
  }

  #failed(sessionKey: string, error: EventData<"chat.error">): number {
    const reason = failure(error.code as Failure["reason"], error.message, { retryable: error.retryable });
    if (this.#options.json) {
      this.#io.stdout.write(
        `${JSON.stringify({ sessionKey, runId: error.runId, text: error.text, evidence: error.evidence, error: { ...reason, code: reason.reason } })}\n`,
      );
    } else {
      if (this.#shown !== "") this.#io.stdout.write("\n");
      this.#note(error.message);
    }
    return exitCodeOf(reason);
  }

  #write(text: string): void {
    if (!this.#streams) return;
    this.#shown += text;
    this.#io.stdout.write(this.#safe(text));
  }

  /** A model's text must not move the cursor or recolour the owner's terminal; a file gets it as it is. */
  #safe(text: string): string {
    return this.#io.stdout.isTTY ? visibleText(text) : text;
  }

  #note(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
}

/** Ctrl-C stops the run and keeps what was written; a second one leaves at once. */
function onInterrupt(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const handle = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", handle);
  return { signal: controller.signal, stop: () => process.off("SIGINT", handle) };
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
