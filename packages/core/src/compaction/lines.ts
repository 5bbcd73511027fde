import type { CompactionBlock, Message } from "../message/message.ts";

/**
 * A line of a conversation that says how an earlier part of it is shown to the model: by a
 * summary, or without the output of some calls. The conversation itself is never changed,
 * so that each such line can be taken back by another.
 */
export interface CompactionLine {
  /** The id of its message. */
  readonly id: string;
  readonly ts: number;
  readonly at: number;
  readonly block: CompactionBlock;
  readonly undone: boolean;
}

/** In the order in which they were written; those that undo others are not lines of their own. */
export function compactionLines(messages: readonly Message[]): CompactionLine[] {
  const lines: { id: string; ts: number; at: number; block: CompactionBlock }[] = [];
  const undone = new Set<string>();
  for (let at = 0; at < messages.length; at++) {
    const { id, ts, role, origin, blocks } = messages[at]!;
    // Only Elwood writes them: what stands in anybody else's message is none.
    if (role !== "assistant" || origin !== "gateway") continue;
    for (const block of blocks) {
      if (block.type !== "compaction") continue;
      for (const other of block.undoes ?? []) undone.add(other);
      if (block.summary !== "" || block.outputs || block.failed !== undefined)
        lines.push({ id, ts, at, block });
    }
  }
  return lines.map((line) => ({ ...line, undone: undone.has(line.id) }));
}

/** Whether a line changes what the model is shown, as long as nobody takes it back. */
export function hasEffect({ block }: CompactionLine): boolean {
  return block.summary !== "" || (block.outputs?.length ?? 0) > 0;
}

/** The text whose hash says what a summary covers: the same after a way through a file, whatever the order of keys there. */
export function coveredText(messages: readonly Message[]): string {
  return messages
    .map(({ id, ts, role, origin, blocks }) => JSON.stringify([id, ts, role, origin, blocks.map(fieldsOf)]))
    .join("\n");
}

function fieldsOf(block: Message["blocks"][number]): unknown[] {
  switch (block.type) {
    case "text":
      return ["text", block.text, block.origin];
    case "thinking":
      return ["thinking", block.text];
    case "tool_use":
      return ["tool_use", block.callId, block.toolId, block.input];
    case "tool_result":
      return ["tool_result", block.callId, block.status, block.text];
    case "image":
      return ["image", block.blobId];
    case "file":
      return ["file", block.blobId, block.name];
    case "compaction":
      return ["compaction", block.summary, block.from, block.to];
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}
