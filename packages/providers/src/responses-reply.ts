import { LIMITS } from "@elwood/core/base/limits";
import type { Block, Usage } from "@elwood/core/message/message";
import { fromWireName, type ModelRequest, type StopReason } from "@elwood/core/model/model";
import type { Response, ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses";
import type { Delta, ReplyReader } from "./attempt.ts";
import { estimateUsage } from "./estimate.ts";
import { BadReply, StreamedError } from "./read-failure.ts";
import { toolUse } from "./tool-args.ts";

/** An output item while it streams in; `item` is its last full form. */
interface Draft {
  item: ResponseOutputItem;
  text: string;
  whole: boolean;
}

/** Reads the events of one Responses answer. Events of unknown types are passed over. */
export class ResponsesReply implements ReplyReader<ResponseStreamEvent> {
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
      usage: usageOf(response) ?? estimateUsage(this.#request, blocks),
      model: response.model ?? this.#request.model,
    };
  }

  partial() {
    if (!this.#begun) return { blocks: [] };
    const blocks = [...this.#drafts.values()].flatMap((draft): Block[] =>
      draft.item.type === "message" && draft.text !== "" ? [{ type: "text", text: draft.text }] : [],
    );
    return { blocks, usage: estimateUsage(this.#request, blocks) };
  }

  #open(index: number, item: ResponseOutputItem): Draft {
    const known = this.#drafts.get(index);
    if (known) {
      known.item = item;
      return known;
    }
    if (this.#drafts.size >= LIMITS.modelBlocksMax) throw new BadReply("too many output items");
    const draft: Draft = { item, text: "", whole: false };
    this.#drafts.set(index, draft);
    return draft;
  }

  #say(type: "text" | "thinking", index: number, text: string): Delta[] {
    const draft = this.#drafts.get(index);
    if (!draft) throw new BadReply(`output item ${index} was never added`);
    draft.text += text;
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

  async #toBlocks({ item, text }: Draft): Promise<Block[]> {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- items of tools that we never offer
    switch (item.type) {
      case "message": {
        const whole = item.content
          .map((part) => (part.type === "refusal" ? part.refusal : part.text))
          .join("");
        if (item.content.some((part) => part.type === "refusal")) this.#refused = true;
        const words = whole || text;
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

/** OpenAI counts cached tokens into the input; we keep them apart. */
function usageOf(response: Response): Usage | undefined {
  const counts = response.usage;
  if (!counts) return undefined;
  const cacheReadTokens = counts.input_tokens_details?.cached_tokens ?? 0;
  const cacheWriteTokens = counts.input_tokens_details?.cache_write_tokens ?? 0;
  return {
    inputTokens: Math.max(0, counts.input_tokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: counts.output_tokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
