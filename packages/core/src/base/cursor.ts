import { fail } from "./failure.ts";

/**
 * A place in a list that is ordered by time, then id. The id breaks ties, so that a page
 * ends and the next begins at the same row whatever else shares its millisecond. To
 * clients the text is opaque: they hand back what they were given.
 */
export interface Place {
  readonly at: number;
  readonly id: string;
}

const CURSOR_CHARS_MAX = 200;

export function toCursor(place: Place): string {
  return `${Math.floor(place.at).toString(36)}.${place.id}`;
}

export function fromCursor(text: string): Place {
  const match = text.length <= CURSOR_CHARS_MAX ? /^([0-9a-z]{1,10})\.([0-9A-Za-z_-]+)$/.exec(text) : null;
  if (!match) {
    fail(
      "INVALID_INPUT",
      "The place to go on from (`before`) is not one that Elwood gave out. Leave it out to start from the newest.",
    );
  }
  return { at: Number.parseInt(match[1]!, 36), id: match[2]! };
}
