import { failure, type Failure } from "@elwood/core/base/failure";
import { isLoopbackHost } from "@elwood/core/net/base-url";

/**
 * Listening beyond this machine takes a token that the owner chose: a generated one would
 * be enough to keep others out, but the owner would not have decided to let anyone in.
 */
export function bindFailure(host: string, ownerTokenSet: boolean): Failure | undefined {
  if (isLoopbackHost(host) || ownerTokenSet) return undefined;
  return failure(
    "INVALID_INPUT",
    `With host ${host}, every machine that can reach this one could talk to your assistant, and whoever has the token commands it. ` +
      "Elwood did not start. Set a token of your own first: ELWOOD_TOKEN=$(openssl rand -hex 24). " +
      "Or leave out --host, and only this machine can connect.",
  );
}
