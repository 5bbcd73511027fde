import { markupText } from "./markup-text.ts";
import { PDF_START, readPdf } from "./read-pdf.ts";
import { readBook } from "./read-book.ts";
import { readSheets } from "./read-sheets.ts";
import { readSlides } from "./read-slides.ts";
import { readWord } from "./read-word.ts";
import { Unreadable } from "./unreadable.ts";
import { Zip, ZIP_START } from "./zip.ts";

export const DOCUMENT_KINDS = ["pdf", "word", "sheets", "slides", "book", "page", "text"] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** The text of a document, with a line in brackets where a page, sheet, slide or part begins. */
export interface DocumentRead {
  readonly kind: DocumentKind;
  readonly text: string;
  /** More was there than is kept. */
  readonly cut: boolean;
  /** How many pages, sheets, slides or parts there are, where it has such. */
  readonly pages?: number;
  /** Pages that were looked at and hold no text: pictures, most likely. */
  readonly pagesWithoutText?: number;
  /** It has macros. They were neither run nor read. */
  readonly macros?: boolean;
  readonly title?: string;
  readonly author?: string;
}

export interface DocumentTask {
  readonly bytes: Uint8Array;
  /** What it is called: tells formats apart whose bytes do not. */
  readonly name: string;
  readonly textCharsMax: number;
  readonly pdfPagesMax: number;
  readonly unpackedBytesMax: number;
}

/** What Word, Excel and PowerPoint wrote until 2006; today, those that are locked with a password. */
const OLD_OFFICE = Buffer.from("d0cf11e0a1b11ae1", "hex");
const LOCKED_PART = Buffer.from("EncryptedPackage", "utf16le");
const SNIFFED_BYTES = 4_096;

/**
 * What a document is, by its first bytes and where these do not tell, by its name. Undefined where it is
 * none that needs a reader: plain text, a picture, or something that nobody reads.
 */
export function documentKind(
  head: Uint8Array,
  name: string,
): "pdf" | "zip" | "old" | "page" | "csv" | undefined {
  const start = Buffer.from(head.subarray(0, 8));
  if (start.toString("latin1").startsWith(PDF_START)) return "pdf";
  if (start.toString("latin1").startsWith(ZIP_START)) return "zip";
  if (start.equals(OLD_OFFICE)) return "old";
  if (/\.x?html?$/i.test(name)) return "page";
  const text = Buffer.from(head.subarray(0, SNIFFED_BYTES)).toString("utf8");
  if (/^\uFEFF?\s*(?:<!doctype html|<html[\s>])/i.test(text)) return "page";
  return /\.(?:csv|tsv|txt)$/i.test(name) && isForeign(head) ? "csv" : undefined;
}

/** Reads any of them. Throws an Unreadable. To be called where it may take long, and may fail for want of memory. */
export async function readDocument(task: DocumentTask): Promise<DocumentRead> {
  const { bytes, name, textCharsMax } = task;
  switch (documentKind(bytes, name)) {
    case "pdf":
      return readPdf(task);
    case "zip":
      return readZip(new Zip(bytes, task.unpackedBytesMax), textCharsMax);
    case "old":
      throw Buffer.from(bytes).includes(LOCKED_PART)
        ? new Unreadable("encrypted", "it opens only with a password")
        : new Unreadable("old-format", "it is in the format of Office 97");
    case "page":
      return { kind: "page", ...markupText(decodedText(bytes), textCharsMax) };
    case "csv": {
      const text = decodedText(bytes);
      return { kind: "text", text: text.slice(0, textCharsMax), cut: text.length > textCharsMax };
    }
    case undefined:
    default:
      throw new Unreadable("unsupported", "it is no document of a known kind");
  }
}

function readZip(zip: Zip, charsMax: number): DocumentRead {
  const read = zip.has("word/document.xml")
    ? readWord
    : zip.has("xl/workbook.xml")
      ? readSheets
      : zip.names.some((name) => name.startsWith("ppt/slides/"))
        ? readSlides
        : zip.has("META-INF/container.xml")
          ? readBook
          : undefined;
  if (read === undefined) throw new Unreadable("unsupported", "it is an archive, not a document");
  const found = read(zip, charsMax);
  if (found.text.replaceAll(/^\[[^\]\n]*\]$/gm, "").trim() === "")
    throw new Unreadable("no-text", "there is no text in it");
  return found;
}

/** Whether text is in an encoding from before UTF-8: programs for tables still write such. */
function isForeign(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true;
  if (head.includes(0)) return false;
  try {
    // The last character may be cut in two.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}

function decodedText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const declared = /charset=["']?([\w-]{3,20})/i.exec(
    Buffer.from(bytes.subarray(0, 2_048)).toString("latin1"),
  )?.[1];
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(knownEncoding(declared)).decode(bytes);
  }
}

function knownEncoding(label: string | undefined): string {
  try {
    return label === undefined || /^utf-?8$/i.test(label) ? "windows-1252" : new TextDecoder(label).encoding;
  } catch {
    return "windows-1252";
  }
}
