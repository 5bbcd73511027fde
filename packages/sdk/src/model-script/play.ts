import { failure } from "@elwood/core/base/failure";
import type { Block, Usage } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest, StopReason } from "@elwood/core/model/model";
import type { Step } from "./steps.ts";

/** A model as the run loop knows it. */
export interface Model {
  readonly id: string;
  chat(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Only what pacing needs of a clock. */
export interface Sleeper {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PlayOptions {
  /** The model id that the answer names. */
  readonly model: string;
  readonly clock?: Sleeper;
  /** Pause between two chunks of text; none unless told. */
  readonly paceMs?: number;
}

/**
 * Plays steps as a model's answer. It keeps the promise of ModelEvent: exactly one `done`
 * or `failed`, last; never an exception; an abort is noticed between any two chunks.
 */
export async function* playSteps(
  steps: readonly Step[],
  request: ModelRequest,
  options: PlayOptions,
): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  const { clock, paceMs = 0, model } = options;
  let blocks: Block[] = [];
  let counted: Usage | undefined;
  let stopped: { reason: StopReason; note?: string } | undefined;
  const spent = () => counted ?? guessUsage(request, blocks);

  try {
    for (const step of steps) {
      if (signal.aborted) break;
      switch (step.type) {
        case "text":
        case "thinking": {
          const chunks = (step.type === "text" && step.chunks) || wordsOf(step.text);
          const block = { type: step.type, text: "" };
          blocks.push(block);
          for (const chunk of chunks) {
            if (paceMs > 0) await clock?.sleep(paceMs, signal);
            if (signal.aborted) break;
            block.text += chunk;
            yield { type: step.type, text: chunk };
          }
          break;
        }
        case "toolCall": {
          const { type: _, callId = `call_${blocks.length}`, ...call } = step;
          const index = blocks.filter((b) => b.type === "tool_use").length;
          const json = step.malformed ?? JSON.stringify(step.input);
          for (const piece of piecesOf(json))
            yield { type: "tool_args", index, toolId: step.toolId, json: piece };
          blocks.push({ type: "tool_use", callId, ...call });
          break;
        }
        case "image": {
          const blobId = await request.writeBlob(step.bytes, step.mime);
          blocks.push({ type: "image", mime: step.mime, blobId, origin: "model" });
          break;
        }
        case "delay":
          await clock?.sleep(step.ms, signal);
          break;
        case "wait":
          await Promise.race([step.until, abortOf(signal)]);
          break;
        case "retry":
          yield {
            type: "retry",
            failure: failure(step.reason, step.message),
            attempt: 2,
            attemptsMax: 4,
            delayMs: step.delayMs,
          };
          blocks = [];
          break;
        case "error": {
          const more = step.retryAfterMs === undefined ? {} : { retryAfterMs: step.retryAfterMs };
          yield {
            type: "failed",
            failure: failure(step.reason, step.message, more),
            blocks: spoken(blocks),
            usage: spent(),
          };
          return;
        }
        case "disconnect":
          yield {
            type: "failed",
            failure: failure(
              "NETWORK",
              "The connection to the model broke before the answer was complete. What had come by then is kept. Try again.",
            ),
            blocks: spoken(blocks),
            usage: spent(),
          };
          return;
        case "stop":
          stopped = step;
          break;
        case "usage":
          counted = step.usage;
          break;
        default: {
          const never: never = step;
          throw new Error(`unknown step ${JSON.stringify(never)}`);
        }
      }
    }
  } catch (error) {
    yield {
      type: "failed",
      failure: failure("INTERNAL", `The scripted model broke down: ${String(error)}`),
      blocks: spoken(blocks),
      usage: spent(),
    };
    return;
  }
  if (signal.aborted) {
    yield {
      type: "failed",
      failure: failure("ABORTED", "You stopped this run. What had been written by then is kept."),
      blocks: spoken(blocks),
      usage: spent(),
    };
    return;
  }
  const called = blocks.some((b) => b.type === "tool_use");
  yield {
    type: "done",
    stopReason: stopped?.reason ?? (called ? "tool_use" : "end_turn"),
    blocks: blocks.filter((b) => b.type !== "text" || b.text !== ""),
    usage: spent(),
    model,
    ...(stopped?.note === undefined ? {} : { note: stopped.note }),
  };
}

/** Text in the portions in which a model's words arrive: a word with the space after it. */
export function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** Of an answer that broke off, what a person has seen. */
function spoken(blocks: readonly Block[]): Block[] {
  return blocks.filter((b) => (b.type === "text" && b.text !== "") || b.type === "image");
}

function piecesOf(json: string): string[] {
  return json.match(/[\s\S]{1,16}/g) ?? [];
}

function abortOf(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** Four characters a token, marked as the guess it is. */
function guessUsage(request: ModelRequest, blocks: readonly Block[]): Usage {
  const chars = (many: readonly Block[]) => many.reduce((sum, b) => sum + JSON.stringify(b).length, 0);
  const asked = request.system.length + request.messages.reduce((sum, m) => sum + chars(m.blocks), 0);
  return {
    inputTokens: Math.ceil(asked / 4),
    outputTokens: Math.ceil(chars(blocks) / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    estimated: true,
  };
}
