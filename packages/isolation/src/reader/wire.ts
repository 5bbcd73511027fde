import type { DocumentTask } from "@elwood/sdk/documents/read-document";

/** The words between gateway and reader. One document at a time, each answered once. */
export type ToReader = { readonly t: "read"; readonly n: number } & Omit<DocumentTask, "bytes">; // body: the document, in base64

/** What the reader says; the gateway parses it as untrusted. */
export type FromReader =
  | { readonly t: "ready" }
  | { readonly t: "text"; readonly n: number } // body: what was read, as JSON
  | { readonly t: "unreadable"; readonly n: number; readonly why: string }; // body: what was found

export const SOCKET_FD = 3;
