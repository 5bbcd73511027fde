import { LIMITS } from "@elwood/core/base/limits";
import type { LoadedConfig } from "../config/load.ts";
import type { GuardedDialer, Resolve } from "./guarded-dialer.ts";
import type { WebLimits } from "./web-limits.ts";

/** The way to the web for everything in this process that acts for a model. */
export interface WebAccess {
  /** Made at the first use, so that a start does not pay for it. */
  readonly dialer: () => Promise<GuardedDialer>;
  readonly fetch: typeof globalThis.fetch;
  /** The same for a tool that may reach only the hosts it declares, also by a redirect. */
  readonly fetchTo: (hosts: readonly string[]) => typeof globalThis.fetch;
  /** The same for a service whose address the owner wrote into the settings: that origin and no other, wherever it is. */
  readonly fetchFrom: (origin: string, limits: Partial<WebLimits>) => typeof globalThis.fetch;
  /**
   * The same for an integration: addresses that the owner wrote into its settings, wherever they are, and
   * host names of the open web.
   */
  readonly fetchAmong: (places: {
    readonly owned: readonly string[];
    readonly hosts: readonly string[];
  }) => typeof globalThis.fetch;
  /** What the text of an address alone breaks. Nothing is looked up, so nothing leaves this machine. */
  readonly judge: (url: string) => Promise<ReturnType<GuardedDialer["judge"]>>;
}

const CLIENTS_MAX = 64;

/** `ownPort` is asked each time: it is known once the gateway listens. `resolve` stands in for this machine's resolver. */
export function makeWebAccess(
  loaded: LoadedConfig,
  ownPort: () => number | undefined,
  resolve?: Resolve,
): WebAccess {
  const { gateway, web } = loaded.config;
  /** The search service can be changed while the gateway runs. */
  const allowedOrigins = () => {
    const { searxngUrl } = loaded.config.web.search;
    return [...web.allowedOrigins, ...(searxngUrl === undefined ? [] : [new URL(searxngUrl).origin])];
  };
  const setting = {
    ownPorts: () => [gateway.port, ownPort() ?? 0].filter((port) => port > 0),
    // A name may stand there with the port of its proxy.
    ownHosts: [gateway.host, ...gateway.allowedHosts].map((host) => host.replace(/^([^:]+):\d+$/, "$1")),
    ownOrigins: gateway.allowedOrigins,
  };
  const limits: Partial<WebLimits> = {
    bodyBytesMax: web.maxMegabytes * 1024 * 1024,
    totalMs: web.timeoutSeconds * 1_000,
  };
  let dialer: Promise<GuardedDialer> | undefined;
  let dialed = "";
  const clients = new Map<string, Promise<typeof globalThis.fetch>>();
  // With TLS and the resolver behind it: nothing at a start goes to the web.
  const dialerOnce = () => {
    forgetOld();
    return (dialer ??= import("./system-dialer.ts").then((made) =>
      made.systemDialer({ ...setting, allowedOrigins: allowedOrigins() }, resolve),
    ));
  };
  const forgetOld = () => {
    const now = allowedOrigins().join(" ");
    if (now === dialed) return;
    dialed = now;
    dialer = undefined;
    clients.clear();
  };
  const clientTo = async (hosts?: readonly string[]) => {
    const [{ makeGuardedFetch }, { declaredOnly }, through] = await Promise.all([
      import("./guarded-client.ts"),
      import("./declared-hosts.ts"),
      dialerOnce(),
    ]);
    return makeGuardedFetch({ dialer: hosts ? declaredOnly(through, hosts) : through, limits });
  };
  const serviceAt = async (
    owned: readonly string[],
    hosts: readonly string[],
    own: Partial<WebLimits>,
  ): Promise<typeof globalThis.fetch> => {
    const [{ makeGuardedFetch }, { declaredOnly }, { systemDialer }] = await Promise.all([
      import("./guarded-client.ts"),
      import("./declared-hosts.ts"),
      import("./system-dialer.ts"),
    ]);
    const through = systemDialer({ ...setting, allowedOrigins: owned }, resolve);
    return makeGuardedFetch({ dialer: declaredOnly(through, [...owned, ...hosts]), limits: own });
  };
  const clientOnce = (hosts?: readonly string[]) => {
    forgetOld();
    const key = hosts === undefined ? "" : JSON.stringify(hosts);
    const made = clients.get(key) ?? clientTo(hosts);
    const [oldest] = clients.keys();
    if (clients.size >= CLIENTS_MAX && oldest !== undefined) clients.delete(oldest);
    clients.set(key, made);
    return made;
  };
  return {
    dialer: dialerOnce,
    fetch: async (input, init) => (await clientOnce())(input, init),
    fetchTo: (hosts) => async (input, init) => (await clientOnce(hosts))(input, init),
    fetchFrom: (origin, own) => {
      let client: Promise<typeof globalThis.fetch> | undefined;
      return async (input, init) => (await (client ??= serviceAt([origin], [], own)))(input, init);
    },
    fetchAmong: ({ owned, hosts }) => {
      const own = { ...limits, bodyBytesMax: LIMITS.integrationAnswerBytesMax };
      let client: Promise<typeof globalThis.fetch> | undefined;
      return async (input, init) => (await (client ??= serviceAt(owned, hosts, own)))(input, init);
    },
    judge: async (url) => (await dialerOnce()).judge(url),
  };
}
