import { chat } from "@elwood/testkit/chat-wire";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { CHAT_ROUTE, openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
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
    await closeTabs(browser);
    await gateway?.kill();
    await server?.close();
  });

  test("is told to be kept where it was, also when it could not be made the one that answers", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/connections`, gateway.token);
    await page.getByLabel("Provider").selectOption("custom");
    await page.getByLabel("Name", { exact: true }).fill("home-llm");
    await page.getByLabel("Server URL").fill(server.baseUrl);
    await page.getByLabel("Model", { exact: true }).fill("qwen3");
    // It holds nothing but blanks: nothing is asked of anybody.
    await page.getByLabel("Key", { exact: true }).fill("   ");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await expect.poll(() => page.locator(".connect-model :invalid").count()).toBeGreaterThan(0);
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);

    server.willChat(chat.reply("ok"), openaiError(500, { headers: { "x-should-retry": "false" } }));
    await page.getByLabel("Key", { exact: true }).fill("any-word");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const said = page.locator(".connect-model .line.bad");
    await said.waitFor();
    expect(await said.textContent()).toMatch(
      /The key is kept as home-llm:default\. But it does not answer yet: /,
    );
    await page.locator('.profile [title="home-llm:default"]').waitFor();
    expect(await page.locator(".model-now strong").getAttribute("title")).toBe("demo/scripted");
    expect(tab.faults).toEqual([]);
  });

  test("has a name: a second one gets another, and only on purpose takes the place of the first", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const other = await startOpenai();
    try {
      server.always(CHAT_ROUTE, chat.reply("ok"));
      other.always(CHAT_ROUTE, chat.reply("ok"));
      await logIn(page, `${gateway.url}/connections`, gateway.token);
      const connect = async (name: string, baseUrl: string, key = "any-word") => {
        await page.getByLabel("Provider").selectOption("custom");
        await page.getByLabel("Name", { exact: true }).fill(name);
        await page.getByLabel("Server URL").fill(baseUrl);
        await page.getByLabel("Model", { exact: true }).fill("qwen3");
        await page.getByLabel("Key", { exact: true }).fill(key);
        await page.getByRole("button", { name: "Connect", exact: true }).click();
      };
      const said = page.locator(".connect-model .line");
      await connect("upstairs", server.baseUrl);
      // What the server says it has is offered where its model is typed.
      const offered = page.locator("#connect-models option");
      await expect.poll(() => offered.count()).toBeGreaterThan(0);
      const [model = ""] = await offered.evaluateAll((all) => all.map((each) => each.getAttribute("value")));
      expect(await page.locator("#connect-models-hint").innerText()).toContain(model);
      await page.locator(".connect-model .line.ok", { hasText: "upstairs:default" }).waitFor();
      // Its row is whole: a key too short to be hinted at has no hint, and what was tried just now was used.
      const row = page.locator(".profile", { has: page.locator('[title="upstairs:default"]') });
      await row
        .locator(".profile-facts")
        .getByText(/^used /)
        .waitFor();
      expect(await row.innerText()).not.toMatch(/not used yet|ending in …?\s*$/m);
      await page.getByText("It goes to this gateway and to that server only").waitFor();
      await connect("upstairs", other.baseUrl);
      await page.locator(".connect-model .line.bad", { hasText: "upstairs is there already" }).waitFor();
      expect(await said.textContent()).toContain(`the server at ${server.baseUrl}`);
      await page.locator(".profile", { hasText: server.baseUrl }).first().waitFor();
      expect(other.requests.filter(({ method }) => method === "POST")).toEqual([]);

      await connect("downstairs", other.baseUrl, "");
      await page.locator(".connect-model .line.ok", { hasText: "downstairs:default" }).waitFor();
      await page.locator('.profile [title="upstairs:default"]').waitFor();
      await page.locator('.profile [title="downstairs:default"]').waitFor();
      // Told by the gateway a moment after the profile.
      await expect
        .poll(() => page.locator(".model-now strong").getAttribute("title"))
        .toBe("downstairs/qwen3");

      await connect("upstairs", other.baseUrl);
      await page.getByRole("button", { name: "Replace it" }).click();
      await page.locator(".connect-model .line.ok", { hasText: "upstairs:default" }).waitFor();
      expect(tab.faults).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
