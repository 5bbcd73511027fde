import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { lengthen } from "./page-scenes.ts";
import { openPage, say } from "./page-tab.ts";
import { leastDisturbed, longestTaskOf, ROUNDS } from "./page-tasks.ts";
import { quantile } from "./processes.ts";

export const TURNS = 1_000;

/** A session of 2,000 messages: how long it takes to open, and its longest task while all of it is scrolled through. */
export async function measureLong(browser: Browser, env: Record<string, string>, server: AnthropicServer) {
  const home = temporaryHome();
  try {
    const before = await startGatewayProcess({ home: home.path, env });
    await talkOnce(browser, before, server, "The session that grows");
    await before.stop();
    lengthen(home.path, TURNS);
    const gateway = await startGatewayProcess({ home: home.path, env });
    await talkOnce(browser, gateway, server, "The short session");
    const page = await openPage(browser, gateway);
    await page.goto(`${gateway.url}/c/new`);
    await page.getByRole("link", { name: "The session that grows" }).waitFor();
    const shortMs: number[] = [];
    const openMs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const short = await timeToOpen(page, "The short session", "The first of many.");
      const long = await timeToOpen(page, "The session that grows", `Answer ${TURNS - 1}.`);
      // The code of the cards is fetched with the first one.
      if (round === 0) continue;
      shortMs.push(short);
      openMs.push(long);
    }
    let messages = 0;
    const scrolled = await leastDisturbed(() =>
      longestTaskOf(browser, page, async () => {
        messages = await scrollThrough(page);
      }),
    );
    await page.context().close();
    await gateway.stop();
    return { openMs: quantile(openMs, 0.5), shortMs: quantile(shortMs, 0.5), scrolled, messages };
  } finally {
    home.remove();
  }
}

async function talkOnce(browser: Browser, gateway: GatewayProcess, server: AnthropicServer, words: string) {
  server.will(anthropic.reply("The first of many."));
  const page = await openPage(browser, gateway);
  await page.goto(`${gateway.url}/c/new`);
  await page.waitForFunction(() => performance.getEntriesByName("interactive").length > 0);
  await say(page, words);
  await page.locator(".evidence, .reply-facts").waitFor();
  await page.context().close();
}

/** From the press on a session to the frame that shows its last words. */
function timeToOpen(page: Page, title: string, lastWords: string): Promise<number> {
  return page.evaluate(
    async ([wanted, last]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const link = [...document.querySelectorAll<HTMLElement>(".sessions a, .sessions button")].find((each) =>
        each.textContent?.includes(wanted!),
      );
      if (!link) throw new Error(`no session ${wanted}`);
      const began = performance.now();
      link.click();
      const shown = () => [...document.querySelectorAll("article")].at(-1)?.textContent?.includes(last!);
      while (!shown()) await frame();
      await frame();
      return performance.now() - began;
    },
    [title, lastWords],
  );
}

/** Up to the first message and down again, a screen in each frame; how many messages were seen on the way. */
function scrollThrough(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const log = document.querySelector<HTMLElement>(".log")!;
    const seen = new Set<string>();
    const more = (way: string) =>
      [...document.querySelectorAll(".show-more")].some(({ textContent }) => textContent?.includes(way));
    const look = async () => {
      await frame();
      for (const article of document.querySelectorAll("article")) seen.add(article.ariaLabel ?? "");
    };
    while (log.scrollTop > 0 || more("earlier")) {
      log.scrollTop -= log.clientHeight;
      await look();
    }
    while (log.scrollTop + log.clientHeight < log.scrollHeight - 2 || more("later")) {
      log.scrollTop += log.clientHeight;
      await look();
    }
    return seen.size;
  });
}
