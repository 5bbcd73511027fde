import type { IncomingMessage, ServerResponse } from "node:http";
import { failure } from "@elwood/core/base/failure";
import { makeDispatcher } from "../../methods/dispatch.ts";
import type { Services } from "../../methods/services.ts";
import { sendProblem } from "../http.ts";
import { requirePrincipal, type AccessDeps } from "../principal.ts";
import { actionRoutes } from "./action-routes.ts";
import { anthropicRoute } from "./anthropic-route.ts";
import { hookRoute } from "./hook-route.ts";
import { methodRoutes } from "./method-routes.ts";
import { openApiRoutes } from "./openapi-routes.ts";
import { openaiRoutes } from "./openai-routes.ts";
import { runRoutes } from "./run-routes.ts";
import { Router, type Exchange } from "./router.ts";
import { toldFailure } from "./told-failure.ts";

/** The addresses for programs. Host and Origin have been checked by then. */
export interface Api {
  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

export interface ApiDeps extends AccessDeps {
  readonly services: Services;
}

export function makeApi(deps: ApiDeps): Api {
  const { services } = deps;
  const routes = [
    ...methodRoutes(makeDispatcher(), services),
    ...actionRoutes(services),
    ...runRoutes(services),
    ...openaiRoutes(deps),
    anthropicRoute(deps),
    hookRoute(deps),
  ];
  const router = new Router([...routes, ...openApiRoutes(routes)]);
  const { ids, log, requests } = services.system;
  return {
    async answer(request, response, url) {
      const requestId = ids.next("request");
      const within = (work: () => Promise<void>) => (requests ? requests.handle(requestId, work) : work());
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
        if (route.scope === "own") await within(() => route.handle(exchange));
        else {
          const principal = await requirePrincipal(request, deps, { door: "api", scope: route.scope });
          await within(() => route.handle(exchange, principal));
        }
      } catch (error) {
        // A client that went away, and an answer that has begun, are the server's to end.
        if (request.errored || response.headersSent) throw error;
        const problem = toldFailure(error, log, { requestId, path: url.pathname });
        // The rest of a body nobody will read must not keep the connection alive.
        response.setHeader("connection", "close");
        sendProblem(response, problem, requestId);
        request.resume();
      }
    },
  };
}
