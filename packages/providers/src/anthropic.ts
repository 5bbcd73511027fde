import type { ClientOptions } from "@anthropic-ai/sdk";
import type {
  ContentBlockParam,
  Message as WireMessage,
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
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
import { sendRequest, type Delta, type ProviderOptions, type ReplyReader } from "./send-request.ts";
import { type BlobBytes, loadBlobs, type Picture, picture } from "./attachments.ts";
import { EventStream, type ServerEvent } from "./event-stream.ts";
import { type Address, addressOf, type Answer, post } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import { LIMITS } from "@elwood/core/base/limits";
import { loadOnce } from "@elwood/core/base/load-once";
import { isRecord } from "@elwood/core/base/is-record";
import { parseJson } from "@elwood/core/base/parse-json";
import type { Block, Message, ThinkingBlock, ToolResultBlock, Usage } from "@elwood/core/message/message";
import { assistantText, EMPTY_MESSAGE, type MessagePart, NO_RESULT, userParts } from "./message-parts.ts";
import { RequestBodies } from "./request-bodies.ts";
import type { StreamGuard } from "./stream-guard.ts";
import { toolUse, wireCallId, wireText, wireToolName } from "./wire-calls.ts";
import { AnswerText } from "./answer-text.ts";
import { tokensIn } from "./estimate.ts";
import { BadReply, StreamedError } from "./read-failure.ts";

/** The SDK is large; it comes with the first question. */
const loadSdk = loadOnce(() => import("@anthropic-ai/sdk"));

/** Anthropic's Messages API, or a server that speaks it. */
export function makeAnthropic(options: ProviderOptions): ModelProvider {
  const { who, agents } = options;
  const address = loadOnce(() => messagesAddress(options));
  const bodies = new RequestBodies();
  // Not async: what waits for an answer would hold what was asked.
  const ask = (to: Address, request: ModelRequest, blobs: BlobBytes, guard: StreamGuard) =>
    post(to, toBody(request, blobs, who.id, bodies), guard, agents);
  return {
    id: who.id,
    chat(request: ModelRequest): AsyncIterable<ModelEvent> {
      return sendRequest<RawMessageStreamEvent>(who, request, options, {
        reader: () => new AnthropicReply(who.id, request),
        async open(guard) {
          const to = await address();
          return eventsOf(
            await ask(to, request, await loadBlobs(bodies.mayBringFiles(request.messages), request), guard),
          );
        },
      });
    },
  };
}

/** The SDK says where a request goes and what stands in its head; for one client that is always the same. */
async function messagesAddress(options: ProviderOptions): Promise<Address> {
  const { Anthropic } = await loadSdk();
  const client = new Anthropic(clientOptions(options));
  return addressOf(
    await client.buildRequest({ method: "post", path: "/v1/messages", body: {}, stream: true }),
  );
}

async function* eventsOf({ pieces, headers }: Answer): AsyncGenerator<Iterable<RawMessageStreamEvent>> {
  const stream = new EventStream();
  for await (const piece of pieces) yield eventsIn(stream.take(piece), headers);
}

function* eventsIn(
  events: Iterable<ServerEvent>,
  headers: Answer["headers"],
): Generator<RawMessageStreamEvent> {
  for (const { name, data } of events) {
    if (name === "error") throw new StreamedError(parseJson(data) ?? data, headers());
    if (name === "" || name === "ping" || data === "") continue;
    yield JSON.parse(data) as RawMessageStreamEvent;
  }
}

/** Everything is spelled out, so that the SDK looks neither into the environment nor into files of its own. */
function clientOptions({ who, headers }: ProviderOptions): ClientOptions {
  return {
    ...authorization(who, headers),
    baseURL: who.baseUrl,
    maxRetries: 0,
    timeout: LIMITS.modelAnswerMs,
    logLevel: "off",
  };
}

const OAUTH_BETA = "oauth-2025-04-20";

/** The SDK sends keys as bearers. Anthropic takes that; servers that only imitate it may want the older header too. */
function authorization(
  { credential, baseUrl }: ProviderIdentity,
  headers: Readonly<Record<string, string>> = {},
) {
  const secret = credential?.secret ?? "none";
  const isToken =
    credential !== undefined && (credential.type !== "api_key" || secret.startsWith("sk-ant-oat"));
  if (isToken) {
    const betas = [headers["anthropic-beta"], OAUTH_BETA].filter(Boolean).join(",");
    return { authToken: secret, defaultHeaders: { ...headers, "anthropic-beta": betas } };
  }
  const own = new URL(baseUrl).host === "api.anthropic.com";
  return { apiKey: secret, defaultHeaders: own ? headers : { "x-api-key": secret, ...headers } };
}

export function toParams(
  request: ModelRequest,
  blobs: BlobBytes,
  providerId: string,
): MessageCreateParamsStreaming & Sampling {
  return {
    ...headParams(request),
    ...systemParams(request),
    ...choiceParams(request),
    ...toolParams(request),
    messages: markedTurns(request.messages, blobs, providerId),
    ...thinking(request),
    ...sampling(request),
  };
}

/** The JSON of the same. */
export function toBody(
  request: ModelRequest,
  blobs: BlobBytes,
  providerId: string,
  bodies: RequestBodies,
): Buffer {
  return bodies.of({
    before: { ...headParams(request), ...systemParams(request), ...choiceParams(request) },
    tools: request.tools,
    toolFields: () => toolParams(request),
    conversation: {
      name: "messages",
      messages: request.messages,
      earlier: (part) => endedTurns(part, blobs, providerId),
      rest: (messages) => markedTurns(messages, blobs, providerId),
    },
    after: { ...thinking(request), ...sampling(request) },
  });
}

function headParams({ model, maxOutputTokens }: ModelRequest) {
  return { model, max_tokens: maxOutputTokens, stream: true as const };
}

function systemParams({ system }: ModelRequest): { system?: TextBlockParam[] } {
  return system.trim() === "" ? {} : withCacheMarks({ system: [text(system)] });
}

function toolParams({ tools }: ModelRequest): { tools?: Tool[] } {
  return tools.length === 0 ? {} : withCacheMarks({ tools: toAnthropicTools(tools) });
}

function choiceParams(request: ModelRequest) {
  return request.tools.length > 0 && request.parallelCalls === false
    ? { tool_choice: { type: "auto" as const, disable_parallel_tool_use: true } }
    : {};
}

function markedTurns(messages: readonly Message[], blobs: BlobBytes, providerId: string): MessageParam[] {
  return withCacheMarks({ messages: toAnthropic(messages, blobs, providerId) }).messages;
}

/**
 * Models after 4.6 refuse sampling, and the SDK's types no longer know it; those before, and servers
 * that imitate the API, take it. Where both are set the temperature goes, since some refuse the two
 * together. While it thinks, a model takes neither.
 */
function sampling({ model, temperature, topP, effort }: ModelRequest): Sampling {
  if (temperature === undefined && topP === undefined) return {};
  if (!profileOf(model).sampling || (effort !== undefined && effort !== "off")) return {};
  if (temperature !== undefined) return { temperature: Math.min(temperature, TEMPERATURE_MAX) };
  return topP === undefined ? {} : { top_p: topP };
}

interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
}

