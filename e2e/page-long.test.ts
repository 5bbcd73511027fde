import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { piecesOf } from "@elwood/testkit/answers";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled, type Tab } from "./page-browser.ts";
import { anthropicEnv, connected, logIn, replyIs, say } from "./page-talk.ts";

const TURNS = 160;
/** Of a session that somebody has talked in for years. */
const TURNS_OF_YEARS = 10_000;
/** The articles of as many turns as are drawn at a time, and of one that is about to go. */
const DRAWN_MAX = 2 * 90 + 4;

/** Whole conversations are walked through frame by frame. */
const WALK_MS_MAX = 120_000;

describe.skipIf(!BROWSER_PATH)("long conversations on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let long: LongSession;
  let tab: Tab;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startAnthropic();
    long = await talkForLong(server);
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, long.gateway.url, long.gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await long?.close();
    await server?.close();
    await closeTabs(browser);
  });

  test(
    "of a long conversation a part is drawn, earlier messages come as they are scrolled to, and what is read stays put",
    async () => {
      await openLong(page, long);
      const log = page.getByRole("log");
      expect(await page.locator("article").last().getAttribute("aria-label")).toBe(
        `Elwood, message ${2 * TURNS}`,
      );

      // A turn in the middle of the screen, as it is seen in each frame while others come in above it.
      const seen = await log.evaluate(async (e) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        e.scrollTop = e.clientHeight;
        await frame();
        const read = [...e.querySelectorAll("article")].find(
          (each) => each.getBoundingClientRect().top > e.clientHeight / 2,
        )!;
        const before = read.getBoundingClientRect().top;
        const drawnBefore = e.querySelectorAll("article").length;
        let moved = 0;
        for (let i = 0; i < 60; i++) {
          await frame();
          // What the frame before painted is looked at when everything has settled.
          moved = Math.max(moved, Math.abs(read.getBoundingClientRect().top - before));
        }
        return { moved, more: e.querySelectorAll("article").length - drawnBefore };
      });
      expect(seen.more).toBeGreaterThan(0);
      expect(seen.moved).toBeLessThan(2);

      const walked = await walk(page, "up");
      expect(walked).toMatchObject({ first: "You, message 1", all: 2 * TURNS });
      expect(walked.drawnMax).toBeLessThanOrEqual(DRAWN_MAX);
      const back = await walk(page, "down");
      expect(back).toMatchObject({ last: `Elwood, message ${2 * TURNS}`, all: 2 * TURNS });
      expect(back.drawnMax).toBeLessThanOrEqual(DRAWN_MAX);
      // What was let go left nothing behind.
      expect(await page.locator(".turns").evaluate((e) => e.childNodes.length)).toBeLessThan(4 * DRAWN_MAX);
      expect(tab.faults).toEqual([]);
    },
    WALK_MS_MAX,
  );

  test("a session of twenty thousand messages opens at its end, its newest part first", async () => {
    await page.goto(long.gateway.url + long.pathOfYears);
    const last = page.locator("article").last();
    await expect.poll(() => last.textContent()).toContain(`Answer ${TURNS_OF_YEARS - 1}.`);
    await page
      .getByRole("button", { name: `Show earlier messages (${(TURNS_OF_YEARS - 42).toLocaleString("en")})` })
      .waitFor();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    expect(await page.locator("article").count()).toBe(2 * 42);
    expect(await last.getAttribute("aria-label")).toBe(`Elwood, message ${2 * TURNS_OF_YEARS}`);
    expect(tab.faults).toEqual([]);
  });

  test("an address that names a run opens the conversation there", async () => {
    await openLong(page, long);
    const url = page.url();
    await page.goto(`${url}?run=${runId(60)}`);
    const article = page.getByRole("article", { name: "You, message 121", exact: true });
    await expect.poll(async () => isOnScreen(page, await article.boundingBox())).toBe(true);
    // It stays there while more is drawn around it, and the address can be followed again.
    await page.getByRole("button", { name: /^Show later/ }).evaluate((button: HTMLElement) => button.click());
    await expect.poll(() => page.locator("article").count()).toBeGreaterThanOrEqual(90);
    await settled(page);
    expect(isOnScreen(page, await article.boundingBox())).toBe(true);
    expect(page.url()).toBe(url);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Question 60");

    await page.goto(`${url}?run=${runId(5_000)}`);
    await page.getByText("That run is not in this conversation any more.").waitFor();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  test("words are found in all of a conversation, also where it is not drawn, and are marked there", async () => {
    await openLong(page, long);
    await page.getByRole("log").focus();
    await page.keyboard.press("Control+f");
    const words = page.getByRole("searchbox", { name: "Find in this conversation" });
    await words.fill("question 7");
    const status = page.locator(".find-bar [role=status]");
    await expect.poll(() => status.innerText()).toMatch(/^(\d+) of \1$/);
    const first = await status.innerText();
    await words.press("Enter");
    await expect.poll(() => status.innerText()).not.toBe(first);
    await words.fill("question 12");
    const marked = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get("found")?.values() ?? [])].map(({ startContainer, startOffset, endOffset }) =>
          startContainer.textContent?.slice(startOffset, endOffset),
        ),
      );
    await expect.poll(marked).toContain("Question 12");
    await words.fill("no such words");
    await expect.poll(() => status.innerText()).toBe("Nothing found");
    // The same key in the bar is the browser's own; Escape leaves it, and stops nothing.
    await words.press("Escape");
    expect(await words.count()).toBe(0);
    expect(await page.getByRole("log").evaluate((e) => e === document.activeElement)).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  test("Home and End lead to the ends of the conversation, not of what is drawn", async () => {
    await openLong(page, long);
    const log = page.getByRole("log");
    await log.focus();
    await page.keyboard.press("Home");
    await page.getByRole("article", { name: "You, message 1", exact: true }).waitFor();
    await expect.poll(() => log.evaluate((e) => e.scrollTop)).toBe(0);
    await page.keyboard.press("End");
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await expect
      .poll(() => page.locator("article").last().getAttribute("aria-label"))
      .toBe(`Elwood, message ${2 * TURNS}`);
    expect(await log.evaluate((e) => e === document.activeElement)).toBe(true);
  });

  test(
    "a message that is being edited is kept, however far the reader scrolls away from it",
    async () => {
      await openLong(page, long);
      const asked = page.getByRole("article", { name: `You, message ${2 * TURNS - 1}`, exact: true });
      await asked.hover();
      await asked.getByRole("button", { name: "Edit and send again" }).click();
      await page.getByRole("textbox", { name: "Your message" }).fill("Half a thought");
      await walk(page, "up");
      await walk(page, "down");
      const words = () => page.getByRole("textbox", { name: "Your message" }).inputValue();
      await expect.poll(words).toBe("Half a thought");
      // Nor does it go with those that are not drawn any more.
      await page.getByRole("log").focus();
      await page.keyboard.press("Home");
      await expect.poll(() => page.getByRole("textbox", { name: "Your message" }).count()).toBe(0);
      await page.keyboard.press("End");
      await expect.poll(words).toBe("Half a thought");
    },
    WALK_MS_MAX,
  );

  test(
    "a button draws as many earlier turns again, and one leads back to the newest; a new message does too",
    async () => {
      await openLong(page, long);
      const earlier = page.getByRole("button", { name: `Show earlier messages (${TURNS - 42})` });
      await earlier.evaluate((button: HTMLElement) => button.click());
      await expect.poll(() => page.locator("article").count()).toBeGreaterThanOrEqual(2 * 84);

      const log = page.getByRole("log");
      const begin = async () => {
        await log.focus();
        await page.keyboard.press("Home");
        await page.getByRole("button", { name: /^Show later messages/ }).waitFor({ state: "attached" });
      };
      await begin();
      await page.getByRole("button", { name: "Jump to newest" }).click();
      await expect.poll(() => isAtEnd(page)).toBe(true);

      await begin();
      server.will(anthropic.reply("An answer to the last of many."));
      await say(page, "One more");
      await replyIs(page, "An answer to the last of many.");
      await expect.poll(() => isAtEnd(page)).toBe(true);
      expect(await page.locator("article").last().getAttribute("aria-label")).toBe(
        `Elwood, message ${2 * TURNS + 2}`,
      );
      expect(tab.faults).toEqual([]);
    },
    WALK_MS_MAX,
  );

  test("an answer of 40 KB arrives whole, and only its end is drawn anew on the way", async () => {
    const paragraphs = Array.from(
      { length: 400 },
      (_, i) => `Paragraph ${i} of many, with *some* emphasis and enough words to fill a line or so.`,
    );
    const text = paragraphs.join("\n\n");
    await page.goto(`${long.gateway.url}/c/new`);
    await connected(page);
    await page.evaluate(() => {
      let removed = 0;
      Object.assign(window, { redrawn: () => removed });
      new MutationObserver((records) => {
        for (const { removedNodes, target } of records)
          if (target.nodeName === "ELWOOD-MARKDOWN") removed += removedNodes.length;
      }).observe(document.body, { childList: true, subtree: true });
    });
    server.will(
      anthropic.stream(anthropic.events({ content: [{ type: "text", text, pieces: piecesOf(text, 200) }] })),
    );
    await say(page, "At length");
    await page.locator(".evidence, .reply-facts").waitFor();
    await expect.poll(() => page.locator("article.elwood .text p").count()).toBe(400);
    const redrawn = await page.evaluate(() => (window as unknown as { redrawn: () => number }).redrawn());
    // A few blocks at the end of each frame, not all that stands above them.
    expect(redrawn).toBeLessThan(2_000);
    expect(tab.faults).toEqual([]);
  });
});

