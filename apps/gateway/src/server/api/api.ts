import type { IncomingMessage, ServerResponse } from "node:http";
import { failure, FailureError } from "@elwood/core/base/failure";
import { makeDispatcher } from "../../methods/dispatch.ts";
import type { Services } from "../../methods/services.ts";
import { sendProblem } from "../http.ts";
import { requirePrincipal, type AccessDeps } from "../principal.ts";
import { hookRoute } from "./hook-route.ts";
import { methodRoutes } from "./method-routes.ts";
import { Router, type Exchange } from "./router.ts";

/** The addresses for programs. Host and Origin have been checked by then. */
export interface Api {
  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

export interface ApiDeps extends AccessDeps {
  readonly services: Services;
}

export function makeApi(deps: ApiDeps): Api {
  const { services } = deps;
  const router = new Router([...methodRoutes(makeDispatcher(), services), hookRoute(deps)]);
  const { ids, log } = services.system;
  return {
    async answer(request, response, url) {
      const requestId = ids.next("request");
      response.setHeader("x-request-id", requestId);
      const match = router.match(request.method ?? "", url.pathname);
      if (match.kind === "none") {
        sendProblem(response, failure("NOT_FOUND", "There is nothing at this address."), requestId);
        return;
      }
      if (match.kind === "other-verb") {
        const allow = match.allow.join(", ");
        const problem = failure("INVALID_INPUT", `Use ${allow} here. Nothing was done.`);
        sendProblem(response, problem, requestId, { status: 405, headers: { allow } });
        return;
      }
      const exchange: Exchange = { request, response, url, path: match.path, requestId };
      const { route } = match;
      try {
        if (route.scope === "own") await route.handle(exchange);
        else {
          const principal = await requirePrincipal(request, deps, { door: "api", scope: route.scope });
          await route.handle(exchange, principal);
        }
      } catch (error) {
        // A client that went away, and an answer that has begun, are the server's to end.
        if (request.errored || response.headersSent) throw error;
        const known = error instanceof FailureError ? error.failure : undefined;
        if (!known) log.error("a request broke", { path: url.pathname, requestId, error });
        const problem =
          known ?? failure("INTERNAL", `The request failed inside Elwood. The log says more: ${requestId}.`);
        // The rest of a body nobody will read must not keep the connection alive.
        response.setHeader("connection", "close");
        sendProblem(response, problem, requestId);
        request.resume();
      }
    },
  };
}
