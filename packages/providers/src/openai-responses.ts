import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import type {
  ResponseCreateParamsStreaming,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { loadBlobs, type BlobBytes } from "./attachments.ts";
import { converse } from "./attempt.ts";
import { openaiClient, type OpenaiOptions } from "./openai-client.ts";
import { makeOpenaiEmbed } from "./openai-embed.ts";
import { ResponsesReply } from "./responses-reply.ts";
import { toResponses, toResponsesTools } from "./to-responses.ts";

/** OpenAI's Responses API. Nothing is stored there: the whole conversation goes along each time. */
export function makeOpenaiResponses(options: OpenaiOptions): ModelProvider {
  const { who } = options;
  return {
    id: who.id,
    embed: makeOpenaiEmbed(options),
    chat(request: ModelRequest): AsyncIterable<ModelEvent> {
      return converse<ResponseStreamEvent>(who, request, options, {
        reader: () => new ResponsesReply(who.id, request),
        async open(guard) {
          const client = await openaiClient(options, guard);
          const params = toParams(request, await loadBlobs(request.messages, request.readBlob), who.id);
          return client.responses.create(params, { signal: guard.signal });
        },
      });
    },
  };
}

/** The API's own minimum. */
const OUTPUT_TOKENS_MIN = 16;

export function toParams(
  request: ModelRequest,
  blobs: BlobBytes,
  providerId: string,
): ResponseCreateParamsStreaming {
  return {
    model: request.model,
    stream: true,
    store: false,
    max_output_tokens: Math.max(OUTPUT_TOKENS_MIN, request.maxOutputTokens),
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    input: toResponses(request.messages, blobs, providerId),
    ...(request.tools.length === 0 ? {} : { tools: toResponsesTools(request.tools) }),
    ...(request.cacheKey === undefined ? {} : { prompt_cache_key: request.cacheKey }),
    ...(reasons(request.model) ? reasoning(request) : temperature(request)),
  };
}

/** Models that reason before they answer; the others refuse to hear of it. */
function reasons(model: string): boolean {
  return !/^(gpt-3|gpt-4|chatgpt-)|chat-latest/.test(model);
}

function reasoning({ model, effort }: ModelRequest): Partial<ResponseCreateParamsStreaming> {
  const include: ResponseCreateParamsStreaming["include"] = ["reasoning.encrypted_content"];
  if (effort === undefined) return { include };
  if (effort === "off") return { include, reasoning: { effort: leastEffort(model) } };
  return { include, reasoning: { effort, summary: "auto" } };
}

/** `none` came with gpt-5.1; before it, gpt-5 knew `minimal` and the o-series `low`. */
function leastEffort(model: string): "none" | "minimal" | "low" {
  if (/^o\d/.test(model)) return "low";
  return /^gpt-5($|-)/.test(model) ? "minimal" : "none";
}

function temperature(request: ModelRequest): { temperature?: number } {
  return request.temperature === undefined ? {} : { temperature: request.temperature };
}
