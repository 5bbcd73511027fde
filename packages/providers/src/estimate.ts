import type { Block, Usage } from "@elwood/core/message/message";
import type { ModelRequest } from "@elwood/core/model/model";
import { tokensOfBlock, tokensOfText, tokensOfTool } from "@elwood/core/model/tokens";

/** For providers that send no counts. Always marked as estimated. */
export function estimateUsage(request: ModelRequest, blocks: readonly Block[], tokensLeftOut: number): Usage {
  const prompt = request.messages.reduce((sum, m) => sum + tokensIn(m.blocks), tokensOfText(request.system));
  const tools = request.tools.reduce((sum, tool) => sum + tokensOfTool(tool), 0);
  return {
    inputTokens: prompt + tools,
    outputTokens: tokensIn(blocks) + tokensLeftOut,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    estimated: true,
  };
}

export function tokensIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0);
}
