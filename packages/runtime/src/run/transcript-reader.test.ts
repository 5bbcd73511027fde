import type { TranscriptLine } from "@elwood/core/message/message";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TranscriptReader, writeLine } from "./transcript-reader.ts";

function line(text: string): TranscriptLine {
  const blocks: TranscriptLine["blocks"] = [{ type: "text", text }];
  return { v: 1, id: "msg_1", run: "run_1", i: 0, n: 1, ts: 1, role: "user", origin: "owner", blocks };
}

function readInPieces(bytes: Uint8Array, sizes: readonly number[], lineBytesMax = 1_000_000) {
  const reader = new TranscriptReader(lineBytesMax);
  const buffer = new Uint8Array(64);
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = Math.min(sizes[turn % sizes.length] ?? 64, bytes.length - at);
    // One buffer, filled again and again, as a file is read.
    buffer.set(bytes.subarray(at, at + size));
    reader.push(buffer.subarray(0, size));
    at += size;
  }
  return reader.end();
}

test("EL-4: lines come out the same however the bytes are cut into pieces", () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { maxLength: 5 });
  const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, sizes, (texts, sizes) => {
      const lines = texts.map(line);
      const bytes = Buffer.from(lines.map(writeLine).join(""));
      expect(readInPieces(bytes, sizes)).toEqual({ lines, damage: [] });
    }),
    { numRuns: 100, seed: 4 },
  );
});

test("EL-4: any bytes at all are read to their end, and every one of them is accounted for", () => {
  const good = Buffer.from(writeLine(line("good")));
  const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(good))), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(pieces, (pieces) => {
      const bytes = Buffer.concat(pieces);
      const { lines, damage } = readInPieces(bytes, [64]);
      const lost = damage.reduce((sum, { bytes: lost }) => sum + lost, 0);
      expect(lines.length * (good.length - 1) + lost).toBeLessThanOrEqual(bytes.length);
      for (const { offset, bytes: count } of damage) {
        expect(bytes.subarray(offset, offset + count).includes(0x0a)).toBe(false);
        expect(offset === 0 || bytes[offset - 1] === 0x0a).toBe(true);
      }
    }),
    { numRuns: 200, seed: 4 },
  );
});

test("a line too long to be a message is passed over without being held in memory", () => {
  const long = Buffer.from(writeLine(line("x".repeat(1_000))));
  const short = Buffer.from(writeLine(line("short")));
  const { lines, damage } = readInPieces(Buffer.concat([short, long, short]), [64], 200);
  expect(lines).toEqual([line("short"), line("short")]);
  expect(damage).toEqual([{ line: 2, offset: short.length, bytes: long.length - 1, what: "not-a-message" }]);
});

test("a line of just the length allowed is read", () => {
  const text = Buffer.from(writeLine(line("just so")));
  expect(readInPieces(text, [64], text.length - 1).damage).toEqual([]);
  expect(readInPieces(text, [64], text.length - 2).damage).toHaveLength(1);
});
