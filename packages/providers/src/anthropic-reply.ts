import type { Message as WireMessage, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { LIMITS } from "@elwood/core/base/limits";
import type { Block, Usage } from "@elwood/core/message/message";
import { fromWireName, type StopReason } from "@elwood/core/model/model";
import type { Delta, ReplyReader } from "./attempt.ts";
import { tokensIn } from "./estimate.ts";
import { BadReply } from "./read-failure.ts";
import { toolUse } from "./tool-args.ts";

/** A block while it streams in; `raw` is the block as it was announced. */
interface Draft {
  readonly type: string;
  readonly raw: Record<string, unknown>;
  text: string;
  json: string;
  signature: string;
  whole: boolean;
}

/**
 * Reads the events of one Messages answer. Events and blocks of types unknown to us do
 * no harm: the first are passed over, the second are kept as they came, so that they can
 * be sent back unchanged (a paused turn needs that).
 */
export class AnthropicReply implements ReplyReader<RawMessageStreamEvent> {
  readonly #providerId: string;
  readonly #drafts = new Map<number, Draft>();
  #usage: Usage | undefined;
  #model = "";
  #stop: string | null = null;
  #refusal: string | null | undefined;
  #ended = false;

  constructor(providerId: string) {
    this.#providerId = providerId;
  }

  get complete(): boolean {
    return this.#stop !== null;
  }

  get ended(): boolean {
    return this.#ended;
  }

  take(event: RawMessageStreamEvent): readonly Delta[] {
    switch (event.type) {
      case "message_start":
        this.#model = event.message.model;
        this.#count(event.message.usage);
        return [];
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#add(event.index, event.delta);
      case "content_block_stop":
        this.#draft(event.index).whole = true;
        return [];
      case "message_delta":
        this.#stop = event.delta.stop_reason ?? this.#stop;
        if (event.delta.stop_details) this.#refusal = event.delta.stop_details.category;
        this.#count(event.usage);
        return [];
      case "message_stop":
        this.#ended = true;
        return [];
      default:
        return [];
    }
  }

  async finish() {
    const note = this.#stop === "refusal" ? refusalNote(this.#refusal) : undefined;
    return {
      stopReason: stopReason(this.#stop),
      blocks: this.#blocks(true),
      usage: this.#usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      model: this.#model,
      ...(note === undefined ? {} : { note }),
    };
  }

  /** The count of what was written is not known yet: it comes with the last event. */
  partial() {
    const blocks = this.#blocks(false);
    if (!this.#usage) return { blocks };
    const outputTokens = Math.max(this.#usage.outputTokens, tokensIn(blocks));
    return { blocks, usage: { ...this.#usage, outputTokens, estimated: true } };
  }

  #open(index: number, raw: { type: string }): Delta[] {
    if (this.#drafts.size >= LIMITS.modelBlocksMax) throw new BadReply("too many content blocks");
    const block = raw as Record<string, unknown> & { type: string };
    const text = wordOf(block["text"]) || wordOf(block["thinking"]);
    const draft = {
      type: block.type,
      raw: block,
      text: "",
      json: "",
      signature: wordOf(block["signature"]),
      whole: false,
    };
    this.#drafts.set(index, draft);
    return text === "" ? [] : this.#say(draft, text);
  }

  #add(index: number, delta: { type: string } & object): Delta[] {
    const draft = this.#draft(index);
    const fields = delta as Record<string, unknown>;
    switch (delta.type) {
      case "text_delta":
        return this.#say(draft, wordOf(fields["text"]));
      case "thinking_delta":
        return this.#say(draft, wordOf(fields["thinking"]));
      case "signature_delta":
        draft.signature += wordOf(fields["signature"]);
        return [];
      case "input_json_delta": {
        const json = wordOf(fields["partial_json"]);
        draft.json += json;
        if (draft.type !== "tool_use" || json === "") return [];
        return [{ type: "tool_args", index, toolId: fromWireName(wordOf(draft.raw["name"])), json }];
      }
      default:
        return [];
    }
  }

  #say(draft: Draft, text: string): Delta[] {
    draft.text += text;
    if (text === "") return [];
    if (draft.type === "text") return [{ type: "text", text }];
    return draft.type === "thinking" ? [{ type: "thinking", text }] : [];
  }

  #draft(index: number): Draft {
    const draft = this.#drafts.get(index);
    if (!draft) throw new BadReply(`content block ${index} was never opened`);
    return draft;
  }

  /** Cumulative: each count replaces the one before, and what an event leaves out stands. */
  #count(counts: Partial<Record<keyof WireMessage["usage"], unknown>> | undefined): void {
    if (!counts) return;
    const known = this.#usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    this.#usage = {
      inputTokens: countOf(counts.input_tokens, known.inputTokens),
      outputTokens: countOf(counts.output_tokens, known.outputTokens),
      cacheReadTokens: countOf(counts.cache_read_input_tokens, known.cacheReadTokens),
      cacheWriteTokens: countOf(counts.cache_creation_input_tokens, known.cacheWriteTokens),
    };
  }

  /** Of a broken-off answer only words are kept, and calls and thinking that were whole. */
  #blocks(all: boolean): Block[] {
    const drafts = [...this.#drafts.entries()].sort(([a], [b]) => a - b).map(([, draft]) => draft);
    return drafts.flatMap((draft): Block[] => {
      if (draft.type === "text") return draft.text === "" ? [] : [{ type: "text", text: draft.text }];
      if (!all && !draft.whole) return [];
      if (draft.type === "tool_use")
        return [toolUse(wordOf(draft.raw["id"]), wordOf(draft.raw["name"]), draft.json)];
      return [{ type: "thinking", text: draft.text, ...this.#opaque(draft) }];
    });
  }

  #opaque(draft: Draft): { opaque?: { provider: string; data: string } } {
    const provider = this.#providerId;
    if (draft.type === "thinking")
      return draft.signature === ""
        ? {}
        : { opaque: { provider, data: JSON.stringify({ signature: draft.signature }) } };
    const input = draft.json === "" ? {} : { input: JSON.parse(draft.json) as unknown };
    return { opaque: { provider, data: JSON.stringify({ block: { ...draft.raw, ...input } }) } };
  }
}

const STOPS: Record<string, StopReason> = {
  end_turn: "end_turn",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  tool_use: "tool_use",
  pause_turn: "pause_turn",
  refusal: "refusal",
  model_context_window_exceeded: "context_full",
};

function stopReason(word: string | null): StopReason {
  return STOPS[word ?? ""] ?? "end_turn";
}

const CATEGORIES: Record<string, string> = {
  cyber: "computer security",
  bio: "biology and health",
  frontier_llm: "the making of AI models",
  reasoning_extraction: "the model's inner reasoning",
  general_harms: "possible harm",
};

function refusalNote(category: string | null | undefined): string | undefined {
  const about = CATEGORIES[category ?? ""];
  return about === undefined
    ? undefined
    : `The provider's safety check stopped it; the subject it named is ${about}.`;
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function countOf(value: unknown, known: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : known;
}
