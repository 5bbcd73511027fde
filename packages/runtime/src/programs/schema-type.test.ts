import { anything, assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { commentText, typeTextOf } from "./schema-type.ts";

const LIMITS = { depth: 8, chars: 2_000, enumValues: 10, properties: 20 };
const typeOf = (schema: unknown) => typeTextOf(schema, "T", LIMITS, "").text;

describe("a JSON Schema as a type", () => {
  test.each([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ enum: ["a", 1, null, true] }, `"a" | 1 | null | true`],
    [{ const: "x" }, `"x"`],
    [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
    [{ type: "array" }, "unknown[]"],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 1 },
      "[string, number?]",
    ],
    [
      { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } },
      "[string?, ...number[]]",
    ],
    [
      { type: "object", properties: { a: { type: "string" }, "b c": { type: "number" } }, required: ["a"] },
      `{ a: string; "b c"?: number }`,
    ],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", properties: {}, additionalProperties: false }, "{}"],
    [
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
      "{ a?: string; [key: string]: unknown }",
    ],
    [{ type: "object", required: ["z"] }, "{ z: unknown }"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, "1 | 2"],
    [
      {
        allOf: [
          { type: "object", properties: { a: {} } },
          { anyOf: [{ type: "string" }, { type: "number" }] },
        ],
      },
      "{ a?: unknown } & (string | number)",
    ],
    [{ $ref: "#/$defs/A", $defs: { A: { type: "string" } } }, "string"],
    [{ $ref: "https://example.org/schema" }, "unknown"],
    [{ $ref: "#/$defs/missing" }, "unknown"],
    [true, "unknown"],
    [false, "never"],
    [{}, "unknown"],
    [null, "unknown"],
    [{ type: "martian" }, "unknown"],
  ])("%j is %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  test("a schema that refers to itself gets a name", () => {
    const tree = { type: "object", properties: { left: { $ref: "#" }, value: { type: "number" } } };
    expect(typeTextOf(tree, "T", LIMITS, "")).toEqual({
      text: "T_Self",
      named: ["type T_Self = { left?: T_Self; value?: number };"],
    });
    const twice = {
      $ref: "#/$defs/A",
      $defs: {
        A: { type: "array", items: { $ref: "#/$defs/B" } },
        B: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B~1x" }] },
        "B/x": { type: "null" },
      },
    };
    expect(typeTextOf(twice, "T", LIMITS, "")).toEqual({
      text: "T_A",
      named: ["type T_A = (T_A | null)[];"],
    });
  });

  test("descriptions, formats and bounds stand beside the property", () => {
    const schema = {
      type: "object",
      properties: {
        when: { type: "string", description: "The start.", format: "date-time" },
        n: { type: "integer", minimum: 1, maximum: 9, default: 3 },
      },
    };
    expect(typeOf(schema)).toBe(
      "{\n  /** The start. (date-time) */\n  when?: string;\n  /** (whole number, ≥ 1, ≤ 9, default 3) */\n  n?: number;\n}",
    );
  });

  test("what is too deep, too long or too many becomes unknown, and the text stays short", () => {
    let deep: unknown = { type: "string" };
    for (let i = 0; i < 100; i++) deep = { type: "array", items: deep };
    expect(typeOf(deep)).toBe(`unknown${"[]".repeat(9)}`);
    expect(typeOf({ enum: Array.from({ length: 50 }, (_, i) => `v${i}`) })).toBe("string");
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, { type: "string" }]));
    expect(typeOf({ type: "object", properties: wide }).length).toBeLessThan(2_000);
    const doubling = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `D${i}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/D${i + 1}` }, b: { $ref: `#/$defs/D${i + 1}` } },
        },
      ]),
    );
    expect(typeOf({ $ref: "#/$defs/D0", $defs: doubling }).length).toBeLessThan(20_000);
  });

  test("whatever text a schema holds, a comment stays a comment", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        const said = commentText(text, 100);
        expect(said).not.toMatch(/\*\/|[\n\r\u2028\u2029\u0000-\u001f\u202e]/u);
        expect(said.length).toBeLessThanOrEqual(100);
      }),
    );
    const hostile = {
      type: "object",
      properties: {
        "a*/b": { type: "string", description: "*/ evil(); /*\n\u202e", default: "*/", pattern: "*/" },
      },
    };
    const comments = typeOf(hostile).match(/\/\*\*[^]*?\*\//g);
    expect(comments).toHaveLength(1);
    expect(typeOf(hostile).replaceAll(/\/\*\*[^]*?\*\//g, "")).toBe('{\n  \n  "a*/b"?: string;\n}');
  });

  test("any value at all gives some text, and the same one each time", () => {
    const schema = anything({ maxDepth: 4 });
    assert(
      property(schema, (value) => {
        expect(typeOf(value)).toBe(typeOf(value));
      }),
    );
  });
});
