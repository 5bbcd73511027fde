import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "@elwood/runtime/ports/ports";
import type { HttpRoute } from "@elwood/core/protocol/methods";
import type { z } from "zod";

/** One request to a route, after the router has found it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The parts of the path that stand in braces in the route's. */
  readonly path: Readonly<Record<string, string>>;
  readonly requestId: string;
}

/** Fires when whoever asked has hung up before the answer was sent. */
export function whileConnected({ response }: Exchange): AbortSignal {
  const left = new AbortController();
  response.once("close", () => response.writableFinished || left.abort("gone"));
  return left.signal;
}

/**
 * One address with one verb. Either a token with `scope` is needed, and the handler gets its principal, or
 * (`own`) the handler itself finds out who asks, such as by the secret of a webhook. What a handler throws as
 * a Failure becomes a problem document.
 */
export type Route =
  | (RouteAddress & {
      readonly scope: HttpRoute["scope"];
      readonly handle: (exchange: Exchange, principal: Principal) => Promise<void>;
    })
  | (RouteAddress & { readonly scope: "own"; readonly handle: (exchange: Exchange) => Promise<void> });

interface RouteAddress {
  readonly verb: HttpRoute["verb"];
  /** `/api/v1/jobs/{name}/run`: a part in braces is any one segment. */
  readonly path: string;
  readonly about: RouteDoc;
}

/** What the document of all addresses says of one. */
export interface RouteDoc {
  /** Names it in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** What it is given, wherever it stands: in the path, and the rest in the query or the body. */
  readonly params?: () => z.ZodType;
  readonly query?: () => z.ZodType;
  readonly body?: () => z.ZodType;
  readonly answer?: () => z.ZodType;
  /** 200 unless told. */
  readonly status?: 202;
  /** It answers with server-sent events, always or where that is asked for. */
  readonly stream?: boolean;
  /** Another kind of answer than JSON by a schema. */
  readonly content?: string;
  /** It takes an Idempotency-Key. */
  readonly keyed?: boolean;
  /** No token is needed. */
  readonly open?: boolean;
  /** Failures are told in a vendor's words. */
  readonly ownErrors?: boolean;
}

export type Match =
  | { readonly kind: "found"; readonly route: Route; readonly path: Exchange["path"] }
  /** There is something at this address, for these verbs. */
  | { readonly kind: "other-verb"; readonly allow: readonly string[] }
  | { readonly kind: "none" };

/** Finds the route of a request. Routes with fewer free parts go first, so that `/a/b` is not taken for `/a/{name}`. */
export class Router {
  readonly #routes: readonly { readonly route: Route; readonly parts: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    const keys = routes.map(({ verb, path }) => `${verb} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`);
    const twice = keys.find((key, i) => keys.indexOf(key) !== i);
    if (twice !== undefined) throw new Error(`two routes for ${twice}`);
    this.#routes = routes
      .map((route) => ({ route, parts: route.path.split("/") }))
      .sort((a, b) => freeParts(a.parts) - freeParts(b.parts));
  }

  match(verb: string, pathname: string): Match {
    const asked = pathname.split("/");
    const here = this.#routes.flatMap(({ route, parts }) => {
      const path = pathParts(parts, asked);
      return path === undefined ? [] : [{ route, path }];
    });
    const wanted = verb === "HEAD" ? "GET" : verb;
    const found = here.find(({ route }) => route.verb === wanted);
    if (found) return { kind: "found", ...found };
    if (here.length === 0) return { kind: "none" };
    const verbs = here.flatMap(({ route }) => (route.verb === "GET" ? ["GET", "HEAD"] : [route.verb]));
    return { kind: "other-verb", allow: [...new Set(verbs)] };
  }
}

function freeParts(parts: readonly string[]): number {
  return parts.filter(isFree).length;
}

function isFree(part: string): boolean {
  return part.startsWith("{") && part.endsWith("}");
}

function pathParts(parts: readonly string[], asked: readonly string[]): Exchange["path"] | undefined {
  if (parts.length !== asked.length) return undefined;
  const path: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const given = asked[i]!;
    if (!isFree(part)) {
      if (part !== given) return undefined;
      continue;
    }
    const value = decoded(given);
    if (value === undefined || value === "") return undefined;
    path[part.slice(1, -1)] = value;
  }
  return path;
}

/** Undefined where the escapes are broken. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
