import { expect, test } from "vitest";
import { modelSchema } from "./model-schema.ts";

test("a model is shown names, kinds, choices and meanings, and not every bound", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    required: ["pattern"],
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 200, description: "What to look for." },
      count: { type: "integer", minimum: 1, maximum: 9_007_199_254_740_991, default: 10 },
      kinds: { type: "array", maxItems: 3, items: { enum: ["a", "b"], pattern: "x" } },
      either: { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] },
      more: { type: "object", additionalProperties: { type: "string", maxLength: 2 } },
    },
  };
  expect(modelSchema(schema)).toEqual({
    type: "object",
    required: ["pattern"],
    properties: {
      pattern: { type: "string", description: "What to look for." },
      count: { type: "integer", default: 10 },
      kinds: { type: "array", items: { enum: ["a", "b"] } },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      more: { type: "object", additionalProperties: { type: "string" } },
    },
  });
});

test("values that only look like schemas stay as they are", () => {
  const schema = { type: "string", enum: ["minLength", "pattern"], default: { pattern: "x" } };
  expect(modelSchema(schema)).toEqual({
    type: "string",
    enum: ["minLength", "pattern"],
    default: { pattern: "x" },
  });
});
