import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** The browser that tests drive; where the variable is not set, they are skipped. */
export const BROWSER_PATH = process.env["ELWOOD_TEST_BROWSER"];

/**
 * The popup of an address bar, which every window would load twice though it has none: a quarter of what a tab costs.
 * Chromium takes the last of such lists, so those of Playwright's that matter here stand in it too.
 */
const LEFT_OUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "MediaRouter",
  "OptimizationHints",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];

/** All files that run in this process share a browser; it ends with the process. */
const shared: { browser?: Promise<Browser> } = ((globalThis as Record<symbol, object>)[
  Symbol.for("elwood.test.browser")
] ??= {});

/** The browser of this process. Whoever is done with it closes the tabs. */
export async function launchBrowser(): Promise<Browser> {
  return (shared.browser ??= launch());
}

export async function closeTabs(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

async function launch(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    ...(BROWSER_PATH ? { executablePath: BROWSER_PATH } : {}),
    args: [
      // Root has no sandbox to put a browser in, and test machines are often root's.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${LEFT_OUT.join(",")}`,
    ],
  });
}

/** A tab of its own browser profile, and everything that went wrong inside it. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  /** Errors that the page threw, and whatever its content security policy stopped. */
  readonly faults: string[];
  /** What the page did first, in order: changes of the address, requests, sockets. */
  steps(): Promise<string[]>;
}

/** How long anything of the page's is waited for; a machine may be busy with other things. */
const WAIT_MS_MAX = 60_000;

/** With `welcome` it comes as on a first visit; else the welcome was put away in it before. */
export async function openTab(
  browser: Browser,
  { welcome = false, ...options }: BrowserContextOptions & { welcome?: boolean } = {},
): Promise<Tab> {
  // Drawing what breathes, sixty times a second and without a graphics card, takes a tenth of the time.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  if (!welcome) await context.addInitScript(putWelcomeAway);
  context.setDefaultTimeout(WAIT_MS_MAX);
  const faults: string[] = [];
  // Of all tabs of this profile.
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    if (/content security policy|trusted ?type/i.test(message.text())) faults.push(message.text());
  });
  await context.addInitScript(recordSteps);
  const page = await context.newPage();
  return {
    page,
    faults,
    steps: () => page.evaluate(() => (window as unknown as { steps: string[] }).steps),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Nothing that the page asked its gateway for is on its way any more, and what came is drawn. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async (most) => {
    const { unanswered } = window as unknown as { unanswered: Set<unknown>[] };
    const isBusy = () => unanswered.some(({ size }) => size > 0) || document.querySelector(".skeleton");
    const end = performance.now() + most;
    for (let quiet = 0; quiet < 3 && performance.now() < end; quiet = isBusy() ? 0 : quiet + 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    if (isBusy()) throw new Error("the page does not come to rest");
  }, WAIT_MS_MAX);
}

/** Another size of the window, and what the page makes of it. */
export async function resize(page: Page, width: number, height = 800): Promise<void> {
  await page.setViewportSize({ width, height });
  // It is told with the next frame, and draws before the one after.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** Runs in the page before its own scripts. */
function putWelcomeAway(): void {
  try {
    localStorage.setItem("elwood.welcome", '{"dismissed":true}');
  } catch {
    return; // a page without storage
  }
}

/** Runs in the page before its own scripts. */
function recordSteps(): void {
  const steps: string[] = [];
  /** Of each socket, what was asked and not answered. */
  const unanswered: Set<unknown>[] = [];
  Object.assign(window, { steps, unanswered });
  const replace = history.replaceState.bind(history);
  history.replaceState = (...args) => {
    steps.push("replaceState");
    replace(...args);
  };
  const ask = window.fetch;
  window.fetch = (...args) => {
    const where = typeof args[0] === "string" ? args[0] : "elsewhere";
    steps.push(`fetch ${where} with "${location.hash}" in the address`);
    return ask(...args);
  };
  const idIn = (data: unknown) => (JSON.parse(String(data)) as { id?: string }).id;
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(url: string | URL, protocols?: string | string[]) {
      steps.push("socket");
      super(url, protocols);
      const asked = new Set<unknown>();
      unanswered.push(asked);
      const send = this.send.bind(this);
      this.send = (data) => {
        if (idIn(data) !== undefined) asked.add(idIn(data));
        send(data);
      };
      this.addEventListener("message", ({ data }) => asked.delete(idIn(data)));
      this.addEventListener("close", () => asked.clear());
    }
  };
}