const TEMPERATURE_MAX = 1;

const BUDGETS = { low: 2_048, medium: 8_192, high: 16_384 };
const BUDGET_MIN = 1_024;

/** Nothing is sent where nothing was asked for: then the model does what its maker thinks best. */
function thinking({ model, effort, maxOutputTokens }: ModelRequest): {
  thinking?: ThinkingConfigParam;
  output_config?: { effort: "low" | "medium" | "high" };
} {
  if (effort === undefined) return {};
  const profile = profileOf(model);
  if (profile.thinking === "none") return {};
  if (profile.thinking === "budget") {
    const budget = effort === "off" ? 0 : Math.min(BUDGETS[effort], maxOutputTokens - 1);
    if (budget < BUDGET_MIN) return {};
    return { thinking: { type: "enabled", budget_tokens: budget } };
  }
  if (effort !== "off")
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  return profile.leastEffort === "none"
    ? { thinking: { type: "disabled" } }
    : { output_config: { effort: "low" } };
}

function profileOf(model: string): ModelProfile {
  return modelProfile({ provider: "anthropic", model });
}

type Turn = { role: "user" | "assistant"; content: ContentBlockParam[] };

/**
 * A conversation in the terms of the Messages API. Pure.
 *
 * A1 Turns alternate and begin with the user's; neighbours of one role are joined.
 * A2 Nothing but tool results stands in a turn that holds any: with text right after
 *    them the model often ends its turn in silence. Where the owner spoke next, an
 *    assistant turn that says so is put between.
 * A3 Every call is answered in the very next turn, and nothing else is.
 * A4 Thinking goes back only to the provider that signed it, exactly as it came.
 * A5 No block is empty: the API refuses blank text.
 */
export function toAnthropic(
  messages: readonly Message[],
  blobs: BlobBytes,
  providerId: string,
): MessageParam[] {
  const turns = turnsOf(messages, blobs, providerId);
  if (turns[0]?.role !== "user")
    turns.unshift({ role: "user", content: [text("(The conversation goes on.)")] });
  trimLastWord(turns);
  return turns;
}

