import { result, ToolError, type ToolContext } from "@elwood/sdk/tool";
import { asked, readAtMost } from "./answer.ts";
import { decodeEntities } from "./bare-text.ts";
import type { SearchService } from "./kit.ts";
import type { WebToolLimits } from "./limits.ts";
import { statusProblem } from "./status-words.ts";

export const BRAVE_KEY = "BRAVE_SEARCH_API_KEY";
export const BRAVE_HEADER = "x-subscription-token";
export const SEARCH_HEADERS = { accept: "application/json", "user-agent": "Elwood" };
export const FRESHNESS = ["day", "week", "month", "year"] as const;

export interface Query {
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

/** Asks the service and reads what it found. */
export function askSearch(
  service: SearchService,
  url: URL,
  asking: Query,
  ctx: ToolContext,
  limits: WebToolLimits,
) {
  return asked(async () => {
    const key = ctx.secrets[BRAVE_KEY];
    const response = await ctx.fetch(url, {
      headers: {
        ...SEARCH_HEADERS,
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
  });
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
