import { expect, test } from "vitest";
import { sampleInput } from "./try-call.ts";

test.each([
  [
    {
      type: "object",
      properties: { path: { type: "string" }, lines: { type: "integer" } },
      required: ["path"],
    },
    { path: "" },
  ],
  [
    {
      anyOf: [
        { type: "object", properties: { argv: { type: "array" } }, required: ["argv"] },
        { type: "object" },
      ],
    },
    { argv: [] },
  ],
  [
    {
      type: "object",
      properties: { mode: { enum: ["a", "b"] }, n: { default: 5 } },
      required: ["mode", "n"],
    },
    { mode: "a", n: 5 },
  ],
  [{}, null],
])("every field that must be there is, and nothing else", (schema, input) => {
  expect(JSON.parse(sampleInput(schema))).toEqual(input);
});

test("a schema that goes round in circles ends", () => {
  const loop: Record<string, unknown> = { type: "object", required: ["again"] };
  loop["properties"] = { again: loop };
  expect(sampleInput(loop).length).toBeLessThan(500);
});
