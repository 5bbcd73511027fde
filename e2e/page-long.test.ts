import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { piecesOf } from "@elwood/testkit/answers";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import { anthropicEnv, connected, logIn, replyIs, say } from "./page-talk.ts";

const TURNS = 1_000;

describe.skipIf(!BROWSER_PATH)("long conversations on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startAnthropic();
  });
  afterAll(async () => {
    await server?.close();
    await browser?.close();
  });

  test("of 2,000 messages the last ones are drawn; earlier ones come when asked for, and what is read stays put", async () => {
    const home = temporaryHome();
    const options = { home: home.path, env: anthropicEnv(server) };
    const before = await startGatewayProcess(options);
    await using tab = await openTab(browser);
    const { page } = tab;
    server.will(anthropic.reply("The first of many."));
    await logIn(page, before.url, before.token);
    await say(page, "Begin");
    await replyIs(page, "The first of many.");
    const path = new URL(page.url()).pathname;
    await before.stop();
    lengthen(home.path);
    await using gateway = await startGatewayProcess(options);
    await logIn(page, gateway.url, gateway.token);
    await page.goto(gateway.url + path);
    await replyIs(page, `Answer ${TURNS - 1}.`);
    const drawn = () => page.locator("article").count();
    await expect.poll(drawn).toBe(100);
    const log = page.getByRole("log");
    expect(await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(2);
    expect(await page.locator("article").last().getAttribute("aria-label")).toBe("Elwood, message 2000");

    await log.evaluate((e) => (e.scrollTop = 0));
    const oldest = page.locator("article", { hasText: `Question ${TURNS - 50}` });
    await page.getByRole("button", { name: /^Show earlier/ }).click();
    await expect.poll(drawn).toBe(200);
    const top = await log.evaluate((e) => e.getBoundingClientRect().top);
    await expect
      .poll(async () => Math.abs(((await oldest.boundingBox())?.y ?? Infinity) - top))
      .toBeLessThan(200);
    expect(tab.faults).toEqual([]);
    home.remove();
  });

  test("an answer of 40 KB arrives whole, and only its end is drawn anew on the way", async () => {
    await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    await using tab = await openTab(browser);
    const { page } = tab;
    const paragraphs = Array.from(
      { length: 400 },
      (_, i) => `Paragraph ${i} of many, with *some* emphasis and enough words to fill a line or so.`,
    );
    const text = paragraphs.join("\n\n");
    await logIn(page, gateway.url, gateway.token);
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
      anthropic.stream(anthropic.events({ content: [{ type: "text", text, pieces: piecesOf(text, 40) }] })),
    );
    await say(page, "At length");
    await page.locator(".evidence").waitFor();
    await expect.poll(() => page.locator("article.elwood .text p").count()).toBe(400);
    const redrawn = await page.evaluate(() => (window as unknown as { redrawn: () => number }).redrawn());
    // A few blocks at the end of each frame, not all that stands above them.
    expect(redrawn).toBeLessThan(2_000);
    expect(tab.faults).toEqual([]);
  });
});

/** Writes the one transcript of a home anew, as if it had been talked in for long. */
function lengthen(home: string): void {
  const folder = join(home, "sessions/default");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const [asked, said] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const many = Array.from({ length: TURNS }, (_, i) => {
    const run = `run_${String(i).padStart(26, "0")}`;
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
