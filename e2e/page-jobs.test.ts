import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("jobs on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    const config = [
      "timeZone: Europe/Berlin",
      "cron:",
      "  - name: morning news",
      '    schedule: "0 8 * * 1-5"',
      "    message: What is new in my notes?",
      "",
    ].join("\n");
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess({ config })]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.kill();
  });

  test("are listed with their next time, made, run, paused and removed, and say what became of them", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/jobs`, gateway.token);
    const news = page.locator(".job", { hasText: "morning news" });
    await news.getByText(/next .* 08:00/).waitFor();

    await page.getByRole("button", { name: "New job" }).click();
    await page.getByLabel("Text", { exact: true }).fill("call the landlord");
    await page.getByLabel("When").selectOption("cron");
    await page.getByLabel("Cron expression").fill("0 9 31 2 *");
    await page.getByLabel("Name", { exact: true }).fill("landlord / rent");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("call the landlord");
    await page.getByLabel("Cron expression").fill("0 9 1 * *");
    await page.getByRole("button", { name: "Add it" }).click();
    const rent = page.locator(".job", { hasText: "landlord / rent" });
    await rent.getByText("has not run yet").waitFor();

    await rent.getByRole("button", { name: "Run now" }).click();
    await rent.getByText("done").waitFor();
    await rent.getByRole("button", { name: "Pause" }).click();
    await rent.getByText("paused").waitFor();
    await rent.getByRole("link", { name: "landlord / rent" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.getByRole("row", { name: /by hand.*done/ }).waitFor();
    await page.getByRole("button", { name: "Remove this job" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await news.waitFor();
    await expect.poll(() => page.locator(".job", { hasText: "landlord" }).count()).toBe(0);

    await news.getByRole("link", { name: "morning news" }).click();
    await page.getByText("It is set in config.yaml").waitFor();
    expect(await page.locator(".job-next li").count()).toBe(5);
    expect(tab.faults).toEqual([]);
  });
});
