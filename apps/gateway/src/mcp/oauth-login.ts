import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { fail } from "@elwood/core/base/failure";
import { showLine } from "@elwood/core/base/show";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { isMissing } from "@elwood/platform/system-error";
import type { Clock } from "@elwood/runtime/ports/ports";
import { ToolError } from "@elwood/sdk/tool-answer";
import { z } from "zod";
import { MCP_LIMITS } from "./limits.ts";

export interface OAuthLoginDeps {
  /** As the owner calls the server. */
  readonly name: string;
  readonly url: string;
  /** Only the owner can read it. */
  readonly file: string;
  /** The server's own origin, and the open web for whoever logs people in for it. */
  readonly fetch: typeof globalThis.fetch;
  readonly settings?: LoginSettings | undefined;
  /** Origins without https that the owner opened in the settings. */
  readonly isOpened: (origin: string) => boolean;
  readonly clock: Pick<Clock, "sleep">;
}

/** What the owner says about logging in to a service. */
export interface LoginSettings {
  /**
   * The client that they registered beforehand: what the service gave out, or the address of a document that
   * describes it. Else Elwood registers itself.
   */
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  /** Where the browser comes back to, where the service wants one port; else any that is free. */
  readonly port?: number | undefined;
  /** What to ask for, in place of what the service suggests. */
  readonly scopes?: readonly string[] | undefined;
}

/** What a server says of a token that is good, and not for this. */
export interface ScopeChallenge {
  readonly requiredScope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

/** What is kept from one login to the next. Tokens belong to whoever issued them, and are sent nowhere else. */
interface Stored {
  readonly url: string;
  readonly issuer?: string | undefined;
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** What the next login is to ask for: a call was refused for want of it. */
  readonly lacking?: string | undefined;
}

const stored = () =>
  z.object({
    url: z.string(),
    issuer: z.string().optional(),
    client: z.looseObject({ client_id: z.string() }).optional(),
    tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(),
    lacking: z.string().optional(),
  });

/** A login that waits for the owner's browser. */
interface Pending {
  readonly state: string;
  readonly redirectUrl: string;
  /** What it asks for, where the server has said it. */
  readonly scope: string | undefined;
  readonly verifier: { value: string };
  readonly discovery: { state?: OAuthDiscoveryState };
  readonly listener: Server;
  readonly over: AbortController;
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Logging in to one server by OAuth 2.1: the browser's part ends at an address of this machine that is open for
 * one answer, with a state that nobody else knows and a proof key. Tokens lie in a file of the owner's.
 */
export class OAuthLogin {
  readonly #deps: OAuthLoginDeps;
  #stored: Stored | undefined;
  #pending: Pending | undefined;
  #wanted = false;
  /** What the server said when it wanted a login: where to ask, and for what. */
  #challenge: { readonly resourceMetadataUrl?: URL; readonly scope?: string } = {};

  constructor(deps: OAuthLoginDeps) {
    this.#deps = deps;
  }

