import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, resize } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("where there is nothing (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess()]);
  });
  afterAll(async () => {
    await gateway?.kill();
    await closeTabs(browser);
  });

  test("an address that no page has says so, and leads to the chat", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/nonsense/x`, gateway.token);
    await page.getByRole("heading", { name: "Nothing here" }).waitFor();
    await page.getByText("Elwood has no page /nonsense/x").waitFor();
    await expect.poll(() => page.title()).toBe("Nothing here · Elwood");
    expect(await page.locator("textarea").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "To the chat", exact: true }).click();
    await page.getByLabel("Message", { exact: true }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("a run, receipt, approval, tool, note or session that is not there is named, with the way back", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const unknown = { runs: "run", receipts: "receipt", approvals: "approval", tools: "tool" };
    for (const [folder, what] of Object.entries(unknown)) {
      await page.goto(`${gateway.url}/${folder}/unknown`);
      await page.locator(".empty-title", { hasText: `There is no ${what}` }).waitFor();
      expect(await page.getByRole("button", { name: "Try again", exact: true }).count()).toBe(0);
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole("link", { name: "See all there are" }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/${folder}`);
    }
    await page.goto(`${gateway.url}/memory/unknown`);
    await page.getByText("There is no such note yet.").waitFor();
    await page.goto(`${gateway.url}/c/unknown`);
    await page.getByRole("alert").getByText("There is no session unknown.").waitFor();
    await page.getByRole("alert").getByRole("link", { name: "New session" }).click();
    await page.getByText("What can I do for you?").waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("an empty list keeps its one action in shape, and the head of a page takes no room for actions it has not", async () => {
    await using tab = await openTab(browser, { viewport: { width: 768, height: 1024 } });
    const { page } = tab;
    await logIn(page, `${gateway.url}/runs`, gateway.token);
    const height = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0;
    await page.getByRole("link", { name: "Say something" }).waitFor();
    expect(await height(".empty-state .button")).toBeLessThan(60);
    await resize(page, 360, 780);
    expect((await height(".page-head")) - (await height(".page-head > :first-child"))).toBe(0);
    await page.setViewportSize({ width: 768, height: 1024 });
    await page.goto(`${gateway.url}/memory`);
    await page.getByRole("link", { name: "New note" }).waitFor();
    expect((await height(".page-head")) - (await height(".page-head > :first-child"))).toBe(0);
    await page.goto(`${gateway.url}/connections`);
    await page.locator(".empty-state").getByRole("button", { name: "New token…" }).waitFor();
  });
});
