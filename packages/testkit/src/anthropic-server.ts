import { json, piecesOf, sse, stream, type StreamPart } from "./answers.ts";
import { anthropicFault } from "./anthropic-rules.ts";
import { LoopbackServer, type Answer, type LoopbackOptions } from "./loopback-server.ts";

export const ANTHROPIC_ROUTE = "POST /v1/messages";

/** A Messages API on 127.0.0.1: give its `url` to a client as the base URL. */
export async function startAnthropic(options: LoopbackOptions = {}): Promise<AnthropicServer> {
  const server = new AnthropicServer({
    check: anthropicFault,
    refuse: (status, message) => anthropic.error(status, { message, headers: { "x-should-retry": "false" } }),
    ...options,
  });
  server.always("GET /v1/models", json(200, modelPage(["claude-sonnet-5-5", "claude-haiku-5-5"])));
  return server.start();
}

export class AnthropicServer extends LoopbackServer {
  /** Answers for the next calls to the Messages API, in order. */
  will(...answers: Answer[]): this {
    return this.script(ANTHROPIC_ROUTE, ...answers);
  }
}

export interface AnthropicUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

/** A content block of the answer. `json` is sent as it stands, so that it may be broken. */
export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string; readonly pieces?: readonly string[] }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly name: string;
      readonly input?: unknown;
      readonly id?: string;
      readonly json?: string;
    };

export interface AnthropicReply {
  readonly content: readonly AnthropicBlock[];
  readonly stop?: string;
  readonly stopDetails?: unknown;
  readonly usage?: AnthropicUsage;
  readonly model?: string;
  readonly id?: string;
}

type ReplyOptions = Omit<AnthropicReply, "content">;

