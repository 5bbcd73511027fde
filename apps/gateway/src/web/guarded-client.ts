import { answerBody } from "./answer-body.ts";
import { exchange, type Answer, type Line } from "./exchange.ts";
import { orThrow, type GuardedDialer } from "./guarded-dialer.ts";
import { AddressRefused, AnswerBroken, Unreachable } from "./web-errors.ts";
import { WEB_LIMITS, type WebLimits } from "./web-limits.ts";
import { isSafe, readRequest, redirected, type WebRequest } from "./web-request.ts";

export interface GuardedClientDeps {
  readonly dialer: GuardedDialer;
  readonly limits?: Partial<WebLimits>;
  readonly userAgent?: string;
  readonly ca?: string;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The `fetch` that Elwood's tools are given, and the only one.
 *
 * C1 Every hop is checked and dialled by the guarded dialer; proxies of the environment and
 *    pooled connections play no part.
 * C2 At most five redirects, none from https to http. Another origin is told nothing that may be
 *    a credential, and is sent no body: what was approved for one host does not go to the next.
 * C3 Size counts after unpacking. Silence, dripping and length in time are bounded.
 * C4 As long as nothing was sent, what is thrown is a ToolError: it did not happen. Afterwards it is
 *    AnswerBroken, which leaves that open, except that asking for something (GET, HEAD) does nothing.
 */
export function makeGuardedFetch(deps: GuardedClientDeps): typeof globalThis.fetch {
  const limits: WebLimits = { ...WEB_LIMITS, ...deps.limits };
  const line: Line = { dialer: deps.dialer, limits, ...(deps.ca !== undefined && { ca: deps.ca }) };
  return async (input, init) => {
    const written = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const asked = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    asked?.throwIfAborted();
    const life = lifeOf(limits.totalMs, asked ?? undefined);
    try {
      return await follow(line, written, input, init, life, deps.userAgent ?? "Elwood");
    } catch (cause) {
      life.end();
      throw cause;
    }
  };
}

async function follow(
  line: Line,
  written: string,
  input: string | URL | Request,
  init: RequestInit | undefined,
  life: Life,
  userAgent: string,
): Promise<Response> {
  const { limits } = line;
  if (written.length > limits.urlCharsMax) {
    throw new AddressRefused("hard.url", "The address is too long to be honest. Nothing was sent.");
  }
  let target = orThrow(await line.dialer.check(written, life.signal), shown(written));
  const asked = await readRequest(new URL(written), input, init, limits, userAgent);
  let request: WebRequest = asked;
  for (let hops = 0; ; hops++) {
    const answer = await exchange(line, target, request, life.signal);
    const to = asked.redirect === "manual" ? undefined : locationOf(answer, request.url);
    if (to === undefined) return respond(answer, request, target.host, hops > 0, limits, life);
    answer.close();
    const status = answer.message.statusCode ?? 0;
    const check = () => line.dialer.check(to, life.signal);
    const refused = asked.redirect === "error" ? "its redirect was not wanted" : undefined;
    const next = redirected(request, status, to);
    target = await nextTarget(request, target.exempt, next, hops, limits, refused, check);
    request = next;
  }
}

/** Where a redirect may lead. Nothing goes to a place that is refused here. */
async function nextTarget(
  from: WebRequest,
  fromExempt: boolean,
  next: WebRequest,
  hops: number,
  limits: WebLimits,
  unwanted: string | undefined,
  check: () => ReturnType<GuardedDialer["check"]>,
) {
  const { host } = from.url;
  try {
    if (unwanted !== undefined)
      throw new AddressRefused("hard.redirects", `${host} answered, but ${unwanted}.`);
    if (hops >= limits.redirectsMax) {
      throw new AddressRefused(
        "hard.redirects",
        `${host} redirects once more after ${limits.redirectsMax} redirects. That one was not followed.`,
      );
    }
    if (from.url.protocol === "https:" && next.url.protocol === "http:") {
      throw new AddressRefused(
        "hard.downgrade",
        `${host} redirects from https to http, where anybody on the way could read along. That was not followed.`,
      );
    }
    if (!isSafe(next.method) && next.url.origin !== from.url.origin) {
      throw new AddressRefused(
        "hard.redirects",
        `${host} passes the request on to another host. What was meant for one is not sent to another.`,
        told(next),
      );
    }
    const checked = await check();
    if (!checked.ok && checked.rule !== "unresolved") {
      throw new AddressRefused(
        checked.rule,
        `${host} redirects to an address that Elwood does not open. Nothing was sent there.`,
        told(next, ` ${checked.reason}`),
      );
    }
    if (checked.ok && checked.exempt && !fromExempt) {
      throw new AddressRefused(
        "hard.redirects",
        `${host} redirects to an address that is opened for you to name and not for others to send Elwood to. Nothing was sent there.`,
        told(next),
      );
    }
    if (!checked.ok) {
      throw new Unreachable("not_found", `${host} redirects to a name that was not found.`, told(next));
    }
    return checked;
  } catch (cause) {
    // A request that can do something was sent before; that the next one was refused does not undo it.
    if (isSafe(from.method) || !(cause instanceof Error)) throw cause;
    throw new AnswerBroken("refused_redirect", `The request to ${host} was sent. ${cause.message}`);
  }
}

/** Where a redirect leads is the words of who sends it: in a message of ours they would pass for ours. */
function told({ url }: WebRequest, more = ""): { readonly quoted: string } {
  return { quoted: `Redirects to ${shown(url.href)}.${more}` };
}

function locationOf({ message }: Answer, base: URL): URL | undefined {
  const { location } = message.headers;
  if (!REDIRECTS.has(message.statusCode ?? 0) || location === undefined) return undefined;
  // Header bytes come as Latin-1; servers mean UTF-8.
  const meant = Buffer.from(location, "latin1").toString("utf8");
  return URL.canParse(meant, base) ? new URL(meant, base) : undefined;
}

async function respond(
  { message, close }: Answer,
  request: WebRequest,
  host: string,
  wasRedirected: boolean,
  limits: WebLimits,
  life: Life,
): Promise<Response> {
  const status = message.statusCode ?? 0;
  const end = () => {
    close();
    life.end();
  };
  if (status < 200 || status > 599) {
    end();
    throw new AnswerBroken("protocol", `${host} answered with a status that does not exist.`);
  }
  const headers = new Headers();
  const { rawHeaders } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const empty = request.method === "HEAD" || WITHOUT_BODY.has(status);
  let body: ReadableStream<Uint8Array> | null = null;
  if (empty) end();
  else {
    body = await answerBody(message, host, limits, end, life.signal).catch((cause: unknown) => {
      end();
      throw cause;
    });
    if (headers.has("content-encoding")) {
      // They speak of the packed form, which nobody gets to see.
      headers.delete("content-encoding");
      headers.delete("content-length");
    }
  }
  const response = new Response(body, { status, headers });
  Object.defineProperties(response, {
    url: { value: request.url.href },
    redirected: { value: wasRedirected },
  });
  return response;
}

interface Life {
  readonly signal: AbortSignal;
  end(): void;
}

/** The one time limit over all hops and the body. */
function lifeOf(ms: number, asked: AbortSignal | undefined): Life {
  const life = new AbortController();
  const timer = setTimeout(() => {
    life.abort(new AnswerBroken("timeout", "The request took longer than allowed."));
  }, ms);
  timer.unref();
  const stop = () => life.abort(asked?.reason);
  asked?.addEventListener("abort", stop, { once: true });
  return {
    signal: life.signal,
    end() {
      clearTimeout(timer);
      asked?.removeEventListener("abort", stop);
    },
  };
}

const SHOWN_CHARS_MAX = 200;

function shown(url: string): string {
  return url.length > SHOWN_CHARS_MAX ? `${url.slice(0, SHOWN_CHARS_MAX)}…` : url;
}
