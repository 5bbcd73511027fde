import type { RuleOfTwo } from "./rule-of-two.ts";

/** For the line beside the evidence; undefined where no more than two came together. */
export function ruleOfTwoWords({
  untrustedInput,
  privateData,
  sideEffect,
  unasked,
}: RuleOfTwo): string | undefined {
  if (!untrustedInput || !privateData || !sideEffect) return undefined;
  const how = unasked === 0 ? "you were asked about each effect" : `${unasked} of its effects ran unasked`;
  return `This run read what others wrote, saw private things and acted; ${how}.`;
}
