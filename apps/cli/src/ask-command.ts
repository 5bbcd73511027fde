import { fstatSync } from "node:fs";
import { fail, failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { EventData } from "@elwood/core/protocol/events";
import { isPush, type GatewayClient, RequestError, type ClientState, type Push } from "@elwood/sdk/client";
import { Turn, type RunEnding } from "@elwood/sdk/view-state/turn";
import { Answer } from "./answer.ts";
import type { Link } from "./connect.ts";
import { reportFailure } from "./failure-text.ts";
import { OwnerPrompt, type Waiting } from "./ask-owner.ts";
import { durationText } from "./duration.ts";
import { findSession } from "./find-session.ts";
import { JoinedGateway } from "./joined-gateway.ts";
import { Progress } from "./progress.ts";
import { systemClock } from "@elwood/platform/system";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { deedText, gatewayText, say } from "./words/say.ts";

export interface AskOptions {
  readonly prompt: string;
  readonly continueLast?: boolean;
  readonly session?: string;
  readonly model?: string;
  readonly profile?: string;
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
  const progress = new Progress(terminal, say(terminal, "Starting"), systemClock);
  return progress.during(() => asked(progress, options, join));
}

async function asked(progress: Progress, options: AskOptions, join: () => Promise<Link>): Promise<number> {
  const { io } = progress;
  const piped = await readPiped(io);
  if (options.prompt.trim() === "" && piped.trim() === "") {
    fail("INVALID_INPUT", 'There is nothing to send. Write it after the command: elwood "what can you do?"');
  }
  const gateway = new JoinedGateway(join, await join(), RECONNECTS_MAX);
  const interrupt = onInterrupt();
  const client = gateway.client(interrupt.signal);
  try {
    const { prompt, ...how } = options;
    const answer = new Answer(io, piped === "" ? { ...how, prompt } : how);
    const sessionKey = await chooseSession(client, options);
    const message = { sessionKey, idempotencyKey: crypto.randomUUID(), piped, ...options };
    const ended = await new FollowedRun(progress, client, message, answer, interrupt).follow();
    if ("waiting" in ended) return stillWaiting(io, { ...options, sessionKey }, ended);
    const code = answer.finish(sessionKey, ended);
    if ("final" in ended && !ended.final.aborted && !options.json) await offerUndo(io, client, ended.final);
    return code;
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, options.json);
    throw error;
  } finally {
    interrupt.stop();
    await client.close();
    await gateway.leave();
  }
}

/** Somebody at a terminal who was not asked learns how to take the last change back. */
async function offerUndo(
  io: Io,
  client: GatewayClient,
  { activity }: Pick<EventData<"chat.final">, "activity">,
): Promise<void> {
  const last = activity.findLast(
    ({ status, risk, approval }) => status === "succeeded" && risk !== "read" && !approval?.required,
  );
  if (last === undefined || io.stderr.isTTY !== true) return;
  try {
    const { call } = await client.call("calls.get", { callId: last.callId });
    if (call.canUndo) io.stderr.write(`${say(io, "Undo: {0} undo", ownName(io.env))}\n`);
  } catch (error) {
    // The answer stands; only the hint is missing.
    if (!(error instanceof FailureError)) throw error;
  }
}

interface Outgoing {
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly prompt: string;
  readonly piped: string;
  readonly model?: string;
  readonly profile?: string;
  readonly waitMs?: number;
}

/** The owner did not decide in time. */
interface Undecided {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
}

/** A run from its message to its end, over as many connections as it takes. */
class FollowedRun {
  readonly #progress: Progress;
  readonly #client: GatewayClient;
  readonly #message: Outgoing;
  readonly #answer: Answer;
  readonly #interrupt: Interrupt;
  readonly #ending = Promise.withResolvers<RunEnding | Undecided>();
  #runId: string | undefined;
  #turn: Turn;
  /** Pushes wait here until it is known which run is ours and where it stands. */
  #early: Push[] | undefined = [];
  #owner: OwnerPrompt;
  #patience: NodeJS.Timeout | undefined;

  constructor(
    progress: Progress,
    client: GatewayClient,
    message: Outgoing,
    answer: Answer,
    interrupt: Interrupt,
  ) {
    this.#progress = progress;
    this.#client = client;
    this.#message = message;
    this.#answer = answer;
    this.#interrupt = interrupt;
    this.#owner = this.#ownerPrompt();
    this.#turn = this.#newTurn();
  }

  async follow(): Promise<RunEnding | Undecided> {
    const stopListening = this.#client.onPush((push) =>
      this.#early ? this.#early.push(push) : this.#take(push),
    );
    const stopLooking = this.#client.onGap((runId) => runId === this.#runId && this.#resume());
    const stopWatching = this.#client.state.subscribe((state) => this.#connectionIs(state));
    const { signal } = this.#interrupt;
    const abort = () => this.#abort();
    try {
      const repeated = await this.#send();
      signal.addEventListener("abort", abort, { once: true });
      if (repeated) this.#resume();
      else this.#listen();
      return await this.#ending.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      for (const stop of [stopListening, stopLooking, stopWatching]) stop();
      clearTimeout(this.#patience);
      this.#owner.stop();
    }
  }

