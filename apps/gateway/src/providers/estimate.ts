import type { Block, Usage } from "@elwood/core/message";
import type { ModelRequest } from "@elwood/core/model";

/** Four characters a token: wrong for any one text, near enough for a limit. Always marked as estimated. */
const CHARS_PER_TOKEN = 4;
const TOKENS_PER_PICTURE = 1_000;

export function estimateUsage(request: ModelRequest, blocks: readonly Block[]): Usage {
  const prompt = request.messages.reduce((sum, m) => sum + tokensIn(m.blocks), tokensOf(request.system));
  const tools = request.tools.reduce(
    (sum, t) => sum + tokensOf(t.description) + tokensOf(JSON.stringify(t.inputSchema)),
    0,
  );
  return {
    inputTokens: prompt + tools,
    outputTokens: tokensIn(blocks),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    estimated: true,
  };
}

export function tokensIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0);
}

function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
    case "thinking":
      return tokensOf(block.text);
    case "tool_use":
      return tokensOf(block.toolId) + tokensOf(block.malformed ?? JSON.stringify(block.input) ?? "");
    case "tool_result":
      return tokensOf(block.text) + (block.images?.length ?? 0) * TOKENS_PER_PICTURE;
    case "image":
      return TOKENS_PER_PICTURE;
    case "file":
      return Math.ceil(block.bytes / CHARS_PER_TOKEN);
    case "compaction":
      return tokensOf(block.summary);
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
