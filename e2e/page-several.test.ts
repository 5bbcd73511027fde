import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("sessions in the list (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  let wire: Wire;
  let tab: Tab;
  let page: Page;
  const titles = () => page.locator(".session-title").allInnerTexts();
  const named = async (title: string) => {
    const sessionKey = await openSession(wire);
    await ask(wire, sessionKey, "hello");
    await wire.result("sessions.rename", { sessionKey, title });
    return sessionKey;
  };

  beforeAll(async () => {
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess()]);
    wire = await Wire.authenticated(gateway.url, gateway.token);
    tab = await openTab(browser);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await wire?.close();
    await gateway?.kill();
    await closeTabs(browser);
  });

  test("several are picked with the keyboard, deleted together, and brought back by one press", async () => {
    const keys = [await named("one"), await named("two"), await named("three"), await named("four")];
    await logIn(page, `${gateway.url}/c/${keys[3]}`, gateway.token);
    await expect.poll(titles).toEqual(["four", "three", "two", "one"]);
    await page.getByRole("button", { name: "Select" }).click();
    const remove = page.getByRole("button", { name: /^Delete \d/ });
    await expect.poll(() => remove.isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: "three" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.locator('.sessions .row[tabindex="0"]').focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor({ state: "attached" });
    // Pressed twice, it is done once.
    await remove.dblclick();
    await expect.poll(titles).toEqual(["three", "one"]);
    await page.getByText("2 sessions are in the trash for 30 days.").waitFor();
    expect(await page.locator(".toast").count()).toBe(1);
    // The one that was open is not there any more.
    await expect.poll(() => new URL(page.url()).pathname).toBe("/c/new");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await titles()).toSorted()).toEqual(["four", "one", "three", "two"]);
    await page.getByRole("button", { name: "Select" }).click();
    await page.getByRole("button", { name: "All" }).click();
    await page.getByRole("button", { name: "Delete 4" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("a.session").first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("titles that turn or hide text are written out: in the list, at the top, and in the palette", async () => {
    const key = await named("pay\u202ellib\u202c \u200bnow \u001b[31m");
    const shown = "pay\\u202ellib\\u202c \\u200bnow";
    await page.goto(`${gateway.url}/c/${key}`);
    await page.locator("#chat-title", { hasText: shown }).waitFor();
    await page.locator(".session-title", { hasText: shown }).waitFor();
    expect(await page.locator("#chat-title").getAttribute("title")).toContain(shown);
    await page.keyboard.press("Control+k");
    await page.getByRole("option").filter({ hasText: shown }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".session-row[data-open] .session-more").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.locator(".toast", { hasText: shown }).waitFor();
    expect(await page.locator("body").innerText()).not.toMatch(/[\u202e\u200b]/);
  });
});
