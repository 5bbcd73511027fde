import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER_PATH, openTab, resize } from "./page-browser.ts";
import { layoutFaults } from "./page-checks.ts";
import { withPageScene } from "./page-scene.ts";
import { logIn } from "./page-talk.ts";

const ASSETS = join(import.meta.dirname, "../apps/web/dist/assets");
const FONTS_BYTES_MAX = 110_000;

test("the fonts that come with the page stay small", () => {
  const fonts = readdirSync(ASSETS).filter((name) => name.endsWith(".woff2"));
  expect(fonts).toHaveLength(2);
  expect(fonts.reduce((sum, name) => sum + statSync(join(ASSETS, name)).size, 0)).toBeLessThanOrEqual(
    FONTS_BYTES_MAX,
  );
});

describe.skipIf(!BROWSER_PATH)("the look of the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, gateway } = scene));

  test("text and code have the page's own fonts, from the gateway, which lets browsers keep them", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "font") asked.push(new URL(request.url()).origin);
    });
    await logIn(page, `${gateway.url}/settings`, gateway.token);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const loaded = () =>
      page.evaluate(() =>
        [...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family),
      );
    await expect.poll(loaded).toContain("Inter Variable");
    expect(new Set(asked)).toEqual(new Set([gateway.url]));
    const header = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[as="font"]')!;
      return (await fetch(link.href)).headers.get("cache-control");
    });
    expect(header).toContain("immutable");
    expect(tab.faults).toEqual([]);
  });

  test("text size and spacing are chosen in Settings, hold at once and are there before the page is drawn again", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/settings`, gateway.token);
    const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    const height = () =>
      page.getByRole("button", { name: "Log out of this browser" }).evaluate((b) => b.clientHeight);
    expect(await size()).toBe("16px");
    const usual = await height();
    await page.getByLabel("Text size").selectOption("Large");
    await page.getByLabel("Spacing").selectOption("Compact");
    expect(await size()).toBe("18px");
    expect(await height()).toBeLessThan(usual);
    await page.reload({ waitUntil: "commit" });
    await expect
      .poll(() =>
        page.evaluate(() => {
          const { text, density } = document.documentElement.dataset;
          return { text, density };
        }),
      )
      .toMatchObject({
        text: "large",
        density: "compact",
      });
    await page.getByLabel("Text size").selectOption("Small");
    // A phone would zoom in on smaller letters of a field.
    expect(
      await page.getByLabel("Find").evaluate((field) => parseFloat(getComputedStyle(field).fontSize)),
    ).toBe(16);
  });

  test("the page speaks the language that was chosen, or else the browser's, and says so on the document", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/settings`, gateway.token);
    const lang = () => page.evaluate(() => document.documentElement.lang);
    expect(await lang()).toBe("en");
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.getByLabel("Schriftgröße").waitFor();
    expect(await lang()).toBe("de");
    await page.getByLabel("Sprache").selectOption("English");
    await page.getByLabel("Text size").waitFor();
    expect(tab.faults).toEqual([]);
    await using german = await openTab(browser, { locale: "de-AT" });
    await logIn(german.page, `${gateway.url}/settings`, gateway.token);
    await german.page.getByLabel("Schriftgröße").waitFor();
  });

  test("what became of something comes to rest within 160 ms, and without motion for who wants none", async () => {
    for (const [reducedMotion, least, most] of [
      ["no-preference", 0.12, 0.16],
      ["reduce", 0, 0],
    ] as const) {
      await using tab = await openTab(browser, { reducedMotion });
      const { page } = tab;
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      const seconds = await page.evaluate(() => {
        const line = document.createElement("p");
        line.className = "verdict";
        document.body.append(line);
        const { animationName, animationDuration } = getComputedStyle(line);
        line.remove();
        return animationName === "none" ? 0 : parseFloat(animationDuration);
      });
      expect(seconds).toBeGreaterThanOrEqual(least);
      expect(seconds).toBeLessThanOrEqual(most);
    }
  });

  test("in German no label of the frame is cut off, narrow or wide", async () => {
    await using tab = await openTab(browser, { locale: "de-DE" });
    const { page } = tab;
    await logIn(page, `${gateway.url}/settings`, gateway.token);
    await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
    for (const width of [320, 900, 1440]) {
      await resize(page, width, 900);
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
      const cut = await page
        .locator(".rail-link")
        .evaluateAll((links) =>
          links.filter((link) => link.scrollWidth > link.clientWidth).map((l) => l.textContent),
        );
      expect(cut, `${width} px`).toEqual([]);
    }
    expect(tab.faults).toEqual([]);
  });
});