  /** For the client library: the token that each request carries, and what to do where it is refused. */
  get provider(): AuthProvider {
    return {
      token: async () => (await this.#read()).tokens?.access_token,
      onUnauthorized: async ({ response }) => {
        const { auth, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
        this.#challenge = {
          ...(resourceMetadataUrl && { resourceMetadataUrl }),
          ...(scope !== undefined && { scope }),
        };
        if ((await this.#read()).tokens?.refresh_token === undefined) throw this.#needed();
        await auth(this.#oauth(undefined), {
          serverUrl: this.#deps.url,
          fetchFn: this.#deps.fetch,
          ...this.#challenge,
        }).catch((cause: unknown) => {
          throw cause instanceof ToolError ? cause : this.#needed(cause);
        });
      },
    };
  }

  /** A call was refused for want of a scope: the next login asks for it, and for what there was before. */
  async lacks({ requiredScope, resourceMetadataUrl }: ScopeChallenge): Promise<ToolError> {
    const kept = await this.#read();
    if (resourceMetadataUrl) this.#challenge = { ...this.#challenge, resourceMetadataUrl };
    const lacking = union(this.#wantedScope(), kept.tokens?.scope, kept.lacking, requiredScope);
    await this.#write({ ...kept, lacking: lacking ?? "" });
    const name = showLine(this.#deps.name);
    const wanted = requiredScope === undefined ? "" : ` (${showLine(requiredScope).slice(0, 200)})`;
    return new ToolError(
      "mcp_login",
      `The MCP server "${name}" wants more permission for this than your last login gave${wanted}. The call was not made. Log in again, which asks for it: elwood mcp login ${name}`,
    );
  }

  /** As far as it is known: whether a login is needed is for the server to say. */
  get standing(): "in" | "needed" | undefined {
    if (this.#stored?.lacking !== undefined) return "needed";
    if (this.#stored?.tokens) return "in";
    return this.#wanted ? "needed" : undefined;
  }

  /** Reads what was kept. */
  async recall(): Promise<void> {
    await this.#read();
  }

  /** The address that the owner opens in their browser; `ended` resolves once they are back, or rejects with why not. */
  async begin(): Promise<{ readonly url: string; readonly ended: Promise<void> }> {
    await this.cancel();
    const listener = createServer((request, response) => {
      const target = URL.parse(request.url ?? "", pending.redirectUrl);
      if (request.method !== "GET" || target?.pathname !== CALLBACK) {
        response.writeHead(404, PLAIN).end("There is nothing here.");
        return;
      }
      void this.#returned(target.searchParams).then(
        () => response.writeHead(200, PLAIN).end("You are logged in. You can close this page."),
        (cause: unknown) => response.writeHead(400, PLAIN).end(reasonOf(cause)),
      );
    });
    listener.on("clientError", (_error, socket) => socket.destroy());
    const listening = Promise.withResolvers<void>();
    listener.once("error", listening.reject);
    listener.listen(this.#deps.settings?.port ?? 0, "127.0.0.1", listening.resolve);
    await listening.promise.catch((cause: unknown) =>
      fail(
        "CONFLICT",
        `The login to "${showLine(this.#deps.name)}" cannot come back to this machine: ${reasonOf(cause)}. Nothing was changed.`,
      ),
    );
    const kept = await this.#read();
    const address = listener.address();
    if (address === null || typeof address === "string") throw new Error("the listener has no port");
    const pending: Pending = {
      state: randomBytes(STATE_BYTES).toString("base64url"),
      redirectUrl: `http://127.0.0.1:${address.port}${CALLBACK}`,
      scope: union(this.#wantedScope(), kept.lacking),
      verifier: { value: "" },
      discovery: {},
      listener,
      over: new AbortController(),
      ended: Promise.withResolvers<void>(),
    };
    this.#pending = pending;
    pending.ended.promise.catch(() => undefined);
    try {
      const asked = Promise.withResolvers<URL>();
      const { auth } = await import("@modelcontextprotocol/client");
      // Whoever registered us knows one address of this machine; each login has its own.
      await this.#write({ ...kept, client: undefined });
      await auth(this.#oauth(pending, asked.resolve), {
        serverUrl: this.#deps.url,
        fetchFn: this.#deps.fetch,
        ...this.#challenge,
        ...(pending.scope !== undefined && { scope: pending.scope }),
        forceReauthorization: true,
      });
      const url = await asked.promise;
      this.#checkAddress(url);
      void this.#expire(pending);
      return { url: url.href, ended: pending.ended.promise };
    } catch (cause) {
      await this.cancel();
      if (cause instanceof ToolError) throw cause;
      return fail(
        "UPSTREAM_ERROR",
        `Elwood could not begin a login to "${showLine(this.#deps.name)}": ${reasonOf(cause)} Nothing was changed.`,
      );
    }
  }

  /** Where the browser runs on another machine: the address that it was sent to in the end, pasted by the owner. */
  async finish(address: string): Promise<void> {
    const pending = this.#pending;
    const url = URL.parse(address.trim());
    if (!pending) fail("NOT_FOUND", "No login is under way, or it took too long. Begin again.");
    if (url === null || `${url.origin}${url.pathname}` !== pending.redirectUrl)
      fail("INVALID_INPUT", `That is not the address that the login ends at (${pending.redirectUrl}?…).`);
    await this.#returned(url.searchParams);
  }

  /** Gives up a login that is under way. */
  async cancel(): Promise<void> {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    pending.over.abort("over");
    pending.listener.close();
    pending.listener.closeAllConnections();
    pending.ended.reject(new Error("The login was given up."));
  }

  /** Removes the tokens from this machine. */
  async forget(): Promise<void> {
    await this.cancel();
    this.#stored = undefined;
    await rm(this.#deps.file, { force: true });
  }

  /** The browser is back. A wrong state ends nothing: anybody can open an address of this machine. */
  async #returned(params: URLSearchParams): Promise<void> {
    const pending = this.#pending;
    if (!pending) throw new Error("No login is under way.");
    if (!isSame(params.get("state") ?? "", pending.state))
      throw new Error("This answer belongs to no login of yours. Nothing was done.");
    try {
      const refused = params.get("error");
      const code = params.get("code");
      if (refused !== null || code === null)
        throw new Error(`The login was refused (${showLine(refused ?? "no code").slice(0, 100)}).`);
      const { auth } = await import("@modelcontextprotocol/client");
      const iss = params.get("iss");
      await auth(this.#oauth(pending), {
        serverUrl: this.#deps.url,
        fetchFn: this.#deps.fetch,
        ...this.#challenge,
        ...(pending.scope !== undefined && { scope: pending.scope }),
        authorizationCode: code,
        ...(iss === null ? {} : { iss }),
      });
      pending.ended.resolve();
    } catch (cause) {
      pending.ended.reject(cause);
      throw cause;
    } finally {
      if (this.#pending === pending) this.#pending = undefined;
      pending.over.abort("over");
      pending.listener.close();
    }
  }

  async #expire(pending: Pending): Promise<void> {
    await this.#deps.clock.sleep(MCP_LIMITS.loginMs, pending.over.signal);
    if (this.#pending === pending) await this.cancel();
  }

  /** Our own page, or the one of whoever logs people in; nothing that runs on this machine or is sent in the open. */
  #checkAddress(url: URL): void {
    const isOwn = url.origin === new URL(this.#deps.url).origin;
    if (url.protocol === "https:" || isOwn || this.#deps.isOpened(url.origin)) return;
    throw new ToolError(
      "mcp_login",
      `The MCP server "${showLine(this.#deps.name)}" sends logins to ${showLine(url.origin)}, which is no address with https. Nothing was opened.`,
    );
  }

  /** What a login asks for: what the owner says, or else what the server wants. */
  #wantedScope(): string | undefined {
    return this.#deps.settings?.scopes?.join(" ") ?? this.#challenge.scope;
  }

  #oauth(pending: Pending | undefined, redirected?: (url: URL) => void): OAuthClientProvider {
    const { id, secret } = this.#deps.settings ?? {};
    const isOf = (issuer: string | undefined, kept: Stored) =>
      issuer === undefined || kept.issuer === undefined || kept.issuer === issuer;
    // To renew a token nobody is sent anywhere.
    const redirectUrl = pending?.redirectUrl ?? `http://127.0.0.1${CALLBACK}`;
    return {
      redirectUrl,
      clientMetadata: {
        client_name: "Elwood",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => pending?.state ?? "",
      clientInformation: async (context) => {
        if (id !== undefined)
          return {
            client_id: id,
            ...(secret !== undefined && { client_secret: secret }),
            // It is the owner's, for whoever logs people in here.
            ...(context && { issuer: context.issuer }),
          };
        const kept = await this.#read();
        return isOf(context?.issuer, kept) ? kept.client : undefined;
      },
      saveClientInformation: async (registered, context) => {
        // One of the owner's own stays where they wrote it.
        const own = id === undefined ? { client: registered } : {};
        await this.#write({ ...(await this.#read()), ...own, issuer: context?.issuer });
      },
      tokens: async (context) => {
        const kept = await this.#read();
        return isOf(context?.issuer, kept) ? kept.tokens : undefined;
      },
      saveTokens: async (tokens, context) => {
        const kept = await this.#read();
        // Whoever gives what was asked for need not say so.
        const scope = tokens.scope ?? (pending ? pending.scope : kept.tokens?.scope);
        await this.#write({
          ...kept,
          tokens: { ...tokens, ...(scope !== undefined && { scope }) },
          issuer: context?.issuer ?? kept.issuer,
          ...(pending && { lacking: undefined }),
        });
      },
      invalidateCredentials: async (scope) => {
        const kept = await this.#read();
        if (scope === "tokens" || scope === "all") await this.#write({ ...kept, tokens: undefined });
      },
      redirectToAuthorization: (url) => {
        // In the middle of a call nobody is at a browser.
        if (!redirected) throw this.#needed();
        redirected(url);
      },
      // The code goes to where the login began, whatever the server says meanwhile.
      saveDiscoveryState: (state) => {
        if (pending) pending.discovery.state = state;
      },
      discoveryState: () => pending?.discovery.state,
      saveCodeVerifier: (verifier) => {
        if (pending) pending.verifier.value = verifier;
      },
      codeVerifier: () => pending?.verifier.value ?? "",
    };
  }

  #needed(cause?: unknown): ToolError {
    this.#wanted = true;
    const name = showLine(this.#deps.name);
    const why = cause === undefined ? "" : ` (${reasonOf(cause)})`;
    return new ToolError(
      "mcp_login",
      `The MCP server "${name}" wants you to log in${why}. Nothing was done. Log in: elwood mcp login ${name}`,
    );
  }

  async #read(): Promise<Stored> {
    if (this.#stored) return this.#stored;
    const { file, url } = this.#deps;
    let kept: Stored = { url };
    try {
      const read = stored().safeParse(JSON.parse(await readFile(file, "utf8")));
      // Tokens of another address are not for this one.
      if (read.success && read.data.url === url) kept = read.data;
    } catch (error) {
      if (!isMissing(error) && !(error instanceof SyntaxError)) throw error;
    }
    this.#stored = kept;
    return kept;
  }

  async #write(next: Stored): Promise<void> {
    const { file } = this.#deps;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFileAtomic(file, JSON.stringify(next), { mode: 0o600 });
    this.#stored = next;
  }
}

/** Scopes of all, each once, in the order of their first mention. */
function union(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.split(/\s+/).filter(Boolean) ?? []);
  const all = [...new Set(words)].join(" ");
  return all === "" ? undefined : all.slice(0, MCP_LIMITS.scopeCharsMax);
}

const CALLBACK = "/callback";
const STATE_BYTES = 32;
const PLAIN = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'",
};

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Without anything of an answer that could be a token. */
function reasonOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return showLine(words).slice(0, MCP_LIMITS.schemaTextCharsMax);
}
