import { gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import {
  alreadyBack,
  broken,
  anthropicEnv,
  connected,
  framesSent,
  inTwo,
  logIn,
  opening,
  replyIs,
  say,
  startWorld,
  texts,
} from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("the page in a browser (ELWOOD_TEST_BROWSER names one)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  describe("talking to a model", () => {
    let server: AnthropicServer;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      server = await startAnthropic();
      gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    });
    afterAll(async () => {
      await gateway?.kill();
      await server?.close();
    });

    test("JV-3: an answer appears while it is written, and the gateway's evidence stands below in its own name", async () => {
      const door = gate();
      server.will(inTwo("The first half ", "and the second.", door));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      const sent = framesSent(tab.page);
      await tab.page.reload();
      await connected(tab.page);
      await say(tab.page, "Tell me");
      await replyIs(tab.page, "The first half");
      expect(await tab.page.locator(".evidence").count()).toBe(0);
      door.open();
      await replyIs(tab.page, "The first half and the second.");
      const evidence = tab.page.locator('article [data-from="gateway"].evidence');
      expect(await evidence.textContent()).toContain("No tool ran for this reply.");
      expect(await tab.page.locator("#announcer").textContent()).toBe("Reply ready.");
      expect(await tab.page.getByRole("button", { name: "Stop", exact: true }).isVisible()).toBe(false);
      const message = sent.find((frame) => frame.method === "chat.send");
      expect(message?.params).toMatchObject({ message: "Tell me", idempotencyKey: expect.any(String) });
    });

    test("an attempt that broke off is replaced, not repeated", async () => {
      const door = gate();
      server.will(
        anthropic.stream([...opening("Half of a first try"), { cut: true }]),
        inTwo("The second try, ", "whole.", door),
      );
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Try");
      await tab.page.locator('[data-from="gateway"].line.warn', { hasText: "Trying again" }).waitFor();
      await replyIs(tab.page, "The second try,");
      door.open();
      await replyIs(tab.page, "The second try, whole.");
    });

    test("JV-12: Stop ends the answer and keeps what was written", async () => {
      server.will(anthropic.stream([...opening("Written so far"), { hang: true }]));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Write");
      await replyIs(tab.page, "Written so far");
      // It is found in the list by its words before it is answered.
      await tab.page.locator(".session-row[data-open] .session-title", { hasText: "Write" }).waitFor();
      await tab.page.getByRole("button", { name: "Stop", exact: true }).click();
      // Below what it is about.
      await tab.page
        .locator("article.elwood .text ~ .line", { hasText: "You stopped this answer." })
        .waitFor();
      await replyIs(tab.page, "Written so far");
      await expect.poll(() => server.last().hungUp).toBe(true);
      await tab.page.reload();
      await replyIs(tab.page, "Written so far");
    });

    test("JV-3: a reload in the middle of an answer picks it up again", async () => {
      const door = gate();
      server.will(inTwo("Before the reload, ", "after it.", door));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Go on");
      await replyIs(tab.page, "Before the reload,");
      await tab.page.reload();
      await replyIs(tab.page, "Before the reload,");
      door.open();
      await replyIs(tab.page, "Before the reload, after it.");
      await tab.page.locator(".evidence").waitFor();
      expect(await tab.page.locator("article").count()).toBe(2);
    });

    test("a failure is told in the gateway's words, and what was typed stays to be read", async () => {
      server.will(anthropic.error(401));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Does the key work?");
      const line = tab.page.locator('[data-from="gateway"].line.bad');
      expect(await line.textContent()).toMatch(/^\s*Gateway.*elwood auth anthropic/);
      expect(await tab.page.locator("article.elwood").count()).toBe(0);
      await tab.page.reload();
      await line.waitFor();
      await tab.page.getByText("Does the key work?").first().waitFor();
    });

    test("what a model writes is shown as text and never becomes part of the page", async () => {
      const markup =
        '<img src="/icon.svg" onerror="steps.push(1)"><script>steps.push(2)</script> & <b>bold</b>';
      server.will(anthropic.reply(markup));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "<i>Markup</i>, please");
      await replyIs(tab.page, markup);
      expect(await tab.page.locator(".turns img, .turns script, .turns b, .turns i").count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test("EL-2: a message sent while another is answered waits its turn, and each keeps its own answer", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door), anthropic.reply("Two."));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "First?");
      await replyIs(tab.page, "One");
      await say(tab.page, "Second?");
      await tab.page.getByText("Waits for the message before it").waitFor();
      door.open();
      await replyIs(tab.page, "Two.");
      const shown = ["First?", "One more.", "Second?", "Two."];
      expect(await texts(tab.page)).toEqual(shown);
      await tab.page.reload();
      await replyIs(tab.page, "Two.");
      expect(await texts(tab.page)).toEqual(shown);
    });

    test("a reader who scrolled up is not pulled down by new text, and can jump to it", async () => {
      const door = gate();
      server.will(inTwo("line\n".repeat(200), "the end", door));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "A lot, please");
      await page.locator(".writing .text", { hasText: "line" }).waitFor();
      const log = page.getByRole("log");
      expect(await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(2);
      await log.evaluate((e) => (e.scrollTop = 0));
      door.open();
      await page.locator(".evidence").waitFor();
      expect(await log.evaluate((e) => e.scrollTop)).toBe(0);
      await page.getByRole("button", { name: "Jump to newest" }).click();
      expect(await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(2);
    });

    test("JV-12: sessions are listed, and a click shows the conversation", async () => {
      server.will(anthropic.reply("About apples."), anthropic.reply("About pears."));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "Apples?");
      await replyIs(page, "About apples.");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await say(page, "Pears?");
      await replyIs(page, "About pears.");
      await page.locator(".session", { hasText: "Apples?" }).click();
      await replyIs(page, "About apples.");
      expect(await page.locator("article").count()).toBe(2);
      expect(await page.locator('.session[aria-current="true"] .session-title').innerText()).toBe("Apples?");
      expect(await page.getByRole("log").getAttribute("aria-live")).toBe("off");
    });

    test("what comes late about a session that was left does not show in the one that is open", async () => {
      server.will(anthropic.reply("About plums."), anthropic.reply("About figs."));
      await using tab = await openTab(browser);
      const { page } = tab;
      const late: (() => void)[] = [];
      let hold = false;
      await page.routeWebSocket(/\/ws$/, (socket) => {
        const upstream = socket.connectToServer();
        const held = new Set<string>();
        socket.onMessage((text) => {
          const frame = JSON.parse(String(text)) as { id?: string; method?: string };
          if (hold && frame.id && frame.method === "sessions.get") held.add(frame.id);
          upstream.send(text);
        });
        upstream.onMessage((text) => {
          const { id } = JSON.parse(String(text)) as { id?: string };
          if (id !== undefined && held.has(id)) late.push(() => socket.send(text));
          else socket.send(text);
        });
      });
      await logIn(page, gateway.url, gateway.token);
      await say(page, "Plums?");
      await replyIs(page, "About plums.");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await say(page, "Figs?");
      await replyIs(page, "About figs.");
      hold = true;
      await page.locator(".session", { hasText: "Plums?" }).click();
      await expect.poll(() => late.length).toBeGreaterThan(0);
      hold = false;
      await page.locator(".session", { hasText: "Figs?" }).click();
      await replyIs(page, "About figs.");
      for (const send of late) send();
      await page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await texts(page)).toEqual(["Figs?", "About figs."]);
      expect(await page.locator("#chat-title").innerText()).toBe("Figs?");
    });
  });

  describe("when the gateway goes away", () => {
    test("JV-12: kill -9 in the middle of an answer: the page waits, comes back, and shows the answer once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      world.server.will(
        anthropic.stream([...opening("Half of it"), { hang: true }]),
        anthropic.reply("All of it."),
      );
      await say(page, "Survive");
      await replyIs(page, "Half of it");
      await world.kill();
      await broken(page);
      await replyIs(page, "Half of it");
      await world.start();
      await page.getByRole("button", { name: "Retry now" }).click({ timeout: 1_000 }).catch(alreadyBack);
      await replyIs(page, "All of it.");
      await connected(page);
      expect(await page.locator("article").count()).toBe(2);
      expect(world.tab.faults).toEqual([]);
    });

    test("Stop pressed while it is away ends the run when it is back", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      world.server.will(
        anthropic.stream([...opening("Half of it"), { hang: true }]),
        anthropic.stream([...opening("Half again"), { hang: true }]),
      );
      await say(page, "Never mind");
      await replyIs(page, "Half of it");
      await world.kill();
      await broken(page);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await page.getByRole("button", { name: "Stopping…" }).waitFor();
      await world.start();
      await page.getByText("You stopped this answer.").waitFor();
      expect(await page.locator("#stop").isVisible()).toBe(false);
    });

    test("a message whose acknowledgement never came is sent again after a reload, and counts once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      world.server.will(anthropic.reply("Answered once."));
      let acknowledgements = 0;
      await page.routeWebSocket(/\/ws$/, (socket) => {
        const upstream = socket.connectToServer();
        const sends = new Set<string>();
        socket.onMessage((text) => {
          const frame = JSON.parse(String(text)) as { id?: string; method?: string };
          if (frame.method === "chat.send" && frame.id) sends.add(frame.id);
          upstream.send(text);
        });
        upstream.onMessage((text) => {
          const { id } = JSON.parse(String(text)) as { id?: string };
          const acknowledges = id !== undefined && sends.has(id);
          if (acknowledges) acknowledgements += 1;
          if (!acknowledges || acknowledgements > 1) socket.send(text);
        });
      });
      await page.reload();
      await connected(page);
      await say(page, "Only once");
      await expect.poll(() => acknowledgements).toBe(1);
      await page.reload();
      await replyIs(page, "Answered once.");
      await connected(page);
      expect(acknowledgements).toBe(2);
      expect(await page.locator("article").count()).toBe(2);
      world.server.assertDone();
    });

    test("a message written while it is away, and a draft, survive a reload and are sent once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      await page.getByLabel("Message", { exact: true }).fill("Not finished yet");
      await page.reload();
      await connected(page);
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Not finished yet");
      await world.stop();
      await broken(page);
      await page.getByLabel("Message", { exact: true }).fill("Written in the dark");
      await page.keyboard.press("Enter");
      await page.getByText("Sent as soon as the connection is back.").waitFor();
      world.server.will(anthropic.reply("Read in the light."));
      await world.start();
      await replyIs(page, "Read in the light.");
      expect(await page.getByText("Written in the dark").count()).toBeGreaterThan(0);
      expect(world.server.requests.filter((r) => r.method === "POST")).toHaveLength(1);
      expect(await page.evaluate(() => sessionStorage.getItem("elwood.outbox"))).toBeNull();
    });
  });
});
