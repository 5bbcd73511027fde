import { afterEach, beforeEach, expect, test } from "vitest";
import { startEmbeddings, type EmbeddingsServer } from "./embeddings-server.ts";
import { wordVector } from "./word-vectors.ts";

let server: EmbeddingsServer;
beforeEach(async () => {
  server = await startEmbeddings({ dims: 32, models: ["words-1"], synonyms: [["dog", "puppy"]] });
});
afterEach(() => server.close());

const ask = (body: object) =>
  fetch(`${server.baseUrl}/embeddings`, {
    method: "POST",
    headers: { authorization: "Bearer x", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("texts that share words, or words that mean the same, are near each other", () => {
  const options = { dims: 32, seed: "m", synonyms: [["dog", "puppy"]] };
  const near = (a: string, b: string) =>
    wordVector(a, options).reduce((sum, value, at) => sum + value * wordVector(b, options)[at]!, 0);
  expect(near("our dog barked", "our puppy barked")).toBeCloseTo(1);
  expect(near("our dog barked", "the dog slept")).toBeGreaterThan(near("our dog barked", "tax forms"));
});

test("the same text gives the same vector, of as many numbers as asked for, and all is in the ledger", async () => {
  const input = ["a dog", "a cat"];
  const first = await (await ask({ model: "words-1", input })).json();
  expect(await (await ask({ model: "words-1", input })).json()).toEqual(first);
  expect(first).toMatchObject({ data: [{ index: 0, embedding: { length: 32 } }, { index: 1 }] });
  const short = await (await ask({ model: "words-1", input, dimensions: 8 })).json();
  expect(short).toMatchObject({ data: [{ embedding: { length: 8 } }, {}] });
  expect(server.texts()).toEqual([...input, ...input, ...input]);
});

test("what a real server would refuse is refused", async () => {
  expect((await ask({ model: "words-2", input: ["x"] })).status).toBe(404);
  expect((await ask({ model: "words-1", input: [""] })).status).toBe(400);
  expect((await ask({ model: "words-1", input: [] })).status).toBe(400);
  expect(() => server.assertDone()).toThrow(/a text is empty/);
});