interface LongSession {
  readonly gateway: GatewayProcess;
  readonly path: string;
  readonly pathOfYears: string;
  close(): Promise<void>;
}

/** A gateway with a session that was talked in for long. */
async function talkForLong(server: AnthropicServer): Promise<LongSession> {
  const home = temporaryHome();
  const options = { home: home.path, env: anthropicEnv(server) };
  const before = await startGatewayProcess(options);
  server.will(anthropic.reply("The first of many."));
  const wire = await Wire.authenticated(before.url, before.token);
  const sessionKey = await openSession(wire);
  await ask(wire, sessionKey, "Begin");
  const ofYears = await openSession(wire);
  server.will(anthropic.reply("The first of very many."));
  await ask(wire, ofYears, "Begin");
  await wire.close();
  const [path, pathOfYears] = [sessionKey, ofYears].map((key) => `/c/${key}`) as [string, string];
  await before.stop();
  lengthen(home.path, sessionKey, TURNS);
  lengthen(home.path, ofYears, TURNS_OF_YEARS);
  const gateway = await startGatewayProcess(options);
  const close = async () => {
    await gateway.stop();
    home.remove();
  };
  return { gateway, path, pathOfYears, close };
}

async function openLong(page: Page, { gateway, path }: LongSession): Promise<void> {
  await page.goto(gateway.url + path);
  await expect.poll(() => page.locator("article").count()).toBe(2 * 42);
  // The newest are there first; now the others are known too.
  await page.getByRole("button", { name: /^Show earlier/ }).waitFor();
  await expect.poll(() => isAtEnd(page)).toBe(true);
}

