import { createHash } from "node:crypto";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { makeId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import type { BlobInfo, BlobStore, Log } from "@elwood/runtime/ports/ports";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { chunksOf, diskOperations, replaceFile, sizeOf, type FileOperations } from "./file-operations.ts";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import { storageFailure } from "./storage-failure.ts";

interface BlobRow {
  readonly id: string;
  readonly sha256: string;
  readonly mime: string;
  readonly bytes: number;
}

export const BLOB_SQL = {
  bySha: query<BlobRow>(
    "SELECT id, sha256, mime, bytes FROM blobs WHERE tenant = ? AND sha256 = ? AND mime = ?",
  ),
  get: query<BlobRow>("SELECT id, sha256, mime, bytes FROM blobs WHERE tenant = ? AND id = ?"),
  add: `INSERT INTO blobs (tenant, id, sha256, mime, bytes, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, sha256, mime) DO NOTHING`,
};

/**
 * Bytes in `blobs/<sha256>`, what they are in the database. The file is whole and on disk
 * before the row is written, so a row never points at nothing; a crash between the two
 * leaves a file that the next `put` of the same bytes finds and uses. Bytes that no longer
 * have the hash they are named by are an error, never handed out.
 */
export function fileBlobs(
  db: Database,
  folder: string,
  deps: { log: Log; files?: FileOperations },
): BlobStore {
  const files = deps.files ?? diskOperations;
  const queue = keyedMutex();

  return {
    async put(tenant, bytes, mime, at) {
      checkTenant(tenant);
      if (bytes.length > LIMITS.blobBytesMax) {
        const mb = Math.floor(LIMITS.blobBytesMax / (1024 * 1024));
        fail("INVALID_INPUT", `A file may have at most ${mb} MB. It was not stored.`);
      }
      const sha256 = sha256Of(bytes);
      const path = join(folder, sha256);
      try {
        await queue.run(sha256, async () => {
          if ((await sizeOf(files, path)) !== bytes.length) await replaceFile(files, path, [bytes]);
        });
      } catch (error) {
        throw storageFailure(error, "The file could not be stored.");
      }
      const id = blobIdFor(tenant, sha256, mime, at);
      return db.transaction(() => {
        db.run(BLOB_SQL.add, tenant, id, sha256, mime, bytes.length, at);
        return toInfo(db.get(BLOB_SQL.bySha, tenant, sha256, mime)!);
      });
    },

    async info(tenant, blobId) {
      checkTenant(tenant);
      const row = db.get(BLOB_SQL.get, tenant, blobId);
      return row && toInfo(row);
    },

    async read(tenant, blobId) {
      checkTenant(tenant);
      const row = db.get(BLOB_SQL.get, tenant, blobId);
      if (!row) return undefined;
      const bytes = await readBytes(files, join(folder, row.sha256));
      if (sha256Of(bytes) !== row.sha256) {
        deps.log.error("a stored file is missing or damaged", { blob: blobId, sha256: row.sha256 });
        fail(
          "STORAGE",
          "This file is missing on disk or damaged, so it is not handed out. Attach it again.",
          {
            retryable: false,
          },
        );
      }
      return bytes;
    },
  };
}

async function readBytes(files: FileOperations, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of chunksOf(files, path)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw storageFailure(error, "The file could not be read.");
  }
  return Buffer.concat(chunks);
}

/** By what it names, so that no randomness is needed: an id with the time of its first storing. */
function blobIdFor(tenant: string, sha256: string, mime: string, at: number): string {
  return makeId("blob", at, createHash("sha256").update(`${tenant}\n${sha256}\n${mime}`).digest());
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function toInfo(row: BlobRow): BlobInfo {
  return { blobId: row.id, mime: row.mime, bytes: row.bytes };
}
