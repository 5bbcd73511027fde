import { expect, test } from "vitest";
import { modelProfile } from "./model-profile.ts";

const of = (provider: string, model: string) => modelProfile({ provider, model });

test("how a family of models is spoken to is data: cache hints, brackets, prompt and tools", () => {
  expect(of("anthropic", "claude-sonnet-5-5")).toEqual({
    prompt: "full",
    tools: "standard",
    parallelCalls: true,
    json: "strict",
    cache: "breakpoints",
  });
  expect(of("openai", "gpt-5.5")).toMatchObject({ cache: "key", json: "strict" });
  expect(of("openrouter", "meta-llama/llama-3.3-70b-instruct")).toMatchObject({
    prompt: "full",
    cache: "none",
  });
  expect(of("ollama", "qwen3")).toMatchObject({ prompt: "full", tools: "standard", json: "lenient" });
});

test.each(["qwen3:8b", "Llama-3.2-1B-Instruct", "gemma-2-2.6b-it", "tinyllama", "mistral:7b-instruct-q4"])(
  "a small model gets a short prompt, few tools and one call at a time: %s",
  (model) => {
    expect(of("ollama", model)).toMatchObject({
      prompt: "short",
      tools: "minimal",
      parallelCalls: false,
      json: "lenient",
    });
  },
);

test.each(["qwen3:32b", "llama-3.1-70b", "mixtral-8x7b", "gpt-oss:20b"])(
  "a larger one does not: %s",
  (model) => {
    expect(of("ollama", model)).toMatchObject({ prompt: "full", tools: "standard" });
  },
);
