import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import { PushService } from "@elwood/testkit/push-service";
import type { Browser, Page, Worker } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { alreadyBack, broken, connected, logIn } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)("the page as an app (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  /** For tests in which none goes away. */
  let gateway: GatewayProcess;
  let pushes: PushService;
  beforeAll(async () => {
    pushes = await new PushService().start();
    const config = `web:\n  allowedOrigins: [${pushes.url}]\n`;
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess({ config })]);
  });
  afterAll(async () => {
    await pushes?.close();
    await gateway?.kill();
    await closeTabs(browser);
  });

  test("its shell is kept from the first visit on: without the gateway it still comes up, says so, and mends itself", async () => {
    const home = temporaryHome();
    const port = await freePort();
    const first = await startGatewayProcess({ home: home.path, port });
    await using tab = await openTab(browser);
    const { page } = tab;
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await logIn(page, first.url, first.token);
    await page.getByLabel("Message", { exact: true }).waitFor();
    const kept = () =>
      page.evaluate(async () => {
        const names = await caches.keys();
        const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return requests.flat().map(({ url }) => new URL(url).pathname);
      });
    await expect.poll(async () => (await kept()).some((path) => path.includes("chat-view"))).toBe(true);
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
    // Nothing of anybody's: only what every visitor gets.
    expect(
      (await kept()).filter(
        (path) => !/^\/(assets\/.*|theme\.js|icon\.svg|manifest\.webmanifest)?$/.test(path),
      ),
    ).toEqual([]);
    expect([...complaints, ...tab.faults]).toEqual([]);
    const parts = await page.locator(".rail .rail-link > span").allTextContents();

    await first.stop();
    await page.reload();
    await broken(page);
    await page.getByLabel("Message", { exact: true }).waitFor();
    // Every part has its place before the gateway was heard: nothing jumps when it is.
    expect(await page.locator(".rail .rail-link > span").allTextContents()).toEqual(parts);
    await using again = await startGatewayProcess({ home: home.path, port });
    await page.getByRole("button", { name: "Retry now" }).click({ timeout: 3_000 }).catch(alreadyBack);
    await connected(page);
    expect(again.url).toBe(first.url);
    expect(tab.faults).toEqual([]);
    home.remove();
  });

  test("a gateway of another build asks for a reload, which brings the page of that build", async () => {
    const home = temporaryHome();
    const port = await freePort();
    const before = await startGatewayProcess({ home: home.path, port });
    await using tab = await openTab(browser);
    const { page } = tab;
    let hellos = 0;
    await bendAnswers(
      page,
      () => undefined,
      (hello) => (++hellos !== 2 ? hello : { ...hello, build: "9.9.9", version: "9.9.9" }),
    );
    await logIn(page, before.url, before.token);
    expect(await page.getByText("Elwood was updated").count()).toBe(0);
    // What is loaded behind the page would be missed, and told, if Elwood went away before it came.
    await page.waitForLoadState("networkidle");
    await before.stop();
    await using _after = await startGatewayProcess({ home: home.path, port });
    await page.getByText("Elwood was updated to 9.9.9.").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => page.getByText("Elwood was updated").count()).toBe(0);
    await connected(page);
    await settled(page);
    expect(await page.getByText("Elwood was updated").count()).toBe(0);
    expect(tab.faults).toEqual([]);
    home.remove();
  });

  test("a page that was built anew asks for a reload too, though the version is the same", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    let build = "";
    let isOld = false;
    await bendAnswers(
      page,
      () => undefined,
      (hello) => {
        build = hello.build;
        return isOld ? { ...hello, build: "0".repeat(16) } : hello;
      },
    );
    await logIn(page, gateway.url, gateway.token);
    expect(build).toMatch(/^[0-9a-f]{16}$/);
    expect(await page.locator('meta[name="elwood-build"]').getAttribute("content")).toBe(build);
    expect(await page.locator(".update-note").count()).toBe(0);
    // Seen at the first connection already: the document itself says which build it is.
    isOld = true;
    await page.reload();
    await page.getByText("There is a new version of this page.").waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("a gateway that speaks another protocol, or a page without its files, is told in words, not by an empty page", async () => {
    await using tab = await openTab(browser, { serviceWorkers: "block" });
    const { page } = tab;
    await bendAnswers(
      page,
      () => undefined,
      (hello) => ({ ...hello, protocol: 99, version: "2.0.0" }),
    );
    await logIn(page, gateway.url, gateway.token);
    await page.getByRole("heading", { name: "This page does not fit this gateway" }).waitFor();
    await page.getByText("the gateway (2.0.0) speaks 99").waitFor();
    expect(await page.locator("textarea").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    expect(tab.faults).toEqual([]);
    await page.route("**/assets/index-*.js", (route) => route.fulfill({ status: 404, body: "" }));
    await page.reload();
    await page.getByRole("alert").getByText("The page could not be loaded").waitFor();
    await page.unroute("**/assets/index-*.js");
    await page.getByRole("link", { name: "Load it again" }).click();
    await page.getByRole("button", { name: "Reload" }).waitFor();
  });

  test("a browser that asked for it is told: sealed by the gateway, opened with the browser's keys, shown by the worker", async () => {
    await using tab = await openTab(browser, { permissions: ["notifications"] });
    const { page } = tab;
    await subscribeAt(page, pushes);
    await logIn(page, gateway.url, gateway.token);
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
    await page.goto(`${gateway.url}/settings`);
    await page.getByRole("button", { name: "Tell me in this browser" }).click();
    await page.getByRole("button", { name: "Stop telling me in this browser" }).waitFor();
    pushes.applicationServerKey = await page.evaluate(() => (window as unknown as { asked: string }).asked);
    await page.getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => page.locator(".notify-results").innerText()).toMatch(/page was told\.$/);
    expect(pushes.refused).toEqual([]);
    const [opened = ""] = pushes.opened;
    await countShown(page);
    await deliver(page, opened);
    const shown = () =>
      page.evaluate(async () => {
        const notifications = await (await navigator.serviceWorker.ready).getNotifications();
        return notifications.map(({ title, body, tag, data }) => ({
          key: tag,
          title,
          body,
          path: data.path,
        }));
      });
    expect(await shown()).toEqual([JSON.parse(opened)]);
    // What comes again about the same takes its place, and whatever comes is shown as something.
    await deliver(page, JSON.stringify({ ...JSON.parse(opened), title: "Reminder" }));
    expect((await shown()).map(({ title }) => title)).toEqual(["Reminder"]);
    await deliver(page, "no JSON");
    expect(await shown()).toHaveLength(2);
    expect(tab.faults).toEqual([]);
  });

  test("the manifest says what an app needs, and its icon is there", async () => {
    const response = await fetch(`${gateway.url}/manifest.webmanifest`);
    expect(response.headers.get("content-type")).toBe("application/manifest+json");
    const manifest = (await response.json()) as {
      name: string;
      start_url: string;
      scope: string;
      display: string;
      icons: { src: string; type: string }[];
    };
    expect(manifest).toMatchObject({ name: "Elwood", start_url: "/", scope: "/", display: "standalone" });
    for (const { src, type } of manifest.icons) {
      const icon = await fetch(new URL(src, gateway.url));
      expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type]);
    }
    await using tab = await openTab(browser);
    await tab.page.goto(gateway.url);
    const cdp = await tab.page.context().newCDPSession(tab.page);
    expect((await cdp.send("Page.getAppManifest")).errors).toEqual([]);
  });
});

