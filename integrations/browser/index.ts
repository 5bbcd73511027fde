import type { ToolDefinition } from "@elwood/sdk/tool";
import { browserContracts } from "./contracts.ts";
import type { BrowserActions } from "./actions.ts";
import { BROWSER_LIMITS, type BrowserLimits } from "./limits.ts";
import type { BrowserOptions } from "./options.ts";

export { BROWSER_LIMITS, type BrowserLimits, type BrowserOptions };

export interface BrowserTools {
  readonly tools: ToolDefinition[];
  /** Ends the browser and everything in it. */
  close(): Promise<void>;
}

/** The browser tools, over one browser. What drives it is large, and loaded with the first call. */
export function browserTools(options: BrowserOptions): BrowserTools {
  const limits = { ...BROWSER_LIMITS, ...options.limits };
  let made: Promise<BrowserActions> | undefined;
  const load = async () => {
    const { makeBrowserActions } = await import("./actions.ts");
    return makeBrowserActions(options, limits);
  };
  const actions = () => (made ??= load());
  return {
    tools: browserContracts({ limits, judge: options.judge, actions, made: async () => made }),
    close: async () => (await made)?.close(),
  };
}
