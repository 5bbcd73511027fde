import { replyAsMarkdown } from "@elwood/core/grounding/render";
import type { ReplySegment } from "@elwood/core/message/message";

/**
 * Stands in front of each of the gateway's marks, and nowhere else. What is code and what is
 * prose, two readers of Markdown never quite agree on; so a glyph alone, which may stand in code,
 * makes no mark here. Texts of others lose the sign before they are read.
 */
export const MARK_SIGN = "\ue0a7";

/** Stand for the glyphs in a model's words while the marks are put in. */
const VEILED = { "✓": "\ue0a8", "◈": "\ue0a9" } as const;

/** A reply as Markdown with marks that the renderer draws. */
export function markedReply(segments: readonly ReplySegment[]): string {
  const veiled = segments.map((segment) => ({
    ...segment,
    ...withWords(segment),
    text: withoutSigns(segment.text).replace(/[✓◈]/gu, (glyph) => VEILED[glyph as keyof typeof VEILED]),
  }));
  return replyAsMarkdown(veiled)
    .replace(/\[(?=[✓◈] )/gu, `[${MARK_SIGN}`)
    .replaceAll(VEILED["✓"], "✓")
    .replaceAll(VEILED["◈"], "◈");
}

/** What a mark says in another language stands behind a sign of its own, in the mark. */
function withWords({ words, cites, verified, undone }: ReplySegment): Partial<ReplySegment> {
  if (words === undefined) return {};
  const isDoubted = verified === "unsupported";
  const said = (text: string) => `${undone ? UNDONE : ""}${MARK_SIGN}${text}`;
  return {
    ...(isDoubted ? { why: said(words) } : {}),
    ...(cites ? { cites: [...cites, said(isDoubted ? cites.join(" ") : words)] } : {}),
  };
}

/** Stands in the mark of a sentence whose call was undone since. */
export const UNDONE = "↩";

/** Older replies hold their marks in their text; then no glyph of a model's could stand in it, not even in code. */
export function withOlderMarks(text: string): string {
  return withoutSigns(text).replace(/\[(?=✓ c\d)/gu, `[${MARK_SIGN}`);
}

export function withoutSigns(text: string): string {
  return text.replace(/[\ue0a7-\ue0a9]/gu, "");
}

export function withoutMarks(text: string): string {
  return text.replace(/ ?\[\ue0a7[^\]\n]{1,300}\]/gu, "");
}
