import { LIMITS } from "@elwood/core/base/limits";
import { loadOnce } from "@elwood/core/base/load-once";
import type { Usage } from "@elwood/core/message/message";
import type { OpenAI } from "openai";
import { EventStream, type ServerEvent } from "./event-stream.ts";
import { type Address, addressOf, type Answer, watchedFetch } from "./guarded-fetch.ts";
import { StreamedError } from "./read-failure.ts";
import type { ProviderOptions } from "./send-request.ts";

/** Local servers ask for no key, but the SDK insists on one, and some servers on the header. */
const NO_KEY = "none";

/**
 * The client of one provider, made with its first question: the SDK is large, and so is a client of it. Everything
 * is spelled out, so that it takes nothing from the environment.
 */
export function openaiClient(options: ProviderOptions): () => Promise<OpenAI> {
  let made: Promise<OpenAI> | undefined;
  return () => (made ??= makeClient(options));
}

async function makeClient({ who, headers, agents }: ProviderOptions): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    apiKey: who.credential?.secret || NO_KEY,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: who.baseUrl,
    defaultHeaders: { ...headers },
    maxRetries: 0,
    timeout: LIMITS.modelAnswerMs,
    logLevel: "off",
    fetch: watchedFetch(agents),
  });
}

/** What an API of OpenAI's kind counted. */
export interface OpenaiCounts {
  readonly input: number;
  readonly output: number;
  readonly total?: number | undefined;
  readonly inputDetails?:
    | { readonly cached_tokens?: number; readonly cache_write_tokens?: number }
    | null
    | undefined;
  readonly outputDetails?: { readonly reasoning_tokens?: number } | null | undefined;
}

/**
 * OpenAI counts cached tokens into the input; we keep them apart. What was thought it counts into the output; other
 * servers beside it, so that only the total has it.
 */
export function openaiUsage({ input, output, total, inputDetails, outputDetails }: OpenaiCounts): Usage {
  const cacheReadTokens = inputDetails?.cached_tokens ?? 0;
  const cacheWriteTokens = inputDetails?.cache_write_tokens ?? 0;
  const reasoningTokens = outputDetails?.reasoning_tokens ?? 0;
  const beside = total === input + output + reasoningTokens;
  return {
    inputTokens: Math.max(0, input - cacheReadTokens - cacheWriteTokens),
    outputTokens: beside ? output + reasoningTokens : output,
    cacheReadTokens,
    cacheWriteTokens,
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}

/**
 * Features of OpenAI's API that a compatible server refused, by model: learned once, and not sent
 * again for as long as this lives.
 */
export class RefusedFeatures<F extends string> {
  readonly #byModel = new Map<string, ReadonlySet<F>>();

  /**
   * Sends without what was refused before. If the server refuses the request because of a feature, it
   * is sent again without that one; each feature is left out once, so this ends.
   */
  async ask<T>(
    model: string,
    send: (refused: ReadonlySet<F>) => Promise<T>,
    featureIn: (refusal: string, refused: ReadonlySet<F>) => F | undefined,
  ): Promise<T> {
    const refused = new Set(this.#byModel.get(model));
    for (;;) {
      try {
        const answer = await send(refused);
        if (refused.size > 0 && this.#byModel.size < LIMITS.modelsListedMax)
          this.#byModel.set(model, refused);
        return answer;
      } catch (error) {
        const refusal = refusalIn(error);
        const feature = refusal === undefined ? undefined : featureIn(refusal, refused);
        if (feature === undefined || refused.has(feature)) throw error;
        refused.add(feature);
      }
    }
  }
}

/** The body of an answer that refuses the request itself, in lower case. */
function refusalIn(error: unknown): string | undefined {
  const { status, error: body } = (error ?? {}) as { status?: unknown; error?: unknown };
  if (status !== 400 && status !== 422 && status !== 501) return undefined;
  return JSON.stringify(body ?? "").toLowerCase();
}

/** An answer that came whole, as a stream of one event. */
export async function* once<T>(answer: T): AsyncGenerator<[T]> {
  yield [answer];
}

/** The SDK says where a request goes and what stands in its head; for one client and path that is always the same. */
export function openaiAddress(client: () => Promise<OpenAI>, path: string): () => Promise<Address> {
  return loadOnce(async () =>
    addressOf(await (await client()).buildRequest({ method: "post", path, body: {}, stream: true })),
  );
}

/** Says that nothing more is to come. */
const DONE = "[DONE]";

/** The events of an answer, those together that came together. */
export async function* openaiEvents<E>({ pieces, headers }: Answer): AsyncGenerator<Iterable<E>> {
  const stream = new EventStream();
  const reading = { done: false };
  for await (const piece of pieces) {
    yield eventsIn<E>(stream.take(piece), reading, headers);
    if (reading.done) return;
  }
  // Some servers leave out the end of the last one.
  yield eventsIn<E>(stream.end(), reading, headers);
}

function* eventsIn<E>(
  events: Iterable<ServerEvent>,
  reading: { done: boolean },
  headers: Answer["headers"],
): Generator<E> {
  for (const { name, data } of events) {
    reading.done = data === DONE;
    if (reading.done) return;
    const event = JSON.parse(data) as (E & { readonly error?: unknown }) | null;
    if (event?.error) throw new StreamedError(event.error, headers());
    if (name === "error") throw new StreamedError(event, headers());
    yield event as E;
  }
}
