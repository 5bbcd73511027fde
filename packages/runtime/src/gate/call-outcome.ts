import { CUT_NOTE, saysWhereToGoOn } from "@elwood/core/compaction/output-text";
import { frameUntrusted, neutralised } from "@elwood/core/message/untrusted-frame";
import type { BlobStore, Clock, ToolOutcome } from "../ports/ports.ts";
import type { CallOutcome, CallRow, RegisteredTool } from "../ports/gate-ports.ts";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Redactor } from "@elwood/core/base/redact";
import type { ToolResult } from "@elwood/core/tool/tool";

/** A tool's error message may quote somebody else, so control tokens of model formats are neutralised in it. */
export function errorOutcome(code: string, text: string): CallOutcome {
  return { status: "error", text: neutralised(text), code };
}

/** Converts a stored outcome for the run loop, with the precise end state where there is one. */
export function toToolOutcome({ state }: CallRow, outcome: CallOutcome): ToolOutcome {
  const ended = SPECIFIC_ENDS.find((each) => each === state);
  return ended === undefined ? outcome : { ...outcome, ended };
}

const SPECIFIC_ENDS = ["refused", "denied", "expired", "unknown"] as const;

interface ProcessedOutput {
  readonly outcome: CallOutcome;
  readonly value: unknown;
  /** The output does not match the contract; it is recorded all the same. */
  readonly outputInvalid: boolean;
}

interface OutputDeps {
  readonly redact: Redactor;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly salt: () => string;
}

/**
 * Prepares a handler's answer for storage and for the model: validated, redacted, attachments in the blob
 * store. Untrusted text is framed for the model; the value stays as it is.
 */
export async function processOutput(
  deps: OutputDeps,
  tenant: string,
  tool: RegisteredTool | undefined,
  result: ToolResult,
  row: Pick<CallRow, "callId" | "toolId">,
): Promise<ProcessedOutput> {
  const { redact, blobs, clock } = deps;
  const checked = tool?.parseOutput(result.value);
  const value = redactDeep(result.value, redact);
  const images: { mime: string; blobId: string }[] = [];
  const files: { mime: string; blobId: string; name?: string }[] = [];
  for (const attachment of result.attachments ?? []) {
    const bytes = bytesOf(attachment.data);
    const { blobId } = await blobs.put(tenant, bytes, attachment.mimeType, clock.now());
    const { mimeType: mime, name } = attachment;
    if (attachment.type === "image") images.push({ mime, blobId });
    else files.push({ mime, blobId, ...(name === undefined ? {} : { name: redact(name) }) });
  }
  const text = redact(result.text ?? (typeof value === "string" ? value : JSON.stringify(value ?? null)));
  const cut = result.truncated && !saysWhereToGoOn(text) ? CUT_NOTE : "";
  const outputInvalid = checked !== undefined && !checked.ok;
  const unfit = outputInvalid ? `\n${unfitWords(row.toolId)}` : "";
  const trusted = tool?.contract.labels.output === "trusted";
  const outcome: CallOutcome = {
    status: "ok",
    text: `${trusted ? text : framed(deps, text, row.callId)}${cut}${unfit}`,
    value,
    ...(result.exitCode ? { exitCode: result.exitCode } : {}),
    ...(images.length > 0 ? { images } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
  return { outcome, value, outputInvalid };
}

/** A plain loop: files may have many megabytes. */
function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** For the model, and for the owner who looks at the call. */
export function unfitWords(toolId: string): string {
  return `[Elwood, not the owner] This answer does not fit the schema that ${toolId} declares. Parts of it may be missing or mean something else.`;
}

/** What a tool says of its failure, and behind it, framed, what somebody else said. */
export function failedOutcome(
  deps: OutputDeps,
  code: string,
  text: string,
  quoted: string | undefined,
  { callId }: Pick<CallRow, "callId">,
): CallOutcome {
  const outcome = errorOutcome(code, text);
  if (quoted === undefined) return outcome;
  return { ...outcome, text: `${outcome.text}\n${framed(deps, deps.redact(quoted), callId)}` };
}

/** The number comes into being after the text, so that whoever wrote it could not know it; it is kept with the outcome. */
function framed({ sha256, salt }: OutputDeps, text: string, callId: string): string {
  return frameUntrusted(text, sha256(`elwood.frame.v2\n${callId}\n${salt()}`));
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
