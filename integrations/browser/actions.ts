import { makeInputActions } from "./input-actions.ts";
import { BrowserPool } from "./browser-pool.ts";
import type { BrowserKit } from "./kit.ts";
import type { BrowserLimits } from "./limits.ts";
import { makeReadActions } from "./read-actions.ts";
import { makeOpenActions } from "./open-actions.ts";
import type { BrowserOptions } from "./options.ts";
import { makeSaveActions } from "./save-actions.ts";
import { ShownPreviews } from "./shown-previews.ts";

export type BrowserActions = ReturnType<typeof makeBrowserActions>;

/** The actions of all browser tools, on one browser that the first call starts. */
export function makeBrowserActions(options: BrowserOptions, limits: BrowserLimits) {
  const pool = new BrowserPool(options, limits);
  const kit: BrowserKit = { pool, options, limits, shown: new ShownPreviews(limits.previewsKept) };
  return {
    ...makeOpenActions(kit),
    ...makeReadActions(kit),
    ...makeInputActions(kit),
    ...makeSaveActions(kit),
    close: () => pool.close(),
  };
}
