import type { Frame, Page, Request } from "playwright-core";
import { isTimeout } from "./kit.ts";
import type { BrowserLimits } from "./limits.ts";

/** Does something to a page and waits until the page has done what it does about it; false where it still loads. */
export async function andSettle(
  page: Page,
  limits: BrowserLimits,
  act: () => Promise<void>,
): Promise<boolean> {
  using journey = watchJourney(page);
  await act();
  await pause(page, limits.stirMs);
  if (!journey.began() || page.isClosed()) return true;
  await Promise.race([journey.over, pause(page, limits.actMs)]);
  return loaded(page, limits);
}

/** Whether the page is all there; a slow picture is not waited for. */
export async function loaded(page: Page, limits: BrowserLimits): Promise<boolean> {
  try {
    await page.waitForLoadState("load", { timeout: limits.loadMs });
    return true;
  } catch (error) {
    if (isTimeout(error) || page.isClosed()) return false;
    throw error;
  }
}

/** Tells whether the page set out for another address, and when it got there, gave up, or was sent a file. */
function watchJourney(page: Page): Disposable & { began(): boolean; readonly over: Promise<void> } {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let began = false;
  const isOwn = (request: Request) => request.isNavigationRequest() && request.frame() === page.mainFrame();
  const onRequest = (request: Request) => {
    began ||= isOwn(request);
  };
  const onFailed = (request: Request) => {
    if (isOwn(request)) resolve();
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) resolve();
  };
  const onOver = () => resolve();
  page.on("request", onRequest);
  page.on("requestfailed", onFailed);
  page.on("framenavigated", onNavigated);
  page.on("download", onOver);
  page.on("close", onOver);
  return {
    began: () => began,
    over,
    [Symbol.dispose]: () => {
      page.off("request", onRequest);
      page.off("requestfailed", onFailed);
      page.off("framenavigated", onNavigated);
      page.off("download", onOver);
      page.off("close", onOver);
    },
  };
}

async function pause(page: Page, ms: number): Promise<void> {
  await page.waitForTimeout(ms).catch(() => undefined); // the page may close meanwhile
}
