import type { Redactor } from "@elwood/core/redact";
import type { ToolResult } from "@elwood/core/tool";
import type { BlobStore, Clock } from "../ports.ts";
import type { CallOutcome, RegisteredTool } from "./ports.ts";

export interface TakenOutput {
  readonly outcome: CallOutcome;
  readonly value: unknown;
  /** The tool said something else than its contract promised; it is still what happened. */
  readonly outputInvalid: boolean;
}

/** A handler's answer as it may be kept and told: checked, without secrets, attachments in the blob store. */
export async function takeOutput(
  deps: { readonly redact: Redactor; readonly blobs: BlobStore; readonly clock: Clock },
  tenant: string,
  tool: RegisteredTool | undefined,
  result: ToolResult,
): Promise<TakenOutput> {
  const { redact, blobs, clock } = deps;
  const checked = tool?.parseOutput(result.value);
  const value = redactDeep(result.value, redact);
  const images: { mime: string; blobId: string }[] = [];
  for (const attachment of result.attachments ?? []) {
    const bytes = Uint8Array.from(atob(attachment.data), (c) => c.charCodeAt(0));
    const { blobId } = await blobs.put(tenant, bytes, attachment.mimeType, clock.now());
    if (attachment.type === "image") images.push({ mime: attachment.mimeType, blobId });
  }
  const text = redact(result.text ?? (typeof value === "string" ? value : JSON.stringify(value ?? null)));
  const cut = result.truncated ? "\n[The output was longer and is cut here.]" : "";
  const outcome: CallOutcome = {
    status: "ok",
    text: `${text}${cut}`,
    value,
    ...(images.length > 0 ? { images } : {}),
  };
  return { outcome, value, outputInvalid: checked !== undefined && !checked.ok };
}

/** Every string in it, at any depth, keys included. */
export function redactDeep(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redact(key), redactDeep(member, redact)]),
  );
}
