import { markupTokens } from "./markup.ts";
import type { DocumentRead } from "./read-document.ts";
import { TextLines } from "./text-lines.ts";
import type { Zip } from "./zip.ts";

/** A presentation, slide by slide, with the speaker's notes. */
export function readSlides(zip: Zip, charsMax: number): DocumentRead {
  const numbers = zip.names
    .flatMap((name) => /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
  const lines = new TextLines(charsMax);
  for (const [i, number] of numbers.entries()) {
    if (lines.full) break;
    lines.add(`${i > 0 ? "\n" : ""}[Slide ${i + 1}]`);
    lines.add(paragraphs(zip.text(`ppt/slides/slide${number}.xml`) ?? ""));
    const notes = paragraphs(zip.text(`ppt/notesSlides/notesSlide${number}.xml`) ?? "");
    if (notes !== "") lines.add(`Notes: ${notes}`);
  }
  const macros = zip.names.some((name) => name.endsWith("vbaProject.bin"));
  return {
    kind: "slides",
    text: lines.text(),
    cut: lines.full,
    pages: numbers.length,
    ...(macros && { macros }),
  };
}

function paragraphs(xml: string): string {
  const lines: string[] = [];
  let line = "";
  let inText = false;
  for (const token of markupTokens(xml, "xml")) {
    if (token.kind === "text") {
      if (inText) line += token.text;
    } else if (token.name === "a:t") inText = token.kind === "open" && !token.closed;
    else if (token.name === "a:br") line += " ";
    else if (token.name === "a:p" && token.kind === "close") {
      if (line.trim() !== "") lines.push(line.trim());
      line = "";
    }
  }
  return lines.join("\n");
}
