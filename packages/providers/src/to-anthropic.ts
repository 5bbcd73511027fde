import { isRecord } from "@elwood/core/base/is-record";
import type {
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { Block, Message, ThinkingBlock, ToolResultBlock } from "@elwood/core/message/message";
import { toWireName, type ToolSpec } from "@elwood/core/model/model";
import { fileContent, ownPictureNote, picture, type BlobBytes } from "./attachments.ts";
import { wireCallId, wireToolName } from "./wire-names.ts";

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
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "tool") addResults(turns, message, blobs);
    else if (message.role === "user") addUser(turns, userBlocks(message.blocks, blobs));
    else addAssistant(turns, assistantBlocks(message.blocks, providerId));
  }
  answerOpenCalls(turns);
  if (turns[0]?.role !== "user")
    turns.unshift({ role: "user", content: [text("(The conversation goes on.)")] });
  trimLastWord(turns);
  return turns;
}

export function toAnthropicTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map((tool) => ({
    name: toWireName(tool.toolId),
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: "object" },
  }));
}

/** Marks where the provider's cache may end; the API takes four marks at most. */
export function withCacheMarks<
  T extends { tools?: Tool[]; system?: TextBlockParam[]; messages: MessageParam[] },
>(params: T): T {
  const mark = (block: object | undefined) =>
    block && Object.assign(block, { cache_control: { type: "ephemeral" } });
  mark(params.tools?.at(-1));
  mark(params.system?.at(-1));
  // The newest turn, and the one that was newest last time: more than 20 blocks may lie between.
  const asked = params.messages.filter((m) => m.role === "user").slice(-2);
  for (const turn of asked) if (Array.isArray(turn.content)) mark(turn.content.at(-1));
  return params;
}

function addUser(turns: Turn[], content: ContentBlockParam[]): void {
  const last = turns.at(-1);
  const said = content.length > 0 ? content : [text("(An empty message.)")];
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
        content: "No result was recorded for this call.",
      }));
    if (missing.length === 0) continue;
    if (answered.length > 0) next!.content.push(...missing);
    else turns.splice(i + 1, 0, { role: "user", content: missing });
    // A2 for the turn that now follows the results.
    if (turns[i + 2]?.role === "user")
      turns.splice(i + 2, 0, { role: "assistant", content: [text("[The answer was interrupted here.]")] });
  }
}

function userBlocks(blocks: readonly Block[], blobs: BlobBytes): ContentBlockParam[] {
  return blocks.flatMap((block): ContentBlockParam[] => {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [text(block.text)];
      case "image":
        return [pictureBlock(block, blobs)];
      case "file": {
        const file = fileContent(block, blobs);
        if (file.kind === "text") return [text(file.text)];
        return [
          {
            type: "document",
            title: file.name,
            source: { type: "base64", media_type: "application/pdf", data: file.base64 },
          },
        ];
      }
      case "compaction":
        return [text(`[Summary of the conversation before this point]\n${block.summary}`)];
      case "thinking":
      case "tool_use":
      case "tool_result":
        return [];
      default: {
        const never: never = block;
        throw new Error(`unknown block ${JSON.stringify(never)}`);
      }
    }
  });
}

function assistantBlocks(blocks: readonly Block[], providerId: string): ContentBlockParam[] {
  return blocks.flatMap((block): ContentBlockParam[] => {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [text(block.text)];
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
      case "image":
        return [text(ownPictureNote(block))];
      case "compaction":
        return [text(`[Summary of the conversation before this point]\n${block.summary}`)];
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

/** The opaque part is what `anthropic-reply.ts` put there: a signature, or a whole block that means nothing to us. */
function thinkingBlock(block: ThinkingBlock, providerId: string): ContentBlockParam[] {
  if (block.opaque?.provider !== providerId) return [];
  const kept = JSON.parse(block.opaque.data) as { signature: string } | { block: ContentBlockParam };
  if ("block" in kept) return [kept.block];
  return [{ type: "thinking", thinking: block.text, signature: kept.signature }];
}

function resultBlock(result: ToolResultBlock, blobs: BlobBytes): ToolResultBlockParam {
  const images = (result.images ?? []).map((image) => pictureBlock(image, blobs));
  const said =
    result.text.trim() === "" ? (images.length > 0 ? [] : [text("(no output)")]) : [text(result.text)];
  return {
    type: "tool_result",
    tool_use_id: wireCallId(result.callId),
    content: [...said, ...images],
    ...(result.status === "error" ? { is_error: true } : {}),
  };
}

function pictureBlock(image: { mime: string; blobId: string; name?: string | undefined }, blobs: BlobBytes) {
  const shown = picture(image, blobs);
  if (shown.kind === "note") return text(shown.text);
  // picture() lets through only the four types that the API names.
  const media_type = shown.mime as "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  return { type: "image" as const, source: { type: "base64" as const, media_type, data: shown.base64 } };
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
