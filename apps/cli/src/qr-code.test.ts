import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { qrCode, qrText } from "./qr-code.ts";

const HASHES: [length: number, size: number, hash: string][] = [
  [1, 21, "e0065cd099f60f3d"],
  [30, 25, "57930c6d697f1d6b"],
  [50, 29, "a2d195f5bca78f92"],
  [75, 33, "18beafa89d0ca548"],
  [100, 37, "0720b9b5c1018cc6"],
  [125, 41, "7a79943d1ea14a9b"],
  [150, 45, "9a15e8b2c05f2ef9"],
  [190, 49, "536aabe2213f78d6"],
  [225, 53, "e82aeacac25bc3f2"],
];

/** Of the same text by another encoder (uqr 0.1.3, correction L, the mask that was chosen here). */
test.each(HASHES)("a text of %i bytes is the code that others make of it", (length, size, hash) => {
  const code = qrCode("https://home.example/#t=".padEnd(length, "aB3_-x9").slice(0, length));
  expect(code).toHaveLength(size);
  const bits = code.map((row) => row.map((dark) => (dark ? "1" : "0")).join("")).join("\n");
  expect(createHash("sha256").update(bits).digest("hex").slice(0, 16)).toBe(hash);
});

test("what is too long is refused", () => {
  expect(() => qrCode("x".repeat(231))).toThrow("too long");
});

test("in a terminal two rows are a line, dark on light, with a quiet edge", () => {
  const lines = qrText(qrCode("hi")).trimEnd().split("\n");
  expect(lines).toHaveLength(13);
  // oxlint-disable-next-line no-control-regex
  expect(lines[0]).toMatch(/^\u001b\[30;47m {25}\u001b\[0m$/);
  expect(lines[1]).toContain("█▀▀▀▀▀█");
});
