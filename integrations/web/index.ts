import type { ToolDefinition } from "@elwood/sdk/tool";
import { fetchTool } from "./fetch-tool.ts";
import type { CheckAddress, SearchService, WebKit } from "./kit.ts";
import { WEB_TOOL_LIMITS, type WebToolLimits } from "./limits.ts";
import { searchTool } from "./search-tool.ts";

export type { CheckAddress, SearchService, WebToolLimits };

export interface WebOptions {
  /** Elwood's rules on addresses, so that they answer before anybody is asked. */
  readonly check: CheckAddress;
  /** Who searches; without one there is no tool that does. */
  readonly search?: SearchService;
  readonly limits?: Partial<WebToolLimits>;
}

/** Fetching a page, and searching. Both reach the web through `ctx.fetch` alone. */
export function webTools({ check, search, limits }: WebOptions): ToolDefinition[] {
  const kit: WebKit = { check, limits: { ...WEB_TOOL_LIMITS, ...limits } };
  return [fetchTool(kit), ...(search ? [searchTool(kit, search)] : [])];
}
