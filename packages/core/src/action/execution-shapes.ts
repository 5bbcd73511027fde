import { z } from "zod";
import { LIMITS } from "../base/limits.ts";

/** What an action is executed with, and what it answers: the same by HTTP, WebSocket and command line. */

const text = () => z.string().max(LIMITS.messageCharsMax);
const jsonSchema = () => z.record(z.string(), z.unknown());

const contentPart = () =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text"), text: text() }),
    /** A picture as `data:image/png;base64,…`; nothing is fetched. */
    z.strictObject({ type: z.literal("image"), url: z.string().max(LIMITS.apiBodyBytesMax) }),
  ]);

const toolCall = () =>
  z.strictObject({ id: z.string().min(1).max(200), name: z.string().min(1).max(200), args: z.unknown() });

const inputMessage = () =>
  z.discriminatedUnion("role", [
    z.strictObject({ role: z.literal("system"), content: text() }),
    z.strictObject({
      role: z.literal("user"),
      content: z.union([text(), z.array(contentPart()).min(1).max(LIMITS.partsPerMessageMax)]),
    }),
    z.strictObject({
      role: z.literal("assistant"),
      content: text().optional(),
      tool_calls: z.array(toolCall()).max(LIMITS.modelBlocksMax).optional(),
    }),
    z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().min(1).max(200), content: text() }),
  ]);
export type InputMessage = z.infer<ReturnType<typeof inputMessage>>;

const sampling = () =>
  z.strictObject({
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().gt(0).max(1).optional(),
    max_tokens: z.number().int().min(1).max(1_000_000).optional(),
  });

/** A tool of whoever asks: the model may ask for it, and they run it themselves. */
const clientTool = () =>
  z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "is a name of letters, digits, _ and -" }),
    description: z.string().max(8_000).optional(),
    schema: jsonSchema().optional(),
  });

export const chatInputSchema = () =>
  z.strictObject({
    messages: z.array(inputMessage()).max(LIMITS.apiMessagesMax).optional(),
    /** One of the action's templates as the last message, with these variables. */
    template: z.string().max(64).optional(),
    variables: z
      .record(z.string().max(64), z.union([z.string().max(LIMITS.messageCharsMax), z.number(), z.boolean()]))
      .optional(),
    tools: z.array(clientTool()).max(128).optional(),
    /** Text comes piece by piece where whoever asks listens for it; said here, it changes nothing. */
    stream: z.boolean().optional(),
    sampling: sampling().optional(),
    response_format: z.enum(["text", "json"]).optional(),
    json_schema: jsonSchema().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    /** Nothing of it is cached. */
    sensitive: z.boolean().optional(),
    /** Only for actions that name no model of their own. */
    model: z.string().min(1).max(200).optional(),
  });
export type ChatInput = z.infer<ReturnType<typeof chatInputSchema>>;

export const embedInputSchema = () =>
  z.strictObject({
    inputs: z.array(z.string().min(1).max(100_000)).min(1).max(256),
    input_type: z.enum(["query", "document"]).optional(),
    dimensions: z.number().int().min(1).max(8_192).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    sensitive: z.boolean().optional(),
    model: z.string().min(1).max(200).optional(),
  });
export type EmbedInput = z.infer<ReturnType<typeof embedInputSchema>>;

export const rerankInputSchema = () =>
  z.strictObject({
    query: z.string().min(1).max(20_000),
    documents: z.array(z.string().min(1).max(20_000)).min(1).max(100),
    top_n: z.number().int().min(1).max(100).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    sensitive: z.boolean().optional(),
    model: z.string().min(1).max(200).optional(),
  });
export type RerankInput = z.infer<ReturnType<typeof rerankInputSchema>>;

/** Where Elwood has something on record: notes, conversations, receipts. */
export const RESOURCE_PLACES = ["memory", "sessions", "receipts"] as const;
export type ResourcePlace = (typeof RESOURCE_PLACES)[number];

export const resourceSearchSchema = () =>
  z.strictObject({
    query: z.string().trim().min(1).max(LIMITS.searchQueryCharsMax),
    /** All of them unless told. */
    in: z.array(z.enum(RESOURCE_PLACES)).min(1).max(RESOURCE_PLACES.length).optional(),
    limit: z.number().int().min(1).max(50).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  });
export type ResourceSearch = z.infer<ReturnType<typeof resourceSearchSchema>>;

export const resourceGetSchema = () =>
  z.strictObject({
    /** As a search names it. */
    uri: z.string().min(1).max(400),
    metadata: z.record(z.string(), z.unknown()).optional(),
  });
export type ResourceGet = z.infer<ReturnType<typeof resourceGetSchema>>;

const usage = () =>
  z.object({
    prompt_tokens: z.number().int().nonnegative(),
    completion_tokens: z.number().int().nonnegative(),
    total_tokens: z.number().int().nonnegative(),
    cached_tokens: z.number().int().nonnegative().optional(),
    reasoning_tokens: z.number().int().nonnegative().optional(),
    /** The provider sent no counts; these are guessed from the text. */
    estimated: z.boolean().optional(),
  });

/** The normalised answer, whoever gave it. */
export const executionResultSchema = () =>
  z.object({
    id: z.string(),
    /** The action's resource name, with the version that was executed. */
    action: z.string(),
    text: z.string(),
    /** The answer as a value, where a JSON answer was asked for. */
    json: z.unknown().optional(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.unknown() })),
    usage: usage(),
    /** An estimate in US dollars; null where the model has no known price. */
    cost: z.number().nullable(),
    model_info: z.object({
      provider: z.string(),
      model: z.string(),
      finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter", "none"]),
    }),
    embeddings: z.array(z.array(z.number())).optional(),
    /** Documents by how well they answer the query, the best first. */
    ranking: z.array(z.object({ index: z.number().int(), score: z.number() })).optional(),
    /** What an http action answered, or what was read. */
    output: z.unknown().optional(),
    cached: z.enum(["exact", "semantic"]).optional(),
    /** The answer did not fit its schema at first, and did after one more try. */
    repaired: z.boolean().optional(),
    /** Calls of tools that Elwood made for the model. */
    bridge: z.array(z.object({ callId: z.string(), tool: z.string(), status: z.string() })).optional(),
    /** What was looked at or taken out on the way. */
    notes: z
      .array(z.object({ stage: z.enum(["before", "after"]), what: z.string(), reason: z.string() }))
      .optional(),
  });
export type ExecutionResult = z.infer<ReturnType<typeof executionResultSchema>>;