/** A browser without a maker's push service: what it would be given by one comes from loopback. */
async function subscribeAt(page: Page, pushes: PushService): Promise<void> {
  await page.addInitScript((subscription) => {
    PushManager.prototype.subscribe = async (options) => {
      const key = new Uint8Array(options?.applicationServerKey as ArrayBuffer);
      const asked = btoa(String.fromCharCode(...key))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
      Object.assign(window, { asked });
      return { endpoint: subscription.endpoint, toJSON: () => subscription } as unknown as PushSubscription;
    };
  }, pushes.subscription);
}

/**
 * Lets the worker count what it has shown to the end. Who asks a browser for its notifications while it is
 * showing one makes it forget that one: it is written down already and not yet to be seen.
 */
async function countShown(page: Page): Promise<void> {
  await workerOf(page).evaluate(() => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const show = registration.showNotification.bind(registration);
    Object.assign(globalThis, { shownCount: 0 });
    registration.showNotification = async (title, options) => {
      await show(title, options);
      (globalThis as unknown as { shownCount: number }).shownCount += 1;
    };
  });
}

/** Hands an opened push to the worker, as the browser does that has opened it, until the worker has shown it. */
async function deliver(page: Page, data: string): Promise<void> {
  const shownCount = () =>
    workerOf(page).evaluate(() => (globalThis as unknown as { shownCount: number }).shownCount);
  const before = await shownCount();
  const cdp = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [found] = registrations.filter(({ isDeleted }) => !isDeleted);
    if (found) registered.resolve(found.registrationId);
  });
  await cdp.send("ServiceWorker.enable");
  const origin = new URL(page.url()).origin;
  const registrationId = await registered.promise;
  await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  await expect.poll(shownCount).toBeGreaterThan(before);
  await cdp.detach();
}

function workerOf(page: Page): Worker {
  const worker = page.context().serviceWorkers()[0];
  if (!worker) throw new Error("The page has no service worker.");
  return worker;
}
