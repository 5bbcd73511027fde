import type { LoadedConfig } from "../config/load.ts";
import type { UnavailableTools } from "../tools/unavailable-tools.ts";

export const SEARCH_KEY = "BRAVE_SEARCH_API_KEY";

export type SearchService =
  | { readonly provider: "searxng"; readonly url: string }
  | { readonly provider: "brave" };

/** Who searches the web: the service that was named, else the owner's own SearXNG, else Brave where there is a key. */
export function searchService({
  config,
  secrets,
}: Pick<LoadedConfig, "config" | "secrets">): SearchService | undefined {
  const { provider, searxngUrl } = config.web.search;
  if (provider !== "brave" && searxngUrl !== undefined) return { provider: "searxng", url: searxngUrl };
  if (provider !== "searxng" && secrets.has(SEARCH_KEY)) return { provider: "brave" };
  return undefined;
}

/** A search service that is set up while the gateway runs counts at once. */
export const SEARCH_OFF: UnavailableTools = {
  tools: ["web.search.*"],
  what: "Web search is off because no search service is set up.",
  fix: `Set web.search.key to a key of the Brave Search API (${SEARCH_KEY}), or web.search.searxngUrl to the address of a SearXNG of yours, in Settings on the page or with elwood config set.`,
};
