import { failure, FailureError, type Failure } from "@elwood/core/base/failure";
import type { Log } from "@elwood/runtime/ports/ports";

/** A failure of any kind as one that can be told; what nobody foresaw is in the log under the request's id. */
export function toldFailure(
  error: unknown,
  log: Log,
  { requestId, path }: { readonly requestId: string; readonly path: string },
): Failure {
  if (error instanceof FailureError) return error.failure;
  log.error("a request broke", { path, requestId, error });
  return failure("INTERNAL", `The request failed inside Elwood. The log says more: ${requestId}.`);
}
