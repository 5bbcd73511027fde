import type { Block, Message } from "../message/message.ts";
import type { ToolSpec } from "./model.ts";

/**
 * How many tokens a text is, roughly: four letters to one, two digits, signs or letters of
 * other alphabets, one of those that stand for words. Wrong for any one text, near enough for a limit; where a
 * provider has counted, its count goes first (see context-size.ts in the runtime).
 */
export function tokensOfText(text: string): number {
  let quarters = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= CJK_FROM) quarters += 3;
    else if (code >= 0x80 || isSign(code)) quarters += 1;
  }
  return Math.ceil(quarters / 4);
}

/** Digits and signs: logs, tables and programs are full of them, and take more tokens than prose of their length. */
function isSign(code: number): boolean {
  return (code > 0x20 && code < 0x41) || (code > 0x5a && code < 0x61) || (code > 0x7a && code < 0x7f);
}

const CJK_FROM = 0x2e80;
const TOKENS_PER_PICTURE = 1_000;
/** What a provider's own wrapping of a message or a tool costs. */
const TOKENS_PER_WRAPPING = 4;
/** `[Sun 2026-11-15 10:00] ` */
const TOKENS_PER_STAMP = 10;
const BYTES_PER_TOKEN = 4;

export function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return tokensOfText(block.text);
    case "thinking":
      return tokensOfText(block.text) + Math.ceil((block.opaque?.data.length ?? 0) / 4);
    case "tool_use":
      return (
        tokensOfText(block.toolId) + tokensOfText(block.malformed ?? JSON.stringify(block.input) ?? "") + 16
      );
    case "tool_result":
      return tokensOfText(block.text) + (block.images?.length ?? 0) * TOKENS_PER_PICTURE + 16;
    case "image":
      return TOKENS_PER_PICTURE;
    case "file":
      return Math.ceil(block.bytes / BYTES_PER_TOKEN);
    case "compaction":
      return tokensOfText(block.summary);
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

/** As it costs a request: what the gateway said is not shown to a model, so it costs nothing. */
export function tokensOfMessage({ role, origin, blocks }: Message): number {
  if (role === "assistant" && origin === "gateway") return 0;
  // Each message from a person is stamped with its time.
  return blocks.reduce(
    (sum, block) => sum + tokensOfBlock(block),
    role === "user" ? TOKENS_PER_STAMP + TOKENS_PER_WRAPPING : TOKENS_PER_WRAPPING,
  );
}

/** The same tools go along with every request. */
const knownTools = new WeakMap<ToolSpec, number>();

export function tokensOfTool(tool: ToolSpec): number {
  const known = knownTools.get(tool);
  if (known !== undefined) return known;
  const tokens =
    tokensOfText(tool.toolId) +
    tokensOfText(tool.description) +
    tokensOfText(JSON.stringify(tool.inputSchema)) +
    TOKENS_PER_WRAPPING;
  knownTools.set(tool, tokens);
  return tokens;
}

/** Offers are made once for an agent, and go along with every request. */
const knownOffers = new WeakMap<readonly ToolSpec[], number>();

/** All tools of a request, as they are written into it. */
export function tokensOfTools(tools: readonly ToolSpec[]): number {
  if (tools.length === 0) return 0;
  const known = knownOffers.get(tools);
  if (known !== undefined) return known;
  const tokens = tokensOfText(JSON.stringify(tools));
  knownOffers.set(tools, tokens);
  return tokens;
}
