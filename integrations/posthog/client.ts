import type { IntegrationContext } from "@elwood/sdk/integration";
import { ToolError } from "@elwood/sdk/tool";
import { queryAnswer, type Range } from "./schemas.ts";

export interface PosthogSettings {
  /** An origin. */
  readonly host: string;
  readonly project: string;
}

export interface Visitors {
  readonly visitors: number;
  readonly pageviews: number;
}

const RANGES: Readonly<Record<Range, string>> = {
  today: "timestamp >= toStartOfDay(now())",
  yesterday: "timestamp >= toStartOfDay(now()) - interval 1 day and timestamp < toStartOfDay(now())",
  "7d": "timestamp >= toStartOfDay(now()) - interval 7 day and timestamp < toStartOfDay(now())",
  "30d": "timestamp >= toStartOfDay(now()) - interval 30 day and timestamp < toStartOfDay(now())",
};

/** The few questions that are asked of PostHog. Its query API needs no library. */
export class PosthogClient {
  readonly #context: IntegrationContext<PosthogSettings>;

  constructor(context: IntegrationContext<PosthogSettings>) {
    this.#context = context;
  }

  async visitors(
    { website, range, project }: { website: string; range: Range; project?: string | undefined },
    signal: AbortSignal,
  ): Promise<Visitors> {
    const query = `select count(distinct person_id), count() from events where event = '$pageview' and properties.$host = {website} and ${RANGES[range]}`;
    const [row = []] = await this.#query({ query, values: { website } }, signal, project);
    const [visitors, pageviews] = row.map(Number);
    if (!Number.isSafeInteger(visitors) || !Number.isSafeInteger(pageviews))
      throw new ToolError("protocol", `${this.#host} did not answer with numbers.`);
    return { visitors: visitors ?? 0, pageviews: pageviews ?? 0 };
  }

  /** Whether the key may ask at all. */
  async ping(signal: AbortSignal): Promise<void> {
    await this.#query({ query: "select 1", values: {} }, signal);
  }

  get #host(): string {
    return new URL(this.#context.settings.host).host;
  }

  async #query(
    { query, values }: { query: string; values: Readonly<Record<string, string>> },
    signal: AbortSignal,
    project = this.#context.settings.project,
  ): Promise<readonly (readonly unknown[])[]> {
    const { settings, secrets, fetch } = this.#context;
    const response = await fetch(`${settings.host}/api/projects/${encodeURIComponent(project)}/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${secrets["apiKey"] ?? ""}`, "content-type": "application/json" },
      body: JSON.stringify({ query: { kind: "HogQLQuery", query, values } }),
      signal,
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw refusal(response.status, this.#host, project);
    const read = queryAnswer.safeParse(body);
    if (!read.success) throw new ToolError("protocol", `${this.#host} did not answer as PostHog does.`);
    return read.data.results;
  }
}

/** Asking changes nothing there, so whatever is answered, it did not happen. */
function refusal(status: number, host: string, project: string): ToolError {
  if (status === 401)
    return new ToolError(
      "unauthorized",
      `${host} does not know this API key. Make a new one, and set PostHog up again: elwood integrations setup posthog`,
    );
  if (status === 403)
    return new ToolError(
      "forbidden",
      `The API key may not ask about project ${project}. It needs the scope query:read for it.`,
    );
  if (status === 404) return new ToolError("not_found", `${host} has no project ${project}.`);
  if (status === 429)
    return new ToolError("rate_limited", `${host} takes no more questions for now. Try again later.`, {
      retryable: true,
    });
  return new ToolError("upstream", `${host} answered with ${status}.`, { retryable: status >= 500 });
}
