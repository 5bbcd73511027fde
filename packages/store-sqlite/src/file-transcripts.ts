import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { TranscriptLine } from "@elwood/core/message/message";
import type { Log, TranscriptStore } from "@elwood/runtime/ports/ports";
import { checkSessionId, checkTenant } from "@elwood/runtime/run/store-input";
import { TranscriptReader, writeLine } from "@elwood/runtime/run/transcript-reader";
import {
  chunksOf,
  diskOperations,
  openInFolder,
  replaceFile,
  sizeOf,
  syncFolder,
  temporaryFor,
  unlinkIfThere,
  writeAll,
  type FileOperations,
  type OpenFile,
} from "./file-operations.ts";
import { rewriteLines, type LineWork } from "./rewrite-lines.ts";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import { storageFailure } from "./storage-failure.ts";
import { isMissing } from "@elwood/platform/system-error";

/** What was done to a conversation's file, after it was done. */
export type TranscriptChange = { readonly tenant: string; readonly sessionId: string } & (
  | { readonly what: "appended"; readonly from: number; readonly to: number }
  | { readonly what: "changed" }
);

export interface FileTranscripts extends TranscriptStore {
  /** The sessions that have a file, also those in the trash. */
  list(tenant: string): Promise<readonly string[]>;
  /** Writes over lines where they stand; see rewriteLines. Answers how many. */
  rewrite(tenant: string, sessionId: string, work: LineWork): Promise<number>;
  /** Resolves once the work that has begun is done. */
  settled(): Promise<void>;
}

const NOT_REWRITTEN = "A conversation's file could not be changed everywhere it had to be.";
const NOT_WRITTEN = "The conversation could not be written to disk; its file is as it was.";

/**
 * Conversations as files.
 *
 * T1 Operations on one file happen one after the other, in the order in which they were asked.
 * T2 A failed `append` leaves the file as long as it was; should even cutting it back fail,
 *    the offset noted in the database lets recovery do so.
 * T3 `save` leaves the old file or the new one, never something between.
 */
export function fileTranscripts(
  folder: string,
  deps: {
    readonly log: Log;
    readonly files?: FileOperations;
    /** Told of every change, in order; must neither wait nor throw. */
    readonly onChange?: (change: TranscriptChange) => void;
  },
): FileTranscripts {
  const files = deps.files ?? diskOperations;
  const queue = keyedMutex();

  /** `what` begins the sentence that is said should the work fail. */
  async function onFile<T>(
    tenant: string,
    sessionId: string,
    what: string,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    // Ids that can be nothing but names: what is asked of us never reaches another folder.
    checkTenant(tenant);
    checkSessionId(sessionId);
    const path = join(folder, tenant, `${sessionId}.jsonl`);
    try {
      return await queue.run(path, () => work(path));
    } catch (error) {
      throw storageFailure(error, what);
    }
  }

  /** Answers how long the file was before, and is now. */
  async function appendBytes(path: string, bytes: Uint8Array): Promise<{ from: number; to: number }> {
    const file = await openInFolder(files, path, "a+");
    try {
      const { size } = await file.stat();
      const torn = size > 0 && (await lastByte(file, size)) !== NEWLINE;
      const added = torn ? Buffer.concat([Buffer.of(NEWLINE), bytes]) : bytes;
      try {
        await writeAll(file, added);
        await file.sync();
        if (size === 0) await syncFolder(files, dirname(path));
        return { from: size, to: size + added.length };
      } catch (error) {
        await cutBack(file, path, size);
        throw error;
      }
    } finally {
      await file.close();
    }
  }

  /** T2 */
  async function cutBack(file: OpenFile, path: string, size: number): Promise<void> {
    try {
      await file.truncate(size);
      await file.sync();
    } catch (error) {
      const detail = String(error);
      deps.log.error("a transcript could not be cut back after a failed write", { path, size, detail });
    }
  }

  return {
    async load(tenant, sessionId) {
      return onFile(tenant, sessionId, "The conversation could not be read.", async (path) => {
        const reader = new TranscriptReader(LIMITS.transcriptLineBytesMax);
        for await (const chunk of chunksOf(files, path)) reader.push(chunk);
        return reader.end();
      });
    },

    async append(tenant, sessionId, lines) {
      const bytes = Buffer.concat(lines.map(encode));
      return onFile(tenant, sessionId, NOT_WRITTEN, async (path) => {
        if (bytes.length === 0) return (await sizeOf(files, path)) ?? 0;
        const grown = await appendBytes(path, bytes);
        deps.onChange?.({ tenant, sessionId, what: "appended", ...grown });
        return grown.to;
      });
    },

    async save(tenant, sessionId, lines) {
      await onFile(tenant, sessionId, NOT_WRITTEN, (path) => replaceFile(files, path, pieces(lines)));
      deps.onChange?.({ tenant, sessionId, what: "changed" });
    },

    async size(tenant, sessionId) {
      const what = "The conversation's file could not be looked at.";
      return onFile(tenant, sessionId, what, async (path) => (await sizeOf(files, path)) ?? 0);
    },

    async truncate(tenant, sessionId, size) {
      if (!Number.isSafeInteger(size) || size < 0) {
        fail(
          "INVALID_INPUT",
          "A transcript can be cut to a whole number of bytes only. Nothing was changed.",
        );
      }
      await onFile(tenant, sessionId, "The conversation's file could not be cut back.", async (path) => {
        // Never made longer: that would fill it with zeros.
        if (((await sizeOf(files, path)) ?? 0) <= size) return;
        const file = await files.open(path, "r+");
        try {
          await file.truncate(size);
          await file.sync();
        } finally {
          await file.close();
        }
        deps.onChange?.({ tenant, sessionId, what: "changed" });
      });
    },

    async remove(tenant, sessionId) {
      await onFile(tenant, sessionId, "The conversation's file could not be removed.", async (path) => {
        await unlinkIfThere(files, temporaryFor(path));
        if (await unlinkIfThere(files, path)) await syncFolder(files, dirname(path));
        deps.onChange?.({ tenant, sessionId, what: "changed" });
      });
    },

    async list(tenant) {
      checkTenant(tenant);
      const names = await readdir(join(folder, tenant)).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw storageFailure(error, "The folder of conversations could not be read.");
      });
      return names
        .flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : []))
        .sort();
    },

    async rewrite(tenant, sessionId, work) {
      return onFile(tenant, sessionId, NOT_REWRITTEN, async (path) => {
        const changed = await rewriteLines(files, path, work);
        if (changed > 0) deps.onChange?.({ tenant, sessionId, what: "changed" });
        return changed;
      });
    },

    settled: () => queue.settled(),
  };
}

const NEWLINE = 0x0a;
/** `save` writes a long conversation in pieces of about this size. */
const PIECE_BYTES = 1024 * 1024;

function encode(line: TranscriptLine): Buffer {
  const bytes = Buffer.from(writeLine(line));
  if (bytes.length > LIMITS.transcriptLineBytesMax) {
    fail("INVALID_INPUT", "A message is too large to be kept in a transcript. Nothing was written.");
  }
  return bytes;
}

function* pieces(lines: readonly TranscriptLine[]): Generator<Uint8Array> {
  let piece: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    const encoded = encode(line);
    piece.push(encoded);
    bytes += encoded.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(piece);
    piece = [];
    bytes = 0;
  }
  yield Buffer.concat(piece);
}

async function lastByte(file: OpenFile, size: number): Promise<number | undefined> {
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, size - 1);
  return byte[0];
}
