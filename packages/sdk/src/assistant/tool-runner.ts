import { LIMITS } from "@elwood/core/base/limits";
import type { EventData } from "@elwood/core/protocol/events";
import type { ClientOutcome } from "@elwood/core/protocol/methods";
import { ToolExecutionError } from "./errors.ts";
import type { Tool } from "./tool.ts";
import { ToolError } from "../tool-answer.ts";

type Invoke = EventData<"tool.invoke">;

/** Answers that are kept in case the gateway asks for them again. */
const ANSWERS_MAX = 1_000;

export interface ToolRunnerDeps {
  readonly toolOf: (assistantId: string, name: string) => Tool | undefined;
  /** Hands an answer to the gateway; false where it was not taken, undefined where nobody knows. */
  readonly send: (invocationId: string, outcome: ClientOutcome) => Promise<boolean | undefined>;
  readonly log: (message: string) => void;
}

/**
 * Runs tools of this process for the gateway.
 *
 * R1 An invocation runs once, however often it comes: while it runs it is left alone, and once it has
 *    run its answer is sent again.
 * R2 A second try of a call that this process has under way, or has made, is not made: it gets the
 *    answer of the first. Only where that broke off does the tool run again.
 * R3 Only the tool's own word says that it succeeded or failed; what else it throws is told as broken off.
 */
export class ToolRunner {
  readonly #deps: ToolRunnerDeps;
  readonly #running = new Map<string, AbortController>();
  readonly #answers = new Map<string, ClientOutcome>();
  /** Calls by their idempotency key (R2). */
  readonly #calls = new Map<string, Promise<ClientOutcome>>();

  constructor(deps: ToolRunnerDeps) {
    this.#deps = deps;
  }

  async take(invoke: Invoke): Promise<void> {
    const { invocationId } = invoke;
    if (this.#running.has(invocationId)) return;
    const known = this.#answers.get(invocationId);
    if (known) {
      await this.#deps.send(invocationId, known);
      return;
    }
    const stop = new AbortController();
    this.#running.set(invocationId, stop);
    const outcome = await this.#once(invoke, stop.signal);
    // What a tool found out after a crash may be another thing the next time.
    if (invoke.what !== "reconcile") this.#keep(invocationId, outcome);
    this.#running.delete(invocationId);
    await this.#deps.send(invocationId, outcome);
  }

  cancel(invocationId: string, reason: string): void {
    this.#running.get(invocationId)?.abort(reason);
  }

  close(): void {
    for (const stop of this.#running.values()) stop.abort("closed");
  }

  async #once(invoke: Invoke, signal: AbortSignal): Promise<ClientOutcome> {
    if (invoke.what !== "call") return this.#run(invoke, signal);
    const { idempotencyKey } = invoke;
    const before = await this.#calls.get(idempotencyKey);
    if (before && before.kind !== "broke") return before;
    const made = this.#run(invoke, signal);
    this.#calls.set(idempotencyKey, made);
    const oldest = this.#calls.keys().next().value;
    if (this.#calls.size > ANSWERS_MAX && oldest !== undefined) this.#calls.delete(oldest);
    return made;
  }

  async #run(invoke: Invoke, signal: AbortSignal): Promise<ClientOutcome> {
    const { invocationId, assistantId, what, input, output, idempotencyKey } = invoke;
    const tool = this.#deps.toolOf(assistantId, invoke.tool);
    if (!tool) return { kind: "failed", code: "no_tool", message: `There is no tool ${invoke.tool} here.` };
    const context = {
      signal,
      progress: (message: string) =>
        void this.#deps.send(invocationId, { kind: "progress", message: cut(message) }),
      runId: invoke.ofRun ?? "",
      idempotencyKey,
      log: this.#deps.log,
    };
    try {
      if (what === "reconcile") return succeeded(await tool.reconcile(input, idempotencyKey));
      if (what === "undo") return succeeded(await tool.undo(input, output, context));
      return succeeded(await tool.run(input, invoke.sessionKey ?? "", context));
    } catch (error) {
      const message = cut(error instanceof Error ? error.message : String(error));
      if (!(error instanceof ToolExecutionError || error instanceof ToolError))
        return { kind: "broke", message };
      return { kind: "failed", code: error.code.slice(0, 64), message, retryable: error.retryable };
    }
  }

  #keep(invocationId: string, outcome: ClientOutcome): void {
    this.#answers.set(invocationId, outcome);
    const oldest = this.#answers.keys().next().value;
    if (this.#answers.size > ANSWERS_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }
}

/** What was done is done, so an answer that cannot travel is replaced, not turned into a failure. */
function succeeded(value: unknown): ClientOutcome {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "succeeded", value: cut(`It succeeded. Its answer is no JSON and was left out: ${why}`) };
  }
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= LIMITS.clientResultBytesMax) return { kind: "succeeded", value: value ?? null };
  const words = `It succeeded. Its answer of ${bytes} bytes is longer than the ${LIMITS.clientResultBytesMax} that can be handed over, and was left out.`;
  return { kind: "succeeded", value: words };
}

function cut(message: string): string {
  return message.slice(0, LIMITS.clientMessageCharsMax);
}
