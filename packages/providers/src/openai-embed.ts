import { prefixesOf, type Embedded, type EmbedRequest } from "@elwood/core/model/embedding";
import type { Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { OpenAI } from "openai";
import type { EmbeddingCreateParams } from "openai/resources/embeddings";
import { converse } from "./attempt.ts";
import { EmbeddingsReply } from "./embeddings-reply.ts";
import { openaiClient, type OpenaiOptions } from "./openai-client.ts";

/** A thing that OpenAI's API has and a compatible server may refuse to hear of. */
type UnsupportedFeature = "no-base64" | "no-dimensions";

/**
 * `POST /embeddings`, as OpenAI and nearly every local server speak it. An answer is a
 * conversation of one event, so that tries, patience and words for failures are those of chats.
 */
export function makeOpenaiEmbed(
  options: OpenaiOptions,
): (request: EmbedRequest) => Promise<Result<Embedded, Failure>> {
  const { who } = options;
  /** What a model's server would not take, learned once and kept for as long as this provider lives. */
  const learned = new Map<string, ReadonlySet<UnsupportedFeature>>();

  return async (request) => {
    let reply = new EmbeddingsReply(request);
    const events = converse<unknown>(who, request, options, {
      reader: () => (reply = new EmbeddingsReply(request)),
      open: async (guard) => once(await ask(await openaiClient(options, guard), request, guard.signal)),
    });
    for await (const event of events) {
      if (event.type === "failed") return err(event.failure);
      if (event.type === "done") return ok(reply.embedded());
    }
    throw new Error("a provider's events ended without an ending");
  };

  async function ask(client: OpenAI, request: EmbedRequest, signal: AbortSignal): Promise<unknown> {
    const unsupported = new Set(learned.get(request.model));
    const prefix = (request.prefixes ?? prefixesOf(request.model))[request.inputType];
    for (;;) {
      const params: EmbeddingCreateParams = {
        model: request.model,
        input: request.texts.map((text) => prefix + text),
        // Named in any case: where it is not, the SDK decodes by itself and trips over servers that send numbers.
        encoding_format: unsupported.has("no-base64") ? "float" : "base64",
        ...(request.dims === undefined || unsupported.has("no-dimensions")
          ? {}
          : { dimensions: request.dims }),
      };
      try {
        const answer = await client.embeddings.create(params, { signal });
        if (unsupported.size > 0 && learned.size < LIMITS.modelsListedMax)
          learned.set(request.model, unsupported);
        return answer;
      } catch (error) {
        const give = unsupportedFeature(error, params);
        if (give === undefined) throw error;
        unsupported.add(give);
      }
    }
  }
}

/** Each can be given up once, since what was given up is not sent again. So this ends. */
function unsupportedFeature(error: unknown, sent: EmbeddingCreateParams): UnsupportedFeature | undefined {
  const { status, error: body } = (error ?? {}) as { status?: unknown; error?: unknown };
  if (status !== 400 && status !== 422 && status !== 501) return undefined;
  const text = JSON.stringify(body ?? "").toLowerCase();
  if (sent.encoding_format === "base64" && /encoding_format|base64/.test(text)) return "no-base64";
  if (sent.dimensions !== undefined && /dimension|matryoshka/.test(text)) return "no-dimensions";
  return undefined;
}

async function* once(answer: unknown): AsyncGenerator {
  yield answer;
}
