import { expect, test } from "vitest";
import { prefixesOf } from "./embedding.ts";

test.each([
  ["intfloat/e5-large-v2", "query: ", "passage: "],
  ["multilingual-e5-base", "query: ", "passage: "],
  ["nomic-embed-text:v1.5", "search_query: ", "search_document: "],
  ["embeddinggemma", "task: search result | query: ", "title: none | text: "],
  ["BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""],
  ["text-embedding-3-small", "", ""],
  ["bge-m3", "", ""],
])("%s gets the words its makers ask for", (model, query, document) => {
  expect(prefixesOf(model)).toEqual({ query, document });
});
