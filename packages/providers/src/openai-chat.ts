import { LIMITS } from "@elwood/core/base/limits";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import type { OpenAI } from "openai";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
} from "openai/resources/chat/completions";
import { loadBlobs } from "./attachments.ts";
import { converse } from "./attempt.ts";
import { unsupportedFeature, shapeFor, type UnsupportedFeature } from "./chat-compatibility.ts";
import { ChatReply } from "./chat-reply.ts";
import { openaiClient, type OpenaiOptions } from "./openai-client.ts";
import { makeOpenaiEmbed } from "./openai-embed.ts";
import type { StreamGuard } from "./stream-guard.ts";
import { toChat, toChatTools } from "./to-chat.ts";

type Chunk = ChatCompletionChunk | ChatCompletion;

/** Chat Completions, as spoken by Ollama, LM Studio, vLLM, llama.cpp, OpenRouter and many more. */
export function makeOpenaiChat(options: OpenaiOptions): ModelProvider {
  const { who } = options;
  /** What a model's server would not take, learned once and kept for as long as this provider lives. */
  const learned = new Map<string, ReadonlySet<UnsupportedFeature>>();
  return {
    id: who.id,
    embed: makeOpenaiEmbed(options),
    chat(request: ModelRequest): AsyncIterable<ModelEvent> {
      return converse<Chunk>(who, request, options, {
        reader: () => new ChatReply(request),
        open: (guard) => open(request, guard),
      });
    },
  };

  async function open(request: ModelRequest, guard: StreamGuard): Promise<AsyncIterable<Chunk>> {
    const client = await openaiClient(options, guard);
    const base = await baseParams(request);
    const unsupported = new Set(learned.get(request.model));
    for (;;) {
      const shape = shapeFor(unsupported, request.effort !== undefined && request.effort !== "off");
      const params = {
        ...base,
        ...(shape.maxTokens === "old" ? { max_tokens: request.maxOutputTokens } : {}),
        ...(shape.maxTokens === "new" ? { max_completion_tokens: request.maxOutputTokens } : {}),
        ...(shape.effort ? { reasoning_effort: request.effort as "low" | "medium" | "high" } : {}),
        ...(shape.streamOptions ? { stream_options: { include_usage: true } } : {}),
      };
      try {
        const answer = await ask(client, params, shape.stream, guard.signal);
        if (unsupported.size > 0 && learned.size < LIMITS.modelsListedMax)
          learned.set(request.model, unsupported);
        return answer;
      } catch (error) {
        const give = unsupportedFeature(error, shape);
        if (give === undefined || unsupported.has(give)) throw error;
        unsupported.add(give);
      }
    }
  }
}

async function ask(
  client: OpenAI,
  params: ChatCompletionCreateParamsNonStreaming,
  stream: boolean,
  signal: AbortSignal,
): Promise<AsyncIterable<Chunk>> {
  if (!stream) return once(await client.chat.completions.create({ ...params, stream: false }, { signal }));
  const { data, response } = await client.chat.completions
    .create({ ...params, stream: true }, { signal })
    .withResponse();
  // Some servers answer whole although they were asked to stream.
  const whole = response.headers.get("content-type")?.includes("application/json") ?? false;
  return whole ? once((await response.json()) as ChatCompletion) : data;
}

async function baseParams(request: ModelRequest): Promise<ChatCompletionCreateParamsNonStreaming> {
  const blobs = await loadBlobs(request.messages, request.readBlob);
  return {
    model: request.model,
    messages: toChat(request.system, request.messages, blobs),
    ...(request.tools.length === 0 ? {} : { tools: toChatTools(request.tools) }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  };
}

async function* once(answer: ChatCompletion): AsyncGenerator<ChatCompletion> {
  yield answer;
}
