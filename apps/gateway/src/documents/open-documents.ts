import type { ProcessDocuments } from "@elwood/isolation/reader/process-documents";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";

export interface OpenedDocuments extends DocumentReader {
  close(): Promise<void>;
}

/** Reads documents in a process of their own, which is loaded and started with the first one. */
export function openDocuments(deps: { readonly clock: Clock; readonly log: Log }): OpenedDocuments {
  let opened: Promise<ProcessDocuments> | undefined;
  const open = async () => {
    const { ProcessDocuments } = await import("@elwood/isolation/reader/process-documents");
    return new ProcessDocuments(deps);
  };
  return {
    read: async (bytes, name, signal) => (await (opened ??= open())).read(bytes, name, signal),
    close: async () => (await opened)?.close(),
  };
}
