import type { MemoryOrigin } from "@elwood/core/memory/turn";
import {
  isBetweenLaps,
  transcriptLineSchema,
  type Origin,
  type TranscriptLine,
} from "@elwood/core/message/message";
import { replySegments } from "@elwood/core/message/reply-segments";
import type { Redactor } from "@elwood/core/base/redact";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { inParts, type TurnDraft } from "../turn-draft.ts";

/** A line of a file, without its end. */
export interface FileLine {
  readonly line: number;
  readonly start: number;
  /** Behind its newline. */
  readonly end: number;
  /** Absent where it is too long to be a message. */
  readonly bytes?: Uint8Array;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The message in a line; `undefined` where there is none that Elwood could read. */
export function parseLine(bytes: Uint8Array): TranscriptLine | "blank" | undefined {
  let value: unknown;
  try {
    const text = decoder.decode(bytes);
    if (text.trim() === "") return "blank";
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
  const line = safelyParse(transcriptLineSchema, value);
  return line.success ? line.data : undefined;
}

/**
 * What a message adds to memory: the words of people and of the model. What tools returned,
 * what the model thought, what Elwood itself said and what was recalled from memory is left out: the
 * last would otherwise be learned again, as if it had been said twice. Words of different
 * origin in one message are turns of their own, so that what was piped in beside the owner's
 * sentence never counts as the owner's. Of a reply, what Elwood marked as not verified is not learned.
 */
export function turnsOf(
  message: TranscriptLine,
  place: FileLine,
  session: string,
  redact: Redactor,
): TurnDraft[] {
  if (message.role === "tool" || isBetweenLaps(message)) return [];
  const { role, run, ts } = message;
  const byOrigin = new Map<Origin, string[]>();
  const supported = supportedText(message);
  for (const block of message.blocks) {
    if (block.type !== "text") continue;
    const origin = block.origin ?? message.origin;
    // Its segments are the reply as a whole, whatever blocks it came in.
    if (origin === "model" && supported !== undefined) byOrigin.set(origin, [supported]);
    else byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), block.text]);
  }
  const drafts: TurnDraft[] = [];
  for (const [from, texts] of byOrigin) {
    const origin = ORIGIN_OF[from];
    if (origin === undefined) continue;
    for (const text of inParts(redact(texts.join("\n\n")))) {
      drafts.push({
        line: place.line,
        lineTo: place.line,
        byteStart: place.start,
        byteEnd: place.end,
        session,
        run,
        ts,
        role,
        speaker: from === "owner" ? "you" : from === "model" ? "Elwood" : from,
        origin,
        text,
      });
    }
  }
  return drafts;
}

const ORIGIN_OF: Readonly<Record<Origin, MemoryOrigin | undefined>> = {
  owner: "owner",
  program: "untrusted",
  member: "untrusted",
  stranger: "untrusted",
  model: "agent",
  piped: "untrusted",
  attached: "untrusted",
  quoted: "untrusted",
  forwarded: "untrusted",
  schedule: "system",
  webhook: "untrusted",
  recalled: undefined,
  tool: undefined,
  gateway: undefined,
};

/** A reply without the sentences that nothing on record supports; undefined where it has none. */
function supportedText(message: TranscriptLine): string | undefined {
  const segments = replySegments(message);
  if (!segments?.some(({ verified }) => verified === "unsupported")) return undefined;
  return segments
    .filter(({ by, verified }) => by === "model" && verified !== "unsupported")
    .map(({ text }) => text)
    .join("")
    .trim();
}
