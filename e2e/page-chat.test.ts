import { gate } from "@elwood/testkit/answers";
import { anthropic, ANTHROPIC_ROUTE, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { announced } from "./page-box.ts";
import { BROWSER_PATH, openTab, settled } from "./page-browser.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import {
  alreadyBack,
  broken,
  connected,
  framesSent,
  inTwo,
  logIn,
  opening,
  replyIs,
  say,
  startWorld,
  texts,
  type World,
} from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("the page in a browser (ELWOOD_TEST_BROWSER names one)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  describe("talking to a model", () => {
    test("JV-3: an answer appears while it is written; where nothing was done, nothing stands below but what answered", async () => {
      const door = gate();
      server.will(inTwo("The first half ", "and the second.", door));
      const tab = await chat();
      const sent = framesSent(tab.page);
      await tab.page.reload();
      await connected(tab.page);
      await say(tab.page, "Tell me");
      await replyIs(tab.page, "The first half");
      expect(await tab.page.locator(".reply-facts").count()).toBe(0);
      door.open();
      await replyIs(tab.page, "The first half and the second.");
      await tab.page.locator("article .evidence, article .reply-facts").waitFor();
      expect(await tab.page.locator(".evidence").count()).toBe(0);
      await expect.poll(() => announced(tab.page)).toBe("Reply ready.");
      await tab.page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });
      const message = sent.find((frame) => frame.method === "chat.send");
      expect(message?.params).toMatchObject({ message: "Tell me", idempotencyKey: expect.any(String) });
    });

    test("an attempt that broke off is replaced, not repeated", async () => {
      const door = gate();
      server.will(
        anthropic.stream([...opening("Half of a first try"), { cut: true }]),
        inTwo("The second try, ", "whole.", door),
      );
      const tab = await chat();
      await say(tab.page, "Try");
      await tab.page.locator('[data-from="gateway"].line.warn', { hasText: "Trying again" }).waitFor();
      await replyIs(tab.page, "The second try,");
      door.open();
      await replyIs(tab.page, "The second try, whole.");
    });

    test("JV-12: Stop ends the answer and keeps what was written", async () => {
      server.will(anthropic.stream([...opening("Written so far"), { hang: true }]));
      const tab = await chat();
      await say(tab.page, "Write");
      await replyIs(tab.page, "Written so far");
      // It is found in the list by its words before it is answered.
      await tab.page.locator(".session-row[data-open] .session-title", { hasText: "Write" }).waitFor();
      await tab.page.getByRole("button", { name: "Stop", exact: true }).click();
      // Below what it is about.
      await tab.page.locator("article.elwood .text ~ .line", { hasText: "You stopped this run." }).waitFor();
      await replyIs(tab.page, "Written so far");
      await expect.poll(() => server.last().hungUp).toBe(true);
      await tab.page.reload();
      await replyIs(tab.page, "Written so far");
      // In the same words.
      await tab.page.locator(".line", { hasText: "You stopped this run." }).waitFor();
      await tab.page.goto(`${gateway.url}/c/new`);
      await tab.page.getByText("Using anthropic/claude-sonnet-5-5 (change)").waitFor();
      // What there are tools for, to be finished.
      await tab.page.getByRole("button", { name: "Remember that…" }).click();
      await expect.poll(() => tab.page.locator("#message:focus").inputValue()).toBe("Remember that ");
    });

    test("JV-3: a reload in the middle of an answer picks it up again", async () => {
      const door = gate();
      server.will(inTwo("Before the reload, ", "after it.", door));
      const tab = await chat();
      await say(tab.page, "Go on");
      await replyIs(tab.page, "Before the reload,");
      await tab.page.reload();
      await replyIs(tab.page, "Before the reload,");
      door.open();
      await replyIs(tab.page, "Before the reload, after it.");
      await tab.page.locator(".evidence, .reply-facts").waitFor();
      await expect.poll(() => tab.page.locator("article").count()).toBe(2);
    });

    test("a failure is told in the gateway's words, and what was typed stays to be read", async () => {
      server.will(anthropic.error(401));
      const tab = await chat();
      await say(tab.page, "Does the key work?");
      const line = tab.page.locator('[data-from="gateway"].line.bad');
      await line.filter({ hasText: /^\s*Gateway.*elwood auth anthropic/ }).waitFor();
      expect(await tab.page.locator("article.elwood").count()).toBe(0);
      await tab.page.reload();
      await line.waitFor();
      await tab.page.getByText("Does the key work?").first().waitFor();
    });

    test("what a model writes is shown as text and never becomes part of the page", async () => {
      const markup =
        '<img src="/icon.svg" onerror="steps.push(1)"><script>steps.push(2)</script> & <b>bold</b>';
      server.will(anthropic.reply(markup));
      const tab = await chat();
      await say(tab.page, "<i>Markup</i>, please");
      await replyIs(tab.page, markup);
      expect(await tab.page.locator(".turns img, .turns script, .turns b, .turns i").count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test("EL-2: a message sent while another is answered waits its turn, and each keeps its own answer", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door), anthropic.reply("Two."));
      const tab = await chat();
      await say(tab.page, "First?");
      await replyIs(tab.page, "One");
      await say(tab.page, "Second?");
      await tab.page.getByText("Queued", { exact: true }).waitFor();
      door.open();
      await replyIs(tab.page, "Two.");
      const shown = ["First?", "One more.", "Second?", "Two."];
      await expect.poll(() => texts(tab.page)).toEqual(shown);
      await tab.page.reload();
      await replyIs(tab.page, "Two.");
      await expect.poll(() => texts(tab.page)).toEqual(shown);
    });

    test("a reader who scrolled up is not pulled down by new text, and can jump to it", async () => {
      const door = gate();
      server.will(inTwo("line\n".repeat(200), "the end", door));
      const { page } = await chat();
      await say(page, "A lot, please");
      await page.locator(".writing .text", { hasText: "line" }).waitFor();
      const log = page.getByRole("log");
      const gap = () => log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
      await expect.poll(gap).toBeLessThan(2);
      await log.evaluate((e) => (e.scrollTop = 0));
      // The browser tells of it with the next frame.
      await settled(page);
      door.open();
      await page.locator(".evidence, .reply-facts").waitFor();
      expect(await log.evaluate((e) => e.scrollTop)).toBe(0);
      await page.getByRole("button", { name: "Jump to newest" }).click();
      await expect.poll(gap).toBeLessThan(2);
    });

    test("JV-12: sessions are listed, and a click shows the conversation", async () => {
      server.will(anthropic.reply("About apples."), anthropic.reply("About pears."));
      const { page } = await chat();
      await say(page, "Apples?");
      await replyIs(page, "About apples.");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await say(page, "Pears?");
      await replyIs(page, "About pears.");
      await page.locator(".session", { hasText: "Apples?" }).click();
      await replyIs(page, "About apples.");
      await expect.poll(() => page.locator("article").count()).toBe(2);
      await page.locator('.session[aria-current="true"] .session-title', { hasText: "Apples?" }).waitFor();
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
      await settled(page);
      expect(await texts(page)).toEqual(["Figs?", "About figs."]);
      expect(await page.locator("#chat-title").innerText()).toBe("Figs?");
    });
  });

  describe("when the gateway goes away", () => {
    let world: World;
    let page: Page;
    beforeAll(async () => {
      world = await startWorld(browser);
      page = world.tab.page;
    });
    afterAll(() => world?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      await page.goto(`${world.url}/c/new`);
      await connected(page);
    });

    test("JV-12: kill -9 in the middle of an answer: the page waits, comes back, and shows the answer once", async () => {
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
      await expect.poll(() => page.locator("article").count()).toBe(2);
      expect(world.tab.faults).toEqual([]);
    });

    test("Stop pressed while it is away ends the run when it is back", async () => {
      world.server.will(anthropic.stream([...opening("Half of it"), { hang: true }]));
      // The run may be stopped before the gateway that is back has asked again.
      world.server.always(ANTHROPIC_ROUTE, anthropic.stream([...opening("Half again"), { hang: true }]));
      await say(page, "Never mind");
      await replyIs(page, "Half of it");
      await world.kill();
      await broken(page);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await page.getByRole("button", { name: "Stopping…" }).waitFor();
      await world.start();
      await page.locator(".line", { hasText: "You stopped this run." }).waitFor();
      await page.locator("#stop").waitFor({ state: "hidden" });
    });

    test("a message whose acknowledgement never came is sent again after a reload, and counts once", async () => {
      server.will(anthropic.reply("Answered once."));
      await using tab = await openTab(browser);
      const { page } = tab;
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
      await logIn(page, gateway.url, gateway.token);
      await say(page, "Only once");
      await expect.poll(() => acknowledgements).toBe(1);
      await page.reload();
      await replyIs(page, "Answered once.");
      await expect.poll(() => acknowledgements).toBe(2);
      await settled(page);
      expect(await page.locator("article").count()).toBe(2);
      server.assertDone();
    });

    test("a message written while it is away, and a draft, survive a reload and are sent once", async () => {
      await page.getByLabel("Message", { exact: true }).fill("Not finished yet");
      await page.reload();
      await connected(page);
      await expect
        .poll(() => page.getByLabel("Message", { exact: true }).inputValue())
        .toBe("Not finished yet");
      await world.stop();
      await broken(page);
      await page.getByLabel("Message", { exact: true }).fill("Written in the dark");
      await page.keyboard.press("Enter");
      await page.getByText("Sent as soon as the connection is back.").waitFor();
      const asked = world.server.requests.filter((r) => r.method === "POST").length;
      world.server.will(anthropic.reply("Good evening to you."));
      await world.start();
      await replyIs(page, "Good evening to you.");
      expect(await page.getByText("Written in the dark").count()).toBeGreaterThan(0);
      expect(world.server.requests.filter((r) => r.method === "POST")).toHaveLength(asked + 1);
      await expect.poll(() => page.evaluate(() => sessionStorage.getItem("elwood.outbox"))).toBeNull();
    });
  });
});
