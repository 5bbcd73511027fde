import { expect, test } from "vitest";
import { withUse } from "./recalled-use.ts";

const item = (source: string) => ({
  source,
  line: 1,
  ts: 1,
  speaker: "you",
  origin: "owner" as const,
  score: 9,
});
const PLUMBER = item("memory/default/plumber.md");
const RECALLED =
  "Elwood looked into its memory.\n- 2026-11-16, you [memory/default/plumber.md#1]: Plumber Ottokar comes on Tuesday at 9";
const used = (message: string, reply: string) =>
  withUse([PLUMBER], { recalled: RECALLED, message, reply }).map((each) => each.used === true);

test("a reply used of memory what it says and the message did not", () => {
  expect(used("When does the plumber come?", "On Tuesday at 9.")).toEqual([true]);
  expect(used("Who repairs the pipe?", "Ottokar does.")).toEqual([true]);
});

test("words of the message, of every sentence, or one that may be chance are no use", () => {
  const joke = "A plumber comes to a house and says: that will take a while.";
  expect(used("Tell me a joke about plumbers.", joke)).toEqual([false]);
  expect(used("Is Ottokar a name?", "Ottokar is a name, yes.")).toEqual([false]);
});

test("an item that the model was not shown was not used", () => {
  const other = item("memory/default/other.md");
  const told = { recalled: RECALLED, message: "When?", reply: "On Tuesday at 9, Ottokar comes." };
  expect(withUse([other], told)).toEqual([other]);
});
