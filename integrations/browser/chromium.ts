import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";
import type { Browser } from "playwright-core";
import type { BrowserLimits } from "./limits.ts";
import type { BrowserOptions, Proxy } from "./options.ts";

export interface Launched {
  readonly browser: Browser;
  readonly proxy: Proxy;
  /** Where files go that pages send, until somebody says what becomes of them. */
  readonly downloads: string;
  /** Ends the process and removes its folder. */
  end(): Promise<void>;
}

/** A name that only the browser knows, and only for the proxy: no other name or address is looked up by it. */
const PROXY_NAME = "elwood-proxy.invalid";

export function proxyServer(proxy: Proxy): { server: string; bypass: string } {
  // Chromium goes to this machine directly unless it is told otherwise.
  return { server: `http://${PROXY_NAME}:${proxy.port}`, bypass: "<-loopback>" };
}

/**
 * Starts Chromium in a cage: everything it sends goes through the proxy, because it can
 * look up no name and reach no address but the proxy's; it listens on no port; it sees
 * nothing of the environment but what it is given; its profile is a folder of its own.
 */
export async function launchChromium(options: BrowserOptions, limits: BrowserLimits): Promise<Launched> {
  const found = await options.executable();
  if (!found.ok) throw new ToolError("no_browser", found.message);
  if (options.sandbox && options.root) throw new ToolError("no_sandbox", ROOT);
  const proxy = await options.proxy();
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  const [home, downloads] = [join(folder, "home"), join(folder, "downloads")];
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    for (const each of [home, downloads]) await mkdir(each, { mode: 0o700 });
    // By far the largest package there is here; it comes with the first browser.
    const { chromium } = await loadDriver(options.driver?.());
    const browser = await chromium.launch({
      executablePath: found.path,
      chromiumSandbox: options.sandbox,
      proxy: proxyServer(proxy),
      downloadsPath: downloads,
      timeout: limits.launchMs,
      env: { ...options.environment, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: ARGUMENTS,
      // Playwright turns these guards off for tests; here pages are strangers.
      ignoreDefaultArgs: [
        "--disable-popup-blocking",
        "--disable-ipc-flooding-protection",
        "--enable-unsafe-swiftshader",
      ],
    });
    const end = async () => {
      await browser.close().catch(() => undefined); // it may be gone already
      await remove();
    };
    return { browser, proxy, downloads, end };
  } catch (error) {
    await remove();
    throw error instanceof ToolError ? error : launchProblem(found.path, error);
  }
}

async function loadDriver(installed: URL | undefined): Promise<typeof import("playwright-core")> {
  return installed === undefined ? import("playwright-core") : import(installed.href);
}

const FOLDER = "elwood-browser-";

/** Folders of processes that were killed before they could remove them. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${FOLDER}(\\d+)-\\w+$`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another user's is not ours to remove.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Chromium hears only the last list of features, so this one repeats those of Playwright's that matter. */
const FEATURES_OFF = [
  "AimEnabled",
  "AutofillServerCommunication",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "CertificateTransparencyComponentUpdater",
  "DestroyProfileOnBrowserClose",
  "DialMediaRouteProvider",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
  "Translate",
];

const ARGUMENTS = [
  `--host-resolver-rules=MAP ${PROXY_NAME} 127.0.0.1,MAP * ~NOTFOUND`,
  "--disable-quic",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-gpu",
  "--renderer-process-limit=8",
  `--disable-features=${FEATURES_OFF.join(",")}`,
];

const ROOT =
  "The browser was not started: Elwood runs as root, and as root Chromium has no sandbox for pages. Run Elwood as another user, or, if this machine is itself a cage, set browser.sandbox: false in the configuration.";

function launchProblem(path: string, error: unknown): ToolError {
  const words = error instanceof Error ? error.message : String(error);
  if (/no usable sandbox|setuid sandbox|user namespace/i.test(words)) {
    return new ToolError(
      "no_sandbox",
      `The browser was not started: this system lets ${path} make no sandbox for pages. Allow unprivileged user namespaces, or, if this machine is itself a cage, set browser.sandbox: false in the configuration.`,
    );
  }
  const line = words.split("\n").find((each) => each.trim() !== "") ?? "";
  return new ToolError("browser_start", `The browser ${path} did not start (${line.slice(0, 200)}).`, {
    retryable: true,
  });
}
