import { json, piecesOf, sse, stream, type StreamPart } from "./answers.ts";
import type { Answer } from "./loopback-server.ts";

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An item of the answer. `json` is sent as it stands, so that it may be broken. */
export type ResponsesItem =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | {
      readonly type: "reasoning";
      readonly summary: string;
      readonly encrypted?: string;
      readonly id?: string;
    }
  | {
      readonly type: "call";
      readonly name: string;
      readonly input?: unknown;
      readonly callId?: string;
      readonly json?: string;
    }
  | { readonly type: "image"; readonly base64: string; readonly format?: string };

export interface ResponsesReply {
  readonly items: readonly ResponsesItem[];
  /** `incomplete` ends with response.incomplete and its reason. */
  readonly incomplete?: "max_output_tokens" | "content_filter";
  readonly usage?: {
    input?: number;
    output?: number;
    cached?: number;
    cacheWrite?: number;
    reasoning?: number;
  };
  readonly model?: string;
}

type ReplyOptions = Omit<ResponsesReply, "items">;

/** Builders of Responses answers: a numbered event stream, or plain JSON where the request did not ask to stream. */
export const responses = {
  reply: (text: string, options: ReplyOptions = {}): Answer =>
    responses.output({ items: [{ type: "text", text }], ...options }),

  tools: (
    calls: readonly { name: string; input?: unknown; callId?: string; json?: string }[],
    options: ReplyOptions = {},
  ): Answer =>
    responses.output({ items: calls.map((call) => ({ type: "call" as const, ...call })), ...options }),

  output: (reply: ResponsesReply): Answer => {
    return (exchange) => {
      const asked = exchange.request.body as { model?: string; stream?: boolean } | undefined;
      const whole = { model: asked?.model ?? "gpt-5.5", ...reply };
      const answer = asked?.stream
        ? responses.stream(responses.events(whole))
        : json(200, responseOf(whole, finalStatus(whole)));
      return answer(exchange);
    };
  },

  /** An answer put together from events (numbered as they go out), gates, cuts and noise. */
  stream: (parts: readonly (Event | StreamPart)[], headers: Record<string, string> = {}): Answer => {
    let sequence = 0;
    return stream(
      parts.map((part) => (isEvent(part) ? sse({ ...part, sequence_number: sequence++ }, part.type) : part)),
      headers,
    );
  },

  events: (reply: ResponsesReply): Event[] => [
    ...responses.opening(reply),
    ...reply.items.flatMap((item, index) => itemEvents(item, index)),
    responses.closing(reply),
  ],

  opening: (reply: Partial<ResponsesReply> = {}): Event[] => {
    const response = responseOf({ ...reply, items: [] }, "in_progress");
    return [
      { type: "response.created", response },
      { type: "response.in_progress", response },
    ];
  },

  item: itemEvents,

  closing: (reply: ResponsesReply): Event => {
    const status = finalStatus(reply);
    return { type: `response.${status}`, response: responseOf(reply, status) };
  },

  /** The answer fails after 200: response.failed. */
  failed: (code: string, message = "something went wrong upstream"): Event => ({
    type: "response.failed",
    response: { ...responseOf({ items: [] }, "failed"), error: { code, message } },
  }),

  /** The bare `error` event. */
  errorEvent: (code: string | null, message = "something went wrong upstream"): Event => ({
    type: "error",
    code,
    message,
    param: null,
  }),
};

function isEvent(part: Event | StreamPart): part is Event {
  return typeof part === "object" && "type" in part;
}

