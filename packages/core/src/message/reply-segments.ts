import type { Message, ReplySegment } from "./message.ts";

/** Apart from the schemas of messages, so that a page that reads them does not carry a parser. */

/** The pieces of a reply; undefined where nothing was added to it, or where it was kept with its marks in its text. */
export function replySegments({ meta }: Pick<Message, "meta">): readonly ReplySegment[] | undefined {
  const segments = meta?.segments;
  if (!segments || segments.some(({ by, verified }) => by === "elwood" || typeof verified === "boolean"))
    return undefined;
  // No piece is of the old shape.
  return segments as readonly ReplySegment[];
}

/**
 * The pieces of a reply without what they cite. The numbers of another session's calls could be taken
 * for those of a copy: there they are plain text, without a tick.
 */
export function uncited(message: Pick<Message, "meta">): readonly ReplySegment[] | undefined {
  return replySegments(message)?.map(({ cites, verified, ...segment }): ReplySegment => {
    if (!cites) return { ...segment, ...(verified ? { verified } : {}) };
    const text = `${segment.text.trimEnd()} (${cites.join(", ")})${/\s*$/u.exec(segment.text)?.[0] ?? ""}`;
    return { ...segment, text, ...(verified === "unsupported" ? { verified } : {}) };
  });
}

/**
 * A part of an answer that the reply holds whole, or what the gateway told the model alone: kept for
 * the journal's sake, and shown and searched nowhere.
 */
export function isBetweenLaps({ role, origin, meta }: Pick<Message, "role" | "origin" | "meta">): boolean {
  return meta?.continued === true || (role !== "assistant" && origin === "gateway");
}

/** What the gateway told the model of undos. People see them where the calls are. */
export function isUndoNote({ role, origin }: Pick<Message, "role" | "origin">): boolean {
  return role === "tool" && origin === "gateway";
}
