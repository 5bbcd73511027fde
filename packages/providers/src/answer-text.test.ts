import { tokensOfText } from "@elwood/core/model/tokens";
import { expect, test } from "vitest";
import { AnswerText } from "./answer-text.ts";

test("all of a text is kept, or no more than its beginning, and the rest is counted as if it came at once", () => {
  const pieces = Array.from({ length: 5_000 }, (_, i) => `w${i} `);
  const words = pieces.join("");
  const [all, beginning] = [new AnswerText(), new AnswerText(100)];
  for (const piece of pieces) {
    all.add(piece);
    beginning.add(piece);
  }
  expect(all.text).toBe(words);
  expect(all.tokensLeftOut).toBe(0);
  expect(beginning.text).toBe(words.slice(0, 100));
  const rest = tokensOfText(words.slice(100));
  expect(beginning.tokensLeftOut).toBeGreaterThanOrEqual(rest);
  expect(beginning.tokensLeftOut).toBeLessThan(rest * 1.01);
});
