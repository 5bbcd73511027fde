import type { Clock } from "@elwood/runtime/ports/ports";
import type { GuardedDialer } from "../web/guarded-dialer.ts";
import type { GuardedProxy } from "./guarded-proxy.ts";
import { findBrowser } from "./find-browser.ts";
import { findDriver } from "./find-driver.ts";
import { startGuardedProxy } from "./guarded-proxy.ts";

export interface BrowserSetting {
  readonly executable?: string | undefined;
  readonly sandbox: boolean;
  readonly idleMinutes: number;
  readonly memoryMb: number;
}

export interface BrowserNeeds {
  readonly setting: BrowserSetting;
  /** The state directory. */
  readonly home: string;
  readonly dialer: () => Promise<GuardedDialer>;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly root: boolean;
  /** The first folder that Elwood may write to. */
  readonly saveUnder?: () => string | undefined;
  /** For tests. */
  readonly limits?: Readonly<Record<string, number>>;
}

/** What the browser tools need of the gateway. Nothing of it is started before a page is opened. */
export function browserParts({
  setting,
  home,
  dialer,
  clock,
  environment,
  root,
  saveUnder,
  limits,
}: BrowserNeeds) {
  let proxy: Promise<GuardedProxy> | undefined;
  const start = async () => {
    return startGuardedProxy(await dialer());
  };
  return {
    options: {
      executable: async () => {
        return findBrowser(setting.executable, environment["PATH"]);
      },
      driver: () => {
        const found = findDriver(home);
        return found === "built in" ? undefined : found;
      },
      sandbox: setting.sandbox,
      root,
      environment: allowed(environment),
      proxy: () => (proxy ??= start()),
      judge: async (url: string) => (await dialer()).judge(url),
      check: async (url: string, signal?: AbortSignal) => (await dialer()).check(url, signal),
      clock,
      get saveUnder() {
        return saveUnder?.();
      },
      limits: {
        idleMs: setting.idleMinutes * 60_000,
        memoryBytesMax: setting.memoryMb * 1024 * 1024,
        ...limits,
      },
    },
    close: async () => (await proxy?.catch(() => undefined))?.close(),
  };
}

/** Names that a browser needs to run and to look right; none of them can hold a secret of ours. */
const ENVIRONMENT = [
  "PATH",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "FONTCONFIG_PATH",
  "FONTCONFIG_FILE",
];

function allowed(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
