import type { ExecutionResult, InputMessage } from "@elwood/core/action/execution-shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { z } from "zod";
import type { Answering, Dialect } from "./compatible-route.ts";
import { openaiError } from "./openai-error.ts";
import { callArguments, given, joinedText, modelName, toolChoice, vendorText } from "./vendor-content.ts";

const parts = () =>
  z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: vendorText() }),
      z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
    ]),
  );
const plainContent = () =>
  z.union([vendorText(), z.array(z.object({ type: z.literal("text"), text: vendorText() }))]);
const completionSchema = z.object({
  model: modelName(),
  messages: z
    .array(
      z.discriminatedUnion("role", [
        z.object({ role: z.enum(["system", "developer"]), content: plainContent() }),
        z.object({ role: z.literal("user"), content: z.union([vendorText(), parts()]) }),
        z.object({
          role: z.literal("assistant"),
          content: plainContent().nullish(),
          tool_calls: z
            .array(
              z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .optional(),
        }),
        z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: plainContent() }),
      ]),
    )
    .min(1)
    .max(LIMITS.apiMessagesMax),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
        }),
      }),
    )
    .optional(),
  tool_choice: toolChoice(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({ schema: z.record(z.string(), z.unknown()).optional() }),
      }),
    ])
    .optional(),
  user: z.string().min(1).max(200).optional(),
  n: z.literal(1, { error: "one answer is given" }).nullish(),
  stop: z.null({ error: "words that end an answer are not supported" }).optional(),
});
type Completion = z.output<typeof completionSchema>;

/** OpenAI's Chat Completions. */
export const chatCompletions: Dialect<typeof completionSchema> = {
  path: "/v1/chat/completions",
  about: {
    id: "openai.chat.completions",
    summary: "OpenAI's Chat Completions: agents and actions as models.",
  },
  body: completionSchema,

  question(body) {
    const { response_format: format, tools = [] } = body;
    return {
      model: body.model,
      messages: body.messages.map(inputMessage),
      tools:
        body.tool_choice === "none"
          ? []
          : tools.map(({ function: { name, description, parameters } }) => ({
              name,
              ...given({ description, schema: parameters }),
            })),
      sampling: given({
        temperature: body.temperature,
        top_p: body.top_p,
        max_tokens: body.max_completion_tokens ?? body.max_tokens,
      }),
      ...(format === undefined || format.type === "text"
        ? {}
        : { json: format.type === "json_schema" ? given({ schema: format.json_schema.schema }) : {} }),
      ...given({ user: body.user }),
    };
  },

  whole(answer, body, about) {
    return {
      ...head(body, about),
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: answer.text === "" ? null : answer.text,
            refusal: null,
            ...(answer.tool_calls.length === 0 ? {} : { tool_calls: answer.tool_calls.map(wireCall) }),
          },
          logprobs: null,
          finish_reason: FINISH[answer.finish],
        },
      ],
      usage: usageOf(answer.usage),
    };
  },

  streamed(body, about, stream) {
    const send = (more: object) =>
      stream.send(JSON.stringify({ ...head(body, about), object: "chat.completion.chunk", ...more }));
    const chunk = (delta: object, finish: string | null = null) =>
      send({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
    return {
      begin: () => chunk({ role: "assistant", content: "" }),
      text: (content) => chunk({ content }),
      async end({ tool_calls: calls, finish, usage }) {
        if (calls.length > 0)
          await chunk({ tool_calls: calls.map((call, index) => ({ index, ...wireCall(call) })) });
        await chunk({}, FINISH[finish]);
        if (body.stream_options?.include_usage === true) await send({ choices: [], usage: usageOf(usage) });
        await stream.send("[DONE]");
      },
      failed: (failure) => stream.send(JSON.stringify({ error: openaiError(failure) })),
    };
  },
};

function head({ model }: Completion, { requestId, created }: Answering) {
  return { id: `chatcmpl-${requestId}`, created, model };
}

function inputMessage(message: Completion["messages"][number]): InputMessage {
  if (message.role === "user") {
    const { content } = message;
    if (typeof content === "string") return { role: "user", content };
    return {
      role: "user",
      content: content.map((part) =>
        part.type === "text" ? { type: "text", text: part.text } : { type: "image", url: part.image_url.url },
      ),
    };
  }
  if (message.role === "assistant") {
    const calls = message.tool_calls?.map(({ id, function: { name, arguments: args } }) => ({
      id,
      name,
      args: callArguments(args),
    }));
    return {
      role: "assistant",
      ...(message.content === null || message.content === undefined
        ? {}
        : { content: joinedText(message.content) }),
      ...(calls ? { tool_calls: calls } : {}),
    };
  }
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.tool_call_id, content: joinedText(message.content) };
  return { role: "system", content: joinedText(message.content) };
}

const FINISH: Readonly<Record<ExecutionResult["model_info"]["finish_reason"], string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  none: "stop",
};

function wireCall({ id, name, args }: ExecutionResult["tool_calls"][number]) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) } };
}

function usageOf({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  cached_tokens,
  reasoning_tokens,
}: ExecutionResult["usage"]) {
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens,
    ...(cached_tokens === undefined ? {} : { prompt_tokens_details: { cached_tokens } }),
    ...(reasoning_tokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens } }),
  };
}
