import { documentProblem, type DocumentReader } from "./document-reader.ts";
import { readDocument, type DocumentTask } from "./read-document.ts";
import { Unreadable } from "./unreadable.ts";

const MB = 1024 * 1024;

/** Reads in this very process, without limits of time or memory: for tests of what is done with the text. */
export function directDocuments(limits: Partial<Omit<DocumentTask, "bytes" | "name">> = {}): DocumentReader {
  return {
    async read(bytes, name, signal) {
      signal.throwIfAborted();
      try {
        return await readDocument({
          bytes: new Uint8Array(bytes),
          name,
          textCharsMax: 2_000_000,
          pdfPagesMax: 500,
          unpackedBytesMax: 16 * MB,
          ...limits,
        });
      } catch (error) {
        if (error instanceof Unreadable) throw documentProblem(error.why, name, error.message);
        throw error;
      }
    },
  };
}
