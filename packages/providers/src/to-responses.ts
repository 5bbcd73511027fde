import type { Block, Message, ToolResultBlock } from "@elwood/core/message/message";
import { toWireName, type ToolSpec } from "@elwood/core/model/model";
import type {
  FunctionTool,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { fileContent, ownPictureNote, picture, type BlobBytes } from "./attachments.ts";
import { resultText } from "./result-text.ts";
import { wireCallId, wireToolName } from "./wire-names.ts";

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
  return items.length > 0 ? items : [{ role: "user", content: "(An empty message.)" }];
}

export function toResponsesTools(tools: readonly ToolSpec[]): FunctionTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: toWireName(tool.toolId),
    description: tool.description,
    parameters: tool.inputSchema,
    strict: false,
  }));
}

function resultsById(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (const block of messages.flatMap((m) => m.blocks)) {
    if (block.type === "tool_result") results.set(block.callId, block);
  }
  return results;
}

function userItem(blocks: readonly Block[], blobs: BlobBytes): ResponseInputItem {
  const content = blocks.flatMap((block): ResponseInputContent[] => {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [words(block.text)];
      case "image":
        return [pictureContent(block, blobs)];
      case "file": {
        const file = fileContent(block, blobs);
        if (file.kind === "text") return [words(file.text)];
        return [
          {
            type: "input_file",
            filename: file.name,
            file_data: `data:application/pdf;base64,${file.base64}`,
          },
        ];
      }
      case "compaction":
        return [words(`[Summary of the conversation before this point]\n${block.summary}`)];
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
  return { role: "user", content: content.length > 0 ? content : [words("(An empty message.)")] };
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
        if (block.text.trim() !== "") add({ role: "assistant", content: block.text });
        break;
      case "image":
        add({ role: "assistant", content: ownPictureNote(block) });
        break;
      case "compaction":
        add({
          role: "assistant",
          content: `[Summary of the conversation before this point]\n${block.summary}`,
        });
        break;
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
  if (!result)
    return { type: "function_call_output", call_id, output: "No result was recorded for this call." };
  const text = resultText(result);
  const images = result.images ?? [];
  if (images.length === 0) return { type: "function_call_output", call_id, output: text };
  const output: ResponseFunctionCallOutputItem[] = [
    words(text),
    ...images.map((image) => pictureContent(image, blobs)),
  ];
  return { type: "function_call_output", call_id, output };
}

function pictureContent(
  image: { mime: string; blobId: string; name?: string | undefined },
  blobs: BlobBytes,
) {
  const shown = picture(image, blobs);
  if (shown.kind === "note") return words(shown.text);
  return {
    type: "input_image" as const,
    detail: "auto" as const,
    image_url: `data:${shown.mime};base64,${shown.base64}`,
  };
}

function words(text: string) {
  return { type: "input_text" as const, text };
}
