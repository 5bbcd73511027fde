import { defineTool, result, ToolError, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { decodeEntities } from "./bare-text.ts";
import { addressFacts, asked, readAtMost, requestPreview, type SearchService, type WebKit } from "./kit.ts";
import { statusProblem } from "./status-words.ts";

export const BRAVE_KEY = "BRAVE_SEARCH_API_KEY";
const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";
const FRESHNESS = ["day", "week", "month", "year"] as const;

export const NO_SEARCH = `No search service is set up. Set ${BRAVE_KEY} to a key of the Brave Search API, or web.search.searxngUrl to the address of a SearXNG of yours, and start Elwood again.`;

interface Query {
  readonly query: string;
  readonly count: number;
  readonly freshness?: (typeof FRESHNESS)[number] | undefined;
}

interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly age?: string;
}

export function searchTool({ check, search, limits }: WebKit): ToolDefinition {
  const input = z.strictObject({
    query: z.string().regex(/\S/).max(limits.queryCharsMax).describe("What to look for, in a few words"),
    count: z.int().min(1).max(limits.resultsMax).default(limits.resultsDefault).describe("How many results"),
    freshness: z.enum(FRESHNESS).optional().describe("Only what is no older than this"),
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
    description: "Searches the web and gives titles, addresses and short texts of what was found.",
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
    ...(search?.provider === "brave" && { secrets: [BRAVE_KEY] }),
    target: ({ query }) => query,
    facts: (asking) => {
      if (search === undefined)
        return [{ kind: "deny" as const, rule: "hard.not-set-up", reason: NO_SEARCH }];
      return addressFacts(check, searchUrl(search, asking).href);
    },
    preview: (asking) => {
      if (search === undefined) return { sentence: NO_SEARCH };
      const url = searchUrl(search, asking);
      const shown = search.provider === "brave" ? { ...HEADERS, [BRAVE_HEADER]: "(your key)" } : HEADERS;
      return requestPreview(`Searches the web for “${asking.query}” at ${url.host}.`, url, shown);
    },
    handler: (asking, ctx) => {
      if (search === undefined) throw new ToolError("not_set_up", `${NO_SEARCH} Nothing was sent.`);
      return asked(() => query(search, asking, ctx));
    },
  });

  async function query(service: SearchService, asking: Query, ctx: ToolContext) {
    const url = searchUrl(service, asking);
    const key = ctx.secrets[BRAVE_KEY];
    const response = await ctx.fetch(url, {
      headers: {
        ...HEADERS,
        ...(service.provider === "brave" && key !== undefined && { [BRAVE_HEADER]: key }),
      },
      // A key is not carried elsewhere, and a search has no reason to move.
      redirect: "error",
      signal: ctx.signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw withAdvice(service, statusProblem(url.host, response), response.status);
    }
    const { bytes, cut } = await readAtMost(response, limits.searchBytesMax);
    const body = cut ? undefined : jsonOf(bytes);
    if (body === undefined) throw new ToolError("no_results", `${url.host} did not answer as a search does.`);
    const results = resultsOf(service, body)
      .map((row) => readResult(row, limits.fieldCharsMax, limits.snippetCharsMax))
      .filter((row) => row !== undefined)
      .slice(0, asking.count);
    const text = results
      .map(
        ({ title, url: at, snippet, age }, n) =>
          `${n + 1}. ${title}${age ? ` (${age})` : ""}\n   ${at}\n   ${snippet}`,
      )
      .join("\n");
    const value = { provider: service.provider, query: asking.query, results };
    return result(value, { text: text === "" ? "[Nothing was found.]" : text });
  }
}

const HEADERS = { accept: "application/json", "user-agent": "Elwood" };
const BRAVE_HEADER = "x-subscription-token";

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

function withAdvice(service: SearchService, problem: ToolError, status: number): ToolError {
  const advice =
    service.provider === "brave"
      ? status === 401 || status === 403 || status === 422
        ? ` Look whether ${BRAVE_KEY} is right.`
        : ""
      : status === 403
        ? " SearXNG does not answer programs until `json` stands under `search.formats` of its settings."
        : "";
  return new ToolError(problem.code, `${problem.message}${advice}`, { retryable: problem.retryable });
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function resultsOf({ provider }: SearchService, body: unknown): unknown[] {
  const rows = provider === "brave" ? member(member(body, "web"), "results") : member(body, "results");
  return Array.isArray(rows) ? rows : [];
}

function readResult(row: unknown, fieldMax: number, snippetMax: number): Found | undefined {
  const url = member(row, "url");
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  const age = plain(member(row, "age") ?? member(row, "publishedDate"), fieldMax);
  return {
    title: plain(member(row, "title"), fieldMax) || url,
    url: new URL(url).href,
    snippet: plain(member(row, "description") ?? member(row, "content"), snippetMax),
    ...(age !== "" && { age }),
  };
}

function plain(value: unknown, charsMax: number): string {
  if (typeof value !== "string") return "";
  const text = decodeEntities(value.slice(0, charsMax * 4).replaceAll(/<[^<>]{0,200}>/g, ""));
  return text.replaceAll(/\s+/g, " ").trim().slice(0, charsMax);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
