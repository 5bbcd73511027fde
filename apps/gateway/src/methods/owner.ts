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
export const ownerMethods: Handlers<
  OwnerMethods,
  "system" | "runs" | "models" | "attention" | "installation"
> = {
  async "usage.summary"({ days }, { services, tenant, principal }) {
    const { insight, limits, tenants } = services.runs;
    const { localTime, clock } = services.system;
    const caps = tenants[tenant]?.costCapUsd;
    return usageSummary({ insight, localTime, limits, caps, now: clock.now() }, tenant, {
      days: days ?? LIMITS.usageDaysDefault,
      tenants: principal.scopes.has("admin"),
    });
  },

  "attention.list": async (_params, { services, tenant }) => services.attention.list(tenant),

  "gateway.doctor": async (_params, { services }) => (await services.installation.owner()).doctor(),

  "gateway.logs": async ({ after, limit }, { services }) =>
    (await services.installation.owner()).logs(after ?? 0, limit ?? LIMITS.logLinesDefault),

  "config.show": async (_params, { services }) => (await services.installation.owner()).config(),

  async "auth.detect"(_params, { services }) {
    const [found, model] = await Promise.all([
      (await services.installation.owner()).detect(),
      services.models.catalog.resolve(undefined),
    ]);
    return {
      ...found,
      model: model.ok ? formatModelRef(model.value.ref) : "none",
      demo: model.ok && model.value.demo,
    };
  },
};
