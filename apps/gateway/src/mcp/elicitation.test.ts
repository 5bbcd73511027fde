import type { ElicitRequestParams } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { elicit } from "./elicitation.ts";

/** Answers one question after the other; undefined where nobody does. */
async function asked(params: unknown, ...answers: readonly (string | undefined)[]) {
  const questions: string[] = [];
  const notes: string[] = [];
  const left = [...answers];
  const result = await elicit(
    "notes\u202e",
    params as ElicitRequestParams,
    async (question, options) => {
      questions.push([question, ...options].join(" | "));
      return left.shift();
    },
    (why) => notes.push(why),
  );
  return { result, questions, notes, left };
}

const form = (properties: object, required: readonly string[] = []) => ({
  mode: "form",
  message: "Please say",
  requestedSchema: { type: "object", properties, required },
});

test("each field is a question of its own, says who asks, and takes only what fits", async () => {
  const { result, questions } = await asked(
    form(
      {
        size: { type: "integer", minimum: 1, maximum: 9, title: "Size" },
        fast: { type: "boolean" },
        note: { type: "string" },
        who: { type: "string", default: "Ann" },
      },
      ["size", "fast"],
    ),
    "many",
    "12",
    "5",
    "Yes",
    "-",
    "-",
  );
  expect(result).toEqual({ action: "accept", content: { size: 5, fast: true, who: "Ann" } });
  expect(questions[0]).toMatch(/^The MCP server "notes.*" asks: «Please say» \(«Size»\) \| Decline$/);
  expect(questions[0]).not.toContain("\u202e");
  expect(questions.slice(1, 3).map((text) => text.split(") ")[1])).toEqual([
    "Write a whole number. | Decline",
    "Write a number from 1 to 9. | Decline",
  ]);
});

test.each([
  ["nobody answers", [undefined], "cancel"],
  ["the owner declines", ["Decline"], "decline"],
  ["no answer ever fits", ["x", "x", "x"], "cancel"],
])("where %s, the server learns that and no more", async (_when, answers, action) => {
  expect((await asked(form({ n: { type: "number" } }, ["n"]), ...answers)).result).toEqual({ action });
});

test.each([
  ["a password", form({ password: { type: "string" } })],
  ["a key by its message", { ...form({ value: { type: "string" } }), message: "Paste your API key" }],
  [
    "a page without https",
    { mode: "url", message: "Log in", url: "http://evil.example/", elicitationId: "1" },
  ],
  [
    "a page with a password in it",
    { mode: "url", message: "x", url: "https://a:b@evil.example/", elicitationId: "1" },
  ],
])("%s is declined, and nobody is asked", async (_what, params) => {
  const { result, questions, notes } = await asked(params);
  expect(result).toEqual({ action: "decline" });
  expect(questions).toEqual([]);
  expect(notes).toHaveLength(1);
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: "string", default: "x" }]));

test.each([
  ["more fields than a person is asked for", form(many(9), Object.keys(many(9)))],
  ["more fields of which none must be answered", form(many(9))],
  ["something nested", form({ a: { type: "object" } })],
  ["something nested that must be answered", form({ a: { type: "object" }, b: { type: "string" } }, ["a"])],
])("where it has %s nobody is asked, and nobody has declined", async (_what, params) => {
  const { result, questions, notes } = await asked(params);
  expect(result).toEqual({ action: "cancel" });
  expect(questions).toEqual([]);
  expect(notes).toHaveLength(1);
});

test("of a long form only what must be answered is asked for, and nothing else of it is sent", async () => {
  const { result, questions } = await asked(form({ ...many(9), list: { type: "array" } }, ["f3"]), "yes");
  expect(result).toEqual({ action: "accept", content: { f3: "yes" } });
  expect(questions).toEqual([expect.stringContaining("(What else it has may be left out, and is.) («f3»)")]);
});

test("a page is shown with its host, and opened by nobody but the owner", async () => {
  const params = { mode: "url", message: "Log in", url: "https://login.example/a?b=c", elicitationId: "1" };
  const { result, questions } = await asked(params, "Done");
  expect(result).toEqual({ action: "accept" });
  expect(questions[0]).toContain(
    "Open this page of login.example yourself, if you trust it: https://login.example/a?b=c",
  );
});
