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
 * A part of an answer that the reply holds whole, or what the gateway told the model so that it went
 * on from there: kept for the journal's sake, and shown, searched and summed up nowhere.
 */
export function isBetweenLaps({ role, origin, meta }: Pick<Message, "role" | "origin" | "meta">): boolean {
  return meta?.continued === true || (role === "user" && origin === "gateway");
}
