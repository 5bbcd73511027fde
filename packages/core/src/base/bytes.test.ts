import { expect, test } from "vitest";
import { bytesToHex, hexToBytes, putHex } from "./bytes.ts";

test("hex is read digit by digit, all 256 bytes of it", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
  expect(hexToBytes("")).toEqual(new Uint8Array(0));
  const into = new Uint8Array(4);
  putHex(into, 1, "0aff");
  expect([...into]).toEqual([0, 10, 255, 0]);
});

test.each(["0", "abc", "0G", "g0", "AB", "0/", ":0", "0`", " 0", "é0", "0\u{10000}", "0x12"])(
  "%j is not lower-case hex, and is refused",
  (text) => {
    expect(() => hexToBytes(text)).toThrow("not lower-case hex");
  },
);
