import { fail } from "@elwood/core/base/failure";
import type { Block, Message } from "@elwood/core/message/message";
import type { Redactor } from "@elwood/core/base/redact";
import type { Part, Run } from "@elwood/core/message/session";
import type { EngineDeps } from "./engine-deps.ts";

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

/** A message and its run, durable in one step; `hashed` tells a repeated request from a key that is used again. */
export async function storeInbound(
  { stores, clock, ids, hash }: Pick<EngineDeps, "stores" | "clock" | "ids" | "hash">,
  { tenant, sessionId, surface, model, idempotencyKey }: Omit<Inbound, "parts">,
  said: Pick<Message, "role" | "origin" | "blocks">,
  hashed: readonly unknown[],
): Promise<{ run: Run; repeated: boolean }> {
  const at = clock.now();
  const { kind, run } = await stores.runs.accept(tenant, {
    id: ids.next("run"),
    sessionId,
    surface,
    ...(model ? { modelAsked: model } : {}),
    ...(idempotencyKey ? { idempotencyKey } : {}),
    requestHash: hash(JSON.stringify([sessionId, ...hashed])),
    inbound: { id: ids.next("message"), ts: at, ...said, meta: { surface } },
    at,
  });
  if (kind === "key-reused") {
    fail(
      "CONFLICT",
      "This idempotency key was used before for another message. Nothing was sent; use a new key.",
    );
  }
  return { run, repeated: kind === "repeated" };
}
