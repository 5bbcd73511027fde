/** The thread in which large indexes are searched. Started by search-client.ts. */
import { searchTurns } from "./hybrid-search.ts";
import { serveSearches } from "./serve-searches.ts";

serveSearches(searchTurns);
