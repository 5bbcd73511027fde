import { anthropic } from "@elwood/testkit/anthropic-server";
import { freePort, startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { alreadyBack, broken, connected, logIn, replyIs, say, startWorld, texts } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("while the gateway is away (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await closeTabs(browser);
  });

  test("a part that was never loaded is told, one that was is shown, and what failed comes by itself afterwards", async () => {
    const home = temporaryHome();
    const port = await freePort();
    const start = () => startGatewayProcess({ home: home.path, port });
    let gateway = await start();
    await using tab = await openTab(browser, { serviceWorkers: "block" });
    const { page } = tab;
    await logIn(page, `${gateway.url}/c/new`, gateway.token);
    await page.locator("elwood-chat-view").waitFor();
    // What is loaded behind the frame of the page, the palette among it, is there.
    await page.waitForLoadState("networkidle");
    await gateway.kill();
    await broken(page);
    // What it says of that fits the rail.
    const [rail, words] = await Promise.all(
      [".rail", ".connection-words"].map((part) => page.locator(part).first().boundingBox()),
    );
    expect(words!.x).toBeGreaterThanOrEqual(rail!.x);
    expect(words!.x + words!.width).toBeLessThanOrEqual(rail!.x + rail!.width);

    await page.keyboard.press("Control+k");
    await page.locator("dialog.palette").waitFor();
    await page.keyboard.press("Escape");
    const failed = (title: string) => page.getByText(`${title} could not be loaded.`);
    await page.getByRole("link", { name: "Approvals", exact: true }).click();
    await failed("Approvals").waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.locator("elwood-chat-view").waitFor();
    expect(await failed("Approvals").count()).toBe(0);
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    await failed("Runs").waitFor();

    gateway = await start();
    await page.getByRole("button", { name: "Retry now" }).click({ timeout: 2_000 }).catch(alreadyBack);
    await connected(page);
    await page.getByText("Nothing has run yet.").waitFor();
    await page.keyboard.press("Control+k");
    await page.locator("dialog.palette").waitFor();
    expect(tab.faults).toEqual([]);
    await gateway.kill();
    home.remove();
  });

  test("messages that wait are seen after a reload too, and go when it is back", async () => {
    await using world = await startWorld(browser);
    const { page } = world.tab;
    world.server.will(anthropic.reply("Hello."));
    await say(page, "Hi");
    await replyIs(page, "Hello.");
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await replyIs(page, "Hello.");
    await world.kill();
    await broken(page);
    for (const text of ["One more", "And another"]) await say(page, text);
    await page.reload();
    await page.locator("article.you", { hasText: "One more" }).waitFor();
    await page.locator(".queued-row", { hasText: "And another" }).waitFor();

    world.server.will(anthropic.reply("First."), anthropic.reply("Second."));
    await world.start();
    await page.getByRole("button", { name: "Retry now" }).click({ timeout: 2_000 }).catch(alreadyBack);
    await replyIs(page, "Second.");
    await expect
      .poll(() => texts(page))
      .toEqual(["Hi", "Hello.", "One more", "First.", "And another", "Second."]);
    expect(world.tab.faults).toEqual([]);
  });
});
