import type { ExecutionResult, InputMessage } from "@elwood/core/action/execution-shapes";
import { LIMITS } from "@elwood/core/base/limits";
import { z } from "zod";
import type { CompatibleAnswer } from "./compatible-answer.ts";
import type { Answering, Dialect } from "./compatible-route.ts";
import { openaiError } from "./openai-error.ts";
import { callArguments, given, joinedText, modelName, toolChoice, vendorText } from "./vendor-content.ts";

const textPart = () => z.object({ type: z.enum(["input_text", "output_text", "text"]), text: vendorText() });
const imagePart = () =>
  z.object({
    type: z.literal("input_image"),
    image_url: z.string({ error: "a picture comes along as data:image/png;base64,…" }),
  });
const message = <Role extends string, Part extends z.ZodType>(roles: readonly Role[], part: Part) =>
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(roles),
    content: z.union([vendorText(), z.array(part)]),
  });
const item = () =>
  z.union(
    [
      message(["user"], z.discriminatedUnion("type", [textPart(), imagePart()])),
      message(["system", "developer", "assistant"], textPart()),
      z.object({
        type: z.literal("function_call"),
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
      }),
      z.object({
        type: z.literal("function_call_output"),
        call_id: z.string(),
        output: z.union([vendorText(), z.array(textPart())]),
      }),
      /** Of another model's making; nobody here can read it. */
      z.object({ type: z.literal("reasoning") }),
    ],
    {
      error:
        "is none of these: a message of text or pictures, a function_call with its arguments, a function_call_output",
    },
  );

const notKept = (what: string) =>
  z.null({ error: `${what}: no response is kept here. Send the whole conversation in \`input\`` }).optional();

const responseSchema = z.object({
  model: modelName(),
  input: z.union([vendorText().min(1), z.array(item()).min(1).max(LIMITS.apiMessagesMax)], {
    error: "is text, or a list of messages, function_calls and function_call_outputs",
  }),
  instructions: vendorText().nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal("function", { error: "only functions of your own are supported" }),
        name: z.string(),
        description: z.string().nullish(),
        parameters: z.record(z.string(), z.unknown()).nullish(),
        strict: z.boolean().nullish(),
      }),
    )
    .optional(),
  tool_choice: toolChoice(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.enum(["text", "json_object"]) }),
          z.object({
            type: z.literal("json_schema"),
            name: z.string().optional(),
            schema: z.record(z.string(), z.unknown()),
            strict: z.boolean().nullish(),
          }),
        ])
        .optional(),
    })
    .nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().min(1).max(200).optional(),
  previous_response_id: notKept("is not supported"),
  conversation: notKept("is not supported"),
  background: z
    .literal(false, { error: "answers are given at once; POST /api/v1/runs begins what goes on" })
    .nullish(),
});
type Asked = z.output<typeof responseSchema>;

