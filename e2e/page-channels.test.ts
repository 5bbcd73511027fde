import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { TelegramServer } from "@elwood/testkit/telegram-server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("channels on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let telegram: TelegramServer;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    telegram = await new TelegramServer().start();
    const config = `# mine\ntelegram:\n  apiRoot: ${telegram.url} # not the real one\n`;
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess({ config })]);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await gateway?.kill();
    await telegram?.close();
  });

  test("Telegram is connected by its token, tells who asks to be let in, and is disconnected again", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/channels`, gateway.token);
    const row = page.locator("elwood-channel-list .profile", { hasText: "Telegram" }).first();
    await page.getByRole("button", { name: "Connect Telegram" }).click();
    await page.getByLabel("Token of Telegram").fill("987654321:AAwrongWrongWrongWrongWrongWrong00");
    await row.getByRole("button", { name: "Connect", exact: true }).click();
    await row.getByRole("alert").waitFor();
    expect(await row.getByRole("alert").textContent()).toContain("Nothing was changed.");

    await page.getByLabel("Token of Telegram").fill(telegram.token);
    await row.getByRole("button", { name: "Connect", exact: true }).click();
    await row.getByText("connected", { exact: true }).waitFor();
    expect(await page.locator("body").textContent()).not.toContain(telegram.token);
    const written = readFileSync(join(gateway.home, "config.yaml"), "utf8");
    expect(written).toContain("# not the real one");
    expect(written).toContain("token: ${TELEGRAM_BOT_TOKEN}");
    expect(written).not.toContain(telegram.token);

    telegram.say({ id: 666, first_name: "Eve" }, "hello");
    const person = page.locator("elwood-channel-list .profile", { hasText: "Eve" });
    await person.getByText("has a code").waitFor();
    await person.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove them" }).click();
    await person.waitFor({ state: "detached" });

    await row.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await row.getByText("not connected").waitFor();
    expect(readFileSync(join(gateway.home, "config.yaml"), "utf8")).toBe(
      `# mine\ntelegram:\n  apiRoot: ${telegram.url} # not the real one\n`,
    );
    expect(tab.faults).toEqual([]);
  });
});
