import { type ModelProfile, modelProfile } from "@elwood/core/model/model-profile";
import {
  fromWireName,
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type ToolSpec,
  toWireName,
} from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { type BlobBytes, loadBlobs, type Picture, picture } from "./attachments.ts";
import {
  assistantText,
  dataUrl,
  EMPTY_MESSAGE,
  type MessagePart,
  NO_RESULT,
  resultsById,
  userParts,
} from "./message-parts.ts";
import { sendRequest, type Delta, type ProviderOptions, type ReplyReader } from "./send-request.ts";
import { openaiAddress, openaiClient, openaiEvents, openaiUsage } from "./openai-client.ts";
import { type Address, post } from "./guarded-fetch.ts";
import { RequestBodies } from "./request-bodies.ts";
import type { StreamGuard } from "./stream-guard.ts";
import { makeOpenaiEmbed } from "./openai-embed.ts";
import type { Block, Message, ToolResultBlock, Usage } from "@elwood/core/message/message";
import { resultText, toolUse, wireCallId, wireToolName } from "./wire-calls.ts";
import { LIMITS } from "@elwood/core/base/limits";
import { AnswerText } from "./answer-text.ts";
import { estimateUsage } from "./estimate.ts";
import { BadReply, StreamedError } from "./read-failure.ts";

/** OpenAI's Responses API. Nothing is stored there: the whole conversation goes along each time. */
export function makeOpenaiResponses(options: ProviderOptions): ModelProvider {
  const { who, agents } = options;
  const address = openaiAddress(openaiClient(options), "/responses");
  const bodies = new RequestBodies();
  // Not async: what waits for an answer would hold what was asked.
  const ask = (to: Address, request: ModelRequest, blobs: BlobBytes, guard: StreamGuard) =>
    post(to, toBody(request, blobs, who.id, bodies), guard, agents);
  return {
    id: who.id,
    embed: makeOpenaiEmbed(options),
    chat(request: ModelRequest): AsyncIterable<ModelEvent> {
      return sendRequest<ResponseStreamEvent>(who, request, options, {
        reader: () => new ResponsesReply(who.id, request),
        async open(guard) {
          const to = await address();
          return openaiEvents(
            await ask(to, request, await loadBlobs(bodies.mayBringFiles(request.messages), request), guard),
          );
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
  const input = itemsOrEmpty(toResponses(request.messages, blobs, providerId));
  return { ...headParams(request), ...toolParams(request), input, ...restParams(request) };
}

/** The JSON of the same. */
export function toBody(
  request: ModelRequest,
  blobs: BlobBytes,
  providerId: string,
  bodies: RequestBodies,
): Buffer {
  return bodies.of({
    before: headParams(request),
    tools: request.tools,
    toolFields: () => toolParams(request),
    conversation: {
      name: "input",
      messages: request.messages,
      earlier: (part) => toResponses(part, blobs, providerId),
      rest: (messages, isBegun) => {
        const items = toResponses(messages, blobs, providerId);
        return isBegun ? items : itemsOrEmpty(items);
      },
    },
    after: restParams(request),
  });
}

function headParams(request: ModelRequest) {
  return {
    model: request.model,
    stream: true as const,
    store: false,
    max_output_tokens: Math.max(OUTPUT_TOKENS_MIN, request.maxOutputTokens),
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
  };
}

function toolParams({ tools }: ModelRequest): { tools?: FunctionTool[] } {
  return tools.length === 0 ? {} : { tools: toResponsesTools(tools) };
}

function restParams(request: ModelRequest): Partial<ResponseCreateParamsStreaming> {
  const profile = modelProfile({ provider: "openai", model: request.model });
  return {
    ...(request.tools.length > 0 && request.parallelCalls === false ? { parallel_tool_calls: false } : {}),
    ...(request.cacheKey === undefined ? {} : { prompt_cache_key: request.cacheKey }),
    ...(profile.thinking === "none" ? sampling(request) : reasoning(request, profile)),
  };
}

function reasoning(
  { effort }: ModelRequest,
  { leastEffort }: ModelProfile,
): Partial<ResponseCreateParamsStreaming> {
  const include: ResponseCreateParamsStreaming["include"] = ["reasoning.encrypted_content"];
  if (effort === undefined) return { include };
  if (effort === "off") return { include, reasoning: { effort: leastEffort } };
  return { include, reasoning: { effort, summary: "auto" } };
}

function sampling({ temperature, topP }: ModelRequest): { temperature?: number; top_p?: number } {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
  };
}

/**
 * A conversation in the terms of the Responses API, which keeps nothing for us. Pure.
 *
 * R1 Reasoning goes back only to the provider that encrypted it, whole, and only where
 *    the item it led to follows: the API refuses it otherwise.
 * R2 Items carry no ids of their own but reasoning: with nothing stored, an id would be
 *    looked up and not found.
 * R3 Every call has an output, and every output a call.
 */
export function toResponses(
  messages: readonly Message[],
  blobs: BlobBytes,
  providerId: string,
): ResponseInputItem[] {
  const results = resultsById(messages);
  const items: ResponseInputItem[] = [];
  for (const message of messages) {
    if (message.role === "user") items.push(userItem(message.blocks, blobs));
    else if (message.role === "assistant")
      items.push(...assistantItems(message.blocks, providerId, results, blobs));
  }
  return items;
}

/** The API takes no empty list. */
function itemsOrEmpty(items: ResponseInputItem[]): ResponseInputItem[] {
  return items.length > 0 ? items : [{ role: "user", content: EMPTY_MESSAGE }];
}

function toResponsesTools(tools: readonly ToolSpec[]): FunctionTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: toWireName(tool.toolId),
    description: tool.description,
    parameters: tool.inputSchema,
    strict: false,
  }));
}

