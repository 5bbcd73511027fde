import type { Block } from "@elwood/core/message";
import type { Redactor } from "@elwood/core/redact";
import type { Part } from "@elwood/core/session";

/** A message on its way in, from whatever surface. */
export interface Inbound {
  readonly tenant: string;
  readonly sessionId: string;
  readonly parts: readonly Part[];
  readonly surface: string;
  readonly model?: string;
  readonly idempotencyKey?: string;
}

export function partToBlock(part: Part): Block {
  if (part.kind === "text") return { type: "text", text: part.text.toWellFormed(), origin: part.origin };
  const { blobId, mime, origin } = part;
  if (mime.startsWith("image/")) {
    return { type: "image", mime, blobId, origin, ...(part.name ? { name: part.name } : {}) };
  }
  return { type: "file", mime, blobId, origin, name: part.name ?? blobId, bytes: part.bytes };
}

/** Secrets are taken out before a message is kept: what is not stored cannot leak. */
export function redacted(part: Part, redact: Redactor): Part {
  return part.kind === "text" ? { ...part, text: redact(part.text) } : part;
}
