import { isId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT, withStores, type OpenStoreHarness } from "./store-script.ts";

/** What every BlobStore does. Run by each implementation. */
export function blobStoreContract(name: string, open: OpenStoreHarness): void {
  describe(`BlobStore: ${name}`, () => {
    const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i % 256);

    test(
      "bytes come back as they were, also after a restart",
      withStores(open, async ({ stores }, harness) => {
        const info = await stores.blobs.put(TENANT, bytes, "image/png", 7);
        expect(info).toEqual({ blobId: info.blobId, mime: "image/png", bytes: 1_000 });
        expect(isId("blob", info.blobId)).toBe(true);
        const { blobs } = await harness.reopen();
        expect(await blobs.info(TENANT, info.blobId)).toEqual(info);
        expect(Buffer.from((await blobs.read(TENANT, info.blobId))!).equals(bytes)).toBe(true);
      }),
    );

    test(
      "the same bytes are one blob, however often and however closely they are put",
      withStores(open, async ({ stores: { blobs } }) => {
        const all = await Promise.all([1, 2, 3].map((at) => blobs.put(TENANT, bytes, "image/png", at)));
        const later = await blobs.put(TENANT, bytes, "image/png", 99);
        expect(new Set([...all, later].map((info) => info.blobId)).size).toBe(1);
      }),
    );

    test(
      "the same bytes under another type are another blob",
      withStores(open, async ({ stores: { blobs } }) => {
        const plain = await blobs.put(TENANT, bytes, "application/octet-stream", 1);
        const image = await blobs.put(TENANT, bytes, "image/png", 1);
        expect(plain.blobId).not.toBe(image.blobId);
        expect(await blobs.info(TENANT, plain.blobId)).toMatchObject({ mime: "application/octet-stream" });
        expect(await blobs.info(TENANT, image.blobId)).toMatchObject({ mime: "image/png" });
      }),
    );

    test(
      "no bytes at all are a blob too",
      withStores(open, async ({ stores: { blobs } }) => {
        const { blobId } = await blobs.put(TENANT, new Uint8Array(0), "text/plain", 1);
        expect(await blobs.read(TENANT, blobId)).toHaveLength(0);
      }),
    );

    test(
      "what is not there is undefined; an id cannot reach another file",
      withStores(open, async ({ stores: { blobs } }) => {
        for (const id of ["blob_none", "", "../elwood.db", "../../etc/passwd", "a\0b"]) {
          expect(await blobs.info(TENANT, id)).toBeUndefined();
          expect(await blobs.read(TENANT, id)).toBeUndefined();
        }
      }),
    );

    test(
      "bytes beyond the limit are refused",
      withStores(open, async ({ stores: { blobs } }) => {
        const much = blobs.put(TENANT, new Uint8Array(LIMITS.blobBytesMax + 1), "text/plain", 1);
        await expect(much).rejects.toMatchObject(failsWith("INVALID_INPUT"));
      }),
    );

    test(
      "a tenant cannot read another's blob by its id",
      withStores(open, async ({ stores: { blobs } }) => {
        const mine = await blobs.put(TENANT, bytes, "image/png", 1);
        expect(await blobs.info("other", mine.blobId)).toBeUndefined();
        expect(await blobs.read("other", mine.blobId)).toBeUndefined();
        const theirs = await blobs.put("other", bytes, "image/png", 1);
        expect(theirs.blobId).not.toBe(mine.blobId);
        expect(await blobs.read("other", theirs.blobId)).toHaveLength(1_000);
      }),
    );
  });
}
