import type { IncomingMessage } from "node:http";
import { fail } from "@elwood/core/base/failure";
import type { MethodScope } from "@elwood/core/protocol/methods";
import type { Principal } from "@elwood/runtime/ports/ports";
import type { Authenticator } from "../auth/authenticate.ts";
import type { FailedAuthLimiter } from "../auth/failed-auth.ts";
import type { Services } from "../methods/services.ts";
import type { AuthEvent } from "../tools/audit.ts";
import { remoteKey } from "./guards.ts";
import { bearerOf } from "./http.ts";

export interface AccessDeps {
  readonly services: Pick<Services, "access">;
  readonly authenticator: Authenticator;
  readonly limiter: FailedAuthLimiter;
}

/** Who sent the request, by the token in its header. Throws a Failure where nobody, or nobody who may. */
export async function requirePrincipal(
  request: IncomingMessage,
  deps: AccessDeps,
  {
    door,
    scope,
    token = bearerOf(request),
  }: {
    readonly door: AuthEvent["door"];
    /** Absent: the caller looks at the scopes itself. */
    readonly scope?: Exclude<MethodScope, "none">;
    /** Where it does not come as a bearer token. */
    readonly token?: string | undefined;
  },
): Promise<Principal> {
  const remote = remoteKey(request);
  refuseFor(deps.limiter.waitBeforeMs(remote, token ?? ""));
  const principal = token === undefined ? undefined : await deps.authenticator.principalOf(token);
  if (!principal) {
    refuseFor(deps.limiter.waitMs(remote));
    if (token !== undefined) {
      deps.limiter.failed(remote);
      noteAuth(request, deps, door, false);
    }
    fail("UNAUTHENTICATED", "This needs the header Authorization: Bearer <token>. Nothing was done.");
  }
  if (scope !== undefined && !principal.scopes.has(scope))
    fail("SCOPE_MISSING", `This needs a token with the scope "${scope}". Nothing was done.`);
  return principal;
}

export function refuseFor(waitMs: number): void {
  if (waitMs > 0) {
    fail(
      "TOO_MANY_ATTEMPTS",
      `Too many failed attempts from this address. Try again in ${Math.ceil(waitMs / 1000)} s.`,
      { retryAfterMs: waitMs },
    );
  }
}

export function noteAuth(
  request: IncomingMessage,
  deps: AccessDeps,
  door: AuthEvent["door"],
  accepted: boolean,
  name = "",
): void {
  deps.services.access.audit.noteAuth({ accepted, name, surface: "http", remote: remoteKey(request), door });
}
