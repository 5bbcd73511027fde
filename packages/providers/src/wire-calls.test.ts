import { describe, expect, test } from "vitest";
import { readArgs, toolUse, wireCallId, wireToolName } from "./wire-calls.ts";

describe("arguments of a call", () => {
  test.each<[unknown, unknown]>([
    ['{"a":1}', { a: 1 }],
    [" {} ", {}],
    ["", {}],
    ["   ", {}],
    [undefined, {}],
    [null, {}],
    ["null", {}],
    [{ a: 1 }, { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":"1,}\\",]",}', { a: '1,}",]' }],
  ])("%j reads as %j", (args, input) => {
    expect(readArgs(args)).toEqual({ input });
  });

  test.each<[unknown, string]>([
    ['{"a":', '{"a":'],
    ['{"path":"data"', '{"path":"data"'],
    ['{"a":1,,}', '{"a":1,,}'],
    ["[1,2]", "[1,2]"],
    ['"just words"', '"just words"'],
    ["42", "42"],
    [[1], "[1]"],
    ['{"a":1}{"b":2}', '{"a":1}{"b":2}'],
  ])("%j is malformed, and handed on as it came", (args, malformed) => {
    expect(readArgs(args)).toEqual({ input: {}, malformed });
  });

  test("the wire name becomes a tool id again", () => {
    expect(toolUse("c", "files__file__read", "{}")).toEqual({
      type: "tool_use",
      callId: "c",
      toolId: "files.file.read",
      input: {},
    });
  });
});

describe("call ids", () => {
  test("one that every provider takes stays as it is", () => {
    expect(wireCallId("call_01ABC-x")).toBe("call_01ABC-x");
  });

  test("any other becomes one, always the same, and different ones stay apart", () => {
    const odd = ["call:1/ö", "call:1/ä", "", "x".repeat(65), "x".repeat(66)];
    const made = odd.map(wireCallId);
    for (const id of made) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(made).size).toBe(odd.length);
    expect(odd.map(wireCallId)).toEqual(made);
  });
});

describe("names of tools in a history", () => {
  test("a tool's own name is its wire name; a made-up one becomes a name that every provider takes", () => {
    expect(wireToolName("files.file.read")).toBe("files__file__read");
    for (const made of ["rm -rf", "", "ünï", "x".repeat(100)]) {
      expect(wireToolName(made)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  });
});

test("brackets that are left open are closed for models that forget them, and for no other", () => {
  for (const [args, input] of [
    ['{"a":1', { a: 1 }],
    ['{"a":{"b":[1,2', { a: { b: [1, 2] } }],
    ['{"a":"x",', { a: "x" }],
  ] as const) {
    expect(readArgs(args, true)).toEqual({ input });
    expect(readArgs(args)).toMatchObject({ malformed: args });
  }
  // Inside of a text nobody knows what else would have come.
  expect(readArgs('{"a":"x', true)).toMatchObject({ malformed: '{"a":"x' });
  expect(readArgs("{".repeat(9), true)).toMatchObject({ malformed: "{".repeat(9) });
});
