import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { addressFacts, requestPreview, type SearchService, type WebKit } from "./kit.ts";

export const BRAVE_KEY = "BRAVE_SEARCH_API_KEY";
const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";
const FRESHNESS = ["day", "week", "month", "year"] as const;

export interface Query {
  readonly query: string;
  readonly count: number;
  readonly freshness?: (typeof FRESHNESS)[number] | undefined;
}

export function searchTool({ check, limits }: WebKit, search: SearchService): ToolDefinition {
  const input = z.strictObject({
    query: z.string().regex(/\S/).max(limits.queryCharsMax),
    count: z.int().min(1).max(limits.resultsMax).default(limits.resultsDefault),
    freshness: z.enum(FRESHNESS).optional(),
  });
  const output = z.strictObject({
    provider: z.string(),
    query: z.string(),
    results: z.array(
      z.strictObject({
        title: z.string(),
        url: z.string(),
        snippet: z.string(),
        age: z.string().optional(),
      }),
    ),
  });
  return defineTool({
    id: "web.search.query",
    description: "Searches the web: titles, addresses, short texts.",
    risk: "read",
    input,
    output,
    labels: {
      egress: "third_party",
      output: "untrusted",
      critical: ["query"],
      ids: {},
      content: [],
      time: [],
      sensitive: false,
    },
    idempotent: true,
    timeoutMs: 45_000,
    ...(search.provider === "brave" && { secrets: [BRAVE_KEY] }),
    target: ({ query }) => query,
    facts: (asking) => addressFacts(check, searchUrl(search, asking).href),
    preview: (asking) => {
      const url = searchUrl(search, asking);
      const shown =
        search.provider === "brave" ? { ...SEARCH_HEADERS, [BRAVE_HEADER]: "(your key)" } : SEARCH_HEADERS;
      return requestPreview(`Searches the web for “${asking.query}” at ${url.host}.`, url, shown);
    },
    // Loaded at the first call: a start needs the contract alone.
    handler: async (asking, ctx) => {
      const { askSearch } = await import("./ask-search.ts");
      return askSearch(search, searchUrl(search, asking), asking, ctx, limits);
    },
  });
}

export const SEARCH_HEADERS = { accept: "application/json", "user-agent": "Elwood" };
export const BRAVE_HEADER = "x-subscription-token";

function searchUrl(service: SearchService, { query, count, freshness }: Query): URL {
  if (service.provider === "brave") {
    const url = new URL(service.url ?? BRAVE_URL);
    url.searchParams.set("q", query);
    url.searchParams.set("count", String(count));
    if (freshness !== undefined) url.searchParams.set("freshness", `p${freshness[0]}`);
    return url;
  }
  const url = new URL(`${service.url.replace(/\/+$/, "")}/search`);
  url.searchParams.set("q", query);
  url.searchParams.set("format", "json");
  if (freshness !== undefined) url.searchParams.set("time_range", freshness);
  return url;
}
