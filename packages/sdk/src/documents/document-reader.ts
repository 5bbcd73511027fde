import { ToolError } from "../tool.ts";
import type { DocumentRead } from "./read-document.ts";
import type { Unreadable } from "./unreadable.ts";

/**
 * Reads documents as text: PDF, Word, Excel, PowerPoint, EPUB, HTML, and tables in old encodings. A document can
 * be built so that reading it takes minutes or all memory, so whoever implements this reads away from the gateway.
 */
export interface DocumentReader {
  /**
   * `name` is what people know it by. One that gives no text is a ToolError that says what it is and what to do.
   * Throws the signal's reason where it was stopped.
   */
  read(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentRead>;
}

/** Why a document was not read: what it is, or what became of the process that read it. */
export type ReadingProblem = Unreadable["why"] | "time" | "memory" | "lost";

/** In words, for the model and for people. `detail` is what the reader found. */
export function documentProblem(why: ReadingProblem, name: string, detail = ""): ToolError {
  const { code, is, next } = words(why, name, detail.slice(0, DETAIL_CHARS));
  return new ToolError(code, `${name} was not read: ${is}. ${next}`);
}

const DETAIL_CHARS = 200;

function words(
  why: ReadingProblem,
  name: string,
  detail: string,
): { readonly code: string; readonly is: string; readonly next: string } {
  const isPdf = /\.pdf$/i.test(name);
  const thing = isPdf ? "PDF" : "document";
  const another = "Ask for another copy of it.";
  switch (why) {
    case "encrypted":
      return {
        code: "encrypted",
        is: `it is an encrypted ${thing} that opens only with a password`,
        next: "Ask for a copy without a password.",
      };
    case "rights":
      return {
        code: "encrypted",
        is: "it is protected against copying (DRM), so only the shop's own program can open it",
        next: "Ask for a copy without protection.",
      };
    case "no-text":
      return isPdf || /page/.test(detail)
        ? {
            code: "no-text",
            is: `it is a PDF without text on ${detail}, most likely a scan`,
            next: "Ask for a copy with text, or run text recognition (OCR) on it first.",
          }
        : {
            code: "no-text",
            is: "there is no text in it, only pictures perhaps",
            next: "Ask for it as text or PDF.",
          };
    case "bomb":
      return {
        code: "unreadable",
        is: `${detail}, as files do that are built to fill memory`,
        next: "Do not try again; ask where it came from.",
      };
    case "entities":
      return {
        code: "unreadable",
        is: `${detail}, as files do that are built to read other files. Nothing was expanded or fetched`,
        next: "Do not try again; ask where it came from.",
      };
    case "old-format":
      return {
        code: "unreadable",
        is: "it is in the format that Office wrote until 2006",
        next: "Ask for it as .docx, .xlsx, .pptx or PDF.",
      };
    case "unsupported":
      return { code: "unreadable", is: detail, next: "Ask for it as text or PDF." };
    case "time":
      return { code: "unreadable", is: "reading it took too long, so it was given up", next: another };
    case "memory":
      return { code: "unreadable", is: "reading it took too much memory, so it was given up", next: another };
    case "lost":
      return { code: "unreadable", is: `its reader ended (${detail})`, next: another };
    case "damaged":
      return { code: "unreadable", is: `it is damaged or not a real ${thing} (${detail})`, next: another };
    default:
      return why satisfies never;
  }
}
