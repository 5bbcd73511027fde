import type { Block, Usage } from "@elwood/core/message/message";
import type { ModelRequest, StopReason } from "@elwood/core/model/model";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Delta, ReplyReader } from "./attempt.ts";
import { ChatCalls, type CallPiece } from "./chat-calls.ts";
import { estimateUsage } from "./estimate.ts";
import { BadReply, StreamedError } from "./read-failure.ts";
import { TaggedText, type Tagged } from "./tagged-text.ts";

/** What servers put beside the fields that OpenAI names. */
interface Extras {
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly images?: unknown;
}

/**
 * Reads a Chat Completions answer, streamed or whole, from any server that speaks it.
 * Any tool call makes it a tool turn, whatever finish_reason says.
 */
export class ChatReply implements ReplyReader<ChatCompletionChunk | ChatCompletion> {
  readonly #request: ModelRequest;
  readonly #calls = new ChatCalls();
  readonly #tagged: TaggedText;
  readonly #pictures: string[] = [];
  #text = "";
  #thinking = "";
  #finish: string | undefined;
  #refused = false;
  #usage: Usage | undefined;
  #model = "";
  #begun = false;

  constructor(request: ModelRequest) {
    this.#request = request;
    this.#tagged = new TaggedText(request.tools.length > 0);
  }

  get complete(): boolean {
    return this.#finish !== undefined;
  }

  /** Usage and [DONE] may still follow; a stream that ends without them is complete all the same. */
  get ended(): boolean {
    return this.#finish !== undefined && this.#usage !== undefined;
  }

  take(event: ChatCompletionChunk | ChatCompletion): readonly Delta[] {
    this.#begun = true;
    this.#model ||= event.model ?? "";
    this.#usage = usageOf(event.usage) ?? this.#usage;
    if ("error" in event && event.error) throw new StreamedError(event.error);
    const choice = event.choices?.[0];
    if (!choice) return [];
    // OpenRouter: the provider behind it broke down in the middle.
    if ((choice.finish_reason as string | null) === "error")
      throw new StreamedError({ code: "server_error" });
    if (choice.finish_reason) this.#finish = choice.finish_reason;
    const said = ("message" in choice ? choice.message : choice.delta) as Partial<
      ChatCompletion["choices"][0]["message"]
    > &
      Extras;
    return said ? this.#hear(said) : [];
  }

  async finish() {
    this.#sort(this.#tagged.end());
    const blocks = this.#blocks();
    for (const url of this.#pictures) blocks.push(await this.#store(url));
    const calls = this.#calls.blocks();
    blocks.push(...calls);
    return {
      stopReason: this.#stopReason(calls.length),
      blocks,
      usage: this.#usage ?? estimateUsage(this.#request, blocks),
      model: this.#model || this.#request.model,
    };
  }

  partial() {
    if (!this.#begun) return { blocks: [] };
    const blocks = this.#blocks();
    return { blocks, usage: this.#usage ?? estimateUsage(this.#request, blocks) };
  }

  #hear(said: Partial<ChatCompletion["choices"][0]["message"]> & Extras): Delta[] {
    const deltas: Delta[] = [];
    const thought = wordOf(said.reasoning_content) || wordOf(said.reasoning);
    if (thought !== "") deltas.push(...this.#sort([{ type: "thinking", text: thought }]));
    const text = textOf(said.content);
    if (text !== "") deltas.push(...this.#sort(this.#tagged.take(text)));
    if (wordOf(said.refusal) !== "") {
      this.#refused = true;
      deltas.push(...this.#sort([{ type: "text", text: wordOf(said.refusal) }]));
    }
    for (const piece of listOf(said.tool_calls)) deltas.push(...this.#calls.take(piece as CallPiece));
    for (const image of listOf(said.images)) {
      const url = wordOf((image as { image_url?: { url?: unknown } }).image_url?.url);
      if (url !== "" && !this.#pictures.includes(url)) this.#pictures.push(url);
    }
    return deltas;
  }

  #sort(pieces: readonly Tagged[]): Delta[] {
    return pieces.flatMap((piece): Delta[] => {
      if (piece.type === "call") {
        this.#calls.add(piece.name, piece.args);
        return [];
      }
      if (piece.type === "text") this.#text += piece.text;
      else this.#thinking += piece.text;
      return [piece];
    });
  }

  #blocks(): Block[] {
    const blocks: Block[] = [];
    if (this.#thinking.trim() !== "") blocks.push({ type: "thinking", text: this.#thinking.trim() });
    if (this.#text.trim() !== "") blocks.push({ type: "text", text: this.#text });
    return blocks;
  }

  async #store(url: string): Promise<Block> {
    const [, mime, base64] = /^data:(image\/[a-z0-9.+-]+);base64,(.+)$/is.exec(url) ?? [];
    if (mime === undefined || base64 === undefined) throw new BadReply("a picture that is not a data URL");
    const blobId = await this.#request.writeBlob(Buffer.from(base64, "base64"), mime.toLowerCase());
    return { type: "image", mime: mime.toLowerCase(), blobId, origin: "model" };
  }

  #stopReason(calls: number): StopReason {
    if (calls > 0) return "tool_use";
    if (this.#refused || this.#finish === "content_filter") return "refusal";
    return this.#finish === "length" ? "max_tokens" : "end_turn";
  }
}

function usageOf(counts: ChatCompletion["usage"] | null | undefined): Usage | undefined {
  if (typeof counts?.prompt_tokens !== "number" || typeof counts.completion_tokens !== "number")
    return undefined;
  // Zeros all over are how some servers say that they do not count.
  if (counts.prompt_tokens === 0 && counts.completion_tokens === 0) return undefined;
  const cacheReadTokens = counts.prompt_tokens_details?.cached_tokens ?? 0;
  const cacheWriteTokens = counts.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    inputTokens: Math.max(0, counts.prompt_tokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: counts.completion_tokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Content is a string, or parts with text in them. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => wordOf((part as { text?: unknown }).text))
    .join("");
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
