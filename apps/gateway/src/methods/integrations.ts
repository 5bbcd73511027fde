import type { MethodName } from "@elwood/core/protocol/methods";
import { personOf, type Handlers } from "./context.ts";

/** Services that the assistant can use, one folder each. */
export const integrationMethods: Handlers<Extract<MethodName, `integrations.${string}`>, "integrations"> = {
  async "integrations.list"(_params, { services }) {
    return { integrations: [...(await (await services.integrations.service()).list())] };
  },

  async "integrations.setup"({ name, settings = {}, secrets = {} }, context) {
    const service = await context.services.integrations.service();
    const { integration, account, notes } = await service.setup(
      name,
      { settings, secrets },
      personOf(context),
    );
    return { integration, account, notes: [...notes] };
  },

  async "integrations.test"({ name }, { services }) {
    const checked = await (await services.integrations.service()).test(name);
    return checked.ok
      ? { ok: true, account: checked.account, notes: [...checked.notes] }
      : { ok: false, problem: checked.problem };
  },

  async "integrations.enable"({ name }, context) {
    const service = await context.services.integrations.service();
    return { integration: await service.switch(name, true, personOf(context)) };
  },

  async "integrations.disable"({ name }, context) {
    const service = await context.services.integrations.service();
    return { integration: await service.switch(name, false, personOf(context)) };
  },
};
