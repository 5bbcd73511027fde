import type { Handlers } from "./context.ts";

/** How the owner is told that something waits. */
export const notifyMethods: Handlers<
  "notify.status" | "notify.subscribe" | "notify.unsubscribe" | "notify.test",
  "notify"
> = {
  "notify.status": async (_params, { services }) => (await services.notify()).status(),

  async "notify.subscribe"({ endpoint, keys }, { services }) {
    await (await services.notify()).subscribe({ endpoint, keys });
    return { ok: true };
  },

  async "notify.unsubscribe"({ endpoint }, { services }) {
    return { ok: await (await services.notify()).unsubscribe(endpoint) };
  },

  "notify.test": async (_params, { services }) => (await services.notify()).test(),
};
