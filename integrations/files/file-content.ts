import { createHash } from "node:crypto";
import { FileProblem } from "./file-problem.ts";
import type { OpenFile } from "./safe-open.ts";

/** Reads an open file whole, through its descriptor. One that grows meanwhile is cut off, not followed. */
export async function readWhole(file: OpenFile, bytesMax: number, shown: string): Promise<Buffer> {
  if (file.stats.size > BigInt(bytesMax)) throw tooLarge(shown, Number(file.stats.size), bytesMax);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, bytesMax + 1 - total));
    const { bytesRead } = await file.handle.read(chunk, 0, chunk.length, total);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > bytesMax) throw tooLarge(shown, total, bytesMax);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Text only if every byte of it is UTF-8 and none is NUL: anything else would not survive an edit. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // Not UTF-8 is an answer, not an error.
  }
}

const IMAGES: readonly (readonly [mimeType: string, start: readonly number[], at: number])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 0],
  ["image/jpeg", [0xff, 0xd8, 0xff], 0],
  ["image/gif", [0x47, 0x49, 0x46, 0x38], 0],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
];

/** By its first bytes; a name proves nothing. */
export function imageType(bytes: Uint8Array): string | undefined {
  return IMAGES.find(([, start, at]) => start.every((byte, i) => bytes[at + i] === byte))?.[0];
}

/** `1 file`, `3 files`. */
export function countInWords(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/**
 * What Elwood's secrets filter leaves in a text. A model that writes back what it was shown
 * would put this over the owner's key.
 */
const REDACTION_MARKER = /\[redacted(?![a-z])/gi;

export function markersIn(text: string): number {
  return text.match(REDACTION_MARKER)?.length ?? 0;
}

export function tooLarge(shown: string, bytes: number, bytesMax: number): FileProblem {
  return new FileProblem(
    "too-large",
    `${shown} is ${sizeInWords(bytes)}; at most ${sizeInWords(bytesMax)} can be handled at once.`,
  );
}
