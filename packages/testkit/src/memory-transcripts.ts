import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { TranscriptLine } from "@elwood/core/message/message";
import type { TranscriptStore } from "@elwood/runtime/ports/ports";
import { checkSessionId, checkTenant } from "@elwood/runtime/run/store-input";
import { TranscriptReader, writeLine } from "@elwood/runtime/run/transcript-reader";

export interface MemoryTranscripts extends TranscriptStore {
  /** The bytes as they would stand in the file, to look at and to damage. */
  readonly files: Map<string, Buffer>;
}

export function memoryTranscripts(): MemoryTranscripts {
  const files = new Map<string, Buffer>();

  function pathOf(tenant: string, sessionId: string): string {
    checkTenant(tenant);
    checkSessionId(sessionId);
    return `${tenant}/${sessionId}.jsonl`;
  }

  const bytesOf = (tenant: string, sessionId: string) =>
    files.get(pathOf(tenant, sessionId)) ?? Buffer.alloc(0);

  return {
    files,

    async load(tenant, sessionId) {
      const reader = new TranscriptReader(LIMITS.transcriptLineBytesMax);
      reader.push(bytesOf(tenant, sessionId));
      return reader.end();
    },

    async append(tenant, sessionId, lines) {
      const before = bytesOf(tenant, sessionId);
      if (lines.length === 0) return before.length;
      const torn = before.length > 0 && before.at(-1) !== 0x0a;
      const after = Buffer.concat([before, Buffer.from(torn ? "\n" : ""), encode(lines)]);
      files.set(pathOf(tenant, sessionId), after);
      return after.length;
    },

    async save(tenant, sessionId, lines) {
      files.set(pathOf(tenant, sessionId), encode(lines));
    },

    async size(tenant, sessionId) {
      return bytesOf(tenant, sessionId).length;
    },

    async truncate(tenant, sessionId, size) {
      if (!Number.isSafeInteger(size) || size < 0) {
        fail("INVALID_INPUT", "A transcript can be cut to a whole number of bytes only.");
      }
      const bytes = bytesOf(tenant, sessionId);
      if (bytes.length > size) files.set(pathOf(tenant, sessionId), bytes.subarray(0, size));
    },

    async remove(tenant, sessionId) {
      files.delete(pathOf(tenant, sessionId));
    },
  };
}

function encode(lines: readonly TranscriptLine[]): Buffer {
  const encoded = lines.map((line) => Buffer.from(writeLine(line)));
  if (encoded.some((line) => line.length > LIMITS.transcriptLineBytesMax)) {
    fail("INVALID_INPUT", "A message is too large to be kept in a transcript.");
  }
  return Buffer.concat(encoded);
}
