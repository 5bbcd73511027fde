import { makeRedactor } from "@elwood/core/base/redact";
import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { SecretFilter } from "./secret-filter.ts";

const KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWx";
const OWN = "elw_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6";
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----";

function sieved(pieces: readonly string[]): string[] {
  const sieve = new SecretFilter(makeRedactor([OWN]));
  return [...pieces.map((piece) => sieve.push(piece)), sieve.flush()];
}

test("a secret is taken out however the text is cut into pieces", () => {
  const hex = Buffer.from(OWN).toString("hex").replace(/../g, "$& ");
  const base64 = Buffer.from(`anna:${OWN}`).toString("base64");
  const url = Buffer.from(OWN).toString("hex").replace(/../g, "%$&");
  const aws = `aws_secret_access_key = "${"aB3d/F6h+J".repeat(4)}"`;
  const others = `${hex}, ${base64}; ${url}! ${aws} postgres://anna:p$s!w0rd@db.example.org/x`;
  const text = `Also ${others} then. The key is ${KEY}, the token ${OWN}. Send "Authorization: Bearer abcdefghijklmnop1234" and\n${PEM}\nDone, thank you.`;
  const whole = makeRedactor([OWN])(text);
  assert(
    property(array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (sizes) => {
      const pieces: string[] = [];
      let at = 0;
      for (let i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length]!;
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(sieved(pieces).join("")).toBe(whole);
    }),
  );
});

test("words pass as soon as they are whole, and text without spaces between words at once", () => {
  const out = sieved(["Good morning, ", "how are y", "ou? ", "早上好", "，你"]);
  expect(out).toEqual(["Good morning, ", "how are ", "you? ", "早上好", "，你", ""]);
});

test("a number at the end of a paragraph is shown with it", () => {
  expect(sieved(["Chapter 39\n\n", "It rains."])).toEqual(["Chapter 39\n\n", "It ", "rains."]);
});

test("a word without an end is let go at a limit", () => {
  const out = sieved(["a".repeat(20_000)]);
  expect(out[0]).toHaveLength(20_000);
});
