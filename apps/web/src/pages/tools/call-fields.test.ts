import { expect, test } from "vitest";
import { fieldsOf, fieldText, withField } from "./call-fields.ts";

const SCHEMA = {
  type: "object",
  properties: {
    lines: { type: "integer" },
    path: { type: "string", description: "Where" },
    content: { type: "string" },
    append: { type: "boolean" },
    kind: { enum: ["a", "b"] },
    tags: { type: "array", items: { type: "string" } },
    deep: { type: "object" },
  },
  required: ["path", "content"],
};

test("a tool's input is written in fields, those that must be there first; what no field can hold stays to JSON", () => {
  expect(fieldsOf(SCHEMA).map(({ label, kind, needed }) => [label, kind, needed])).toEqual([
    ["Path", "text", true],
    ["Content", "long", true],
    ["Lines", "number", false],
    ["Append", "yes", false],
    ["Kind", "choice", false],
    ["Tags", "lines", false],
  ]);
  expect(fieldsOf({ anyOf: [SCHEMA, { type: "object" }] })).toHaveLength(6);
  // Otherwise the form could not be filled in.
  expect(fieldsOf({ ...SCHEMA, required: ["deep"] })).toEqual([]);
  expect([fieldsOf({}), fieldsOf(null), fieldsOf({ type: "string" })]).toEqual([[], [], []]);
  expect(fieldsOf({ properties: { oldText: { type: "string" } } })[0]?.label).toBe("Old text");
});

test("what is written in a field is of its type, and an empty one that may be left out is", () => {
  const by = Object.fromEntries(fieldsOf(SCHEMA).map((field) => [field.name, field]));
  let input: unknown = { path: "", content: "", deep: { kept: 1 } };
  for (const [name, text] of [
    ["path", "a.txt"],
    ["lines", "3"],
    ["append", "true"],
    ["kind", "b"],
    ["tags", "one\n\ntwo"],
  ] as const)
    input = withField(input, by[name]!, text);
  const written = {
    path: "a.txt",
    content: "",
    deep: { kept: 1 },
    lines: 3,
    append: true,
    kind: "b",
    tags: ["one", "two"],
  };
  expect(input).toEqual(written);
  expect(fieldText(by["tags"]!, input)).toBe("one\ntwo");
  expect(fieldText(by["lines"]!, {})).toBe("");
  for (const name of ["lines", "kind", "tags"]) input = withField(input, by[name]!, "");
  expect(withField(input, by["append"]!, "false")).toEqual({ path: "a.txt", content: "", deep: { kept: 1 } });
  expect(withField(input, by["path"]!, "")).toMatchObject({ path: "" });
});
