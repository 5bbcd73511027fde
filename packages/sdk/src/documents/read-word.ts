import { attribute, markupTokens } from "./markup.ts";
import { TextLines } from "./text-lines.ts";
import type { DocumentRead } from "./read-document.ts";
import { Unreadable } from "./unreadable.ts";
import type { Zip } from "./zip.ts";

/** A Word document: headings, lists and tables as in Markdown, and where its pages begin, as far as it says so. */
export function readWord(zip: Zip, charsMax: number): DocumentRead {
  const main = zip.text("word/document.xml");
  if (main === undefined) throw new Unreadable("damaged", "it has no text part");
  const lines = new TextLines(charsMax);
  const pages = bodyInto(lines, main);
  for (const [part, heading] of [
    ["word/footnotes.xml", "[Footnotes]"],
    ["word/endnotes.xml", "[Endnotes]"],
    ["word/comments.xml", "[Comments]"],
  ] as const) {
    const xml = zip.has(part) && !lines.full ? zip.text(part) : undefined;
    if (xml === undefined) continue;
    const notes = new TextLines(charsMax);
    bodyInto(notes, xml);
    if (notes.text() !== "") lines.add(`\n${heading}\n${notes.text()}`);
  }
  return {
    kind: "word",
    text: lines.text(),
    cut: lines.full,
    ...(pages > 1 && { pages }),
    ...(zip.names.some((name) => name.endsWith("vbaProject.bin")) && { macros: true }),
  };
}

/** How many pages it says that it has. */
function bodyInto(lines: TextLines, xml: string): number {
  let line = "";
  let before = "";
  let cells: string[] | undefined;
  let cell: string[] | undefined;
  let inText = false;
  let deleted = 0;
  let page = 1;
  const breaks: string[] = [];
  const endParagraph = () => {
    const said = `${before}${line.trim()}`;
    if (cell !== undefined) {
      if (line.trim() !== "") cell.push(line.trim());
    } else lines.add(line.trim() === "" ? "" : `${said}\n`);
    for (const each of breaks.splice(0)) lines.add(each);
    line = "";
    before = "";
  };
  const newPage = () => {
    page += 1;
    breaks.push(`[Page ${page}]`);
  };
  for (const token of markupTokens(xml, "xml")) {
    if (lines.full) break;
    if (token.kind === "text") {
      if (inText && deleted === 0) line += token.text;
      continue;
    }
    const name = token.name.replace(/^w:/, "");
    if (token.kind === "open") {
      if (name === "t") inText = !token.closed;
      else if (name === "del" || name === "moveFrom") deleted += token.closed ? 0 : 1;
      else if (name === "tab") line += "\t";
      else if (name === "br" && attribute(token.attributes, "w:type") === "page") newPage();
      else if (name === "br" || name === "cr") line += " ";
      else if (name === "lastRenderedPageBreak") newPage();
      else if (name === "pStyle") before = headingMark(attribute(token.attributes, "w:val")) ?? before;
      else if (name === "numPr" && before === "") before = "- ";
      else if (name === "tr") cells = [];
      else if (name === "tc") cell = [];
      else if (name === "p" && token.closed) endParagraph();
      continue;
    }
    if (name === "t") inText = false;
    else if (name === "del" || name === "moveFrom") deleted = Math.max(0, deleted - 1);
    else if (name === "p") endParagraph();
    else if (name === "tc") {
      cells?.push((cell ?? []).join(" "));
      cell = undefined;
    } else if (name === "tr") {
      lines.add((cells ?? []).join(" | "));
      cells = undefined;
    } else if (name === "tbl") lines.add("");
  }
  return page;
}

function headingMark(style: string | undefined): string | undefined {
  const level = /^(?:heading|berschrift|überschrift|titre|rubrik|título)\s?([1-6])$/i.exec(style ?? "")?.[1];
  if (level !== undefined) return `${"#".repeat(Number(level))} `;
  if (/^(?:title|titel)$/i.test(style ?? "")) return "# ";
  return /^list/i.test(style ?? "") ? "- " : undefined;
}
