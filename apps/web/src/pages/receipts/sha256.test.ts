import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

const known = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

test("it is SHA-256, around every edge of a block", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    expect(sha256(bytes), `${length} bytes`).toBe(known(bytes));
  }
});

test("it is SHA-256 for any text and any bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => sha256(text) === known(text)));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => sha256(bytes) === known(bytes)));
});