/** The turns of exchanges that others follow; undefined where these would have a part in them. */
function endedTurns(
  messages: readonly Message[],
  blobs: BlobBytes,
  providerId: string,
): readonly Turn[] | undefined {
  const turns = turnsOf(messages, blobs, providerId);
  const last = turns.at(-1);
  return last?.role === "assistant" && openCalls(last).length === 0 ? turns : undefined;
}

function turnsOf(messages: readonly Message[], blobs: BlobBytes, providerId: string): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "tool") addResults(turns, message, blobs);
    else if (message.role === "user") addUser(turns, userParts(message.blocks, blobs).map(userBlock));
    else addAssistant(turns, assistantBlocks(message.blocks, providerId));
  }
  answerOpenCalls(turns);
  return turns;
}

export function toAnthropicTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map((tool) => ({
    name: toWireName(tool.toolId),
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: "object" },
  }));
}

/** Marks where the provider's cache may end; the API takes four marks at most. Each part has its own. */
export function withCacheMarks<
  T extends { tools?: Tool[]; system?: TextBlockParam[]; messages?: MessageParam[] },
>(params: T): T {
  const mark = (block: object | undefined) =>
    block && Object.assign(block, { cache_control: { type: "ephemeral" } });
  mark(params.tools?.at(-1));
  mark(params.system?.at(-1));
  // The newest turn, and the one that was newest last time: more than 20 blocks may lie between.
  const asked = (params.messages ?? []).filter((m) => m.role === "user").slice(-2);
  for (const turn of asked) if (Array.isArray(turn.content)) mark(turn.content.at(-1));
  return params;
}

function addUser(turns: Turn[], content: ContentBlockParam[]): void {
  const last = turns.at(-1);
  const said = content.length > 0 ? content : [text(EMPTY_MESSAGE)];
  if (last?.role === "user" && last.content.some((b) => b.type === "tool_result")) {
    turns.push({ role: "assistant", content: [text("[The answer was interrupted here.]")] });
  } else if (last?.role === "user") {
    last.content.push(...said);
    return;
  }
  turns.push({ role: "user", content: said });
}

function addAssistant(turns: Turn[], content: ContentBlockParam[]): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === "assistant" && openCalls(last).length === 0) last.content.push(...content);
  else turns.push({ role: "assistant", content });
}

function addResults(turns: Turn[], message: Message, blobs: BlobBytes): void {
  const results = message.blocks.filter((b): b is ToolResultBlock => b.type === "tool_result");
  const last = turns.at(-1);
  const joins = last?.role === "user" && last.content.some((b) => b.type === "tool_result");
  const asking = joins ? turns.at(-2) : last;
  const asked = asking?.role === "assistant" ? openCalls(asking) : [];
  const blocks = results
    .filter((r) => asked.includes(wireCallId(r.callId)))
    .map((r) => resultBlock(r, blobs));
  if (blocks.length === 0) return;
  if (joins) last.content.push(...blocks);
  else turns.push({ role: "user", content: blocks });
}

