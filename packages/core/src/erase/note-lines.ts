import { notePieces } from "../memory/note-pieces.ts";

/**
 * The lines of a note that are about a word, from 1: bullets and paragraphs that hold it, whole,
 * and all that stands under a heading that does.
 */
export function linesAbout(text: string, matches: (text: string) => boolean): number[] {
  if (!matches(text)) return [];
  const lines = text.split("\n");
  const about = new Set<number>();
  for (const [i, line] of lines.entries()) if (matches(line)) about.add(i + 1);
  for (const piece of notePieces(text)) {
    const under = piece.headings.some(matches);
    const inside = range(piece.line, piece.lineTo).some((line) => about.has(line));
    if (under || inside || matches(piece.text))
      for (const line of range(piece.line, piece.lineTo)) about.add(line);
  }
  // Headings below such a heading go with what stands under them.
  let above: number | undefined;
  for (const [i, line] of lines.entries()) {
    const depth = /^ {0,3}(#{1,6})\s/.exec(line)?.[1]?.length;
    if (depth === undefined) continue;
    if (above !== undefined && depth > above) about.add(i + 1);
    else above = about.has(i + 1) ? depth : undefined;
  }
  return [...about].sort((a, b) => a - b);
}

/** The note without those lines; undefined where nothing is left that says anything. */
export function withoutLines(text: string, gone: ReadonlySet<number>): string | undefined {
  const left = text.split("\n").filter((_, i) => !gone.has(i + 1));
  return left.some((line) => line.trim() !== "") ? left.join("\n") : undefined;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
