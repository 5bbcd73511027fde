import { startGatewayProcess } from "@elwood/testkit/gateway-process";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("a full disk on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closeTabs(browser));

  test("what is wrong stands above everything until there is room, and no word that was typed is lost", async (context) => {
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 6_144 }));
    await using gateway = await startGatewayProcess({ home: disk.path });
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const box = page.getByLabel("Message", { exact: true });
    await box.fill("Keep these words");
    disk.fill();
    await box.press("Enter");
    const banner = page.locator(".read-only[role=alert]");
    await banner.getByText(/^The disk is full: Elwood takes on nothing new/).waitFor();
    await expect.poll(() => box.inputValue()).toBe("Keep these words");
    expect(await axeFaults(page)).toEqual([]);
    disk.free();
    await banner.waitFor({ state: "detached" });
  });
});
