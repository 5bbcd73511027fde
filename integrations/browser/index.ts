import type { ToolDefinition } from "@elwood/sdk/tool";
import { browserContracts } from "./contracts.ts";
import type { Deeds } from "./deeds.ts";
import { BROWSER_LIMITS, type BrowserLimits } from "./limits.ts";
import type { BrowserOptions } from "./options.ts";

export { BROWSER_LIMITS, type BrowserLimits, type BrowserOptions };

export interface BrowserTools {
  readonly tools: ToolDefinition[];
  /** Ends the browser and everything in it. */
  close(): Promise<void>;
}

/** The browser tools, over one browser. Only their contracts are loaded before the first call. */
export function browserTools(options: BrowserOptions): BrowserTools {
  const limits = { ...BROWSER_LIMITS, ...options.limits };
  let made: Promise<Deeds> | undefined;
  const load = async () => {
    const { makeDeeds } = await import("./deeds.ts");
    return makeDeeds(options, limits);
  };
  const deeds = () => (made ??= load());
  return {
    tools: browserContracts({ limits, check: options.check, deeds, made: async () => made }),
    close: async () => (await made)?.close(),
  };
}
