import { isLoopbackHost } from "@elwood/core/net/base-url";
import { fail } from "@elwood/core/base/failure";
import type { MethodResult } from "@elwood/core/protocol/results";
import { Notifier, type Notice, type NotifierDeps, type NotifyTarget } from "@elwood/runtime/notify/notifier";
import { PushSubscriptions } from "./push-subscriptions.ts";
import { notifyTargets, type TargetDeps } from "./targets.ts";
import type { PushSubscription } from "./web-push.ts";

export interface NotifyServiceDeps
  extends Omit<NotifierDeps, "targets" | "quietHours">, Omit<TargetDeps, "subscriptions"> {
  readonly settings: { readonly targets: readonly string[]; readonly quietHours?: string | undefined };
}

/** How the owner is told that something waits, and which browsers asked to be. */
export class NotifyService {
  readonly #settings: NotifyServiceDeps["settings"];
  readonly #subscriptions: PushSubscriptions;
  readonly #targets: readonly NotifyTarget[];
  readonly #notifier: Notifier;

  constructor(deps: NotifyServiceDeps) {
    const { settings, states, tenant } = deps;
    this.#settings = settings;
    this.#subscriptions = new PushSubscriptions(states, tenant);
    this.#targets = notifyTargets(settings.targets, { ...deps, subscriptions: this.#subscriptions });
    const [from, to] = settings.quietHours?.split("-").map(minutesOf) ?? [];
    this.#notifier = new Notifier({
      ...deps,
      targets: this.#targets,
      ...(from === undefined || to === undefined ? {} : { quietHours: { from, to } }),
    });
  }

  run(): Promise<void> {
    return this.#notifier.run();
  }

  stop(): void {
    this.#notifier.stop();
  }

  async status(): Promise<MethodResult<"notify.status">> {
    const { targets, quietHours } = this.#settings;
    return {
      targets: [...targets],
      ...(quietHours === undefined ? {} : { quietHours }),
      publicKey: (await this.#subscriptions.vapid()).publicKey,
      browsers: (await this.#subscriptions.list()).length,
    };
  }

  async subscribe(subscription: PushSubscription): Promise<void> {
    const { protocol, hostname } = new URL(subscription.endpoint);
    if (protocol !== "https:" && !isLoopbackHost(hostname))
      fail("INVALID_INPUT", "The address of a push service begins with https://. Nothing was stored.");
    await this.#subscriptions.add(subscription);
  }

  unsubscribe(endpoint: string): Promise<boolean> {
    return this.#subscriptions.remove(endpoint);
  }

  /** Tells every target, quiet hours or not, and says how each took it. */
  async test(): Promise<MethodResult<"notify.test">> {
    const notice: Notice = {
      key: "test",
      title: "Elwood can reach you here",
      lines: ["This is the test that you asked for. Nothing waits."],
      path: "/approvals",
      reminder: true,
      approvals: [],
    };
    const results = this.#targets.map(async (to) => {
      try {
        await to.send(notice);
        return { target: to.name, ok: true };
      } catch (error) {
        return { target: to.name, ok: false, problem: error instanceof Error ? error.message : "unknown" };
      }
    });
    return { results: await Promise.all(results) };
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
