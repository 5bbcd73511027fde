import { characterStart } from "@elwood/core/message/session-text";
import { sliceFormatted, type FormattedText, type Span } from "./formatted-text.ts";

export interface SplitOptions {
  /** What the service takes in one message. */
  readonly limit: number;
  /**
   * How much of the limit a text needs, as the service writes it: at least its own length, and
   * more for more of the same text. Its length, unless given: services that count after
   * reading the formatting.
   */
  readonly measure?: (part: FormattedText) => number;
}

/** Less could not hold a code block's fences. */
const LIMIT_MIN = 64;

/**
 * Cuts a text into messages that the service takes.
 *
 * P1 Every part fits, and none is blank. Together they have all the text, except for blank
 *    space where they were cut.
 * P2 A cut goes where it hurts least: between paragraphs, lines, sentences, words; and not
 *    through a character as people see one.
 * P3 A code block stays whole if one message can hold it. Where it is cut, between lines if
 *    possible, its formatting ends and begins again.
 */
export function splitMessage(text: FormattedText, options: SplitOptions): readonly FormattedText[] {
  const { limit } = options;
  if (!(limit >= LIMIT_MIN)) throw new RangeError(`A message needs a limit of at least ${LIMIT_MIN}.`);
  const measure = options.measure ?? ((part: FormattedText) => part.text.length);
  const fits = (part: FormattedText): boolean => part.text.length <= limit && measure(part) <= limit;
  const parts: FormattedText[] = [];
  let rest = sliceFormatted(text, leadingBlank(text, 0));
  // Each round takes at least one character.
  while (rest.text.length > 0) {
    const whole = withoutTrailingBlank(rest);
    const end = fits(whole) ? rest.text.length : findCut(rest, limit, fits);
    const part = withoutTrailingBlank(sliceFormatted(rest, 0, end));
    if (part.text.trim() !== "") parts.push(part);
    rest = sliceFormatted(rest, end + leadingBlank(rest, end));
  }
  return parts;
}

function findCut(text: FormattedText, limit: number, fits: (part: FormattedText) => boolean): number {
  const most = longestPrefix(text, limit, fits);
  const code = spanAround(text.spans, most, (span) => span.kind === "pre");
  const cut = code ? cutCode(text, code, most, fits) : cutProse(text, most);
  // A heading goes with what it is about.
  const heading = text.spans.find((span) => span.kind === "heading" && span.end === cut && span.start > 0);
  return heading?.start ?? cut;
}

/** How much fits from the start, at a boundary between characters. */
function longestPrefix(
  { text, spans }: FormattedText,
  limit: number,
  fits: (part: FormattedText) => boolean,
): number {
  let low = 1;
  let high = Math.min(text.length, limit);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(sliceFormatted({ text, spans }, 0, middle))) low = middle;
    else high = middle - 1;
  }
  return characterBoundary(text, low);
}

function cutCode(
  text: FormattedText,
  code: Span,
  most: number,
  fits: (part: FormattedText) => boolean,
): number {
  const stayWhole = fits(sliceFormatted(text, code.start, code.end)) || code.start >= most / 2;
  if (code.start > 0 && stayWhole) return code.start;
  const line = text.text.lastIndexOf("\n", most);
  return line > code.start ? line : most;
}

function cutProse({ text, spans }: FormattedText, most: number): number {
  const whole = (at: number): boolean =>
    !spanAround(spans, at, (span) => span.kind === "code" || span.kind === "link");
  const floor = most / 2;
  const places = [paragraphEnds, lineEnds, sentenceEnds, wordEnds].map((find) =>
    find(text, most).filter((at) => at > 0 && whole(at)),
  );
  // A short first paragraph is not a message of its own, unless there is no other place.
  for (const ends of places) {
    const last = ends.findLast((at) => at >= floor);
    if (last !== undefined) return last;
  }
  const before = places.flatMap((ends) => ends.slice(-1));
  if (before.length > 0) return Math.max(...before);
  const around = spanAround(spans, most, (span) => span.kind === "code" || span.kind === "link");
  if (around && around.start > 0) return around.start;
  return wordEnds(text, most).findLast((at) => at >= floor) ?? most;
}

function paragraphEnds(text: string, most: number): readonly number[] {
  return placesOf(/\n[ \t]*\n/g, text, most, () => 0);
}

function lineEnds(text: string, most: number): readonly number[] {
  return placesOf(/\n/g, text, most, () => 0);
}

function sentenceEnds(text: string, most: number): readonly number[] {
  return placesOf(/(?:[.!?…]["'”’»)\]]*(?=\s)|[。！？]["'”’」』）]*)/g, text, most, (found) => found.length);
}

function wordEnds(text: string, most: number): readonly number[] {
  return placesOf(/[ \t]+/g, text, most, () => 0);
}

/** Where a pattern is found, plus so much of it as stays before the cut. */
function placesOf(
  pattern: RegExp,
  text: string,
  most: number,
  kept: (found: string) => number,
): readonly number[] {
  const places: number[] = [];
  for (const found of text.slice(0, most + 1).matchAll(pattern)) {
    const at = found.index + kept(found[0]);
    if (at <= most) places.push(at);
  }
  return places;
}

/** Up to `most`, but not into a character as people see one; at least one, however large. */
function characterBoundary(text: string, most: number): number {
  const start = characterStart(text, most);
  if (start > 0) return start;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(most - 1, most + 1));
  return splitsPair ? Math.max(most - 1, 2) : most;
}

function spanAround(spans: readonly Span[], at: number, isMeant: (span: Span) => boolean): Span | undefined {
  return spans.find((span) => span.start < at && at < span.end && isMeant(span));
}

/** Blank space at the end, but not the code's own. */
function withoutTrailingBlank(text: FormattedText): FormattedText {
  const code = Math.max(0, ...text.spans.map((span) => (span.kind === "pre" ? span.end : 0)));
  const end = Math.max(code, text.text.trimEnd().length);
  return end === text.text.length ? text : sliceFormatted(text, 0, end);
}

/** Blank space after a cut: of code one line break, otherwise blank lines, or blanks within a line. Indentation stays. */
function leadingBlank({ text, spans }: FormattedText, at: number): number {
  if (spanAround(spans, at, (span) => span.kind === "pre")) return text[at] === "\n" ? 1 : 0;
  const withinLine = at > 0 && text[at - 1] !== "\n";
  const blank = (withinLine ? /^(?:\s*\n|[ \t]+)/ : /^\s*\n/).exec(text.slice(at))?.[0].length ?? 0;
  const code = spans.find((span) => span.kind === "pre" && span.start >= at);
  return Math.min(blank, code ? code.start - at : blank);
}
