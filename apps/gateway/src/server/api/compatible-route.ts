import { fail, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { Principal } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { bearerOf, readJson, sendJson, statusOf } from "../http.ts";
import { requirePrincipal } from "../principal.ts";
import type { ApiDeps } from "./api.ts";
import { findAnswerer, type CompatibleAnswer, type CompatibleRequest } from "./compatible-answer.ts";
import { whileConnected, type Exchange, type Route, type RouteDoc } from "./router.ts";
import { SseStream } from "./sse.ts";
import { toldFailure } from "./told-failure.ts";

/** A vendor whose API Elwood speaks: what opens it, and how it words a failure. */
export interface Vendor {
  readonly opened: "openai" | "anthropic";
  readonly errorBody: (failure: Failure, requestId: string) => object;
}

/** How one address of a vendor words questions and answers. */
export interface Dialect<Body extends z.ZodType> {
  readonly path: string;
  readonly about: Pick<RouteDoc, "id" | "summary">;
  readonly body: Body;
  question(body: z.output<Body>): CompatibleRequest;
  whole(answer: CompatibleAnswer, body: z.output<Body>, about: Answering): object;
  streamed(body: z.output<Body>, about: Answering, stream: Pick<SseStream, "send">): StreamedAnswer;
}

/** What an answer is told with besides what it says. */
export interface Answering {
  readonly requestId: string;
  /** In seconds. */
  readonly created: number;
}

/** An answer that is told piece by piece: begun once, ended once, well or not. */
export interface StreamedAnswer {
  begin(): Promise<void>;
  text(piece: string): Promise<void>;
  /** Its text has been told. */
  end(answer: Omit<CompatibleAnswer, "text">): Promise<void>;
  failed(failure: Failure): Promise<void>;
}

/** An address at which agents and actions answer as a vendor's models do, whole or as a stream. */
export function compatibleRoute<Body extends z.ZodType>(
  deps: ApiDeps,
  vendor: Vendor,
  dialect: Dialect<Body>,
): Route {
  const { path, body: schema } = dialect;
  const about = { ...dialect.about, body: () => schema, answer: anyObject, stream: true };
  return vendorRoute(deps, vendor, { verb: "POST", path, about }, async (exchange, principal) => {
    const { request, response, requestId } = exchange;
    const body = parsedBody(schema, await readJson(request, LIMITS.apiBodyBytesMax));
    const { services } = deps;
    const { clock } = services.system;
    const answerer = await findAnswerer(services, principal, dialect.question(body));
    const answering = { requestId, created: Math.floor(clock.now() / 1000) };
    if (!wantsStream(body)) {
      const answer = await answerer({ signal: whileConnected(exchange) });
      sendJson(response, 200, dialect.whole(answer, body, answering));
      return;
    }
    const stream = new SseStream(response, clock);
    const told = dialect.streamed(body, answering, stream);
    try {
      await told.begin();
      await told.end(await answerer({ signal: stream.gone, onText: (piece) => told.text(piece) }));
    } catch (error) {
      await told.failed(toldFailure(error, services.system.log, { requestId, path }));
    }
    stream.end();
  });
}

/** What it answers is the vendor's to describe. */
const anyObject = () => z.looseObject({});

/** An address of a vendor's API: closed until its setting opens it, for any token, with failures in its own words. */
export function vendorRoute(
  deps: ApiDeps,
  { opened, errorBody }: Vendor,
  { verb, path, about }: Pick<Route, "verb" | "path" | "about">,
  handle: (exchange: Exchange, principal: Principal) => Promise<void>,
): Route {
  return {
    verb,
    path,
    scope: "own",
    about: { ...about, ownErrors: true },
    async handle(exchange) {
      const { request, response, requestId } = exchange;
      try {
        // Where Anthropic's clients put it.
        const key = request.headers["x-api-key"];
        const token = bearerOf(request) ?? (typeof key === "string" ? key : undefined);
        const principal = await requirePrincipal(request, deps, { door: "api", token });
        if (!deps.services.actions.open[opened])
          fail(
            "NOT_FOUND",
            `Elwood does not answer here until \`api.${opened}: true\` stands in its settings.`,
          );
        await handle(exchange, principal);
      } catch (error) {
        if (request.errored || response.headersSent) throw error;
        const told = toldFailure(error, deps.services.system.log, { requestId, path });
        response.setHeader("connection", "close");
        sendJson(response, statusOf(told), errorBody(told, requestId));
        request.resume();
      }
    },
  };
}

export function parsedBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const read = safelyParse(schema, body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return fail(
    "INVALID_INPUT",
    `"${issue?.path.map(String).join(".").slice(0, 80)}": ${issue?.message.slice(0, 200)}. Nothing was sent.`,
  );
}

function wantsStream(body: unknown): boolean {
  return (body as { readonly stream?: unknown }).stream === true;
}