/** OpenAI's Responses. Nothing is kept: each request brings the whole conversation. */
export const responses: Dialect<typeof responseSchema> = {
  path: "/v1/responses",
  about: {
    id: "openai.responses",
    summary: "OpenAI's Responses: agents and actions as models. None is kept.",
  },
  body: responseSchema,

  question(body) {
    const { format } = body.text ?? {};
    const instructions: InputMessage[] = body.instructions
      ? [{ role: "system", content: body.instructions }]
      : [];
    return {
      model: body.model,
      messages: [...instructions, ...inputMessages(body.input)],
      tools:
        body.tool_choice === "none"
          ? []
          : (body.tools ?? []).map(({ name, description, parameters }) => ({
              name,
              ...given({ description, schema: parameters }),
            })),
      sampling: given({
        temperature: body.temperature,
        top_p: body.top_p,
        max_tokens: body.max_output_tokens,
      }),
      ...(format === undefined || format.type === "text"
        ? {}
        : { json: format.type === "json_schema" ? { schema: format.schema } : {} }),
      ...given({ user: body.user }),
    };
  },

  whole: (answer, body, about) => ended(answer, body, about),

  streamed(body, about, stream) {
    let sequence = 0;
    const send = (type: string, data: object) =>
      stream.send(JSON.stringify({ type, sequence_number: sequence++, ...data }), type);
    const place = { output_index: 0, content_index: 0, item_id: messageId(about) };
    let told: string | undefined;
    return {
      async begin() {
        const response = { ...shape(body, about), status: "in_progress", output: [], usage: null };
        await send("response.created", { response });
        await send("response.in_progress", { response });
      },
      async text(delta) {
        if (told === undefined) {
          told = "";
          const begun = { ...messageItem("", about), status: "in_progress", content: [] };
          await send("response.output_item.added", { output_index: 0, item: begun });
          await send("response.content_part.added", { ...place, part: textContent("") });
        }
        told += delta;
        await send("response.output_text.delta", { ...place, delta, logprobs: [] });
      },
      async end(answer) {
        if (told !== undefined) {
          await send("response.output_text.done", { ...place, text: told, logprobs: [] });
          await send("response.content_part.done", { ...place, part: textContent(told) });
          await send("response.output_item.done", { output_index: 0, item: messageItem(told, about) });
        }
        const calls = answer.tool_calls.map((call, i) => callItem(call, about, i));
        for (const [i, call] of calls.entries()) {
          const at = { output_index: i + (told === undefined ? 0 : 1) };
          const { id: itemId, name, arguments: args } = call;
          await send("response.output_item.added", {
            ...at,
            item: { ...call, status: "in_progress", arguments: "" },
          });
          await send("response.function_call_arguments.delta", { ...at, item_id: itemId, delta: args });
          await send("response.function_call_arguments.done", {
            ...at,
            item_id: itemId,
            name,
            arguments: args,
          });
          await send("response.output_item.done", { ...at, item: call });
        }
        const response = ended({ ...answer, text: told ?? "" }, body, about);
        await send(`response.${response.status}`, { response });
      },
      async failed(failure) {
        const { code, message: words, param } = openaiError(failure);
        await send("error", { code, message: words, param });
        await send("response.failed", {
          response: {
            ...shape(body, about),
            status: "failed",
            error: { code: "server_error", message: words },
            output: told === undefined ? [] : [{ ...messageItem(told, about), status: "incomplete" }],
            usage: null,
          },
        });
      },
    };
  },
};

/** Calls that follow each other were asked for at once; their results come after all of them. */
function inputMessages(input: Asked["input"]): InputMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const messages: InputMessage[] = [];
  for (const each of input) {
    if (each.type === "reasoning") continue;
    if (each.type === "function_call") {
      const { call_id: id, name, arguments: args } = each;
      const call = { id, name, args: callArguments(args) };
      const last = messages.at(-1);
      if (last?.role === "assistant")
        messages.splice(-1, 1, { ...last, tool_calls: [...(last.tool_calls ?? []), call] });
      else messages.push({ role: "assistant", tool_calls: [call] });
    } else if (each.type === "function_call_output")
      messages.push({ role: "tool", tool_call_id: each.call_id, content: joinedText(each.output) });
    else if (each.role === "user")
      messages.push({
        role: "user",
        content:
          typeof each.content === "string"
            ? each.content
            : each.content.map((part) =>
                part.type === "input_image"
                  ? { type: "image", url: part.image_url }
                  : { type: "text", text: part.text },
              ),
      });
    else
      messages.push({
        role: each.role === "assistant" ? "assistant" : "system",
        content: joinedText(each.content),
      });
  }
  return messages;
}

/** What stands in every response, however far it has come. */
function shape(body: Asked, { requestId, created }: Answering) {
  return {
    id: `resp_${requestId}`,
    object: "response",
    created_at: created,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: "disabled",
  };
}

function ended({ text, tool_calls: calls, usage, finish }: CompatibleAnswer, body: Asked, about: Answering) {
  const reason = INCOMPLETE[finish];
  return {
    ...shape(body, about),
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output: [
      ...(text === "" ? [] : [messageItem(text, about)]),
      ...calls.map((call, i) => callItem(call, about, i)),
    ],
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
      total_tokens: usage.total_tokens,
    },
  };
}

const INCOMPLETE: Partial<Record<CompatibleAnswer["finish"], string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

function messageId({ requestId }: Answering): string {
  return `msg_${requestId}`;
}

function messageItem(text: string, about: Answering) {
  return {
    id: messageId(about),
    type: "message",
    status: "completed",
    role: "assistant",
    content: [textContent(text)],
  };
}

function textContent(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function callItem(
  { id, name, args }: ExecutionResult["tool_calls"][number],
  { requestId }: Answering,
  i: number,
) {
  return {
    id: `fc_${requestId}_${i}`,
    type: "function_call",
    status: "completed",
    call_id: id,
    name,
    arguments: JSON.stringify(args ?? {}),
  };
}