/** Builders of answers: each speaks the stream's format, or plain JSON where the request did not ask to stream. */
export const anthropic = {
  reply: (text: string, options: ReplyOptions = {}): Answer =>
    anthropic.message({ content: [{ type: "text", text }], ...options }),

  tools: (
    calls: readonly { name: string; input?: unknown; id?: string; json?: string }[],
    options: ReplyOptions & { text?: string } = {},
  ): Answer => {
    const { text, ...rest } = options;
    return anthropic.message({
      content: [
        ...(text === undefined ? [] : [{ type: "text" as const, text }]),
        ...calls.map((call) => ({ type: "tool_use" as const, ...call })),
      ],
      stop: "tool_use",
      ...rest,
    });
  },

  message: (reply: AnthropicReply): Answer => {
    return (exchange) => {
      const asked = exchange.request.body as { model?: string; stream?: boolean } | undefined;
      const whole = { model: asked?.model ?? "claude-sonnet-5-5", ...reply };
      const answer = asked?.stream ? stream(anthropic.events(whole)) : json(200, wholeMessage(whole));
      return answer(exchange);
    };
  },

  /** An answer put together from events, gates, cuts and noise. */
  stream: (parts: readonly StreamPart[], headers: Record<string, string> = {}): Answer =>
    stream(parts, headers),

  /** The events of a complete answer, to be cut up, mixed or broken. */
  events: (reply: AnthropicReply): string[] => [
    start(reply),
    ping(),
    ...reply.content.flatMap((block, index) => blockEvents(block, index)),
    ...end(reply),
  ],
  start,
  ping,
  block: blockEvents,
  end,
  event: (type: string, more: Record<string, unknown> = {}): string => sse({ type, ...more }, type),

  /** `event: error` in the middle of a stream that began with 200. */
  errorEvent: (type: string, message = "something went wrong upstream"): string =>
    sse({ type: "error", error: { type, message } }, "error"),

  /** An HTTP error in the API's own envelope. */
  error: (
    status: number,
    options: { type?: string; message?: string; details?: unknown; headers?: Record<string, string> } = {},
  ): Answer =>
    json(
      status,
      {
        type: "error",
        error: {
          type: options.type ?? ERROR_TYPES[status] ?? "api_error",
          message: options.message ?? `error ${status} from the loopback server`,
          ...(options.details === undefined ? {} : { details: options.details }),
        },
        request_id: "req_loopback",
      },
      { "request-id": "req_loopback", ...options.headers },
    ),
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

function start(reply: Partial<AnthropicReply> = {}): string {
  const message = wholeMessage({ model: "claude-sonnet-5-5", ...reply, content: [] });
  const { output_tokens: _, ...usage } = usageOf(reply);
  return anthropic.event("message_start", {
    message: {
      ...message,
      stop_reason: null,
      stop_details: null,
      usage: { ...message.usage, ...usage, output_tokens: 1 },
    },
  });
}

function ping(): string {
  return anthropic.event("ping");
}

function blockEvents(block: AnthropicBlock, index: number): string[] {
  const delta = (d: unknown) => anthropic.event("content_block_delta", { index, delta: d });
  const opened = (content_block: unknown) => anthropic.event("content_block_start", { index, content_block });
  const closed = anthropic.event("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return [
        opened({ type: "text", text: "", citations: null }),
        ...(block.pieces ?? piecesOf(block.text)).map((text) => delta({ type: "text_delta", text })),
        closed,
      ];
    case "thinking":
      return [
        opened({ type: "thinking", thinking: "", signature: "" }),
        ...piecesOf(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        closed,
      ];
    case "redacted_thinking":
      return [opened({ type: "redacted_thinking", data: block.data }), closed];
    case "tool_use":
      return [
        opened({
          type: "tool_use",
          id: idOf(block, index),
          name: block.name,
          input: {},
          caller: { type: "direct" },
        }),
        delta({ type: "input_json_delta", partial_json: "" }),
        ...piecesOf(argumentsOf(block), 7).map((partial_json) =>
          delta({ type: "input_json_delta", partial_json }),
        ),
        closed,
      ];
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

function end(reply: Partial<AnthropicReply> = {}): string[] {
  return [
    anthropic.event("message_delta", {
      delta: {
        stop_reason: reply.stop ?? "end_turn",
        stop_sequence: reply.stop === "stop_sequence" ? "STOP" : null,
        stop_details: reply.stopDetails ?? null,
        container: null,
      },
      usage: { ...usageOf(reply), output_tokens_details: null, server_tool_use: null },
    }),
    anthropic.event("message_stop"),
  ];
}

function wholeMessage(reply: AnthropicReply) {
  return {
    id: reply.id ?? "msg_loopback",
    type: "message",
    role: "assistant",
    model: reply.model ?? "claude-sonnet-5-5",
    content: reply.content.map((block, index) =>
      block.type === "tool_use"
        ? {
            type: "tool_use",
            id: idOf(block, index),
            name: block.name,
            input: block.input ?? {},
            caller: { type: "direct" },
          }
        : block.type === "text"
          ? { type: "text", text: block.text, citations: null }
          : block,
    ),
    stop_reason: reply.stop ?? "end_turn",
    stop_sequence: null,
    stop_details: reply.stopDetails ?? null,
    container: null,
    diagnostics: null,
    usage: { ...usageOf(reply), cache_creation: null, server_tool_use: null, service_tier: "standard" },
  };
}

function usageOf(reply: Partial<AnthropicReply>) {
  return {
    input_tokens: 12,
    output_tokens: 7,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...reply.usage,
  };
}

function idOf(block: { id?: string }, index: number): string {
  return block.id ?? `toolu_loopback${index}`;
}

function argumentsOf(block: { input?: unknown; json?: string }): string {
  return block.json ?? (block.input === undefined ? "" : JSON.stringify(block.input));
}

function modelPage(ids: readonly string[]) {
  return {
    data: ids.map((id) => ({ id, type: "model", display_name: id, created_at: "2026-10-01T00:00:00Z" })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  };
}
