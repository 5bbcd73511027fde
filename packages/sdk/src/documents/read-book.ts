import { attribute, markupTokens } from "./markup.ts";
import { markupText } from "./markup-text.ts";
import type { DocumentRead } from "./read-document.ts";
import { resolved } from "./relations.ts";
import { TextLines } from "./text-lines.ts";
import { Unreadable } from "./unreadable.ts";
import type { Zip } from "./zip.ts";

/** A book (EPUB), chapter by chapter in the order in which it is read. */
export function readBook(zip: Zip, charsMax: number): DocumentRead {
  const packed = rootOf(zip.text("META-INF/container.xml") ?? "");
  const opf = packed === undefined ? undefined : zip.text(packed);
  if (packed === undefined || opf === undefined)
    throw new Unreadable("damaged", "it does not say what is in it");
  const locked = lockedParts(zip.text("META-INF/encryption.xml") ?? "");
  const { chapters, title, author } = contentsOf(opf, packed);
  const lines = new TextLines(charsMax);
  let number = 0;
  for (const name of chapters) {
    if (lines.full) break;
    if (locked.has(name)) throw new Unreadable("rights", "its chapters are locked");
    const html = zip.text(name);
    if (html === undefined) continue;
    number += 1;
    const chapter = markupText(html, charsMax);
    lines.add(
      `${number > 1 ? "\n" : ""}[Part ${number}${chapter.title === undefined ? "" : `: ${chapter.title}`}]`,
    );
    lines.add(chapter.text);
  }
  return {
    kind: "book",
    text: lines.text(),
    cut: lines.full,
    pages: chapters.length,
    ...(title === "" ? {} : { title }),
    ...(author === "" ? {} : { author }),
  };
}

function rootOf(xml: string): string | undefined {
  for (const token of markupTokens(xml, "xml"))
    if (token.kind === "open" && token.name.endsWith("rootfile"))
      return attribute(token.attributes, "full-path");
  return undefined;
}

function contentsOf(opf: string, at: string): { chapters: string[]; title: string; author: string } {
  const parts = new Map<string, string>();
  const chapters: string[] = [];
  const said = { title: "", creator: "" };
  let into: keyof typeof said | undefined;
  for (const token of markupTokens(opf, "xml")) {
    if (token.kind === "text") {
      if (into !== undefined) said[into] += token.text;
      continue;
    }
    const name = token.name.replace(/^\w+:/, "");
    if (name === "title" || name === "creator")
      into = token.kind === "open" && !token.closed && said[name] === "" ? name : undefined;
    if (token.kind !== "open") continue;
    const [id, href] = [attribute(token.attributes, "id"), attribute(token.attributes, "href")];
    if (name === "item" && id !== undefined && href !== undefined)
      parts.set(id, resolved(at, decodedPath(href)));
    const part = name === "itemref" ? parts.get(attribute(token.attributes, "idref") ?? "") : undefined;
    if (part !== undefined) chapters.push(part);
  }
  return { chapters, title: said.title.trim(), author: said.creator.trim() };
}

/** Fonts are often scrambled in books that anybody may read, so it is the chapters that count. */
function lockedParts(xml: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const token of markupTokens(xml, "xml")) {
    const uri =
      token.kind === "open" && token.name.endsWith("CipherReference") && attribute(token.attributes, "URI");
    if (uri) names.add(decodedPath(uri));
  }
  return names;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // As it is written, then.
  }
}
