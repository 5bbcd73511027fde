import { SEARCH_OFF, searchService } from "../web/search-service.ts";
import { finding, ok, type Check } from "./finding.ts";

/** Whether the web can be searched. */
export const search: Check = {
  area: "search",
  async run({ loaded }) {
    if (!loaded.ok) return [];
    const service = searchService(loaded.value);
    if (service === undefined)
      return [finding("info", "search.off", SEARCH_OFF.what, "no key, no address", SEARCH_OFF.fix)];
    const evidence = service.provider === "brave" ? "the Brave Search API" : service.url;
    return [ok("search.service", "The web can be searched.", evidence)];
  },
};