/** A screen in each frame, until nothing more comes; what was seen on the way. */
function walk(page: Page, way: "up" | "down") {
  return page.getByRole("log").evaluate(async (log, up) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const labels = () => [...log.querySelectorAll("article")].map(({ ariaLabel }) => ariaLabel ?? "");
    const seen = new Set<string>();
    let drawnMax = 0;
    const isMore = () =>
      [...log.querySelectorAll(".show-more")].some((each) =>
        each.textContent?.includes(up ? "earlier" : "later"),
      );
    const isThere = () => (up ? log.scrollTop < 1 : log.scrollTop + log.clientHeight > log.scrollHeight - 2);
    for (let i = 0; i < 5_000 && (!isThere() || isMore()); i++) {
      log.scrollTop += up ? -log.clientHeight : log.clientHeight;
      await frame();
      drawnMax = Math.max(drawnMax, labels().length);
      for (const label of labels()) seen.add(label);
    }
    return { first: labels()[0], last: labels().at(-1), all: seen.size, drawnMax };
  }, way === "up");
}

function isAtEnd(page: Page): Promise<boolean> {
  return page.getByRole("log").evaluate((e) => {
    const isNewest = ![...e.querySelectorAll(".show-more")].some((each) =>
      each.textContent?.includes("later"),
    );
    return isNewest && e.scrollHeight - e.scrollTop - e.clientHeight < 2;
  });
}

function isOnScreen(page: Page, box: { readonly y: number; readonly height: number } | null): boolean {
  return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0);
}

function runId(turn: number): string {
  return `run_${String(turn).padStart(26, "0")}`;
}

/** Writes a transcript of a home anew, as if it had been talked in for long. */
function lengthen(home: string, sessionKey: string, turns: number): void {
  const folder = join(home, "sessions/default");
  const isIts = (name: string) => name.includes(sessionKey) && name.endsWith(".jsonl");
  const file = join(folder, readdirSync(folder).find(isIts) ?? "");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const [asked, said] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const many = Array.from({ length: turns }, (_, i) => {
    const run = runId(i);
    return [
      { ...asked, id: `msg_q${i}`, run, i: 0, n: 2, blocks: [{ type: "text", text: `Question ${i}` }] },
      { ...said, id: `msg_a${i}`, run, i: 1, n: 2, blocks: [{ type: "text", text: `Answer ${i}.` }] },
    ];
  });
  writeFileSync(
    file,
    many
      .flat()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
}
