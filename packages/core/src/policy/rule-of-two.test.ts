import { expect, test } from "vitest";
import { ruleOfTwoWords } from "./rule-of-two-words.ts";
import { ruleOfTwo, type StartedCall } from "./rule-of-two.ts";

const call = (
  more: Partial<StartedCall> & { output?: "trusted" | "untrusted" | "third_party" } = {},
): StartedCall => ({
  labels: { egress: "none", output: more.output ?? "trusted", sensitive: false },
  risk: "read",
  ofRun: true,
  asked: false,
  ...more,
});
const NOTHING = { untrustedInput: false, privateData: false, sideEffect: false, unasked: 0 };
const secretly = { egress: "none", output: "trusted", sensitive: true } as const;
const outward = { egress: "third_party", output: "trusted", sensitive: false } as const;

test.each<[string, StartedCall[], boolean, Partial<typeof NOTHING>]>([
  ["no call", [], false, {}],
  ["a read of the owner's own", [call()], false, {}],
  ["words that came with the message", [], true, { untrustedInput: true }],
  [
    "a result that anybody may have written",
    [call({ output: "untrusted" })],
    false,
    { untrustedInput: true },
  ],
  ["a result of somebody else's", [call({ output: "third_party" })], false, { untrustedInput: true }],
  [
    "such a result of an earlier message",
    [call({ output: "untrusted", ofRun: false })],
    false,
    { untrustedInput: true },
  ],
  ["a private result", [call({ labels: secretly })], false, { privateData: true }],
  ["a write", [call({ risk: "write" })], false, { sideEffect: true, unasked: 1 }],
  ["a write that was asked about", [call({ risk: "destructive", asked: true })], false, { sideEffect: true }],
  ["a fetch", [call({ labels: outward })], false, { sideEffect: true, unasked: 1 }],
  ["a write of an earlier message", [call({ risk: "write", ofRun: false })], false, {}],
  [
    "a tool that is gone",
    [call({ labels: undefined })],
    false,
    { untrustedInput: true, privateData: true, sideEffect: true, unasked: 1 },
  ],
])("rule of two: %s", (_what, calls, strangers, expected) => {
  expect(ruleOfTwo(calls, strangers)).toEqual({ ...NOTHING, ...expected });
});

test("it is told in words only where all three came together and something ran unasked", () => {
  const all = { untrustedInput: true, privateData: true, sideEffect: true, unasked: 2 };
  expect(ruleOfTwoWords(all)).toBe(
    "This run used outside text and private data, and 2 effects ran without asking you.",
  );
  expect(ruleOfTwoWords({ ...all, unasked: 1 })).toContain("1 effect ran");
  expect(ruleOfTwoWords({ ...all, unasked: 0 })).toBeUndefined();
  for (const part of ["untrustedInput", "privateData", "sideEffect"] as const)
    expect(ruleOfTwoWords({ ...all, [part]: false })).toBeUndefined();
});
