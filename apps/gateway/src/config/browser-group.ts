import { group, numberAbove, wholeNumber, words, yesOrNo } from "./leaves.ts";

export const BROWSER_DEFAULTS = {
  enabled: true,
  sandbox: true,
  idleMinutes: 10,
  memoryMb: 2_000,
} as const;

const PROGRAM = "the full path of a browser of Chromium's kind, for example /usr/bin/chromium";

/** The browser that Elwood drives. */
export const browserGroup = () =>
  group({
    enabled: yesOrNo().default(BROWSER_DEFAULTS.enabled),
    /** The program; absent: the system's Chromium or Chrome. */
    executable: words(PROGRAM)
      .regex(/^\//, { error: `must be ${PROGRAM}` })
      .optional(),
    /** False only where the machine itself is a cage. */
    sandbox: yesOrNo().default(BROWSER_DEFAULTS.sandbox),
    idleMinutes: numberAbove(0).default(BROWSER_DEFAULTS.idleMinutes),
    memoryMb: wholeNumber(256).default(BROWSER_DEFAULTS.memoryMb),
  });
