import type { Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import { parseModelRef, type ModelRef } from "@elwood/core/model/model";
import type { Models, ResolvedModel } from "@elwood/runtime/ports/ports";

/**
 * Models by one name, `provider/model`, whether the provider stands in the settings or is a connection. Providers
 * go first, so that a connection never takes the place of one; none is looked for while a provider is found.
 */
export function modelsWithConnections(
  models: Models,
  named: { readonly configured: () => string | undefined; readonly connected: ConnectedModel },
): Models {
  return {
    async resolve(asked, profile) {
      const found = await models.resolve(asked, profile);
      const name = asked ?? named.configured();
      if (found.ok || found.error.reason !== "MODEL_UNKNOWN" || name === undefined) return found;
      const ref = parseModelRef(name);
      return ref.ok ? ((await named.connected(ref.value)) ?? found) : found;
    },
  };
}

/** A model through the connection that stands where the provider does; undefined where there is none. */
export type ConnectedModel = (ref: ModelRef) => Promise<Result<ResolvedModel, Failure> | undefined>;
