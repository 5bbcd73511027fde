import { gate, type Gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { anthropicEnv, connected, logIn, say } from "./page-talk.ts";

const LINES = 12;

describe.skipIf(!BROWSER_PATH)(
  "reading while the conversation moves (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let server: AnthropicServer;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      server = await startAnthropic();
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

    for (const by of ["wheel", "finger"] as const)
      test(`whoever scrolls up slowly with a ${by} is not pulled back by the lines that come meanwhile`, async () => {
        const doors = Array.from({ length: LINES }, () => gate());
        server.will(lineByLine(doors));
        await using tab = await openTab(browser, { viewport: { width: 800, height: 500 }, hasTouch: true });
        const { page } = tab;
        await logIn(page, gateway.url, gateway.token);
        await say(page, "Line by line");
        await page.getByText("before 39", { exact: true }).waitFor();
        await expect.poll(() => gapBelow(page)).toBeLessThan(2);

        const move = by === "wheel" ? await wheel(page) : await finger(page);
        for (const [i, door] of doors.entries()) {
          await move();
          door.open();
          await page.getByText(`line ${i}`, { exact: true }).waitFor({ state: "attached" });
        }
        // All the lines that came since are below what is seen.
        await expect.poll(() => gapBelow(page)).toBeGreaterThan(LINES * 18);
        await page.getByRole("button", { name: "Jump to newest" }).click();
        await expect.poll(() => gapBelow(page)).toBeLessThan(2);
        expect(tab.faults).toEqual([]);
      });

    test("a message stays the element it is from the moment it is sent, and its answer is followed", async () => {
      await using tab = await openTab(browser, { viewport: { width: 360, height: 640 } });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await page.getByRole("log").evaluate((log) => {
        const removed: string[] = [];
        Object.assign(window, { removed });
        new MutationObserver((records) => {
          for (const { removedNodes } of records)
            for (const node of removedNodes)
              if (node instanceof Element) removed.push(...node.classList, node.localName);
        }).observe(log, { childList: true, subtree: true });
      });
      for (const answer of ["Hello.", "Hello again."]) {
        server.will(anthropic.reply(answer));
        await say(page, "Hello to you, and to all who read along with us. ".repeat(20));
        await expect.poll(() => page.locator("article.elwood .text").last().innerText()).toBe(answer);
        await expect.poll(() => gapBelow(page)).toBeLessThan(2);
      }
      const removed = await page.evaluate(() => (window as unknown as { removed: string[] }).removed);
      expect(removed).not.toContain("turn");
      expect(removed.filter((each) => each === "empty-chat")).toHaveLength(1);
    });

    test("a thought that was opened while it came stays open when the answer begins", async () => {
      const thinks = gate();
      const door = gate();
      const events = anthropic.events({
        content: [
          { type: "thinking", thinking: "I weigh it. ", signature: "c2ln" },
          { type: "text", text: "Hello." },
        ],
      });
      const begins = events.findIndex((event) => event.includes("text_delta"));
      const parts = [...events.slice(0, begins), { wait: thinks }, ...events.slice(begins)];
      server.will(anthropic.stream([...parts.slice(0, -1), { wait: door }, ...parts.slice(-1)]));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "Hello");
      await page.locator(".thinking summary").click();
      await page.getByText("I weigh it.").waitFor();
      thinks.open();
      door.open();
      await page.locator(".evidence, .reply-facts").waitFor();
      await settled(page);
      expect(await page.getByText("I weigh it.").isVisible()).toBe(true);
    });

    test("a picture that comes late above what is read moves nothing, be it part of the same turn", async () => {
      await using tab = await openTab(browser, { viewport: { width: 800, height: 500 } });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } });
      await page.locator("#attach").setInputFiles([{ name: "a.png", mimeType: "image/png", buffer }]);
      await page.locator('.upload[data-state="ready"]').waitFor();
      const paragraphs = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} of a long answer.`);
      server.will(anthropic.reply(paragraphs.join("\n\n")));
      await say(page, "Look at this");
      await page.locator(".evidence, .reply-facts").waitFor();

      const door = gate();
      await page.route("**/blobs/**", async (route) => {
        await door.opened;
        await route.continue();
      });
      await page.reload();
      await connected(page);
      const read = page.getByText("Paragraph 20 of a long answer.");
      await read.waitFor();
      await read.evaluate((each) => each.scrollIntoView({ block: "start" }));
      // The browser tells of it with the next frame.
      await settled(page);
      const before = (await read.boundingBox())!.y;
      door.open();
      await expect
        .poll(() => page.locator("article.you img").evaluate((each) => each.clientHeight))
        .toBe(300);
      await settled(page);
      expect(Math.abs((await read.boundingBox())!.y - before)).toBeLessThan(2);
      expect(tab.faults).toEqual([]);
    });
  },
);

/** More than a screen at once, then a line whenever the next door opens. */
function lineByLine(doors: readonly Gate[]) {
  const before = Array.from({ length: 40 }, (_, i) => `before ${i}`).join("\n\n");
  const pieces = [`${before}\n\n`, ...doors.map((_, i) => `line ${i}\n\n`)];
  const events = anthropic.events({ content: [{ type: "text", text: pieces.join(""), pieces }] });
  return anthropic.stream([
    ...events.slice(0, 4),
    ...doors.flatMap((wait, i) => [{ wait }, events[4 + i]!]),
    ...events.slice(4 + doors.length),
  ]);
}

function gapBelow(page: Page): Promise<number> {
  return page.getByRole("log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
}

/** A little at a time, as a touchpad does it. */
async function wheel(page: Page): Promise<() => Promise<void>> {
  const log = (await page.getByRole("log").boundingBox())!;
  await page.mouse.move(log.x + 40, log.y + 60);
  return () => page.mouse.wheel(0, -6);
}

/** A finger that stays on the glass, and is drawn down. */
async function finger(page: Page): Promise<() => Promise<void>> {
  const log = (await page.getByRole("log").boundingBox())!;
  const cdp = await page.context().newCDPSession(page);
  let y = log.y + 60;
  const touch = async (type: "touchStart" | "touchMove") => {
    await cdp.send("Input.dispatchTouchEvent", { type, touchPoints: [{ x: log.x + 40, y }] });
  };
  await touch("touchStart");
  // So far nothing scrolls: it could still be a tap.
  y += 16;
  await touch("touchMove");
  return () => {
    y += 6;
    return touch("touchMove");
  };
}
