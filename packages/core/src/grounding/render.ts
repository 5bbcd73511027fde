import type { ReplySegment } from "../message/message.ts";
import type { Locale } from "../request/language.ts";
import { VERIFIED, VOICE } from "./reserved.ts";
import { notVerifiedText } from "./wording.ts";

type Marked = Pick<ReplySegment, "cites" | "verified" | "why">;

/**
 * A reply as plain text, for surfaces that draw nothing: the model's words whole, each mark
 * behind the sentence it belongs to, then Elwood's own sentences.
 */
export function replyAsText(segments: readonly ReplySegment[], locale: Locale = "en"): string {
  const model = withMarks(segments, (segment) => textMark(segment, locale)).trimEnd();
  const own = segments.filter(({ by }) => by === "gateway").map(({ text }) => text.trim());
  return [model, own.join("\n")].filter((part) => part !== "").join("\n\n");
}

/**
 * The model's words as Markdown for the page, with marks that its renderer draws: each begins
 * with a glyph that no text of a model can hold.
 */
export function replyAsMarkdown(segments: readonly ReplySegment[]): string {
  return withMarks(segments, ({ cites = [], verified, why }) => {
    const cited =
      cites.length === 0 ? "" : `[${verified === "supported" ? VERIFIED : VOICE} ${cites.join(" ")}]`;
    if (verified !== "unsupported") return cited;
    return `${cited}[${VOICE} not verified${why === undefined ? "" : `: ${why}`}]`;
  }).trim();
}

function textMark({ cites = [], verified, why }: Marked, locale: Locale): string {
  const cited =
    cites.length === 0 ? "" : `[${verified === "supported" ? `${VERIFIED} ` : ""}${cites.join(" ")}]`;
  if (verified !== "unsupported") return cited;
  return `${cited === "" ? "" : `${cited} `}[${notVerifiedText(why, locale)}]`;
}

function withMarks(segments: readonly ReplySegment[], markOf: (segment: Marked) => string): string {
  const model = segments.filter(({ by }) => by === "model");
  return model
    .map((segment, index) => {
      const mark = markOf(segment);
      if (mark === "") return segment.text;
      // Behind the last word: before the edge of a table, before the end of a paragraph.
      const end = /\s*(?:\|\s*)?$/u.exec(segment.text)?.index ?? segment.text.length;
      const fence = /(?:^|\n)\s*(?:`{3,}|~{3,})\s*$/u.test(segment.text.trimEnd());
      const rest = segment.text.slice(end);
      const next = `${rest}${model[index + 1]?.text ?? ""}`;
      // Some scripts put no space between sentences; a mark needs one.
      const gap = next === "" || /^[\s|]/u.test(next) ? "" : " ";
      return `${segment.text.slice(0, end)}${fence ? "\n\n" : " "}${mark}${gap}${rest}`;
    })
    .join("");
}
