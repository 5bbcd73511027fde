import type { LoadedConfig } from "../config/load.ts";
import type { GuardedDialer } from "./guarded-dialer.ts";
import type { WebLimits } from "./web-limits.ts";

/** The way to the web for everything in this process that acts for a model. */
export interface WebAccess {
  /** Made at the first use, so that a start does not pay for it. */
  readonly dialer: () => Promise<GuardedDialer>;
  readonly fetch: typeof globalThis.fetch;
  /** What the rules say of an address; nothing but a lookup leaves this machine. */
  readonly check: GuardedDialer["check"];
}

/** `ownPort` is asked each time: it is known once the gateway listens. */
export function makeWebAccess(loaded: LoadedConfig, ownPort: () => number | undefined): WebAccess {
  const { gateway, web } = loaded.config;
  const { searxngUrl } = web.search;
  const setting = {
    allowedOrigins: [
      ...web.allowedOrigins,
      ...(searxngUrl === undefined ? [] : [new URL(searxngUrl).origin]),
    ],
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
  let client: Promise<typeof globalThis.fetch> | undefined;
  const dialerOnce = () =>
    (dialer ??= import("./system-dialer.ts").then((made) => made.systemDialer(setting)));
  const clientOnce = () =>
    (client ??= Promise.all([import("./guarded-client.ts"), dialerOnce()]).then(([made, through]) =>
      made.makeGuardedFetch({ dialer: through, limits }),
    ));
  return {
    dialer: dialerOnce,
    fetch: async (input, init) => (await clientOnce())(input, init),
    check: async (url, signal) => (await dialerOnce()).check(url, signal),
  };
}
