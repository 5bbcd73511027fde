import { gate, json } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { announced, box } from "./page-box.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { layoutFaults } from "./page-checks.ts";
import { anthropicEnv, inTwo, logIn, replyIs, say } from "./page-talk.ts";

const MODELS = ["claude-sonnet-5-5", "evil\u202egnp.exe", "<b>bold</b>", `long-${"x".repeat(300)}`];

describe.skipIf(!BROWSER_PATH)("a crowded chat (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    server = await startAnthropic();
    const data = MODELS.map((id) => ({
      type: "model",
      id,
      display_name: id,
      created_at: "2026-01-01T00:00:00Z",
    }));
    server.always("GET /v1/models", json(200, { data, has_more: false }));
    [browser, gateway] = await Promise.all([
      launchBrowser(),
      startGatewayProcess({ env: anthropicEnv(server) }),
    ]);
  });
  afterAll(async () => {
    await gateway?.kill();
    await server?.close();
    await closeTabs(browser);
  });

  for (const viewport of [
    { width: 360, height: 640 },
    { width: 1_280, height: 720 },
  ])
    test(`twenty messages that wait leave room to read, ${viewport.width} px wide`, async () => {
      const door = gate();
      const pieces = [`${"A line.\n\n".repeat(40)}One `, "\n\nmore ", "and more."];
      const events = anthropic.events({ content: [{ type: "text", text: pieces.join(""), pieces }] });
      // It never ends: what waits behind it goes nowhere.
      server.will(anthropic.stream([...events.slice(0, 4), { wait: door }, events[4]!, { hang: true }]));
      await using tab = await openTab(browser, { viewport });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "First");
      await page.getByText("One", { exact: true }).waitFor();
      for (let i = 0; i < 21; i++) await say(page, `Message ${i}`);
      await expect.poll(() => page.locator(".queued-row").count()).toBe(20);
      await expect.poll(() => box(page).inputValue()).toBe("Message 20");
      const [log, send, main] = await Promise.all(
        [".log", "#send", "main"].map((each) => page.locator(each).boundingBox()),
      );
      expect(log!.height).toBeGreaterThan(100);
      expect(send!.y + send!.height).toBeLessThanOrEqual(main!.y + main!.height);
      expect(await page.evaluate(layoutFaults)).toEqual([]);

      await page.getByRole("log").evaluate((each) => (each.scrollTop = 0));
      const jump = page.getByRole("button", { name: "Jump to newest" });
      door.open();
      await jump.waitFor();
      const at = (await jump.boundingBox())!;
      const now = (await page.locator(".log").boundingBox())!;
      expect(at.y).toBeGreaterThanOrEqual(now.y);
      expect(at.y + at.height).toBeLessThanOrEqual(now.y + now.height);
    });

  test("names of models are their providers' words: shown letter by letter, nothing hidden, nothing cut off", async () => {
    await using tab = await openTab(browser, { viewport: { width: 360, height: 640 } });
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const menu = page.getByRole("dialog");
    await page.locator(".composer-model").click();
    await menu.getByRole("button", { name: "<b>bold</b>" }).waitFor();
    await menu.getByRole("searchbox").fill("nothing of that name");
    await menu.getByText("None of those listed has that in its name.").waitFor();
    await menu.getByRole("searchbox").fill("evil");
    await menu.getByRole("button", { name: "evil\\u202egnp.exe" }).click();
    await page.locator(".composer-model", { hasText: "evil\\u202egnp.exe" }).waitFor();
    expect(await page.locator(".composer-model").getAttribute("title")).not.toContain("\u202e");
    await expect.poll(() => announced(page)).toBe("evil\\u202egnp.exe answers your next message.");
    await page.locator(".composer-model").click();
    await menu.getByRole("button", { name: "long-xxx" }).click();
    await page.locator(".composer-model", { hasText: "long-xxx" }).waitFor();
    expect(await page.evaluate(layoutFaults)).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test("Escape that closes what lies over the page stops no answer", async () => {
    const door = gate();
    server.will(inTwo("One ", "more.", door));
    await using tab = await openTab(browser, { viewport: { width: 800, height: 700 } });
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await say(page, "Go on");
    await replyIs(page, "One");
    await page.locator(".chat-head").getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menuitem", { name: "Delete" }).waitFor({ state: "hidden" });
    door.open();
    await replyIs(page, "One more.");
  });

  test("a session that is deleted elsewhere says so above the box, until it is back", async () => {
    server.will(anthropic.reply("Hi."), anthropic.reply("Hi again."));
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await say(page, "Hello");
    await replyIs(page, "Hi.");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await replyIs(other, "Hi.");
    await menu(other, "Delete");
    await page.getByRole("alert").getByText("This session was deleted.").waitFor();
    // Not where it was done.
    await other.getByText("What can I do for you?").waitFor();
    expect(await other.getByRole("alert").count()).toBe(0);
    await other.getByRole("button", { name: "Undo" }).click();
    await page.getByText("This session was deleted.").waitFor({ state: "detached" });
    await say(page, "Still there?");
    await replyIs(page, "Hi again.");
  });

  test("what the palette finds in a conversation leads to where it was said", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    server.will(anthropic.reply(`Aubergines. ${"\n\nA line.".repeat(60)}`), anthropic.reply("Hi."));
    await say(page, "Which vegetable?");
    await page.locator(".evidence, .reply-facts").waitFor();
    await say(page, "Hello");
    await replyIs(page, "Hi.");
    await page.goto(`${gateway.url}/runs`);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("Aubergines");
    await page.getByRole("option", { name: /Aubergines/ }).click();
    const asked = page.getByText("Which vegetable?", { exact: true }).last();
    await expect.poll(async () => (await asked.boundingBox())?.y ?? -1).toBeGreaterThan(0);
  });
});

async function menu(page: Page, name: string): Promise<void> {
  await page.locator(".chat-head").getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name }).click();
}
