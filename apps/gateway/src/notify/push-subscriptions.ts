import { LIMITS } from "@elwood/core/base/limits";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { ChannelStates } from "@elwood/runtime/ports/channel-ports";
import { z } from "zod";
import { makeVapidKeys, type PushSubscription, type VapidKeys } from "./web-push.ts";

const PLACE = "notify";

const subscriptionSchema = z.object({
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
});
const listSchema = z.array(subscriptionSchema);
const vapidSchema = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Browsers that asked to be woken, and the key that they know this gateway by. */
export class PushSubscriptions {
  readonly #states: ChannelStates;
  readonly #tenant: string;

  constructor(states: ChannelStates, tenant: string) {
    this.#states = states;
    this.#tenant = tenant;
  }

  async list(): Promise<readonly PushSubscription[]> {
    return (await this.#read("subscriptions", listSchema)) ?? [];
  }

  /** The newest last; one more than the limit drops the oldest. */
  async add(subscription: PushSubscription): Promise<void> {
    const others = (await this.list()).filter(({ endpoint }) => endpoint !== subscription.endpoint);
    await this.#write("subscriptions", [...others, subscription].slice(-LIMITS.pushSubscriptionsMax));
  }

  async remove(endpoint: string): Promise<boolean> {
    const known = await this.list();
    const left = known.filter((each) => each.endpoint !== endpoint);
    if (left.length === known.length) return false;
    await this.#write("subscriptions", left);
    return true;
  }

  /** Made when the first browser asks. */
  async vapid(): Promise<VapidKeys> {
    const known = await this.#read("vapid", vapidSchema);
    if (known) return known;
    const made = makeVapidKeys();
    await this.#write("vapid", made);
    return made;
  }

  async #read<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const stored = await this.#states.read(this.#tenant, PLACE, key);
    if (stored === undefined) return undefined;
    const read = safelyParse(schema, JSON.parse(stored));
    return read.success ? read.data : undefined;
  }

  async #write(key: string, value: unknown): Promise<void> {
    await this.#states.write(this.#tenant, PLACE, key, JSON.stringify(value));
  }
}
