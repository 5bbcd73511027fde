import { ToolError } from "../tool.ts";
import type { PdfRead, PdfTask, PdfText } from "./read-pdf.ts";
import { ReadingFailure, ReadingThread, type ReadingLimits } from "./reading-thread.ts";

export type { PdfText };

export type PdfLimits = ReadingLimits & Pick<PdfTask, "textCharsMax" | "pdfPagesMax">;

/** The first bytes of every PDF. */
export const PDF_START = "%PDF-";

/** Reads PDFs as text, for any tool that comes by one. */
export class PdfReader {
  readonly #limits: PdfLimits;
  readonly #thread: ReadingThread<PdfTask, PdfRead>;

  constructor(limits: PdfLimits) {
    this.#limits = limits;
    this.#thread = new ReadingThread(new URL("pdf-worker.ts", import.meta.url), limits);
  }

  /**
   * The text of a PDF, which is never empty: one that gives none is a ToolError that says what
   * it is and what to do. `name` is what people know it by.
   */
  async read(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<PdfText> {
    const { textCharsMax, pdfPagesMax } = this.#limits;
    const read = await this.#thread.read({ bytes, textCharsMax, pdfPagesMax }, signal).catch((cause) => {
      throw cause instanceof ReadingFailure ? unreadable(name, cause) : cause;
    });
    if (read.kind === "text") return read;
    throw read.kind === "encrypted" ? encrypted(name) : noText(name, read.pages, pdfPagesMax);
  }
}

function unreadable(name: string, { reason, message }: ReadingFailure): ToolError {
  const what =
    reason === "time"
      ? "reading it took too long, so it was given up"
      : reason === "memory"
        ? "reading it took too much memory, so it was given up"
        : `it is damaged or not a real PDF (${message.slice(0, 200)})`;
  return new ToolError("unreadable", `${name} was not read: ${what}. Ask for another copy of it.`);
}

function encrypted(name: string): ToolError {
  return new ToolError(
    "encrypted",
    `${name} was not read: it is an encrypted PDF that opens only with a password. Ask for a copy without a password.`,
  );
}

function noText(name: string, pages: number, pagesMax: number): ToolError {
  const looked = pages > pagesMax ? `the first ${pagesMax} of its ${pages} pages` : count(pages);
  return new ToolError(
    "no-text",
    `${name} was not read: it is a PDF without text on ${looked}, most likely a scan. Ask for a copy with text, or run text recognition (OCR) on it first.`,
  );
}

function count(pages: number): string {
  return pages === 1 ? "its only page" : `any of its ${pages} pages`;
}
