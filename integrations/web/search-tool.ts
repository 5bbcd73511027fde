import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { askSearch, BRAVE_HEADER, BRAVE_KEY, FRESHNESS, SEARCH_HEADERS, type Query } from "./ask-search.ts";
import { addressFacts, requestPreview, type SearchService, type WebKit } from "./kit.ts";

const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";

export function searchTool({ judge, limits }: WebKit, search: SearchService): ToolDefinition {
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
      local: ["count", "freshness"],
      sensitive: false,
    },
    idempotent: true,
    timeoutMs: 45_000,
    ...(search.provider === "brave" && { secrets: [BRAVE_KEY] }),
    target: ({ query }) => query,
    facts: (asking) => addressFacts(judge, searchUrl(search, asking).href),
    preview: (asking) => {
      const url = searchUrl(search, asking);
      const shown =
        search.provider === "brave" ? { ...SEARCH_HEADERS, [BRAVE_HEADER]: "(your key)" } : SEARCH_HEADERS;
      return requestPreview(`Searches the web for “${asking.query}” at ${url.host}.`, url, shown);
    },
    handler: (asking, ctx) => askSearch(search, searchUrl(search, asking), asking, ctx, limits),
  });
}

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
