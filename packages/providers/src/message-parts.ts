import type { Block, Message, ToolResultBlock } from "@elwood/core/message/message";
import { type BlobBytes, fileContent, ownPictureNote, picture } from "./attachments.ts";

/** What every wire format has a form for. A picture or file that cannot be sent is a text that says so. */
export type MessagePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "picture"; readonly mime: string; readonly base64: string }
  | { readonly kind: "pdf"; readonly name: string; readonly base64: string };

/** What a message of the user's role consists of, in order; blank text is left out. */
export function userParts(blocks: readonly Block[], blobs: BlobBytes): MessagePart[] {
  return blocks.flatMap((block): MessagePart[] => {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [{ kind: "text", text: block.text }];
      case "image":
        return [picture(block, blobs)];
      case "file":
        return [fileContent(block, blobs)];
      case "compaction":
        return [{ kind: "text", text: summaryText(block) }];
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

/** The text that stands for a block in an assistant's message; undefined for blocks that are not text. */
export function assistantText(block: Block): string | undefined {
  if (block.type === "text") return block.text.trim() === "" ? undefined : block.text;
  if (block.type === "image") return ownPictureNote(block);
  return block.type === "compaction" ? summaryText(block) : undefined;
}

function summaryText({ summary }: Extract<Block, { type: "compaction" }>): string {
  return `[Summary of the conversation before this point]\n${summary}`;
}

/** The results of tool calls, by call id. */
export function resultsById(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (const block of messages.flatMap((m) => m.blocks)) {
    if (block.type === "tool_result") results.set(block.callId, block);
  }
  return results;
}

/** Stands for the result of a call that has none: every API wants one. */
export const NO_RESULT = "No result was recorded for this call.";

export const EMPTY_MESSAGE = "(An empty message.)";

export function dataUrl({ mime, base64 }: { readonly mime: string; readonly base64: string }): string {
  return `data:${mime};base64,${base64}`;
}
