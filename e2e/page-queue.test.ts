import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { announced, box, choose, lastWords, modelsAsked } from "./page-box.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { inTwo, logIn, replyIs, say } from "./page-talk.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)("messages on their way", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  describe("messages that wait", () => {
    test("they are put in another order by keys, buttons and dragging, go in that order, and keep it over a reload", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door));
      const { page } = await chat();
      await say(page, "First");
      await replyIs(page, "One");
      for (const text of ["b", "c", "d"]) await say(page, text);
      const rows = page.locator(".queued-text");
      const order = () => rows.allInnerTexts();
      await expect.poll(order).toEqual(["b", "c", "d"]);
      await expect.poll(() => announced(page)).toBe("Queued: 3 messages wait.");
      expect(await axeFaults(page)).toEqual([]);

      const row = (text: string) =>
        page.locator(".queued-row").filter({ has: page.getByText(text, { exact: true }) });
      await row("d").getByRole("button", { name: "Edit this message" }).focus();
      await page.keyboard.press("Alt+ArrowUp");
      await expect.poll(order).toEqual(["b", "d", "c"]);
      await expect.poll(() => announced(page)).toBe("Moved to place 2 of 3.");
      await expect
        .poll(() => row("d").getByRole("button", { name: "Edit this message" }).evaluate(hasFocus))
        .toBe(true);
      await row("b").getByRole("button", { name: "Send this message later" }).click();
      await expect.poll(order).toEqual(["d", "b", "c"]);
      await drag(page, row("c").locator(".queued-grip"), row("d"));
      await expect.poll(order).toEqual(["c", "d", "b"]);
      await page.reload();
      await expect.poll(order).toEqual(["c", "d", "b"]);
      // The first cannot go any higher.
      await row("c").getByRole("button", { name: "Remove this message" }).focus();
      await page.keyboard.press("Alt+ArrowUp");
      await expect.poll(() => announced(page)).toBe("Stays at place 1 of 3.");
      await page.keyboard.press("Enter");
      await expect.poll(order).toEqual(["d", "b"]);
      server.will(anthropic.reply("To d."), anthropic.reply("To b."));
      door.open();
      await replyIs(page, "To b.");
      expect(lastWords(server).slice(-2)).toEqual([
        expect.stringMatching(/ d$/),
        expect.stringMatching(/ b$/),
      ]);
    });

    test("each keeps the model it was written for, and says so where another one is chosen now", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door), anthropic.reply("Two."), anthropic.reply("Three."));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "First");
      await replyIs(page, "One");
      await say(page, "For the usual one");
      await choose(page, "claude-haiku-5-5");
      await say(page, "For the other");
      await expect.poll(() => page.locator(".queued-model").allInnerTexts()).toEqual(["claude-sonnet-5-5"]);
      door.open();
      await replyIs(page, "Three.");
      expect(modelsAsked(server).slice(-2)).toEqual(["claude-sonnet-5-5", "claude-haiku-5-5"]);
    });

    test("Up takes the last one back into the empty box, and the others go on", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door), anthropic.reply("Two."));
      const { page } = await chat();
      await say(page, "First");
      await replyIs(page, "One");
      await say(page, "Second");
      await say(page, "Thrid");
      await expect.poll(() => page.locator(".queued-row").count()).toBe(2);
      await box(page).press("ArrowUp");
      await expect.poll(() => box(page).inputValue()).toBe("Thrid");
      await expect.poll(() => page.locator(".queued-text").allInnerTexts()).toEqual(["Second"]);
      door.open();
      await replyIs(page, "Two.");
      expect(await box(page).inputValue()).toBe("Thrid");
    });
  });

  test("Escape stops the answer, then leaves the box; the keys of the box stand in the sheet", async () => {
    const door = gate();
    server.will(inTwo("One ", "more.", door));
    const { page } = await chat();
    await say(page, "Go on");
    await replyIs(page, "One");
    await box(page).fill("half a thought");
    await box(page).press("Escape");
    await page.locator(".line", { hasText: "You stopped this run." }).waitFor();
    await box(page).press("Escape");
    await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe("log");
    expect(await box(page).inputValue()).toBe("half a thought");
    await page.keyboard.press("?");
    await page.getByText("In the empty box: bring the last message back").waitFor();
    door.open();
  });

  test("on a phone nothing is cut off, with messages waiting and in the demo too", async () => {
    const door = gate();
    server.will(inTwo("One ", "more.", door), anthropic.reply("x"), anthropic.reply("y"));
    await using tab = await openTab(browser, { viewport: { width: 360, height: 720 } });
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await say(page, "First");
    await replyIs(page, "One");
    await say(page, "A message that is a good deal longer than what a phone shows in one line");
    await say(page, "And another one");
    await expect.poll(() => page.locator(".queued-row").count()).toBe(2);
    expect(await page.evaluate(layoutFaults)).toEqual([]);
    const [facts, stop] = await Promise.all(
      [".composer-policy", "#stop"].map((each) => page.locator(each).boundingBox()),
    );
    expect(facts!.x + facts!.width).toBeLessThanOrEqual(stop!.x);
    door.open();
    await replyIs(page, "y");
    // The name of the model has the room; of the policy there is the sign, which says the rest.
    expect(await page.locator(".composer-policy").evaluate((each: HTMLElement) => each.innerText)).toBe("");
    expect(await page.locator(".composer-policy").getAttribute("title")).toContain(
      "Asks unless you told it to",
    );
  });
});

function hasFocus(element: Element): boolean {
  return element === document.activeElement;
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = await Promise.all([from.boundingBox(), to.boundingBox()]);
  await page.mouse.move(start!.x + start!.width / 2, start!.y + start!.height / 2);
  await page.mouse.down();
  // Row by row, as a hand does it.
  await page.mouse.move(start!.x + 8, end!.y + end!.height / 2, { steps: 12 });
  await page.mouse.up();
}
