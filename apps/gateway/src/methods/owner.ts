import { LIMITS } from "@elwood/core/base/limits";
import { formatModelRef } from "@elwood/core/model/model";
import type { Handlers } from "./context.ts";
import { usageSummary } from "../views/usage-summary.ts";

type OwnerMethods =
  | "attention.list"
  | "usage.summary"
  | "gateway.doctor"
  | "gateway.logs"
  | "config.show"
  | "auth.detect";

/** How the house stands. All of it is reading. */
export const ownerMethods: Pick<Handlers, OwnerMethods> = {
  async "usage.summary"({ days }, { deps, tenant }) {
    const { insight, localTime, limits, clock } = deps;
    return usageSummary(
      { insight, localTime, limits, now: clock.now() },
      tenant,
      days ?? LIMITS.usageDaysDefault,
    );
  },

  "attention.list": async (_params, { deps, tenant }) => deps.attention(tenant),

  "gateway.doctor": async (_params, { deps }) => (await deps.owner()).doctor(),

  "gateway.logs": async ({ after, limit }, { deps }) =>
    (await deps.owner()).logs(after ?? 0, limit ?? LIMITS.logLinesDefault),

  "config.show": async (_params, { deps }) => (await deps.owner()).config(),

  async "auth.detect"(_params, { deps }) {
    const [found, model] = await Promise.all([(await deps.owner()).detect(), deps.models.resolve(undefined)]);
    return {
      ...found,
      model: model.ok ? formatModelRef(model.value.ref) : "none",
      demo: model.ok && model.value.demo,
    };
  },
};
