import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";

const memoryOf = async (yaml: string) => {
  const f = testFolder();
  f.write("home/config.yaml", yaml);
  return (await f.load()).config.memory;
};

describe("memory", () => {
  test("nothing is embedded unless the owner names an embedder", async () => {
    expect(await memoryOf("model: demo")).toEqual({
      enabled: true,
      fusion: "linear",
      recall: { tokens: 1_000 },
    });
    const old = await memoryOf("memory: { enabled: true, embeddingModel: text-embedding-3-small }");
    expect(old.embeddings).toBeUndefined();
  });

  test("an embedder has a cap, a rate and a time limit for questions from the start", async () => {
    expect((await memoryOf("memory: { embeddings: { model: ollama/nomic-embed-text } }")).embeddings).toEqual(
      {
        model: "ollama/nomic-embed-text",
        capUsd: 1,
        requestsPerMinute: 60,
        queryTimeoutMs: 1_500,
      },
    );
  });

  test("a model that does not say whose it is, is told", async () => {
    await expect(memoryOf("memory: { embeddings: { model: nomic-embed-text } }")).rejects.toThrow(
      /provider\/model/,
    );
  });
});
