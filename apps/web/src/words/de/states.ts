import { POLICY_WORDS } from "@elwood/core/base/state-words";
import { GERMAN_POLICY, GERMAN_STATES } from "@elwood/core/base/state-words-german";

/** By the English words, as `core` has them. */
export const states: Readonly<Record<string, string>> = {
  ...GERMAN_STATES,
  ...Object.fromEntries(
    Object.entries(POLICY_WORDS).map(([mode, words]) => [words, GERMAN_POLICY[mode] ?? words]),
  ),
};