function openCalls(turn: Turn): string[] {
  return turn.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function answerOpenCalls(turns: Turn[]): void {
  for (let i = 0; i < turns.length; i++) {
    const asked = turns[i]!.role === "assistant" ? openCalls(turns[i]!) : [];
    if (asked.length === 0) continue;
    const next = turns[i + 1];
    const answered = next?.content.flatMap((b) => (b.type === "tool_result" ? [b.tool_use_id] : [])) ?? [];
    const missing = asked
      .filter((id) => !answered.includes(id))
      .map((id): ToolResultBlockParam => ({
        type: "tool_result",
        tool_use_id: id,
        is_error: true,
        content: NO_RESULT,
      }));
    if (missing.length === 0) continue;
    if (answered.length > 0) next!.content.push(...missing);
    else turns.splice(i + 1, 0, { role: "user", content: missing });
    // A2 for the turn that now follows the results.
    if (turns[i + 2]?.role === "user")
      turns.splice(i + 2, 0, { role: "assistant", content: [text("[The answer was interrupted here.]")] });
  }
}

function userBlock(part: MessagePart): ContentBlockParam {
  if (part.kind !== "pdf") return textOrPicture(part);
  const source = { type: "base64", media_type: "application/pdf", data: part.base64 } as const;
  return { type: "document", title: part.name, source };
}

function assistantBlocks(blocks: readonly Block[], providerId: string): ContentBlockParam[] {
  return blocks.flatMap((block): ContentBlockParam[] => {
    switch (block.type) {
      case "text":
      case "image":
      case "compaction": {
        const words = assistantText(block);
        return words === undefined ? [] : [text(words)];
      }
      case "thinking":
        return thinkingBlock(block, providerId);
      case "tool_use":
        return [
          {
            type: "tool_use",
            id: wireCallId(block.callId),
            name: wireToolName(block.toolId),
            input: asObject(block.input),
          },
        ];
      case "file":
      case "tool_result":
        return [];
      default: {
        const never: never = block;
        throw new Error(`unknown block ${JSON.stringify(never)}`);
      }
    }
  });
}

/** The opaque part is what `AnthropicReply` put there: a signature, or a whole block that means nothing to us. */
function thinkingBlock(block: ThinkingBlock, providerId: string): ContentBlockParam[] {
  if (block.opaque?.provider !== providerId) return [];
  const kept = JSON.parse(block.opaque.data) as { signature: string } | { block: ContentBlockParam };
  if ("block" in kept) return [kept.block];
  return [{ type: "thinking", thinking: block.text, signature: kept.signature }];
}

function resultBlock(result: ToolResultBlock, blobs: BlobBytes): ToolResultBlockParam {
  const images = (result.images ?? []).map((image) => textOrPicture(picture(image, blobs)));
  const said =
    result.text.trim() === "" ? (images.length > 0 ? [] : [text("(no output)")]) : [text(result.text)];
  return {
    type: "tool_result",
    tool_use_id: wireCallId(result.callId),
    content: [...said, ...images],
    ...(result.status === "error" && !wasDecided(result) ? { is_error: true } : {}),
  };
}

/** Nothing failed where somebody decided against it, or did not decide in time. */
function wasDecided({ ended }: ToolResultBlock): boolean {
  return ended === "denied" || ended === "expired";
}

function textOrPicture(part: Picture) {
  if (part.kind === "text") return text(part.text);
  // picture() lets through only the four types that the API names.
  const media_type = part.mime as "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  return { type: "image" as const, source: { type: "base64" as const, media_type, data: part.base64 } };
}

/** A conversation that ends with the assistant is continued, and must not end in white space. */
function trimLastWord(turns: Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (block?.type === "text") block.text = block.text.trimEnd();
}

function asObject(input: unknown): object {
  return isRecord(input) ? input : {};
}

function text(words: string): TextBlockParam {
  return { type: "text", text: words };
}

/** A block while it streams in; `raw` is the block as it was announced. */
interface Draft {
  readonly type: string;
  readonly raw: Record<string, unknown>;
  readonly said: AnswerText;
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
  readonly #textKeptMax: number | undefined;
  readonly #drafts = new Map<number, Draft>();
  #usage: Usage | undefined;
  #model = "";
  #stop: string | null = null;
  #refusal: string | null | undefined;
  #ended = false;

  constructor(providerId: string, { textKeptMax }: Pick<ModelRequest, "textKeptMax">) {
    this.#providerId = providerId;
    this.#textKeptMax = textKeptMax;
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
    const leftOut = this.#drafts.values().reduce((sum, { said }) => sum + said.tokensLeftOut, 0);
    const outputTokens = Math.max(this.#usage.outputTokens, tokensIn(blocks) + leftOut);
    return { blocks, usage: { ...this.#usage, outputTokens, estimated: true } };
  }

  #open(index: number, raw: { type: string }): Delta[] {
    if (this.#drafts.size >= LIMITS.modelBlocksMax) throw new BadReply("too many content blocks");
    const block = raw as Record<string, unknown> & { type: string };
    const text = wireText(block["text"]) || wireText(block["thinking"]);
    const draft = {
      type: block.type,
      raw: block,
      said: new AnswerText(this.#textKeptMax),
      json: "",
      signature: wireText(block["signature"]),
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
        return this.#say(draft, wireText(fields["text"]));
      case "thinking_delta":
        return this.#say(draft, wireText(fields["thinking"]));
      case "signature_delta":
        draft.signature += wireText(fields["signature"]);
        return [];
      case "input_json_delta": {
        const json = wireText(fields["partial_json"]);
        draft.json += json;
        if (draft.type !== "tool_use" || json === "") return [];
        return [{ type: "tool_args", index, toolId: fromWireName(wireText(draft.raw["name"])), json }];
      }
      default:
        return [];
    }
  }

  #say(draft: Draft, text: string): Delta[] {
    draft.said.add(text);
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
      const { text } = draft.said;
      if (draft.type === "text") return text === "" ? [] : [{ type: "text", text }];
      if (!all && !draft.whole) return [];
      if (draft.type === "tool_use")
        return [toolUse(wireText(draft.raw["id"]), wireText(draft.raw["name"]), draft.json)];
      return [{ type: "thinking", text, ...this.#opaque(draft) }];
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

function countOf(value: unknown, known: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : known;
}
