import { expect, test } from "vitest";
import { modelProfile } from "./model-profile.ts";

const of = (provider: string, model: string) => modelProfile({ provider, model });

test("how a family of models is spoken to is data: cache hints, brackets, prompt and tools", () => {
  expect(of("anthropic", "claude-sonnet-5-5")).toEqual({
    prompt: "full",
    tools: "standard",
    parallelCalls: true,
    calls: "api",
    json: "strict",
    thinking: "effort",
    leastEffort: "none",
    sampling: false,
    cache: "breakpoints",
  });
  expect(of("openai", "gpt-5.5")).toMatchObject({ cache: "key", json: "strict" });
  expect(of("openrouter", "meta-llama/llama-3.3-70b-instruct")).toMatchObject({
    prompt: "full",
    cache: "none",
  });
  expect(of("ollama", "qwen3")).toMatchObject({
    prompt: "full",
    tools: "standard",
    calls: "text",
    json: "lenient",
  });
});

test.each([
  ["anthropic", "claude-3-7-sonnet-latest", { thinking: "budget", sampling: true }],
  ["anthropic", "claude-opus-4", { thinking: "budget" }],
  ["anthropic", "claude-opus-4-20250514", { thinking: "budget" }],
  ["anthropic", "claude-haiku-4-5-20251001", { thinking: "budget", sampling: true }],
  ["anthropic", "claude-opus-4-6", { thinking: "effort", leastEffort: "none", sampling: true }],
  ["anthropic", "claude-opus-4-7", { thinking: "effort", sampling: false }],
  ["anthropic", "claude-fable-5-2", { thinking: "effort", leastEffort: "low" }],
  ["mine", "some-imitation", { thinking: "effort", sampling: true }],
  ["openai", "gpt-4.1", { thinking: "none" }],
  ["openai", "gpt-5-chat-latest", { thinking: "none" }],
  ["openai", "gpt-5-mini", { thinking: "effort", leastEffort: "minimal" }],
  ["openai", "o4-mini", { thinking: "effort", leastEffort: "low" }],
  ["openai", "gpt-5.5", { thinking: "effort", leastEffort: "none" }],
])("how it is told to think is data too: %s/%s", (provider, model, expected) => {
  expect(of(provider, model)).toMatchObject(expected);
});

test.each(["qwen3:8b", "Llama-3.2-1B-Instruct", "gemma-2-2.6b-it", "tinyllama", "mistral:7b-instruct-q4"])(
  "a small model gets a short prompt, few tools and one call at a time: %s",
  (model) => {
    expect(of("ollama", model)).toMatchObject({
      prompt: "short",
      tools: "minimal",
      parallelCalls: false,
      calls: "text",
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
