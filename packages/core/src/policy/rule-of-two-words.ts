import type { RuleOfTwo } from "./rule-of-two.ts";

/** For whoever opens the evidence; undefined unless all three came together and an effect ran that nobody was asked about. */
export function ruleOfTwoWords({
  untrustedInput,
  privateData,
  sideEffect,
  unasked,
}: RuleOfTwo): string | undefined {
  if (!untrustedInput || !privateData || !sideEffect || unasked === 0) return undefined;
  const effects = unasked === 1 ? "1 effect" : `${unasked} effects`;
  return `This run used outside text and private data, and ${effects} ran without asking you.`;
}
