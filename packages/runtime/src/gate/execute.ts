import type { Result } from "@elwood/core/base/result";
import type { ToolResult } from "@elwood/core/tool/tool";
import type { Clock } from "../ports/ports.ts";
import type { HandlerContext, RegisteredTool } from "./ports.ts";
import { settlesImmediately, withDeadline } from "../async/deadline.ts";

/** How a handler ended. Only its own answer says that it succeeded or failed. */
export type Ending =
  | {
      readonly kind: "succeeded";
      readonly result: ToolResult;
      /** Pictures that lie in the blob store already: of the calls that a program made. */
      readonly images?: readonly { readonly mime: string; readonly blobId: string }[];
    }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  /** No answer of its own: time was over, it was stopped, or it broke. */
  | {
      readonly kind: "no-answer";
      readonly why: "timeout" | "stopped" | "broke";
      readonly detail: string;
      /** It was the second try. */
      readonly again?: boolean;
    };

type Answer = Result<
  ToolResult,
  { readonly code: string; readonly message: string; readonly retryable: boolean }
>;

const GRACE_MS = 2_000;

/**
 * Runs a handler under its time limit. When the run is stopped the handler is told, and
 * has a moment to answer for itself; a stop of the whole gateway lets it finish.
 */
export async function execute(
  tool: RegisteredTool,
  run: (context: HandlerContext) => Promise<Answer>,
  options: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly callId: string;
    readonly sessionId: string;
    readonly runId: string;
    readonly idempotencyKey: string;
    readonly progress: (message: string) => void;
    readonly shownChars?: HandlerContext["shownChars"];
  },
): Promise<Ending> {
  const { clock, signal } = options;
  const handler = new AbortController();
  const stop = () => {
    // Who stopped it is not the tool's to know.
    if (signal.reason !== "shutdown") handler.abort(signal.reason === "time" ? "time" : "stopped");
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const answered = answerOf(run, {
    callId: options.callId,
    sessionId: options.sessionId,
    runId: options.runId,
    idempotencyKey: options.idempotencyKey,
    signal: handler.signal,
    progress: options.progress,
    ...(options.shownChars && { shownChars: options.shownChars }),
  });
  try {
    // No time has passed: whoever answers like this needs no watch.
    if (await settlesImmediately(answered)) return await answered;
    return await watched(tool.contract.timeoutMs, clock, handler, answered);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function watched(
  timeoutMs: number,
  clock: Clock,
  handler: AbortController,
  answered: Promise<Ending>,
): Promise<Ending> {
  const over = new AbortController();
  const ended = Promise.withResolvers<Ending>();
  void answered.then(ended.resolve);
  const grace = () => {
    if (handler.signal.reason === "timeout") return;
    void clock
      .sleep(GRACE_MS, over.signal)
      .then(() => ended.resolve({ kind: "no-answer", why: "stopped", detail: "stopped before it answered" }));
  };
  handler.signal.addEventListener("abort", grace, { once: true });
  if (handler.signal.aborted) grace();
  try {
    return await withDeadline(clock, timeoutMs, ended.promise, (): Ending => {
      handler.abort("timeout");
      return { kind: "no-answer", why: "timeout", detail: `no answer within ${timeoutMs} ms` };
    });
  } finally {
    // With reasons: without one an exception is made for each call.
    over.abort("answered");
    // What the handler left running learns that nobody waits for it.
    handler.abort("timeout");
  }
}

async function answerOf(
  run: (context: HandlerContext) => Promise<Answer>,
  context: HandlerContext,
): Promise<Ending> {
  try {
    const answer = await run(context);
    if (answer.ok) return { kind: "succeeded", result: answer.value };
    return { kind: "failed", code: answer.error.code, message: answer.error.message };
  } catch (error) {
    // An exception is not an answer: the effect may have happened before it was thrown.
    const why = context.signal.aborted ? "stopped" : "broke";
    return { kind: "no-answer", why, detail: error instanceof Error ? error.message : String(error) };
  }
}
