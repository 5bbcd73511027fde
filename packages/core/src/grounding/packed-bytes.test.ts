import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, textOfBytes } from "./packed-bytes.ts";

test("bytes come back as they were, from text that needs no escape", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const text = textOfBytes(bytes);
      expect(JSON.stringify(text)).toBe(`"${text}"`);
      expect([...bytesOf(text)]).toEqual([...bytes]);
    }),
  );
});

test("four bytes are five letters", () => {
  expect(textOfBytes(new Uint8Array(400).fill(255))).toHaveLength(500);
});
