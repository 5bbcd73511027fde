import { expect, test } from "vitest";
import { reachable, stepStateOf, STEPS, wordsAfter, wordsMeanwhile } from "./tour.ts";

const read = { status: "succeeded" };
const asked = (status: string) => ({ status, approval: { required: true } });

test("a step is over when its run has ended, and not because a button was pressed", () => {
  expect(stepStateOf(undefined, false)).toBe("to say");
  expect(stepStateOf({ state: "waiting" }, false)).toBe("under way");
  expect(stepStateOf({ state: "live" }, true)).toBe("waits for you");
  expect(stepStateOf({ state: "settled" }, false)).toBe("over");
});

test("what is told afterwards follows the record, whichever way it was decided", () => {
  expect(wordsAfter([read, asked("succeeded")])).toMatch(/^You allowed it/);
  expect(wordsAfter([read, asked("denied")])).toMatch(/^You denied it, and nothing was changed/);
  expect(wordsAfter([asked("expired")])).toMatch(/^It was decided/);
  expect(wordsAfter([read])).toMatch(/^Nothing was asked/);
  expect(wordsAfter([{ status: "failed" }])).toMatch(/did not work/);
  expect(wordsAfter([])).toMatch(/^No tool ran/);
});

test("the hint names the key of the step", () => {
  expect(wordsMeanwhile("allow", "waits for you")).toBe("Press Allow, or the key A.");
  expect(wordsMeanwhile("deny", "waits for you")).toBe("Press Deny, or the key D.");
});

test("no step can be shown before those that speak are over", () => {
  const over = (...ids: string[]) => STEPS[reachable((id) => ids.includes(id))]!.id;
  expect(over()).toBe("allow");
  expect(over("allow")).toBe("deny");
  expect(over("allow", "deny")).toBe("look");
  expect(over("allow", "deny", "look")).toBe("connect");
});
