import { array, assert, integer, json, property, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, FrameError, FrameReader } from "./frames.ts";
import { isWellFormedJson, jsonDepth } from "./wire.ts";

describe("frames", () => {
  test("come out as they went in, however the bytes are cut", () => {
    const frame = tuple(integer(), string({ unit: "binary" }));
    assert(
      property(
        array(frame, { maxLength: 5 }),
        array(integer({ min: 1, max: 9 }), { minLength: 1 }),
        (frames, cuts) => {
          const bytes = Buffer.concat(frames.map(([n, body]) => encodeFrame({ n }, body)));
          const reader = new FrameReader(() => 1_000_000);
          const read: unknown[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = cuts[turn % cuts.length]!;
            for (const { head, body } of reader.push(bytes.subarray(at, at + size)))
              read.push([head["n"], body]);
            at += size;
          }
          expect(read).toEqual(frames.map(([n, body]) => [n, body]));
        },
      ),
    );
  });

  test("that announce more than the reader takes are refused before they are read", () => {
    const reader = new FrameReader(() => 10);
    expect(() => [...reader.push(encodeFrame({ a: 1 }, "0123456789"))]).toThrow(FrameError);
    expect(() => [...new FrameReader(() => 10).push(Buffer.from("7fffffff", "hex"))]).toThrow(FrameError);
  });
});

describe("the text of an input", () => {
  test("has the depth of what it stands for", () => {
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
    assert(property(json({ maxDepth: 6 }), (text) => jsonDepth(text) === depth(JSON.parse(text))));
    expect(jsonDepth('"[[["')).toBe(0);
    expect(jsonDepth('["\\"[",{}]')).toBe(2);
  });

  test("is well formed exactly if all its strings are", () => {
    const unit = string({ minLength: 0, maxLength: 6, unit: "binary" });
    const halves = array(integer({ min: 0xd7fe, max: 0xe001 })).map((codes) => String.fromCharCode(...codes));
    assert(
      property(unit, halves, (plain, odd) => {
        for (const text of [
          plain,
          odd,
          `\\${odd}`,
          `\\u${odd}`,
          `${odd}\\ud800`,
          `\\\\${odd}`,
          odd.split("").join("\\"),
        ]) {
          expect(isWellFormedJson(JSON.stringify({ text }))).toBe(text.isWellFormed());
        }
      }),
    );
  });
});
