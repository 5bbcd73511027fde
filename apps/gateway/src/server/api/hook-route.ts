import { failure, fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { remoteKey } from "../guards.ts";
import { readBody, sendJson, sendProblem } from "../http.ts";
import { noteAuth, refuseFor, type AccessDeps } from "../principal.ts";
import type { Services } from "../../methods/services.ts";
import { z } from "zod";
import type { Exchange, Route } from "./router.ts";

/** Where other systems set off runs. The secret of the webhook takes the place of a token. */
export function hookRoute(
  deps: AccessDeps & { readonly services: Pick<Services, "hooks" | "access"> },
): Route {
  return {
    verb: "POST",
    path: "/hooks/{name}",
    scope: "own",
    about: {
      id: "hooks",
      summary: "Sets off a run; the webhook's secret or signature takes the place of a token.",
      body: () => z.unknown(),
      answer: () => z.object({ runId: z.string(), repeated: z.boolean().optional() }),
      status: 202,
      keyed: true,
      open: true,
    },
    handle: (exchange) => receive(exchange, deps),
  };
}

async function receive(
  { request, response, path, requestId }: Exchange,
  deps: AccessDeps & { readonly services: Pick<Services, "hooks" | "access"> },
): Promise<void> {
  const remote = remoteKey(request);
  const bytes = await readBody(request, LIMITS.hookBodyBytesMax);
  const hooks = await deps.services.hooks();
  try {
    const accepted = await hooks.accept(path["name"] ?? "", request.headers, bytes);
    if (accepted === undefined) {
      refuseFor(deps.limiter.waitMs(remote));
      deps.limiter.failed(remote);
      noteAuth(request, deps, "hook", false);
      fail(
        "UNAUTHENTICATED",
        "There is no webhook of this name, or its secret or signature is wrong. Nothing was done.",
      );
    }
    const { runId, repeated } = accepted;
    sendJson(response, 202, repeated ? { runId, repeated } : { runId });
    accepted.start();
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.reason !== "CONFLICT") throw error;
    const words = "This Idempotency-Key came before with another body. Nothing was done; use a new key.";
    sendProblem(response, failure("CONFLICT", words), requestId, { status: 422 });
  }
}
