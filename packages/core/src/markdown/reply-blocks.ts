import { replyLocale } from "../request/language.ts";
import { replyAsText } from "../grounding/render.ts";
import { replySegments, textOf, type Block, type Message } from "../message/message.ts";

/** What a message holds, for surfaces that show plain text: a reply with the gateway's marks and sentences. */
export function blocksAsText(message: Pick<Message, "blocks" | "meta" | "origin">): readonly Block[] {
  const { blocks, origin } = message;
  const segments = replySegments(message);
  if (!segments) return blocks;
  // What was undone since is told by the calls; no tick stands for it any more.
  const now = segments.map((each) => (each.undone ? { ...each, verified: "unmatched" as const } : each));
  const reply: Block = { type: "text", text: replyAsText(now, replyLocale(textOf(message))) };
  // Where the model said nothing, the gateway's sentences stand with its word about the run.
  if (origin === "gateway") return [reply, ...blocks];
  const at = blocks.findIndex(({ type }) => type === "text");
  if (at < 0) return [...blocks, reply];
  return blocks.flatMap((block, i): Block[] => {
    if (block.type !== "text") return [block];
    return i === at ? [reply] : [];
  });
}
