import { expect, test } from "vitest";
import { contextTokensOf } from "./context-window.ts";
import { contextSizes } from "../compaction/sizes.ts";
import { tokensOfMessage, tokensOfText } from "./tokens.ts";

test("four plain characters are a token, two of other alphabets, one that stands for a word", () => {
  expect(tokensOfText("")).toBe(0);
  expect(tokensOfText("a".repeat(400))).toBe(100);
  expect(tokensOfText("ж".repeat(400))).toBe(200);
  expect(tokensOfText("中".repeat(400))).toBe(400);
});

test("what the gateway said costs a request nothing", () => {
  const blocks = [{ type: "text" as const, text: "x".repeat(400) }];
  expect(tokensOfMessage({ id: "a", ts: 0, role: "assistant", origin: "gateway", blocks })).toBe(0);
  expect(tokensOfMessage({ id: "a", ts: 0, role: "assistant", origin: "model", blocks })).toBe(104);
});

test("windows of known models are known, the owner's word goes first, and a server's own models are not guessed", () => {
  expect(contextTokensOf({ provider: "anthropic", model: "claude-haiku-4-5" })).toBe(200_000);
  expect(contextTokensOf({ provider: "openrouter", model: "anthropic/claude-opus-4" })).toBe(200_000);
  expect(contextTokensOf({ provider: "openai", model: "gpt-4o-mini" })).toBe(128_000);
  expect(contextTokensOf({ provider: "openai", model: "gpt-4.1-nano" })).toBe(1_000_000);
  expect(contextTokensOf({ provider: "ollama", model: "llama-3.1:8b" })).toBeUndefined();
  expect(contextTokensOf({ provider: "mine", model: "x" })).toBeUndefined();
  const own = [{ match: "ollama/*", tokens: 8_192 }];
  expect(contextTokensOf({ provider: "ollama", model: "llama-3.1:8b" }, own)).toBe(8_192);
});

test("of a window, the answer and what is in each request are taken off before it is shared out", () => {
  const sizes = contextSizes({ contextTokens: 200_000, maxOutputTokens: 16_000, base: 10_000 });
  expect(sizes).toEqual({
    room: 184_000,
    trigger: 149_200,
    near: 166_600,
    goal: 97_000,
    lean: 131_799,
    keep: 20_000,
    summaryMax: 3_000,
    quotesMax: 3_000,
  });
  const earlier = contextSizes({
    contextTokens: 200_000,
    maxOutputTokens: 16_000,
    base: 10_000,
    threshold: 50_000,
  });
  expect(earlier).toMatchObject({ room: 184_000, trigger: 50_000, goal: 35_000, lean: 45_000 });
  // Never so early that each turn is summed up, nor later than the model needs it.
  const trigger = (threshold: number) =>
    contextSizes({ contextTokens: 200_000, maxOutputTokens: 16_000, base: 10_000, threshold }).trigger;
  expect([trigger(8_000), trigger(1_000_000)]).toEqual([13_200, sizes.trigger]);
  const tiny = contextSizes({ contextTokens: 4_000, maxOutputTokens: 16_000, base: 5_000 });
  expect(tiny).toMatchObject({ room: 3_000, trigger: 5_000, keep: 0, summaryMax: 0 });
});