function userItem(blocks: readonly Block[], blobs: BlobBytes): ResponseInputItem {
  const content = userParts(blocks, blobs).map(inputContent);
  return { role: "user", content: content.length > 0 ? content : [words(EMPTY_MESSAGE)] };
}

function assistantItems(
  blocks: readonly Block[],
  providerId: string,
  results: ReadonlyMap<string, ToolResultBlock>,
  blobs: BlobBytes,
): ResponseInputItem[] {
  const said: ResponseInputItem[] = [];
  const outputs: ResponseInputItem[] = [];
  let reasoning: ResponseReasoningItem[] = [];
  const add = (item: ResponseInputItem) => {
    said.push(...reasoning, item);
    reasoning = [];
  };
  for (const block of blocks) {
    switch (block.type) {
      case "thinking":
        if (block.opaque?.provider === providerId)
          reasoning.push(JSON.parse(block.opaque.data) as ResponseReasoningItem);
        break;
      case "text":
      case "image":
      case "compaction": {
        const content = assistantText(block);
        if (content !== undefined) add({ role: "assistant", content });
        break;
      }
      case "tool_use":
        add({
          type: "function_call",
          call_id: wireCallId(block.callId),
          name: wireToolName(block.toolId),
          arguments: block.malformed ?? JSON.stringify(block.input ?? {}),
        });
        outputs.push(outputItem(block.callId, results.get(block.callId), blobs));
        break;
      case "file":
      case "tool_result":
        break;
      default: {
        const never: never = block;
        throw new Error(`unknown block ${JSON.stringify(never)}`);
      }
    }
  }
  return [...said, ...outputs];
}

function outputItem(
  callId: string,
  result: ToolResultBlock | undefined,
  blobs: BlobBytes,
): ResponseInputItem {
  const call_id = wireCallId(callId);
  if (!result) return { type: "function_call_output", call_id, output: NO_RESULT };
  const text = resultText(result);
  const images = result.images ?? [];
  if (images.length === 0) return { type: "function_call_output", call_id, output: text };
  const output: ResponseFunctionCallOutputItem[] = [
    words(text),
    ...images.map((image) => textOrPicture(picture(image, blobs))),
  ];
  return { type: "function_call_output", call_id, output };
}

function inputContent(part: MessagePart): ResponseInputContent {
  if (part.kind !== "pdf") return textOrPicture(part);
  const file_data = dataUrl({ mime: "application/pdf", base64: part.base64 });
  return { type: "input_file", filename: part.name, file_data };
}

function textOrPicture(part: Picture) {
  if (part.kind === "text") return words(part.text);
  return { type: "input_image" as const, detail: "auto" as const, image_url: dataUrl(part) };
}

function words(text: string) {
  return { type: "input_text" as const, text };
}

/** An output item while it streams in; `item` is its last full form. */
interface Draft {
  item: ResponseOutputItem;
  readonly said: AnswerText;
  whole: boolean;
}

/** Reads the events of one Responses answer. Events of unknown types are passed over. */
class ResponsesReply implements ReplyReader<ResponseStreamEvent> {
  readonly #providerId: string;
  readonly #request: ModelRequest;
  readonly #drafts = new Map<number, Draft>();
  #response: Response | undefined;
  #refused = false;
  #begun = false;

  constructor(providerId: string, request: ModelRequest) {
    this.#providerId = providerId;
    this.#request = request;
  }

  get complete(): boolean {
    return this.#response !== undefined;
  }

  get ended(): boolean {
    return this.complete;
  }

  take(event: ResponseStreamEvent): readonly Delta[] {
    this.#begun = true;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most of the API's events are none of ours
    switch (event.type) {
      case "response.output_item.added":
        this.#open(event.output_index, event.item);
        return [];
      case "response.output_item.done":
        this.#open(event.output_index, event.item).whole = true;
        return [];
      case "response.output_text.delta":
        return this.#say("text", event.output_index, event.delta);
      case "response.refusal.delta":
        this.#refused = true;
        return this.#say("text", event.output_index, event.delta);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#say("thinking", event.output_index, event.delta);
      case "response.reasoning_summary_part.added":
        return event.summary_index > 0 ? this.#say("thinking", event.output_index, "\n\n") : [];
      case "response.function_call_arguments.delta":
        return this.#arguments(event.output_index, event.delta);
      case "response.completed":
      case "response.incomplete":
        this.#response = event.response;
        return [];
      case "response.failed":
        throw new StreamedError(event.response.error ?? { code: "server_error" });
      case "error":
        throw new StreamedError({ code: event.code, message: event.message });
      default:
        return [];
    }
  }

