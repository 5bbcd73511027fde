import { notePieces } from "@elwood/core/memory/note-pieces";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { Redactor } from "@elwood/core/base/redact";
import { inParts, type TurnDraft } from "../turn-draft.ts";

/** Whose words a line of a note holds. */
export type OriginOfLine = (line: string) => MemoryOrigin;

const SPEAKERS: Readonly<Record<MemoryOrigin, string>> = {
  owner: "you",
  agent: "Elwood",
  untrusted: "others",
  system: "Elwood",
};

/** A note's pieces, each with the headings it stands under, so that it can be understood and found alone. */
export function turnsOfNote(
  markdown: string,
  ts: number,
  redact: Redactor,
  originOf: OriginOfLine,
): TurnDraft[] {
  // Redacted whole first: a key of several lines would be cut apart with its paragraphs.
  const clean = keepLines(markdown, redact(markdown));
  const starts = lineStarts(markdown);
  const raw = markdown.split(/\r?\n/);
  return notePieces(clean).flatMap(({ line, lineTo, headings, under, text }) => {
    // Its headings are told with it, and so count with it.
    const lines = [...raw.slice(line - 1, lineTo), ...under.map((at) => raw[at - 1] ?? "")];
    const origin = leastTrusted(lines.map(originOf));
    const words = headings.length > 0 ? `${headings.join(" › ")}: ${text}` : text;
    return inParts(words).map((part) => ({
      line,
      lineTo,
      byteStart: starts[line - 1] ?? 0,
      byteEnd: starts[lineTo] ?? starts.at(-1) ?? 0,
      ts,
      role: "note" as const,
      speaker: SPEAKERS[origin],
      origin,
      text: part,
    }));
  });
}

/** A piece is trusted no more than any of its lines. */
function leastTrusted(origins: readonly MemoryOrigin[]): MemoryOrigin {
  return TRUST.find((origin) => origins.includes(origin)) ?? "owner";
}

const TRUST: readonly MemoryOrigin[] = ["untrusted", "system", "agent", "owner"];

/** A secret of several lines leaves a marker of one; the lines behind it must keep their numbers. */
function keepLines(raw: string, redacted: string): string {
  const missing = newlines(raw) - newlines(redacted);
  if (missing <= 0) return redacted;
  let left = missing;
  return redacted.replaceAll(/\[redacted private-key\]/g, (marker) => {
    const lines = left;
    left = 0;
    return `${marker}${"\n".repeat(lines)}`;
  });
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}

/** Where each line begins, in bytes, and at last where the file ends. */
function lineStarts(text: string): number[] {
  const starts = [0];
  let at = 0;
  for (const line of text.split("\n")) {
    at += Buffer.byteLength(line) + 1;
    starts.push(at);
  }
  starts[starts.length - 1] = Math.max(0, at - 1);
  return starts;
}
