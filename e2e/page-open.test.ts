import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { logIn, replyIs, say } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";
import { withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)("a page that stays open (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, server, gateway } = scene));

  test("what was said now was said ten minutes ago, ten minutes later", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.clock.install();
    // Only the clock of the page is moved, so it must not be set by the gateway's if it has to connect again.
    await bendAnswers(
      page,
      () => undefined,
      (hello) => ({ ...hello, now: undefined }),
    );
    await logIn(page, gateway.url, gateway.token);
    server.will(anthropic.reply("Hello."));
    await say(page, "Hi");
    await replyIs(page, "Hello.");
    const times = () => page.locator("article time").allInnerTexts();
    await expect.poll(times).toEqual(["now", "now"]);
    await page.clock.fastForward("10:00");
    await expect.poll(times).toEqual(["10 min ago", "10 min ago"]);
    // What is drawn anew says the same.
    server.will(anthropic.reply("Still here."));
    await say(page, "Hi again");
    await page.locator(".evidence, .reply-facts").nth(1).waitFor();
    await page.clock.fastForward("02:00:00");
    await expect.poll(times).toEqual(["2 h ago", "2 h ago", "2 h ago", "2 h ago"]);
    expect(tab.faults).toEqual([]);
  });

  test("a picture whose address ran out before it was looked at is asked for again, and opens once", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 40 } });
    await page.locator("#attach").setInputFiles([{ name: "a.png", mimeType: "image/png", buffer }]);
    await page.locator('.upload[data-state="ready"]').waitFor();
    const isOut = gate();
    const runOut = async (route: Route) => {
      await route.fulfill({ status: 404 });
      isOut.open();
    };
    await page.route("**/blobs/**", runOut, { times: 1 });
    server.will(anthropic.reply("A picture."));
    await say(page, "Look");
    await isOut.opened;
    const picture = page.locator("article.you img");
    await expect.poll(() => picture.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(40);
    await picture.dblclick();
    const large = page.getByRole("dialog", { name: "a.png" });
    await large.waitFor();
    // The second of two quick presses may come when it is open already.
    await large.dispatchEvent("click", { detail: 2 });
    expect(await large.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
  });
});
