import type { TokenInfo } from "@elwood/runtime/ports/ports";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT, withStores, type OpenStoreHarness } from "./store-script.ts";

/** What every TokenStore does. Run by each implementation. */
export function tokenStoreContract(name: string, open: OpenStoreHarness): void {
  describe(`TokenStore: ${name}`, () => {
    const laptop: TokenInfo = { id: "tok_1", name: "laptop", scopes: ["chat", "approve"], createdAt: 10 };
    const script: TokenInfo = { id: "tok_2", name: "script", scopes: ["chat"], createdAt: 5, expiresAt: 99 };

    test(
      "a token is found by its hash after a restart, and its hash is not handed out",
      withStores(open, async ({ stores }, harness) => {
        await stores.tokens.add(TENANT, { ...laptop, hash: "h1" });
        await stores.tokens.add(TENANT, { ...script, hash: "h2" });
        const { tokens } = await harness.reopen();
        expect(await tokens.findByHash(TENANT, "h1")).toEqual(laptop);
        expect(await tokens.findByHash(TENANT, "h2")).toEqual(script);
        expect(await tokens.findByHash(TENANT, "H1")).toBeUndefined();
        const device: TokenInfo = { ...laptop, id: "tok_3", createdAt: 20, publicKey: "MFkw" };
        await tokens.add(TENANT, { ...device, hash: "h3" });
        expect(await tokens.list(TENANT)).toEqual([script, laptop, device]);
      }),
    );

    test(
      "neither an id nor a hash is taken twice",
      withStores(open, async ({ stores: { tokens } }) => {
        await tokens.add(TENANT, { ...laptop, hash: "h1" });
        const conflict = failsWith("CONFLICT");
        await expect(tokens.add(TENANT, { ...script, hash: "h1" })).rejects.toMatchObject(conflict);
        await expect(tokens.add(TENANT, { ...laptop, hash: "h2" })).rejects.toMatchObject(conflict);
        expect(await tokens.list(TENANT)).toEqual([laptop]);
      }),
    );

    test(
      "the last use only moves forward; touching what is gone does nothing",
      withStores(open, async ({ stores: { tokens } }) => {
        await tokens.add(TENANT, { ...laptop, hash: "h1" });
        await tokens.touch(TENANT, laptop.id, 50);
        await tokens.touch(TENANT, laptop.id, 40);
        await tokens.touch(TENANT, "tok_none", 60);
        expect(await tokens.list(TENANT)).toEqual([{ ...laptop, lastUsedAt: 50 }]);
      }),
    );

    test(
      "a revoked token is gone, and revoking it again says so",
      withStores(open, async ({ stores: { tokens } }) => {
        await tokens.add(TENANT, { ...laptop, hash: "h1" });
        expect(await tokens.revoke(TENANT, laptop.id)).toBe(true);
        expect(await tokens.revoke(TENANT, laptop.id)).toBe(false);
        expect(await tokens.findByHash(TENANT, "h1")).toBeUndefined();
      }),
    );

    test(
      "a token of one tenant opens nothing of another",
      withStores(open, async ({ stores: { tokens } }) => {
        await tokens.add(TENANT, { ...laptop, hash: "h1" });
        expect(await tokens.findByHash("other", "h1")).toBeUndefined();
        expect(await tokens.list("other")).toEqual([]);
        expect(await tokens.revoke("other", laptop.id)).toBe(false);
        await tokens.add("other", { ...laptop, hash: "h1" });
        expect(await tokens.findByHash(TENANT, "h1")).toEqual(laptop);
      }),
    );
  });
}
