import type { ExecutionResult, InputMessage } from "@elwood/core/action/execution-shapes";
import { wireClassOf, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { z } from "zod";
import type { ApiDeps } from "./api.ts";
import type { CompatibleAnswer } from "./compatible-answer.ts";
import { compatibleRoute, type Answering, type Dialect, type Vendor } from "./compatible-route.ts";
import type { Route } from "./router.ts";
import { given, joinedText, modelName, vendorText } from "./vendor-content.ts";

/** Elwood as Anthropic's API: models are agents and actions. */
export function anthropicRoute(deps: ApiDeps): Route {
  return compatibleRoute(deps, ANTHROPIC, messagesApi);
}

const ANTHROPIC: Vendor = {
  opened: "anthropic",
  errorBody: (failure, requestId) => ({ type: "error", error: errorOf(failure), request_id: requestId }),
};

const textPart = () => z.object({ type: z.literal("text"), text: vendorText() });
const messageSchema = z.object({
  model: modelName(),
  max_tokens: z.number().int().min(1),
  system: z.union([vendorText(), z.array(textPart())]).optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.union([
          vendorText(),
          z.array(
            z.discriminatedUnion("type", [
              textPart(),
              z.object({
                type: z.literal("image"),
                source: z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
              }),
              z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
              z.object({
                type: z.literal("tool_result"),
                tool_use_id: z.string(),
                content: z.union([vendorText(), z.array(textPart())]).optional(),
              }),
            ]),
          ),
        ]),
      }),
    )
    .min(1)
    .max(LIMITS.apiMessagesMax),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  tool_choice: z
    .object({ type: z.enum(["auto", "none"], { error: 'only "auto" and "none" are supported' }) })
    .optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  metadata: z.object({ user_id: z.string().min(1).max(200).nullish() }).optional(),
  stop_sequences: z
    .array(z.string())
    .max(0, { error: "words that end an answer are not supported" })
    .optional(),
});

type Asked = z.output<typeof messageSchema>;

/** Anthropic's Messages. */
const messagesApi: Dialect<typeof messageSchema> = {
  path: "/v1/messages",
  about: { id: "anthropic.messages", summary: "Anthropic's Messages: agents and actions as models." },
  body: messageSchema,

  question(body) {
    const system =
      body.system === undefined ? [] : [{ role: "system" as const, content: joinedText(body.system) }];
    return {
      model: body.model,
      messages: [...system, ...body.messages.flatMap(inputMessages)],
      tools:
        body.tool_choice?.type === "none"
          ? []
          : (body.tools ?? []).map(({ name, description, input_schema: schema }) => ({
              name,
              ...given({ description, schema }),
            })),
      sampling: {
        max_tokens: body.max_tokens,
        ...given({ temperature: body.temperature, top_p: body.top_p }),
      },
      ...given({ user: body.metadata?.user_id }),
    };
  },

  whole: (answer, body, about) => ({
    ...head(body, about),
    content: [
      ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
      ...answer.tool_calls.map(wireCall),
    ],
    stop_reason: STOP[answer.finish],
    stop_sequence: null,
    usage: usageOf(answer),
  }),

  streamed(body, about, stream) {
    const send = (type: string, data: object) => stream.send(JSON.stringify({ type, ...data }), type);
    let index = -1;
    return {
      begin: () =>
        send("message_start", {
          message: {
            ...head(body, about),
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 0, output_tokens: 0 },
          },
        }),
      async text(piece) {
        if (index < 0) {
          index = 0;
          await send("content_block_start", { index, content_block: { type: "text", text: "" } });
        }
        await send("content_block_delta", { index, delta: { type: "text_delta", text: piece } });
      },
      async end(answer) {
        if (index === 0) await send("content_block_stop", { index });
        for (const call of answer.tool_calls) {
          index += 1;
          await send("content_block_start", { index, content_block: { ...wireCall(call), input: {} } });
          const json = JSON.stringify(call.args ?? {});
          await send("content_block_delta", {
            index,
            delta: { type: "input_json_delta", partial_json: json },
          });
          await send("content_block_stop", { index });
        }
        await send("message_delta", {
          delta: { stop_reason: STOP[answer.finish], stop_sequence: null },
          usage: usageOf(answer),
        });
        await send("message_stop", {});
      },
      failed: (failure) => send("error", { error: errorOf(failure) }),
    };
  },
};

function head({ model }: Asked, { requestId }: Answering) {
  return { id: `msg_${requestId}`, type: "message", role: "assistant", model };
}

/** Results of tools stand in the user's message there, and are messages of their own here. */
function inputMessages({ role, content }: Asked["messages"][number]): InputMessage[] {
  if (typeof content === "string") return [{ role, content }];
  if (role === "assistant") {
    const said = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const calls = content.flatMap((part) =>
      part.type === "tool_use" ? [{ id: part.id, name: part.name, args: part.input }] : [],
    );
    return [
      {
        role,
        ...(said.length > 0 ? { content: said.join("\n") } : {}),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      },
    ];
  }
  const results = content.flatMap((part): InputMessage[] =>
    part.type === "tool_result"
      ? [{ role: "tool", tool_call_id: part.tool_use_id, content: joinedText(part.content ?? "") }]
      : [],
  );
  const parts = content.flatMap((part): UserPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "image") return [];
    return [{ type: "image", url: `data:${part.source.media_type};base64,${part.source.data}` }];
  });
  return [...results, ...(parts.length > 0 ? [{ role, content: parts }] : [])];
}

type UserPart = Exclude<Extract<InputMessage, { role: "user" }>["content"], string>[number];

const STOP: Readonly<Record<ExecutionResult["model_info"]["finish_reason"], string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  none: "end_turn",
};

function wireCall({ id, name, args }: ExecutionResult["tool_calls"][number]) {
  return { type: "tool_use", id, name, input: args ?? {} };
}

function usageOf({ usage }: Pick<CompatibleAnswer, "usage">) {
  const cached = usage.cached_tokens ?? 0;
  return {
    input_tokens: usage.prompt_tokens - cached,
    output_tokens: usage.completion_tokens,
    ...(cached > 0 ? { cache_read_input_tokens: cached } : {}),
  };
}

const ERROR_TYPES: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: "authentication_error",
  FORBIDDEN: "permission_error",
  NOT_FOUND: "not_found_error",
  RATE_LIMITED: "rate_limit_error",
  INTERNAL: "api_error",
  UPSTREAM_ERROR: "api_error",
  TIMEOUT: "api_error",
  UNAVAILABLE: "overloaded_error",
};

function errorOf({ reason, message }: Failure) {
  return { type: ERROR_TYPES[wireClassOf(reason)] ?? "invalid_request_error", message };
}
