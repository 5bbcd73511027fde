import { describe, expect, test } from "vitest";
import type { MethodResult } from "@elwood/core/protocol/results";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { createToken, listTokens, revokeToken } from "./token-command.ts";

type Token = MethodResult<"tokens.list">["tokens"][number];

const token = (tail: string, more: Partial<Token> = {}): Token => ({
  id: `tok_01k9zzzzzzaaaaaaaaaaaa${tail}`,
  name: "laptop",
  scopes: ["chat"],
  createdAt: TEST_NOW - 86_400_000,
  ...more,
});

async function gateway(tokens: Token[] = []) {
  const { client, calls } = await testGateway({
    "tokens.create": ({ name, scopes, expiresInDays, tenant }) => ({
      token: "elw_secret",
      info: token("0001", {
        name,
        scopes,
        ...(tenant === undefined ? {} : { tenant }),
        ...(expiresInDays ? { expiresAt: TEST_NOW + expiresInDays * 86_400_000 } : {}),
      }),
    }),
    "tokens.list": () => ({ tokens }),
    "tokens.revoke": () => ({ ok: true }),
  });
  return { deps: { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" }, calls };
}

describe("token create", () => {
  test("prints the token alone on stdout, and on stderr that it is shown only now", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    const options = { name: "laptop", scopes: ["chat", "approve", "chat"], expiresDays: 30, json: false };
    expect(await createToken(io, deps, options)).toBe(EXIT.ok);
    expect(calls[0]?.params).toEqual({ name: "laptop", scopes: ["chat", "approve"], expiresInDays: 30 });
    expect(io.out()).toBe("elw_secret\n");
    expect(io.err()).toContain("It is shown only now");
    expect(io.err()).toContain("good until Tue 2026-12-15 09:00");
    expect(io.err()).toContain(`elwood token revoke ${token("0001").id}`);
    expect(io.err()).toContain("Whoever has it can approve actions in your name.");
  });

  test("allows no more than chat where no scope was asked for", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    await createToken(io, deps, { name: "a", scopes: [], json: true });
    expect(calls[0]?.params).toEqual({ name: "a", scopes: ["chat"] });
    expect(io.json()).toMatchObject({ token: "elw_secret", info: { name: "a" } });
  });

  test.each([
    [{ name: " ", scopes: [] }, "needs a name"],
    [{ name: "a", scopes: ["root"] }, "chat, approve, admin"],
    [{ name: "a", scopes: [], expiresDays: 0.5 }, "--expires-days"],
    [{ name: "a", scopes: [], expiresDays: Number.NaN }, "--expires-days"],
  ])("refuses %j as wrong usage", async (options, words) => {
    const { deps, calls } = await gateway();
    const io = testIo();
    expect(await reporting(io, false, () => createToken(io, deps, { ...options, json: false }))).toBe(
      EXIT.usage,
    );
    expect(io.err()).toContain(words);
    expect(calls).toEqual([]);
  });
});

describe("token list and revoke", () => {
  test("list shows what each may do, when it was used and when it ends, and no secret", async () => {
    const { deps } = await gateway([
      token("0001", { lastUsedAt: TEST_NOW - 60_000, expiresAt: TEST_NOW - 1 }),
      token("0002", { name: "phone", scopes: ["chat", "admin"] }),
    ]);
    const io = testIo();
    await listTokens(io, deps, { json: false });
    const [, first, second] = io.out().split("\n");
    expect(first).toMatch(/^tok_\w+0001 {2}laptop {2}chat {9}1 day ago {2}1 min ago {2}expired$/);
    expect(second).toMatch(/^tok_\w+0002 {2}phone {3}chat, admin {2}1 day ago {2}never {6}when revoked$/);
  });

  test("AC-10: a token of a tenant says what it opens, and the list says whose it is", async () => {
    const { deps, calls } = await gateway([token("0001", { tenant: "shop" }), token("0002")]);
    const io = testIo();
    await createToken(io, deps, { name: "till", scopes: ["execute"], tenant: "shop", json: false });
    expect(calls[0]?.params).toEqual({ name: "till", scopes: ["execute"], tenant: "shop" });
    expect(io.err()).toContain("what belongs to the tenant shop and nothing of yours");
    const listed = testIo();
    await listTokens(listed, deps, { json: false });
    const [head, first, second] = listed.out().split("\n");
    expect(head).toContain("TENANT");
    expect(first).toMatch(/chat {4}shop {4}1 day ago/);
    expect(second).toMatch(/chat {12}1 day ago/);
  });

  test("list says how to make one where there are none", async () => {
    const { deps } = await gateway();
    const io = testIo();
    await listTokens(io, deps, { json: false });
    expect(io.out()).toContain("elwood token create --name my-program");
  });

  test.each(["0002", "phone", token("0002").id])("revoke finds a token by %s", async (wanted) => {
    const { deps, calls } = await gateway([token("0001"), token("0002", { name: "phone" })]);
    const io = testIo();
    await revokeToken(io, deps, { token: wanted, json: false });
    expect(calls.at(-1)).toEqual({ method: "tokens.revoke", params: { tokenId: token("0002").id } });
    expect(io.out()).toContain('"phone" is revoked');
  });

  test.each([
    ["laptop", "2 tokens are called", EXIT.usage],
    ["desk", "No token is called", EXIT.failed],
    ["elw_secret", "a token itself, not its id", EXIT.usage],
  ])("revoke of %s revokes nothing", async (wanted, words, expected) => {
    const { deps, calls } = await gateway([token("0001"), token("0002")]);
    const io = testIo();
    const code = await reporting(io, false, () => revokeToken(io, deps, { token: wanted, json: false }));
    expect(code).toBe(expected);
    expect(io.err()).toContain(words);
    expect(io.err()).not.toContain("elw_secret");
    expect(calls.map((call) => call.method)).not.toContain("tokens.revoke");
  });
});
