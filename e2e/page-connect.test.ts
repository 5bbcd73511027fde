import { chat } from "@elwood/testkit/chat-wire";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("a server of one's own (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: OpenaiServer;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    server = await startOpenai();
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.kill();
    await server?.close();
  });

  test("is told to be kept where it was, also when it could not be made the one that answers", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/connections`, gateway.token);
    await page.getByLabel("Whose model?").selectOption("custom");
    await page.getByLabel("Its address").fill(server.baseUrl);
    await page.getByLabel("Which of its models?").fill("qwen3");
    // It holds nothing but blanks: nothing is asked of anybody.
    await page.getByLabel("Key", { exact: true }).fill("   ");
    await page.getByRole("button", { name: "Test and keep" }).click();
    await expect.poll(() => page.locator(".connect-model :invalid").count()).toBeGreaterThan(0);
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);

    server.willChat(chat.reply("ok"), openaiError(500, { headers: { "x-should-retry": "false" } }));
    await page.getByLabel("Key", { exact: true }).fill("any-word");
    await page.getByRole("button", { name: "Test and keep" }).click();
    const said = page.locator(".connect-model .line.bad");
    await said.waitFor();
    expect(await said.textContent()).toMatch(
      /The key is kept as custom:default\. But it does not answer yet: /,
    );
    await page.locator(".profile", { hasText: "custom:default" }).waitFor();
    expect(await page.locator(".connection-now code").first().textContent()).toBe("demo/scripted");
    expect(tab.faults).toEqual([]);
  });
});
