import { type Piece, Stretches } from "@elwood/core/base/stretches";
import type { Message } from "@elwood/core/message/message";

/** What stands behind so many exchanges may still change, by marks for a cache or by what is said next. */
const NEWEST_EXCHANGES = 2;
/** One that cannot stand alone is tried together with so many that follow it. */
const JOINED_MAX = 8;

/** Items of exchanges that follow each other, or undefined where they come out otherwise between their neighbours. */
type Convert = (part: readonly Message[]) => readonly object[] | undefined;

/** The beginning of a conversation as JSON, and the messages behind it. */
export interface EarlierExchanges {
  /** Items of a list, with commas between them; empty where there is none. */
  readonly json: string;
  readonly rest: readonly Message[];
}

/**
 * The JSON of earlier exchanges, as one API wants it. What was said before comes as the same objects in each request of
 * a conversation, and is written out once, for as long as these are kept. What brings pictures or files along is not:
 * which of them are sent depends on all others.
 */
export class ExchangeJson {
  readonly #written = new Stretches<Message, string>({
    join: (first, second) => joined([first, second]),
    // Behind it somebody spoke again.
    mayEnd: (messages, at) => messages[at]?.role === "user",
  });

  of(messages: readonly Message[], convert: Convert): EarlierExchanges {
    const last = newestFrom(messages);
    const { values, end } = this.#written.of(messages, (at) => written(messages, at, last, convert), last);
    return { json: joined(values), rest: end === 0 ? messages : messages.slice(end) };
  }

  /** Those that may bring files along. */
  mayBringFiles(messages: readonly Message[]): readonly Message[] {
    return this.#written.unknown(messages);
  }
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(",");
}

function written(
  messages: readonly Message[],
  from: number,
  last: number,
  convert: Convert,
): Piece<string> | undefined {
  let end = from;
  for (let tried = 0; tried < JOINED_MAX; tried += 1) {
    do end += 1;
    while (end <= last && !beginsAt(messages, end));
    if (end > last) return undefined;
    const part = messages.slice(from, end);
    const items = convert(part);
    if (items === undefined) continue;
    return { end, value: JSON.stringify(items).slice(1, -1), isLasting: !part.some(bringsFiles) };
  }
  return undefined;
}

/** Where the newest exchanges begin; 0 where there are no others, or where nobody spoke first. */
function newestFrom(messages: readonly Message[]): number {
  if (messages[0]?.role !== "user") return 0;
  let exchanges = 0;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    if (beginsAt(messages, at)) exchanges += 1;
    if (exchanges === NEWEST_EXCHANGES) return at;
  }
  return 0;
}

/** Whether somebody speaks again after an answer, one that every API is sent words of. */
function beginsAt(messages: readonly Message[], at: number): boolean {
  if (messages[at]?.role !== "user") return false;
  const before = messages[at - 1];
  return (
    before?.role === "assistant" &&
    before.blocks.some((block) => block.type === "text" && block.text.trim() !== "")
  );
}

function bringsFiles({ blocks }: Message): boolean {
  return blocks.some(
    (block) =>
      block.type === "image" || block.type === "file" || (block.type === "tool_result" && !!block.images),
  );
}
