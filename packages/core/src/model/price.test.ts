import { describe, expect, test } from "vitest";
import { costUsd, matchesModel, PRICE_SHEET, priceOf } from "./price.ts";

const ref = (text: string) => {
  const [provider, ...model] = text.split("/");
  return { provider: provider!, model: model.join("/") };
};

describe("the price of a model", () => {
  test("is found by family, the first row that fits speaking", () => {
    expect(priceOf(ref("anthropic/claude-haiku-5"))).toMatchObject({ input: 1, output: 5 });
    expect(priceOf(ref("anthropic/claude-sonnet-5-5"))).toMatchObject({ input: 3, output: 15 });
    expect(priceOf(ref("openai/gpt-5-mini"))).toMatchObject({ input: 0.75 });
    expect(priceOf(ref("openai/gpt-5"))).toMatchObject({ input: 2.5 });
  });

  test("of a new model of a known maker is guessed high rather than low", () => {
    const dearest = Math.max(
      ...PRICE_SHEET.filter((r) => r.match.startsWith("anthropic/")).map((r) => r.input),
    );
    expect(priceOf(ref("anthropic/something-new"))?.input).toBe(dearest);
  });

  test("is nothing where a model costs nothing, and unknown where nobody told", () => {
    expect(priceOf(ref("demo/scripted"))).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    expect(priceOf(ref("ollama/qwen3:8b"))).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    expect(priceOf(ref("openrouter/meta/llama"))).toBeUndefined();
  });

  test("AC-11: is that of the day on which the tokens were used", () => {
    const rows = [
      { match: "own/*", from: "2026-11-10", input: 2, output: 2 },
      { match: "own/*", input: 1, output: 1 },
    ];
    const inputAt = (day: string) => priceOf(ref("own/x"), rows, Date.parse(day))?.input;
    expect([inputAt("2026-11-09"), inputAt("2026-11-10"), priceOf(ref("own/x"), rows)?.input]).toEqual([
      1, 2, 2,
    ]);
  });

  test("is what the owner says, where the owner says something", () => {
    const own = [{ match: "openai/*", input: 1, output: 2, cacheRead: 0.5 }];
    expect(priceOf(ref("openai/gpt-5"), own)).toEqual({
      input: 1,
      output: 2,
      cacheRead: 0.5,
      cacheWrite: 1.25,
    });
  });

  test("takes a pattern by its letters: a dot is a dot", () => {
    const own = [{ match: "a/b.c", input: 1, output: 1 }];
    expect(priceOf(ref("a/b.c"), own)).toBeDefined();
    expect(priceOf(ref("a/bxc"), own)).toBeUndefined();
    expect(priceOf(ref("a/b.cd"), own)).toBeUndefined();
  });
});

test("a cost is the sum over the four kinds of tokens, for a million each", () => {
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 1_000_000,
    cacheReadTokens: 1_000_000,
    cacheWriteTokens: 1_000_000,
  };
  expect(costUsd(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(22.05, 10);
  expect(
    costUsd(
      { ...usage, inputTokens: 0, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
      { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 },
    ),
  ).toBeCloseTo(0.00015, 10);
});

test.each([
  ["a/b", "a/b", true],
  ["a/b", "a/bc", false],
  ["*", "a/b", true],
  ["a/*", "a/b", true],
  ["a/*", "b/a/", false],
  ["*b", "a/b", true],
  ["*b*", "a/c", false],
  ["*/o1*", "x/o1-mini", true],
  ["*/claude-*-4-6*", "anthropic/claude-opus-4-6", true],
  ["*/claude-*-4-6*", "anthropic/claude-4-6", false],
  ["a*a", "a", false],
  ["a*b*b", "ab", false],
  ["a*b*b", "abxb", true],
  ["a**b", "ab", true],
])("the pattern %s and the model %s: %s", (pattern, name, fits) => {
  expect(matchesModel(pattern, name)).toBe(fits);
});
