import { json, never, raw } from "@elwood/testkit/answers";
import { LoopbackServer, type Answer } from "@elwood/testkit/loopback-server";
import { expect, onTestFinished, test } from "vitest";
import { detectOllama } from "./detect-local-models.ts";

async function ollama(answer: Answer): Promise<string> {
  const server = await new LoopbackServer().script("GET /api/tags", answer).start();
  onTestFinished(() => server.close());
  return server.url;
}

test("an Ollama on this machine is named with its models and how to use one", async () => {
  const models = ["qwen3", "gemma", "mistral", "phi"].map((name) => ({ name, size: 1 }));
  const url = await ollama(json(200, { models }));
  expect(await detectOllama(url)).toBe(
    `found Ollama at ${url} (qwen3, gemma, mistral): use it with --model ollama/qwen3`,
  );
  expect(await detectOllama(await ollama(json(200, { models: [] })))).toContain("with no model in it");
});

test("nobody there, something else there, or somebody silent: not worth a word, and no waiting", async () => {
  expect(await detectOllama("http://127.0.0.1:1")).toBeUndefined();
  expect(await detectOllama(await ollama(raw(200, "<html>")))).toBeUndefined();
  expect(await detectOllama(await ollama(json(200, { models: "none" })))).toBeUndefined();
  const begun = performance.now();
  expect(await detectOllama(await ollama(never()))).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(3_000);
});
