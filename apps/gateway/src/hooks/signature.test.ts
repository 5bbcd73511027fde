import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { deliveryKey, isSigned } from "./signature.ts";

const SECRET = "a secret that nobody guesses";
const TEXT = '{"id":"evt_1"}';
const BODY = Buffer.from(TEXT);
const NOW = Date.UTC(2026, 10, 16, 14);
const hmac = (text: string, secret = SECRET) => createHmac("sha256", secret).update(text).digest("hex");

describe("who set off a webhook", () => {
  test.each([
    [{ authorization: `Bearer ${SECRET.replaceAll(" ", "-")}` }, true],
    [{ "x-elwood-secret": SECRET.replaceAll(" ", "-") }, true],
    [{ authorization: "Bearer wrong" }, false],
    [{ authorization: `Basic ${SECRET}` }, false],
    [{}, false],
  ])("is known by the secret where there is no signature: %j", (headers, known) => {
    expect(isSigned({ secret: SECRET.replaceAll(" ", "-") }, headers, BODY, NOW)).toBe(known);
  });

  test.each([
    [`sha256=${hmac(TEXT)}`, true],
    [`sha256=${hmac(TEXT).toUpperCase()}`, true],
    [`sha256=${hmac(TEXT, "another secret entirely")}`, false],
    [`sha256=${hmac(`${TEXT} `)}`, false],
    ["sha256=", false],
    [hmac(TEXT), false],
  ])("is known by GitHub's signature: %s", (signature, known) => {
    const hook = { secret: SECRET, hmac: "github" } as const;
    expect(isSigned(hook, { "x-hub-signature-256": signature }, BODY, NOW)).toBe(known);
    // The secret itself does not count where a signature is wanted.
    expect(isSigned(hook, { authorization: `Bearer ${SECRET}` }, BODY, NOW)).toBe(false);
  });

  const at = (secondsAgo: number) => Math.floor(NOW / 1000) - secondsAgo;
  const stripe = (t: number, ...signatures: string[]) =>
    [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`), "v0=old"].join(",");
  test.each([
    ["now", stripe(at(0), hmac(`${at(0)}.${TEXT}`)), true],
    ["one of two secrets", stripe(at(9), "00", hmac(`${at(9)}.${TEXT}`)), true],
    ["six minutes ago", stripe(at(360), hmac(`${at(360)}.${TEXT}`)), false],
    ["in six minutes", stripe(at(-360), hmac(`${at(-360)}.${TEXT}`)), false],
    ["another time", stripe(at(0), hmac(`${at(5)}.${TEXT}`)), false],
    ["no time", `v1=${hmac(`.${TEXT}`)}`, false],
    ["nothing", "", false],
  ])("is known by Stripe's signature, which does not stay valid: %s", (_what, signature, known) => {
    const hook = { secret: SECRET, hmac: "stripe" } as const;
    expect(isSigned(hook, { "stripe-signature": signature }, BODY, NOW)).toBe(known);
  });
});

test("a delivery is named by its Idempotency-Key, or as its sender names it", () => {
  expect(deliveryKey({}, { "idempotency-key": "k" }, {})).toBe("k");
  expect(deliveryKey({ hmac: "github" }, { "x-github-delivery": "d" }, {})).toBe("d");
  expect(deliveryKey({ hmac: "stripe" }, {}, { id: "evt_1" })).toBe("evt_1");
  expect(deliveryKey({}, { "x-github-delivery": "d" }, { id: "evt_1" })).toBeUndefined();
});
