import { expect, test } from "vitest";
import { embeddingPrice } from "./embedding-price.ts";

const SMALL = { provider: "openai", model: "text-embedding-3-small" };
const OWN = { provider: "mine", model: "e5" };

test("what the owner says comes first, then what is listed; a server of one's own costs nothing", () => {
  expect(embeddingPrice(SMALL)).toBe(0.02);
  expect(embeddingPrice(SMALL, { set: 0.5 })).toBe(0.5);
  expect(embeddingPrice(SMALL, { rows: [{ match: "openai/text-*", input: 0.3, output: 0 }] })).toBe(0.3);
  expect(embeddingPrice({ provider: "ollama", model: "nomic-embed-text" })).toBe(0);
  expect(embeddingPrice(OWN, { local: true })).toBe(0);
});

test("an unknown price is not nothing, and the price of a maker's chats is not that of its embedders", () => {
  expect(embeddingPrice(OWN)).toBeUndefined();
  expect(embeddingPrice({ provider: "openai", model: "text-embedding-9" })).toBeUndefined();
  expect(embeddingPrice(SMALL, { rows: [{ match: "anthropic/*", input: 3, output: 9 }] })).toBe(0.02);
});