  /** True where the gateway knew the message already. */
  async #send(): Promise<boolean> {
    const { sessionKey, prompt, piped, model, profile, idempotencyKey } = this.#message;
    const sent = await this.#client.call(
      "chat.send",
      {
        sessionKey,
        message: prompt,
        ...(piped === "" ? {} : { parts: [{ kind: "text", text: piped, origin: "piped" }] }),
        ...(model ? { model } : {}),
        ...(profile ? { profile } : {}),
        idempotencyKey,
      },
      { again: true },
    );
    this.#runId = sent.runId;
    this.#turn.live(sent.runId);
    this.#progress.say(say(this.#progress.io, "Thinking"));
    return sent.repeated === true;
  }

  #connectionIs(state: ClientState): void {
    // Before the message was taken, the request for it fails.
    if ((state === "closed" || state === "refused") && this.#runId !== undefined)
      this.#ending.reject(this.#client.over ?? new Error("the client is closed"));
    if (state === "lost") {
      this.#early = [];
      this.#owner.stop();
    }
    if (state === "ready") {
      this.#owner = this.#ownerPrompt();
      if (this.#runId !== undefined) this.#resume();
    }
  }

  /** Takes the run up where it stands. */
  #resume(): void {
    const runId = this.#runId;
    if (runId === undefined) return;
    this.#early ??= [];
    this.#client.call("chat.resume", { runId }).then(
      ({ snapshot }) => {
        this.#progress.say(say(this.#progress.io, "Thinking"));
        this.#turn = this.#newTurn();
        this.#turn.live(runId);
        this.#turn.catchUp(snapshot, []);
        if (this.#turn.ended) return this.#ending.resolve(this.#turn.ended);
        this.#answer.show(this.#turn);
        this.#listen();
        return this.#askAgain(runId);
      },
      (error: unknown) => this.#failed(error),
    );
  }

  /** What was asked before this gateway was joined is not pushed again, and the run still waits for it. */
  #askAgain(runId: string): void {
    const owner = this.#owner;
    const ask = (approvals: readonly WireApproval[]): void => {
      for (const approval of approvals) if (approval.runId === runId) owner.takeWaiting(approval);
    };
    const { sessionKey } = this.#message;
    this.#client.call("approvals.list", { status: "pending", sessionKey, limit: LIMITS.pageSizeMax }).then(
      ({ approvals }) => ask(approvals),
      (error: unknown) => this.#failed(error),
    );
  }

  /** The next connection tries again. */
  #failed(error: unknown): void {
    if (!isGone(error)) this.#ending.reject(error);
  }

  #listen(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const push of early) this.#take(push);
    if (this.#interrupt.signal.aborted) this.#abort();
  }

  #take(push: Push): void {
    if (!isPush(push, "chat.delta")) this.#answer.flush();
    if (this.#owner.take(push, this.#runId)) return;
    if (!("runId" in push.data) || push.data.runId !== this.#runId || !this.#turn.push(push)) return;
    if (this.#turn.ended) {
      this.#ending.resolve(this.#turn.ended);
      return;
    }
    this.#answer.take(push, this.#turn);
    const words = progressWords(this.#progress.io, push);
    if (words !== undefined) this.#progress.say(words);
  }

  #newTurn(): Turn {
    const { idempotencyKey, prompt } = this.#message;
    return Turn.ofOwner(idempotencyKey, { text: prompt, files: [] }, () => this.#client.now());
  }

  #abort(): void {
    if (this.#runId === undefined) return;
    this.#client
      .call("chat.abort", { runId: this.#runId })
      .catch((error: unknown) => this.#ending.reject(error));
  }

  #ownerPrompt(): OwnerPrompt {
    return new OwnerPrompt(this.#progress.io, this.#client, {
      interrupt: this.#interrupt.interrupt,
      change: (waiting) => {
        this.#progress.pause(waiting.length > 0);
        const runId = this.#runId;
        const { waitMs } = this.#message;
        if (waitMs === undefined || runId === undefined) return;
        clearTimeout(this.#patience);
        if (waiting.length > 0)
          this.#patience = setTimeout(() => this.#ending.resolve({ runId, waiting }), waitMs);
      },
    });
  }
}

function isGone(error: unknown): boolean {
  return error instanceof RequestError && (error.lost || error.reason === "STOPPING");
}

/** What goes on after this push; undefined where that is as before. */
function progressWords(io: Io, push: Push): string | undefined {
  if (isPush(push, "tool.started")) return deedText(io, push.data.tool, "doing");
  if (isPush(push, "run.queued")) return say(io, "Waiting for the message before it");
  if (isPush(push, "tool.finished") || isPush(push, "run.started")) return say(io, "Thinking");
  return isPush(push, "chat.delta") ? say(io, "Writing") : undefined;
}

async function chooseSession(client: GatewayClient, options: AskOptions): Promise<string> {
  const again: Pick<GatewayClient, "call"> = {
    call: (method, params) => client.call(method, params, { again: true }),
  };
  // Before a session is made for a message that could not be sent.
  if (options.model !== undefined) await again.call("models.check", { model: options.model });
  if (options.session) return (await findSession(again, options.session)).sessionKey;
  if (options.continueLast) {
    const { sessions } = await again.call("sessions.list", { limit: 1 });
    if (sessions[0]) return sessions[0].sessionKey;
  }
  const created = await again.call("sessions.create", options.agent ? { agentId: options.agent } : {});
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
  const lines = waiting.flatMap(({ what, how }) => [`  ${visibleText(gatewayText(io, what))}`, `    ${how}`]);
  const read = say(io, "Read the answer then with: {0} sessions show {1}", ownName(io.env), sessionKey);
  io.stderr.write(`\n${[gatewayText(io, said), ...lines, read].join("\n")}\n`);
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
