import { json } from "@elwood/testkit/answers";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { chat } from "@elwood/testkit/chat-wire";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { startOpenai } from "@elwood/testkit/openai-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { fileIn } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled, type Tab } from "./page-browser.ts";
import { takesPresses } from "./page-card.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("the welcome (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closeTabs(browser));

  /** A gateway that nobody has talked to, and a browser that was never there. */
  async function firstVisit(
    options: Parameters<typeof startGatewayProcess>[0] = {},
    tabOptions: Parameters<typeof openTab>[1] = {},
  ): Promise<{ gateway: GatewayProcess; tab: Tab; page: Page }> {
    const gateway = await startGatewayProcess(options);
    onTestFinished(() => gateway.kill());
    const tab = await openTab(browser, { welcome: true, ...tabOptions });
    onTestFinished(() => tab[Symbol.asyncDispose]());
    await logIn(tab.page, gateway.url, gateway.token);
    return { gateway, tab, page: tab.page };
  }

  const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole("button", { name });
  /** Presses a key once the named button has the focus. */
  async function pressOn(page: Page, name: string): Promise<void> {
    await expect.poll(() => focused(page), { timeout: 60_000 }).toContain(name);
    await page.keyboard.press("Enter");
  }
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  /** Presses the key of a card once it has the focus and takes presses. */
  async function decide(page: Page, key: string, asked: string): Promise<void> {
    await expect.poll(() => focused(page), { timeout: 60_000 }).toContain(asked);
    // Once: a further press, while the answer is on its way, would go to whatever has the focus then.
    await takesPresses(page);
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(".approval-outcome").count(), { timeout: 60_000 }).toBe(1);
  }

  test("the whole tour by keyboard, with a reload in the middle: everything in it is the gateway's", async () => {
    const { gateway, tab, page } = await firstVisit({}, { viewport: { width: 1440, height: 900 } });
    await heading(page, "Welcome to Elwood").waitFor();
    expect(new URL(page.url()).pathname).toBe("/welcome");
    // What is not there on most machines is not what somebody reads first.
    expect(await page.locator(".choice-card h2").allInnerTexts()).toEqual([
      "Try the demo",
      "Paste a key",
      "Use what is here",
    ]);
    await button(page, "Try the demo").focus();
    await page.keyboard.press("Enter");

    // A write asks with a diff, and A allows it.
    await pressOn(page, "Send it");
    await page.getByText("Press Allow, or the key A.").waitFor();
    await page.locator(".card-diff", { hasText: "+ milk" }).waitFor();
    // The card is on the screen: nothing above the page says once more that something waits.
    expect(await page.locator(".attention", { hasText: "Waiting for you" }).count()).toBe(0);
    expect(fileIn(gateway.home, "demo/shopping.txt").text).toBeUndefined();
    // Nothing of it has to be scrolled to.
    await expect.poll(() => page.evaluate(outside, CARD_STEP)).toEqual([]);
    await page.reload();
    await heading(page, "Allow one").waitFor();
    await page.locator(".approval").waitFor();
    await page.locator(".approval").focus();
    await decide(page, "a", "Create");
    await page.getByText("You allowed it, once.").waitFor();
    await expect
      .poll(() => fileIn(gateway.home, "demo/shopping.txt").text)
      .toBe("milk\neggs\nbread\napples\n");

    // A denied one is told honestly.
    await pressOn(page, "Next: Deny one");
    await pressOn(page, "Send it");
    await page.locator(".approval-buttons").waitFor();
    await expect.poll(() => page.evaluate(outside, CARD_STEP)).toEqual([]);
    await decide(page, "d", "Delete demo/shopping.txt");
    await page.getByText("You denied it, and nothing was changed.").waitFor();
    await page.locator("article.elwood .text", { hasText: "That was denied" }).last().waitFor();
    await page.locator(".own-words", { hasText: /^Not done, you said no: delete files? →/ }).waitFor();
    expect(fileIn(gateway.home, "demo/shopping.txt").text).toBe("milk\neggs\nbread\napples\n");

    // A read runs by itself, and shows that the file is still there.
    await pressOn(page, "Next: Let it look");
    await pressOn(page, "Send it");
    await page.getByText("Nothing was asked").waitFor();
    await page.locator(".evidence-line", { hasText: "1 local read" }).waitFor();

    // What is on record is recomputed here.
    await pressOn(page, "Next: Verify");
    await pressOn(page, "Verify in this browser");
    expect(await page.locator(".verdict.ok").textContent()).toMatch(
      /All \d+ receipts are as they were written/,
    );
    await expect
      .poll(() => page.evaluate(outside, ["#tour-step", ".tour-now .verdict", ".tour-foot"]))
      .toEqual([]);
    await button(page, "Change one letter and see it caught").press("Enter");
    await page.locator(".verdict", { hasText: "The log was altered at receipt" }).waitFor();
    await pressOn(page, "Put it back");
    await page.locator(".verdict.ok", { hasText: "as they were written" }).waitFor();
    await button(page, "Next: Connect a model").press("Enter");
    await heading(page, "Connect a model").waitFor();
    await page.getByRole("link", { name: "To the chat", exact: true }).press("Enter");

    // It was a session like any other, and this is no first visit any more.
    await page.getByText("Delete demo/shopping.txt").first().waitFor();
    await page.goto(gateway.url);
    await connected(page);
    await page.getByLabel("Message", { exact: true }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("denied where the tour would allow: it goes on, and tells what happened", async () => {
    const { page, gateway } = await firstVisit();
    await button(page, "Try the demo").click();
    await button(page, "Send it").click();
    await decide(page, "d", "Create");
    await page.getByText("You denied it, and nothing was changed.").waitFor();
    expect(fileIn(gateway.home, "demo/shopping.txt").text).toBeUndefined();
    await button(page, "Next: Deny one").click();
    await button(page, "Send it").click();
    // There is no folder to look into, and nobody says otherwise.
    await page.getByText("That did not work here").waitFor();
    await button(page, "Next: Let it look").click();
    await button(page, "Send it").click();
    await page.getByText("Nothing was asked").waitFor();
  });

  test("skipped, it stays away in this browser; the palette and Settings lead back", async () => {
    const { page, gateway } = await firstVisit();
    await button(page, "Skip").click();
    await page.getByLabel("Message", { exact: true }).waitFor();
    await page.goto(gateway.url);
    await page.getByLabel("Message", { exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.locator("dialog.palette input").fill("tour with the demo");
    await page.keyboard.press("Enter");
    await heading(page, "Welcome to Elwood").waitFor();
    await page.goto(`${gateway.url}/settings`);
    await page.getByRole("link", { name: "Show the welcome again" }).click();
    await heading(page, "Welcome to Elwood").waitFor();
  });

  test("OA-9: a refused key is not kept; a good one is, after a real answer, with its price", async () => {
    const server = await startAnthropic();
    onTestFinished(() => server.close());
    const { page, gateway, tab } = await firstVisit({ env: { ANTHROPIC_BASE_URL: server.url } });
    await page.getByRole("button", { name: "Paste a key" }).click();
    await page.getByLabel("Key", { exact: true }).fill("sk-ant-canary-refused-000000");
    server.will(anthropic.error(401));
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText(/Nothing was saved\.$/).waitFor();
    expect(await page.getByText("Demo model: scripted answers.").count()).toBe(1);

    server.will(anthropic.reply("ok"));
    await page.getByLabel("Key", { exact: true }).fill("sk-ant-canary-good-000000");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const told = page.getByText(/answered in .*, for .*The key is kept as anthropic:default/);
    await told.waitFor();
    await page.getByText(/^Using anthropic\//).waitFor();
    expect(await page.content()).not.toContain("canary-good");

    // From now on there is no tour, just one line.
    await page.reload();
    await page.getByText(/^Using anthropic\//).waitFor();
    expect(await button(page, "Try the demo").count()).toBe(0);
    await page.goto(gateway.url);
    await page.getByLabel("Message", { exact: true }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("a model server on this machine is found, asked, and used", async () => {
    const server = await startOpenai();
    onTestFinished(() => server.close());
    server.always("GET /api/tags", json(200, { models: [{ name: "qwen3" }] }));
    const config = `providers:\n  ollama:\n    baseUrl: ${server.baseUrl}\n`;
    const { page } = await firstVisit({ config });
    await page.getByText(`answers at ${server.baseUrl}`).waitFor();
    server.willChat(chat.reply("ok"));
    await button(page, "Use qwen3").click();
    await page.getByText("ollama/qwen3 answers from now on.").waitFor();
    await page.getByText(/^Using ollama\/qwen3/).waitFor();
  });

  test("nothing is amiss for axe, nor on 360 px, light and dark", async () => {
    const { page } = await firstVisit({}, { viewport: { width: 360, height: 740 } });
    const isSound = async () => {
      await settled(page);
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      expect(await axeFaults(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await axeFaults(page, "colours"), "dark").toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    };
    await heading(page, "Use what is here").waitFor();
    await isSound();
    await button(page, "Try the demo").click();
    await button(page, "Send it").click();
    await page.locator(".approval-buttons").waitFor();
    await isSound();
  });
});

/** What a step shows that waits for its owner. */
const CARD_STEP = ["#tour-step", ".approval", ".approval-buttons", ".tour-foot"];

/** Runs in the page: which of these are not there, or not wholly on the screen. */
function outside(parts: readonly string[]): string[] {
  return parts.filter((part) => {
    const { top = -1, bottom = 0 } = document.querySelector(part)?.getBoundingClientRect() ?? {};
    return top < 0 || bottom > innerHeight;
  });
}
