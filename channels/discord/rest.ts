import type { REST } from "@discordjs/rest";
import { z } from "zod";
import type { Upload } from "./render.ts";

export type RestResult =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly failure: RestFailure };

export type RestFailure =
  /** Discord answered, and said no. */
  | { readonly kind: "refused"; readonly status: number; readonly code: number; readonly message: string }
  | { readonly kind: "limited"; readonly afterMs: number }
  /** It was not reached: nothing happened. */
  | { readonly kind: "offline"; readonly message: string }
  /** The request went out, and nobody knows what became of it. */
  | { readonly kind: "lost"; readonly message: string };

export interface RestRequest {
  readonly body?: unknown;
  readonly files?: readonly Upload[];
  readonly query?: Readonly<Record<string, string>>;
  /** An interaction's own token is in its path. */
  readonly anonymous?: boolean;
  readonly signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH";

const REQUEST_MS_MAX = 20_000;
/** A file of the largest size over a slow line. */
const UPLOAD_MS_MAX = 300_000;
/** Shorter waits are kept where the request is; longer ones are for whoever asked. */
const LIMIT_WAIT_MS_MAX = 3_000;
/** The connection was never made. */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const MISSING_LIBRARY =
  "The package @discordjs/rest is not installed, so Discord cannot be used. Run npm ci in Elwood's folder, without leaving optional packages out, and start Elwood again.";

/** Discord's REST API. Its library keeps to the limits that Discord names in its answers; every way a request can end is a result. */
export class DiscordRest {
  readonly #rest: REST;
  readonly #token: string;
  readonly #library: Library;

  private constructor(library: Library, options: { readonly token: string; readonly apiRoot: string }) {
    this.#library = library;
    this.#token = options.token;
    this.#rest = new library.REST({
      version: "10",
      api: options.apiRoot,
      retries: 0,
      timeout: UPLOAD_MS_MAX,
      rejectOnRateLimit: ({ retryAfter }) => retryAfter > LIMIT_WAIT_MS_MAX,
    });
  }

  /** Loads the library, which takes a moment. */
  static async open(options: { readonly token: string; readonly apiRoot: string }): Promise<DiscordRest> {
    return new DiscordRest(await loadLibrary(), options);
  }

  get(path: string, request: RestRequest = {}): Promise<RestResult> {
    return this.#request("GET", path, request);
  }

  post(path: string, request: RestRequest = {}): Promise<RestResult> {
    return this.#request("POST", path, request);
  }

  put(path: string, request: RestRequest = {}): Promise<RestResult> {
    return this.#request("PUT", path, request);
  }

  patch(path: string, request: RestRequest = {}): Promise<RestResult> {
    return this.#request("PATCH", path, request);
  }

  async #request(method: Method, path: string, request: RestRequest): Promise<RestResult> {
    // The library never takes its listener off a signal, so each request gets its own.
    const own = new AbortController();
    const abort = (): void => own.abort();
    request.signal?.addEventListener("abort", abort, { once: true });
    if (request.signal?.aborted) own.abort();
    const late = request.files?.length ? undefined : setTimeout(abort, REQUEST_MS_MAX);
    // After a 401 it forgets the token, and would say no more than that.
    this.#rest.setToken(this.#token);
    try {
      const body = await this.#rest.request({
        method: method as never,
        fullRoute: path as `/${string}`,
        auth: !request.anonymous,
        signal: own.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.query ? { query: new URLSearchParams(request.query) } : {}),
        ...(request.files && request.files.length > 0
          ? {
              files: request.files.map(({ name, mime, bytes }) => ({
                name,
                data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
                contentType: mime,
              })),
            }
          : {}),
      });
      return { ok: true, body };
    } catch (error) {
      return { ok: false, failure: this.#failure(error) };
    } finally {
      clearTimeout(late);
      request.signal?.removeEventListener("abort", abort);
    }
  }

  #failure(error: unknown): RestFailure {
    const { DiscordAPIError, RateLimitError, HTTPError } = this.#library;
    if (error instanceof RateLimitError)
      return { kind: "limited", afterMs: Math.max(1, Math.ceil(error.retryAfter)) };
    if (error instanceof DiscordAPIError) {
      const { status, message } = error;
      return { kind: "refused", status, code: typeof error.code === "number" ? error.code : 0, message };
    }
    if (error instanceof HTTPError) return { kind: "lost", message: `Discord answered ${error.status}.` };
    const code = codeOf(error);
    if (code !== undefined && UNREACHED.has(code))
      return { kind: "offline", message: `Discord cannot be reached (${code}).` };
    return { kind: "lost", message: `No answer came from Discord${code === undefined ? "" : ` (${code})`}.` };
  }
}

type Library = typeof import("@discordjs/rest");

async function loadLibrary(): Promise<Library> {
  try {
    return await import("@discordjs/rest");
  } catch (error) {
    if (codeOf(error) === "ERR_MODULE_NOT_FOUND") throw new Error(MISSING_LIBRARY, { cause: error });
    throw error;
  }
}

const coded = z.object({ code: z.string() });
const caused = z.object({ cause: coded });

function codeOf(error: unknown): string | undefined {
  return coded.safeParse(error).data?.code ?? caused.safeParse(error).data?.cause.code;
}

/** What a failure means, in words for people. */
export function failureWords(failure: RestFailure): string {
  switch (failure.kind) {
    case "limited":
      return `Discord asks to wait ${Math.ceil(failure.afterMs / 1_000)} s.`;
    case "offline":
    case "lost":
      return failure.message;
    case "refused":
      return failure.status === 401
        ? TOKEN_REFUSED
        : `Discord refused it: ${failure.message} (${failure.code})`;
    default:
      return failure satisfies never;
  }
}

export const TOKEN_REFUSED =
  "Discord refused the bot's token. Copy it again at https://discord.com/developers/applications > your application > Bot > Reset Token, and set DISCORD_BOT_TOKEN to it.";
