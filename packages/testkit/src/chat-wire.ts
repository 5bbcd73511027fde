import { json, piecesOf, sse, stream, type StreamPart } from "./answers.ts";
import type { Answer } from "./loopback-server.ts";

export interface ChatCall {
  readonly name: string;
  readonly input?: unknown;
  readonly id?: string;
  /** Sent as it stands, so that it may be broken. */
  readonly json?: string;
}

/** How compatible servers differ from OpenAI, each seen in the wild. */
export interface ChatQuirks {
  /** Ollama: `missing` before 0.4.7, `zero` (the same index for every call) after. */
  readonly index?: "missing" | "zero";
  /** No ids on calls at all. */
  readonly ids?: "missing";
  /** `object`: not a string (Ollama); `whole`: one piece; `none`: the field is absent (vLLM, tools without input). */
  readonly arguments?: "object" | "whole" | "none";
  /** `none`: no usage anywhere; `with-finish`: on the chunk that carries finish_reason. */
  readonly usage?: "none" | "with-finish";
  /** The field that carries thinking. */
  readonly reasoning?: "reasoning_content" | "reasoning";
}

export interface ChatReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ChatCall[];
  /** Pictures as data URLs, the way OpenRouter sends them. */
  readonly images?: readonly string[];
  readonly refusal?: string;
  readonly finish?: string;
  /** `beside`: what was thought is in the total only, as xAI counts it. */
  readonly usage?: {
    prompt?: number;
    completion?: number;
    cached?: number;
    reasoning?: number;
    beside?: boolean;
  };
  readonly model?: string;
  readonly quirks?: ChatQuirks;
}

type ReplyOptions = Omit<ChatReply, "text">;

/** Builders of Chat Completions answers: chunks and [DONE], or plain JSON where the request did not ask to stream. */
export const chat = {
  reply: (text: string, options: ReplyOptions = {}): Answer => chat.message({ text, ...options }),

  tools: (calls: readonly ChatCall[], options: Omit<ChatReply, "calls"> = {}): Answer =>
    chat.message({ calls, ...options }),

  message: (reply: ChatReply): Answer => {
    return (exchange) => {
      const asked = exchange.request.body as ChatRequest | undefined;
      const whole = { model: asked?.model ?? "local", ...reply };
      const wantsUsage = asked?.stream_options?.include_usage === true;
      const answer = asked?.stream
        ? chat.stream(chat.chunks(whole, wantsUsage))
        : json(200, completionOf(whole));
      return answer(exchange);
    };
  },

  stream: (parts: readonly (object | StreamPart)[], headers: Record<string, string> = {}): Answer =>
    stream(
      parts.map((part) => (isChunk(part) ? sse(part) : (part as StreamPart))),
      headers,
    ),

  /** All that a stream holds, [DONE] included; without usage unless it was asked for. */
  chunks: (reply: ChatReply, wantsUsage = true): (object | string)[] => {
    const quirks = reply.quirks ?? {};
    const usage = { usage: usageOf(reply) };
    const field = quirks.reasoning ?? "reasoning_content";
    return [
      chat.chunk({ role: "assistant", content: "" }, reply),
      ...piecesOf(reply.reasoning ?? "").map((text) => chat.chunk({ [field]: text }, reply)),
      ...piecesOf(reply.text ?? "").map((content) => chat.chunk({ content }, reply)),
      ...piecesOf(reply.refusal ?? "").map((refusal) => chat.chunk({ refusal }, reply)),
      ...(reply.calls ?? []).flatMap((call, index) =>
        callDeltas(call, index, quirks).map((d) => chat.chunk({ tool_calls: [d] }, reply)),
      ),
      ...(reply.images ?? []).map((url) =>
        chat.chunk({ images: [{ type: "image_url", image_url: { url } }] }, reply),
      ),
      { ...chat.chunk({}, reply, finishOf(reply)), ...(quirks.usage === "with-finish" ? usage : {}) },
      ...(wantsUsage && quirks.usage === undefined
        ? [{ ...chat.chunk({}, reply), choices: [], ...usage }]
        : []),
      chat.done(),
    ];
  },

  chunk: (delta: Record<string, unknown>, reply: ChatReply = {}, finish_reason: string | null = null) => ({
    id: "chatcmpl-loopback",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: reply.model ?? "local",
    choices: [{ index: 0, delta, finish_reason }],
  }),

  done: (): string => sse("[DONE]"),
};

interface ChatRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

function isChunk(part: object | StreamPart): boolean {
  return typeof part === "object" && !(part instanceof Uint8Array) && ("choices" in part || "error" in part);
}

function callDeltas(call: ChatCall, at: number, quirks: ChatQuirks): object[] {
  const index = quirks.index === "missing" ? {} : { index: quirks.index === "zero" ? 0 : at };
  const id = quirks.ids === "missing" ? {} : { id: idOf(call, at) };
  const opened = (args: object) => ({
    ...index,
    ...id,
    type: "function",
    function: { name: call.name, ...args },
  });
  switch (quirks.arguments) {
    case "none":
      return [opened({})];
    case "object":
      return [opened({ arguments: call.input ?? {} })];
    case "whole":
      return [opened({ arguments: argumentsOf(call) })];
    case undefined:
      return [
        opened({ arguments: "" }),
        ...piecesOf(argumentsOf(call), 7).map((piece) => ({ ...index, function: { arguments: piece } })),
      ];
    default: {
      const never: never = quirks.arguments;
      throw new Error(`unknown quirk ${String(never)}`);
    }
  }
}

function completionOf(reply: ChatReply) {
  const calls = reply.calls ?? [];
  const field = reply.quirks?.reasoning ?? "reasoning_content";
  return {
    id: "chatcmpl-loopback",
    object: "chat.completion",
    created: 1_790_000_000,
    model: reply.model ?? "local",
    choices: [
      {
        index: 0,
        finish_reason: finishOf(reply),
        message: {
          role: "assistant",
          content: reply.text ?? null,
          refusal: reply.refusal ?? null,
          ...(reply.reasoning ? { [field]: reply.reasoning } : {}),
          ...(reply.images
            ? { images: reply.images.map((url) => ({ type: "image_url", image_url: { url } })) }
            : {}),
          ...(calls.length > 0
            ? {
                tool_calls: calls.map((call, at) => ({
                  id: idOf(call, at),
                  type: "function",
                  function: {
                    name: call.name,
                    arguments: reply.quirks?.arguments === "object" ? (call.input ?? {}) : argumentsOf(call),
                  },
                })),
              }
            : {}),
        },
      },
    ],
    ...(reply.quirks?.usage === "none" ? {} : { usage: usageOf(reply) }),
  };
}

function finishOf(reply: ChatReply): string {
  return reply.finish ?? ((reply.calls?.length ?? 0) > 0 ? "tool_calls" : "stop");
}

function usageOf(reply: ChatReply) {
  const { prompt = 12, completion = 7, cached = 0, reasoning = 0, beside = false } = reply.usage ?? {};
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion + (beside ? reasoning : 0),
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function idOf(call: ChatCall, at: number): string {
  return call.id ?? `call_${at}`;
}

function argumentsOf(call: ChatCall): string {
  return call.json ?? JSON.stringify(call.input ?? {});
}
