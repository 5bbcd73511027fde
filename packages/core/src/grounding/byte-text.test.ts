import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesFromText, bytesToText } from "./byte-text.ts";

test("bytes come back from their text, which needs no escape", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { maxLength: 40 }), (fours) => {
      const bytes = Uint8Array.from(fours.flatMap((four) => [...four]));
      const text = bytesToText(bytes);
      expect(text).toHaveLength((bytes.length / 4) * 5);
      expect(JSON.stringify(text)).toBe(`"${text}"`);
      expect(bytesFromText(text)).toEqual(bytes);
    }),
  );
  expect(bytesFromText(bytesToText(Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)))).toEqual(
    Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0),
  );
});

test("bytes that are no multiple of four are refused", () => {
  expect(() => bytesToText(Uint8Array.of(1, 2, 3))).toThrow("four at a time");
});
