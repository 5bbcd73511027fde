/**
 * Text with its formatting beside it: what every chat service can show, before any of them
 * writes it in its own way. Offsets count UTF-16 units, as Telegram's entities do.
 */
export interface FormattedText {
  readonly text: string;
  /** Properly nested; sorted by start, an outer span before those inside it. None is empty. */
  readonly spans: readonly Span[];
}

export type Span = Style & { readonly start: number; readonly end: number };

export type Style =
  | { readonly kind: "bold" | "italic" | "strike" | "code" | "quote" }
  /** The sign before an item of a list, for services that draw lists themselves. */
  | { readonly kind: "bullet" }
  | { readonly kind: "heading"; readonly level: number }
  /** A block of code. It begins and ends a line. */
  | { readonly kind: "pre"; readonly language?: string }
  /** An http, https or mailto address. */
  | { readonly kind: "link"; readonly url: string };

/** A part of the text. A span that the cut goes through is in both parts: a code block ends in one and begins again in the next. */
export function sliceFormatted(
  { text, spans }: FormattedText,
  start: number,
  end = text.length,
): FormattedText {
  const inside = spans.filter((span) => span.start < end && span.end > start);
  return {
    text: text.slice(start, end),
    spans: inside.map((span) => ({
      ...span,
      start: Math.max(span.start, start) - start,
      end: Math.min(span.end, end) - start,
    })),
  };
}

export function plainText(text: string): FormattedText {
  return { text, spans: [] };
}
