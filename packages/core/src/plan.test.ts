import { expect, test } from "vitest";
import { isMadeOfStub, planSentence, stubMark, stubOf } from "./plan.ts";

test("a call of a rehearsal is answered in the shape that its tool promises", () => {
  const schema = {
    type: "object",
    required: ["id", "n", "ok", "list", "kind", "either", "nothing"],
    properties: {
      id: { type: "string" },
      n: { type: "integer" },
      ok: { type: "boolean" },
      list: { type: "array", items: { properties: { name: { type: ["string", "null"] } } } },
      kind: { enum: ["a", "b"] },
      either: { anyOf: [{ const: 7 }, { type: "string" }] },
      nothing: { type: "null" },
      optional: { type: "string" },
    },
  };
  expect(stubOf(schema, "(x)")).toEqual({
    id: "(x)",
    n: expect.any(Number),
    ok: true,
    list: [{ name: "(x)" }],
    kind: "a",
    either: 7,
    nothing: null,
  });
  expect(stubOf({}, "(x)")).toBe("(x)");
  expect(stubOf(undefined, "(x)")).toBe("(x)");
});

test("a schema that holds itself is not followed for ever", () => {
  const schema: Record<string, unknown> = { type: "object", required: ["next"] };
  schema["properties"] = { next: schema };
  expect(JSON.stringify(stubOf(schema, "(x)")).length).toBeLessThan(200);
});

test("what is made of such an answer is seen, wherever it stands", () => {
  const made = stubOf(
    { type: "object", required: ["id", "n"], properties: { id: { type: "string" }, n: { type: "number" } } },
    stubMark(3),
  ) as {
    id: string;
    n: number;
  };
  expect(isMadeOfStub({ text: `see ${made.id}` })).toBe(true);
  expect(isMadeOfStub({ list: [{ n: made.n }] })).toBe(true);
  expect(isMadeOfStub({ text: "see note 3", n: 999 })).toBe(false);
});

test("a plan says how many calls of which tool", () => {
  expect(planSentence([{ toolId: "a.b.c" }, { toolId: "d.e.f" }, { toolId: "a.b.c" }])).toBe(
    "A program would make 3 calls that ask: a.b.c (2), d.e.f (1)",
  );
});
