import { expect, test } from "vitest";
import { highestRisk, isMadeOfStub, planSentence, stubMark, stubOf, dryRunGapsSentence } from "./plan.ts";

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

test("also where a program changed it on the way", () => {
  const text = stubMark(12);
  const number = stubOf({ type: "number" }, text) as number;
  for (const made of [
    text.toUpperCase(),
    text.slice(0, 20),
    encodeURIComponent(text),
    `https://example.com/?${new URLSearchParams({ q: text }).toString()}`,
    text.replaceAll(/[^a-z0-9]+/g, "-"),
    `notes/${text.replaceAll(" ", "_")}.md`,
    JSON.stringify({ inner: text }),
    String(number),
    new Date(number).toISOString(),
  ])
    expect(isMadeOfStub({ made }), made).toBe(true);
  expect(isMadeOfStub({ next: number + 1, before: number - 1_000 })).toBe(true);
  for (const made of ["the result of the plan", "2001-09-10", 1_794_700_000_000, 99_999, "999999"])
    expect(isMadeOfStub({ made }), String(made)).toBe(false);
});

test("what a rehearsal could not find out is said in words", () => {
  expect(dryRunGapsSentence({ calls: [] })).toBeUndefined();
  expect(dryRunGapsSentence({ calls: ["a.b.read", "a.b.read", "c.d.write"] })).toBe(
    "Not known yet: 3 calls whose input is made of results that only come with the run: a.b.read (2), c.d.write (1). None was made to find out, and none is listed.",
  );
  expect(dryRunGapsSentence({ calls: ["a.b.read"], endsAt: "web.page.fetch" })).toMatch(
    /^Not known yet: 1 call .* Not known yet: what the program does after web\.page\.fetch has answered/,
  );
  expect(dryRunGapsSentence({ calls: [], ended: "time" })).toMatch(
    /did not see its end, because it took too long\.$/,
  );
  expect(dryRunGapsSentence({ calls: [], unlisted: 1 })).toBe(
    "Not listed: 1 more call, which asks for itself.",
  );
  expect(dryRunGapsSentence({ calls: [], unlisted: 2 })).toBe(
    "Not listed: 2 more calls, each of which asks for itself.",
  );
});

test("the highest risk of several is found", () => {
  expect(highestRisk(["read", "destructive", "write"])).toBe("destructive");
  expect(highestRisk(["write", "read"])).toBe("write");
  expect(highestRisk([])).toBe("read");
});

test("a plan says how many calls of which tool", () => {
  expect(planSentence([{ toolId: "a.b.c" }, { toolId: "d.e.f" }, { toolId: "a.b.c" }])).toBe(
    "A program would make 3 calls that ask: a.b.c (2), d.e.f (1)",
  );
  expect(planSentence([{ toolId: "a.b.c" }])).toBe("A program would make 1 call that asks: a.b.c (1)");
});
