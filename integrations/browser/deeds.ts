import { makeActing } from "./acting.ts";
import { BrowserHouse } from "./house.ts";
import type { BrowserKit } from "./kit.ts";
import type { BrowserLimits } from "./limits.ts";
import { makeLooking } from "./looking.ts";
import { makeOpening } from "./opening.ts";
import type { BrowserOptions } from "./options.ts";
import { makeSaving } from "./saving.ts";
import { ShownPreviews } from "./shown-previews.ts";

export type Deeds = ReturnType<typeof makeDeeds>;

/** All that the browser tools do, over one browser that is started by the first call that needs it. */
export function makeDeeds(options: BrowserOptions, limits: BrowserLimits) {
  const house = new BrowserHouse(options, limits);
  const kit: BrowserKit = { house, options, limits, shown: new ShownPreviews(limits.previewsKept) };
  return {
    ...makeOpening(kit),
    ...makeLooking(kit),
    ...makeActing(kit),
    ...makeSaving(kit),
    close: () => house.close(),
  };
}
