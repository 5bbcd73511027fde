import { type Embedded, type EmbedRequest, prefixesOf } from "@elwood/core/model/embedding";
import type { Failure } from "@elwood/core/base/failure";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { OpenAI } from "openai";
import type { EmbeddingCreateParams } from "openai/resources/embeddings";
import { sendRequest, type Delta, type ProviderOptions, type ReplyReader } from "./send-request.ts";
import { once, openaiClient, RefusedFeatures } from "./openai-client.ts";
import { watchedBy } from "./guarded-fetch.ts";
import type { StreamGuard } from "./stream-guard.ts";
import { BadReply } from "./read-failure.ts";

/** A feature of OpenAI's API that a compatible server may lack. */
type UnsupportedFeature = "no-base64" | "no-dimensions";

/**
 * `POST /embeddings`, as OpenAI and nearly every local server speak it. An answer is a
 * stream of one event, so that retries, time limits and failures are those of chats.
 */
export function makeOpenaiEmbed(
  options: ProviderOptions,
): (request: EmbedRequest) => Promise<Result<Embedded, Failure>> {
  const { who } = options;
  const refusals = new RefusedFeatures<UnsupportedFeature>();
  const openai = openaiClient(options);

  return async (request) => {
    let reply = new EmbeddingsReply(request);
    const events = sendRequest<unknown>(who, request, options, {
      reader: () => (reply = new EmbeddingsReply(request)),
      open: async (guard) => once(await ask(await openai(), request, guard)),
    });
    for await (const event of events) {
      if (event.type === "failed") return err(event.failure);
      if (event.type === "done") return ok(reply.embedded());
    }
    throw new Error("a provider's events ended without an ending");
  };

  function ask(client: OpenAI, request: EmbedRequest, guard: StreamGuard): Promise<unknown> {
    const prefix = (request.prefixes ?? prefixesOf(request.model))[request.inputType];
    const input = request.texts.map((text) => prefix + text);
    const paramsFor = (refused: ReadonlySet<UnsupportedFeature>): EmbeddingCreateParams => ({
      model: request.model,
      input,
      // Named in any case: where it is not, the SDK decodes by itself and trips over servers that send numbers.
      encoding_format: refused.has("no-base64") ? "float" : "base64",
      ...(request.dims === undefined || refused.has("no-dimensions") ? {} : { dimensions: request.dims }),
    });
    return refusals.ask<unknown>(
      request.model,
      (refused) => client.embeddings.create(paramsFor(refused), watchedBy(guard)),
      (refusal, refused) => unsupportedFeature(refusal, paramsFor(refused)),
    );
  }
}

function unsupportedFeature(refusal: string, sent: EmbeddingCreateParams): UnsupportedFeature | undefined {
  if (sent.encoding_format === "base64" && /encoding_format|base64/.test(refusal)) return "no-base64";
  if (sent.dimensions !== undefined && /dimension|matryoshka/.test(refusal)) return "no-dimensions";
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads an answer of `/embeddings`. Whatever does not fit the question is no answer: a wrong vector would spoil searches unseen. */
class EmbeddingsReply implements ReplyReader<unknown> {
  readonly #request: EmbedRequest;
  #embedded: Embedded | undefined;

  constructor(request: EmbedRequest) {
    this.#request = request;
  }

  take(event: unknown): readonly Delta[] {
    const answer = fields(event);
    const data = answer["data"];
    const { texts } = this.#request;
    if (!Array.isArray(data)) throw new BadReply("no list of embeddings came");
    if (data.length !== texts.length)
      throw new BadReply(`${data.length} embeddings came for ${texts.length} texts`);
    const vectors = inOrder(data.map(fields)).map((item) => readVector(item["embedding"]));
    const dims = this.#request.dims ?? vectors[0]?.length ?? 0;
    if (dims === 0) throw new BadReply("an embedding is empty");
    if (vectors.some((vector) => vector.length !== dims))
      throw new BadReply(`an embedding has not ${dims} dimensions`);
    this.#embedded = {
      vectors,
      tokens: countOf(answer["usage"]) ?? estimate(texts),
      model: typeof answer["model"] === "string" ? answer["model"] : this.#request.model,
    };
    return [];
  }

  get complete(): boolean {
    return this.#embedded !== undefined;
  }

  get ended(): boolean {
    return this.complete;
  }

  embedded(): Embedded {
    if (this.#embedded === undefined) throw new Error("the answer was not read");
    return this.#embedded;
  }

  async finish() {
    const { model, tokens } = this.embedded();
    const usage = { inputTokens: tokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return { stopReason: "end_turn" as const, blocks: [], usage, model };
  }

  partial() {
    return { blocks: [] };
  }
}

/** By `index` where each has its own, as the API says; some servers leave it out, and then the order stands. */
function inOrder(items: readonly Fields[]): readonly Fields[] {
  const places = items.map((item) => item["index"]);
  if (places.every((place) => place === undefined)) return items;
  const sorted: Fields[] = [];
  for (const [at, place] of places.entries()) {
    if (typeof place !== "number" || !Number.isInteger(place) || place < 0 || place >= items.length)
      throw new BadReply("an embedding has no place");
    if (sorted[place] !== undefined) throw new BadReply("two embeddings have one place");
    sorted[place] = items[at]!;
  }
  return sorted;
}

const FLOAT_BYTES = 4;

function readVector(value: unknown): Float32Array {
  const vector = typeof value === "string" ? fromBase64(value) : fromNumbers(value);
  if (!vector.every(Number.isFinite)) throw new BadReply("an embedding holds something that is no number");
  return vector;
}

/** Little-endian floats, whatever this machine's own order is. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0)
    throw new BadReply("an embedding is not a row of floats");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) =>
    view.getFloat32(at * FLOAT_BYTES, true),
  );
}

function fromNumbers(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.some((number) => typeof number !== "number"))
    throw new BadReply("an embedding is not a row of numbers");
  return Float32Array.from(value as number[]);
}

function countOf(usage: unknown): number | undefined {
  const { prompt_tokens: prompt, total_tokens: total } = fields(usage);
  const count = typeof prompt === "number" && prompt > 0 ? prompt : total;
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? count : undefined;
}

const CHARS_PER_TOKEN = 4;

function estimate(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((chars, text) => chars + text.length, 0) / CHARS_PER_TOKEN);
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
