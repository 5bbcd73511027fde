import { fail } from "@elwood/core/base/failure";
import type { Pairing } from "@elwood/runtime/ports/channel-ports";
import { personOf, type Handlers } from "./context.ts";

type ChannelMethods =
  | "channels.list"
  | "channels.test"
  | "channels.connect"
  | "channels.disconnect"
  | "pairing.list"
  | "pairing.approve"
  | "pairing.remove";

/** Channels, and the people in them. */
export const channelMethods: Handlers<ChannelMethods, "channels"> = {
  async "channels.list"(_params, { services }) {
    return { channels: [...(await (await services.channels()).list())] };
  },

  async "channels.test"({ name }, { services }) {
    const checked = await (await services.channels()).test(name);
    return checked.ok ? { ...checked, notes: [...checked.notes] } : checked;
  },

  async "channels.connect"({ name, token }, context) {
    const channels = await context.services.channels();
    return { channel: await channels.connect(name, token, personOf(context)) };
  },

  async "channels.disconnect"({ name }, context) {
    const channels = await context.services.channels();
    return { channel: await channels.disconnect(name, personOf(context)) };
  },

  async "pairing.list"(_params, { services }) {
    return { people: (await (await services.channels()).people()).map(wirePerson) };
  },

  async "pairing.approve"({ code, approver }, context) {
    if (approver && !context.principal.scopes.has("approve"))
      fail("SCOPE_MISSING", "Only who may approve can let somebody else approve. Nobody was let in.");
    const channels = await context.services.channels();
    const person = await channels.approve(code);
    if (approver) await channels.makeApprover(person.channel, person.senderId, personOf(context));
    return { person: wirePerson(person), approver: approver === true };
  },

  async "pairing.remove"({ channel, senderId }, context) {
    await (await context.services.channels()).remove(channel, senderId, personOf(context));
    return { ok: true };
  },
};

function wirePerson({ channel, senderId, name, state, at, expiresAt }: Pairing) {
  return { channel, senderId, name, state, at, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
