import type { Block, Message, Origin } from "../message/message.ts";

/**
 * What is left of a message whose words were forgotten: when it was, whose it was, and that
 * there were calls. No text, no picture, no input and no output.
 *
 * T1 A call and its result stay a pair, so that the conversation can still be shown to a model.
 * T2 That it held words of others is still to be seen: forgetting them makes nothing trusted that was not.
 */
export function tombstone<M extends Message>(message: M): M {
  const others = new Set<Origin>();
  const blocks: Block[] = [];
  for (const block of message.blocks) {
    if (block.type === "tool_use") blocks.push(bareCall(block));
    else if (block.type === "tool_result") blocks.push(bareResult(block));
    else if (block.type === "compaction") blocks.push({ ...bareSummary(block) });
    else {
      const origin = strangerOf(message, block);
      if (origin !== undefined) others.add(origin);
    }
  }
  for (const origin of others) blocks.push({ type: "text", text: "", origin });
  return { ...message, blocks, meta: { forgotten: true } };
}

export function isForgotten({ meta }: Pick<Message, "meta">): boolean {
  return meta?.forgotten === true;
}

/** The message without what these calls were asked with and what they answered; the same object where there is nothing of them. */
export function withoutCalls<M extends Message>(message: M, calls: ReadonlySet<string>): M {
  if (!message.blocks.some((block) => "callId" in block && calls.has(block.callId))) return message;
  const blocks = message.blocks.map((block) => {
    if (block.type === "tool_use" && calls.has(block.callId)) return bareCall(block);
    if (block.type === "tool_result" && calls.has(block.callId)) return bareResult(block);
    return block;
  });
  const whole = blocks.every((block, i) => sameBlock(block, message.blocks[i]!));
  return whole ? message : { ...message, blocks };
}

/** The message without the summary it holds; the conversation is then shown to the model as it is. */
export function withoutSummaries<M extends Message>(message: M): M {
  const blocks = message.blocks.map((block) => (block.type === "compaction" ? bareSummary(block) : block));
  return { ...message, blocks };
}

/** Text that a model is shown in place of a forgotten message, so that none is empty. */
export const FORGOTTEN_TEXT = "[The owner had this message forgotten.]";

export function callsIn({ blocks }: Pick<Message, "blocks">): string[] {
  return blocks.flatMap((block) => (block.type === "tool_use" ? [block.callId] : []));
}

export function blobsIn({ blocks }: Pick<Message, "blocks">): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "image" || block.type === "file") return [block.blobId];
    return block.type === "tool_result" ? (block.images ?? []).map(({ blobId }) => blobId) : [];
  });
}

/** All strings that a person or a model wrote in it. */
export function wordsIn({ blocks }: Pick<Message, "blocks">): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "text" || block.type === "thinking") return [block.text];
    if (block.type === "tool_result") return [block.text];
    if (block.type === "tool_use") return stringsIn(block.input);
    if (block.type === "compaction") return [block.summary, ...(block.quotes ?? []).map(({ text }) => text)];
    return block.name === undefined ? [] : [block.name];
  });
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function bareCall({ type, callId, toolId }: Extract<Block, { type: "tool_use" }>): Block {
  return { type, callId, toolId, input: {} };
}

function bareResult({ type, callId, status }: Extract<Block, { type: "tool_result" }>): Block {
  return { type, callId, status, text: "" };
}

function bareSummary({ type, from, to, undoes }: Extract<Block, { type: "compaction" }>): Block {
  return { type, summary: "", from, to, ...(undoes ? { undoes } : {}) };
}

/** T2: whose words a block holds, where they are not those of the message itself. */
function strangerOf({ role, origin }: Message, block: Block): Origin | undefined {
  if (role !== "user") return undefined;
  if (block.type === "image" || block.type === "file") return block.origin ?? "attached";
  const whose = block.type === "text" ? (block.origin ?? origin) : origin;
  return whose === origin ? undefined : whose;
}

function sameBlock(a: Block, b: Block): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
