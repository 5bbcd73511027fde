import { createHash } from "node:crypto";
import { fail } from "@elwood/core/base/failure";
import { makeId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import type { BlobInfo, BlobStore, Stores, TokenInfo, TokenStore } from "@elwood/runtime/ports/ports";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { memoryRuns } from "./memory-runs.ts";
import { memorySessions } from "./memory-sessions.ts";
import { copied, keyOf, memoryState } from "./memory-state.ts";
import { memoryTranscripts, type MemoryTranscripts } from "./memory-transcripts.ts";

/** Every store, in memory: they pass the same contract suites as those of the gateway. */
export function memoryStores(): Stores & { readonly transcripts: MemoryTranscripts } {
  const state = memoryState();
  return {
    sessions: memorySessions(state),
    runs: memoryRuns(state),
    transcripts: memoryTranscripts(),
    blobs: memoryBlobs(),
    tokens: memoryTokens(),
  };
}

function memoryBlobs(): BlobStore {
  const blobs = new Map<string, { info: BlobInfo; bytes: Uint8Array; content: string }>();
  return {
    async put(tenant, bytes, mime, at) {
      checkTenant(tenant);
      if (bytes.length > LIMITS.blobBytesMax) fail("INVALID_INPUT", "The file is too large.");
      const hash = createHash("sha256").update(`${tenant}\n${mime}\n`).update(bytes).digest();
      const content = hash.toString("hex");
      const same = blobs.values().find((blob) => blob.content === content);
      if (same) return same.info;
      const info: BlobInfo = { blobId: makeId("blob", at, hash), mime, bytes: bytes.length };
      blobs.set(keyOf(tenant, info.blobId), { info, bytes: bytes.slice(), content });
      return info;
    },

    async info(tenant, blobId) {
      checkTenant(tenant);
      return blobs.get(keyOf(tenant, blobId))?.info;
    },

    async read(tenant, blobId) {
      checkTenant(tenant);
      return blobs.get(keyOf(tenant, blobId))?.bytes.slice();
    },
  };
}

function memoryTokens(): TokenStore {
  const tokens = new Map<string, { info: TokenInfo; hash: string }>();
  const of = (tenant: string) => {
    checkTenant(tenant);
    return [...tokens].filter(([key]) => key.startsWith(`${tenant} `)).map(([, token]) => token);
  };
  return {
    async add(tenant, { hash, ...info }) {
      if (of(tenant).some((token) => token.hash === hash || token.info.id === info.id)) {
        fail("CONFLICT", "This token exists already.");
      }
      tokens.set(keyOf(tenant, info.id), { info: copied(info), hash });
    },

    async findByHash(tenant, hash) {
      const found = of(tenant).find((token) => token.hash === hash);
      return found && copied(found.info);
    },

    async list(tenant) {
      return copied(of(tenant).map((token) => token.info)).sort(
        (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
      );
    },

    async touch(tenant, id, at) {
      checkTenant(tenant);
      const found = tokens.get(keyOf(tenant, id));
      if (!found) return;
      found.info = { ...found.info, lastUsedAt: Math.max(found.info.lastUsedAt ?? 0, at) };
    },

    async revoke(tenant, id) {
      checkTenant(tenant);
      return tokens.delete(keyOf(tenant, id));
    },
  };
}
