import type { AttachmentText } from "@elwood/runtime/ports/attachment-text";
import type { BlobStore } from "@elwood/runtime/ports/ports";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import { documentKind } from "@elwood/sdk/documents/read-document";
import { ToolError } from "@elwood/sdk/tool";

/** Of the documents of a conversation, which are sent with every request, so many are kept ready. */
const KEPT_MAX = 16;
const KEPT_CHARS_MAX = 4_000_000;
const SNIFFED_BYTES = 8 * 1024;

/** The text of attached documents. Each is read once, and then kept while it is used. */
export function attachmentTexts(deps: {
  readonly blobs: Pick<BlobStore, "read">;
  readonly documents: DocumentReader;
}): AttachmentText {
  const kept = new Map<string, string>();
  return async ({ tenant, blobId, name }, signal) => {
    const key = `${tenant}\n${blobId}\n${name}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const bytes = await deps.blobs.read(tenant, blobId);
    if (bytes === undefined) return undefined;
    const text = plainText(bytes, name) ?? (await textOf(bytes, name, signal));
    kept.set(key, text);
    let chars = [...kept.values()].reduce((sum, each) => sum + each.length, 0);
    for (const [oldest, held] of kept) {
      if (kept.size <= KEPT_MAX && chars <= KEPT_CHARS_MAX) break;
      kept.delete(oldest);
      chars -= held.length;
    }
    return text;
  };

  async function textOf(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<string> {
    try {
      const { text, macros = false, cut } = await deps.documents.read(bytes, name, signal);
      const notes = [
        ...(macros ? ["[It holds macros. They were neither run nor read.]"] : []),
        ...(cut ? ["[There is more than Elwood reads of one document.]"] : []),
      ];
      return [text, ...notes].join("\n");
    } catch (error) {
      // What it is and what to do, in words; the model tells them.
      if (error instanceof ToolError) return `[${error.message}]`;
      throw error;
    }
  }
}

/** Chat services call many a text file just bytes. Undefined for what is none. */
function plainText(bytes: Uint8Array, name: string): string | undefined {
  if (documentKind(bytes.subarray(0, SNIFFED_BYTES), name) !== undefined || bytes.includes(0))
    return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Not UTF-8 is an answer, not an error.
  }
}
