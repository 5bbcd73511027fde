import { group, listOf, oneOf, wholeNumber, words, yesOrNo } from "./leaves.ts";

export const SHELL_DEFAULTS = {
  env: [] as string[],
  timeoutMs: 30_000,
  requireCage: false,
  dangerous: "ask",
} as const;

const TIMEOUT_MS_MAX = 120_000;

/** Where and how commands are run. */
export const shellGroup = () =>
  group({
    /** Absent: the first folder of `files.roots`. */
    root: words("the path of a folder").optional(),
    /** Names of variables that commands are given beside the usual ones. */
    env: listOf(words("the name of a variable"), "a list of names of variables").default([]),
    timeoutMs: wholeNumber(1, TIMEOUT_MS_MAX).default(SHELL_DEFAULTS.timeoutMs),
    /** True: where commands cannot be caged, none is run. */
    requireCage: yesOrNo().default(SHELL_DEFAULTS.requireCage),
    /** What happens to a command that fits a dangerous pattern. */
    dangerous: oneOf(["ask", "deny"]).default(SHELL_DEFAULTS.dangerous),
  });