  async finish() {
    const response = this.#response;
    if (!response) throw new BadReply("the answer has no end");
    // The last event repeats every item; it stands in for any that was lost on the way.
    for (const [index, item] of (response.output ?? []).entries()) {
      if (!this.#drafts.get(index)?.whole) this.#open(index, item).whole = true;
    }
    const blocks = await this.#blocks();
    return {
      stopReason: this.#stopReason(response, blocks),
      blocks,
      usage: usageOf(response) ?? this.#estimate(blocks),
      model: response.model ?? this.#request.model,
    };
  }

  partial() {
    if (!this.#begun) return { blocks: [] };
    const blocks = [...this.#drafts.values()].flatMap((draft): Block[] =>
      draft.item.type === "message" && draft.said.text !== ""
        ? [{ type: "text", text: draft.said.text }]
        : [],
    );
    return { blocks, usage: this.#estimate(blocks) };
  }

  #estimate(blocks: readonly Block[]): Usage {
    const leftOut = this.#drafts.values().reduce((sum, { said }) => sum + said.tokensLeftOut, 0);
    return estimateUsage(this.#request, blocks, leftOut);
  }

  #open(index: number, item: ResponseOutputItem): Draft {
    const known = this.#drafts.get(index);
    if (known) {
      known.item = item;
      return known;
    }
    if (this.#drafts.size >= LIMITS.modelBlocksMax) throw new BadReply("too many output items");
    const draft: Draft = { item, said: new AnswerText(this.#request.textKeptMax), whole: false };
    this.#drafts.set(index, draft);
    return draft;
  }

  #say(type: "text" | "thinking", index: number, text: string): Delta[] {
    const draft = this.#drafts.get(index);
    if (!draft) throw new BadReply(`output item ${index} was never added`);
    draft.said.add(text);
    return text === "" ? [] : [{ type, text }];
  }

  #arguments(index: number, json: string): Delta[] {
    const item = this.#drafts.get(index)?.item;
    if (item?.type !== "function_call") throw new BadReply(`output item ${index} is not a call`);
    return json === "" ? [] : [{ type: "tool_args", index, toolId: fromWireName(item.name), json }];
  }

  #stopReason(response: Response, blocks: readonly Block[]): StopReason {
    const why = response.incomplete_details?.reason;
    if (why === "content_filter" || this.#refused) return "refusal";
    if (why === "max_output_tokens") return "max_tokens";
    return blocks.some((b) => b.type === "tool_use") ? "tool_use" : "end_turn";
  }

  async #blocks(): Promise<Block[]> {
    const blocks: Block[] = [];
    const drafts = [...this.#drafts.entries()].sort(([a], [b]) => a - b).map(([, draft]) => draft);
    for (const draft of drafts) blocks.push(...(await this.#toBlocks(draft)));
    return blocks;
  }

  async #toBlocks({ item, said: { text } }: Draft): Promise<Block[]> {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- items of tools that we never offer
    switch (item.type) {
      case "message": {
        const whole = item.content
          .map((part) => (part.type === "refusal" ? part.refusal : part.text))
          .join("");
        if (item.content.some((part) => part.type === "refusal")) this.#refused = true;
        const words = (whole || text).slice(0, this.#request.textKeptMax);
        return words === "" ? [] : [{ type: "text", text: words }];
      }
      case "reasoning": {
        const summary = item.summary.map((part) => part.text).join("\n\n") || text;
        const { id, encrypted_content, summary: parts } = item;
        if (!encrypted_content) return summary === "" ? [] : [{ type: "thinking", text: summary }];
        const data = JSON.stringify({ type: "reasoning", id, summary: parts, encrypted_content });
        return [{ type: "thinking", text: summary, opaque: { provider: this.#providerId, data } }];
      }
      case "function_call":
        return [toolUse(item.call_id, item.name, item.arguments)];
      case "image_generation_call": {
        if (!item.result) return [];
        const mime = `image/${item.output_format ?? "png"}`;
        const blobId = await this.#request.writeBlob(Buffer.from(item.result, "base64"), mime);
        return [{ type: "image", mime, blobId, origin: "model" }];
      }
      default:
        return [];
    }
  }
}

function usageOf({ usage }: Response): Usage | undefined {
  return (
    usage &&
    openaiUsage({
      input: usage.input_tokens,
      output: usage.output_tokens,
      total: usage.total_tokens,
      inputDetails: usage.input_tokens_details,
      outputDetails: usage.output_tokens_details,
    })
  );
}