function itemEvents(item: ResponsesItem, output_index: number): Event[] {
  const done = outputItem(item, output_index, "completed");
  const item_id = done.id;
  const where = { item_id, output_index };
  const added: Event = {
    type: "response.output_item.added",
    output_index,
    item: outputItem(item, output_index, "in_progress"),
  };
  const closed: Event = { type: "response.output_item.done", output_index, item: done };
  switch (item.type) {
    case "text":
    case "refusal": {
      const kind = item.type === "text" ? "output_text" : "refusal";
      const whole = item.type === "text" ? item.text : item.refusal;
      const key = item.type === "text" ? "text" : "refusal";
      const part = (text: string) => ({
        type: kind,
        [key]: text,
        ...(kind === "output_text" ? { annotations: [], logprobs: [] } : {}),
      });
      const spot = { ...where, content_index: 0 };
      return [
        added,
        { type: "response.content_part.added", ...spot, part: part("") },
        ...piecesOf(whole).map((delta) => ({ type: `response.${kind}.delta`, ...spot, delta, logprobs: [] })),
        { type: `response.${kind}.done`, ...spot, [key]: whole, logprobs: [] },
        { type: "response.content_part.done", ...spot, part: part(whole) },
        closed,
      ];
    }
    case "reasoning": {
      const spot = { ...where, summary_index: 0 };
      if (item.summary === "") return [added, closed];
      return [
        added,
        { type: "response.reasoning_summary_part.added", ...spot, part: { type: "summary_text", text: "" } },
        ...piecesOf(item.summary).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...spot,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", ...spot, text: item.summary },
        {
          type: "response.reasoning_summary_part.done",
          ...spot,
          part: { type: "summary_text", text: item.summary },
        },
        closed,
      ];
    }
    case "call":
      return [
        added,
        ...piecesOf(argumentsOf(item), 7).map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...where,
          delta,
        })),
        { type: "response.function_call_arguments.done", ...where, arguments: argumentsOf(item) },
        closed,
      ];
    case "image":
      return [
        added,
        { type: "response.image_generation_call.in_progress", ...where },
        { type: "response.image_generation_call.generating", ...where },
        { type: "response.image_generation_call.completed", ...where },
        closed,
      ];
    default: {
      const never: never = item;
      throw new Error(`unknown item ${JSON.stringify(never)}`);
    }
  }
}

function outputItem(item: ResponsesItem, index: number, status: "in_progress" | "completed") {
  const open = status === "in_progress";
  switch (item.type) {
    case "text":
    case "refusal": {
      const part =
        item.type === "text"
          ? { type: "output_text", text: item.text, annotations: [], logprobs: [] }
          : { type: "refusal", refusal: item.refusal };
      return { id: `msg_${index}`, type: "message", role: "assistant", status, content: open ? [] : [part] };
    }
    case "reasoning":
      return {
        id: item.id ?? `rs_${index}`,
        type: "reasoning",
        summary: open || item.summary === "" ? [] : [{ type: "summary_text", text: item.summary }],
        ...(item.encrypted === undefined || open ? {} : { encrypted_content: item.encrypted }),
      };
    case "call":
      return {
        id: `fc_${index}`,
        type: "function_call",
        status,
        name: item.name,
        call_id: item.callId ?? `call_${index}`,
        arguments: open ? "" : argumentsOf(item),
      };
    case "image":
      return {
        id: `ig_${index}`,
        type: "image_generation_call",
        status: open ? "in_progress" : "completed",
        result: open ? null : item.base64,
        output_format: item.format ?? "png",
      };
    default: {
      const never: never = item;
      throw new Error(`unknown item ${JSON.stringify(never)}`);
    }
  }
}

function finalStatus(reply: ResponsesReply): "completed" | "incomplete" {
  return reply.incomplete ? "incomplete" : "completed";
}

function responseOf(reply: ResponsesReply, status: string) {
  const { input = 12, output = 7, cached = 0, cacheWrite = 0, reasoning = 0 } = reply.usage ?? {};
  const ended = status !== "in_progress";
  return {
    id: "resp_loopback",
    object: "response",
    created_at: 1_790_000_000,
    status,
    model: reply.model ?? "gpt-5.5",
    output: reply.items.map((item, index) => outputItem(item, index, "completed")),
    error: null,
    incomplete_details: reply.incomplete ? { reason: reply.incomplete } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    store: false,
    usage: ended
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: reasoning },
          total_tokens: input + output,
        }
      : null,
  };
}

function argumentsOf(call: { input?: unknown; json?: string }): string {
  return call.json ?? JSON.stringify(call.input ?? {});
}
