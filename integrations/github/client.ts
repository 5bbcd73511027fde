import type { IntegrationContext } from "@elwood/sdk/integration";
import { ToolError } from "@elwood/sdk/tool";
import type { z } from "zod";

export interface GithubSettings {
  /** The address of the API, without a slash at its end. */
  readonly url: string;
  /** `owner/name`, in lower case. */
  readonly repositories: readonly string[];
}

interface Requests {
  request(
    route: string,
    parameters: Record<string, unknown>,
  ): Promise<{ readonly status: number; readonly data: unknown }>;
}

const QUOTED_CHARS_MAX = 500;

/**
 * GitHub's API, over Octokit and the integration's own fetch; Octokit is loaded with the first request.
 * A refusal is a ToolError: nothing happened. A write without an answer is any other error.
 */
export class GithubClient {
  readonly #context: IntegrationContext<GithubSettings>;
  #octokit: Promise<Requests> | undefined;
  #login: string | undefined;

  constructor(context: IntegrationContext<GithubSettings>) {
    this.#context = context;
  }

  now(): number {
    return this.#context.now();
  }

  get host(): string {
    return new URL(this.#context.settings.url).host;
  }

  /** Whether the owner named it as one that may be read without a question. */
  isOwn(repository: string): boolean {
    return this.#context.settings.repositories.includes(repository.toLowerCase());
  }

  async login(account: z.ZodType<{ readonly login: string }>, signal: AbortSignal): Promise<string> {
    return (this.#login ??= (await this.read("GET /user", {}, account, signal)).login);
  }

  async read<T>(
    route: string,
    parameters: Record<string, unknown>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { data } = await this.#send(route, parameters, signal);
    return this.#parsed(schema, data);
  }

  /** Undefined where it is not there. */
  async find<T>(
    route: string,
    parameters: Record<string, unknown>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    try {
      return await this.read(route, parameters, schema, signal);
    } catch (cause) {
      if (cause instanceof ToolError && cause.code === "not_found") return undefined;
      throw cause;
    }
  }

  /** Something that changes GitHub: what is answered is read, and what is not leaves open whether it happened. */
  async write<T>(
    route: string,
    parameters: Record<string, unknown>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { data } = await this.#send(route, parameters, signal);
    const parsed = schema.safeParse(data);
    if (!parsed.success)
      throw new Error(`${this.host} took it, and answered with something else than GitHub does.`);
    return parsed.data;
  }

  async remove(route: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    await this.#send(route, parameters, signal);
  }

  #parsed<T>(schema: z.ZodType<T>, data: unknown): T {
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new ToolError("protocol", `${this.host} did not answer as GitHub does.`);
  }

  async #send(route: string, parameters: Record<string, unknown>, signal: AbortSignal) {
    const octokit = await (this.#octokit ??= this.#load());
    const isRead = route.startsWith("GET ");
    try {
      return await octokit.request(route, { ...parameters, request: { signal } });
    } catch (cause) {
      throw this.#inWords(cause, isRead);
    }
  }

  #inWords(cause: unknown, isRead: boolean): unknown {
    if (!(cause instanceof Error)) return cause;
    // What the guarded client threw says itself whether something was sent.
    if (cause.cause instanceof Error) return cause.cause;
    const answer =
      "response" in cause
        ? (cause.response as { status: number; headers: Record<string, string> } | undefined)
        : undefined;
    if (answer === undefined) return cause;
    const { status, headers } = answer;
    const nothing = isRead ? "" : " Nothing was changed.";
    const quoted = { quoted: cause.message.slice(0, QUOTED_CHARS_MAX) };
    if (status === 401)
      return new ToolError(
        "unauthorized",
        `${this.host} does not accept the token; it may have expired. Set GitHub up again: elwood integrations setup github.${nothing}`,
      );
    if (status === 429 || (status === 403 && headers["x-ratelimit-remaining"] === "0"))
      return new ToolError(
        "rate_limited",
        `${this.host} takes no more requests for now. Try again later.${nothing}`,
        { retryable: true },
      );
    if (status === 403)
      return new ToolError(
        "forbidden",
        `The token may not do this.${nothing} Give it the permission at ${this.host}.`,
        quoted,
      );
    if (status === 404 || status === 410)
      return new ToolError(
        "not_found",
        `${this.host} has no such thing, or the token may not see it.${nothing}`,
      );
    if (status >= 400 && status < 500)
      return new ToolError("refused", `${this.host} refused it (${status}).${nothing}`, quoted);
    if (isRead)
      return new ToolError("upstream", `${this.host} answered with ${status}.`, { retryable: true });
    return new Error(`${this.host} answered with ${status}; it is not known whether it was done.`);
  }

  async #load(): Promise<Requests> {
    const { Octokit } = await import("@octokit/core");
    const { settings, secrets, fetch } = this.#context;
    const quiet = () => undefined;
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    return new Octokit({
      auth: secrets["token"],
      baseUrl: settings.url,
      userAgent: "Elwood",
      log,
      request: { fetch, log },
    });
  }
}
