import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { actScene, DELETE, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, openTab, resize } from "./page-browser.ts";
import { card, outcome, press, takesPresses } from "./page-card.ts";
import { layoutFaults } from "./page-checks.ts";
import { withPageScene } from "./page-scene.ts";
import { logIn, say } from "./page-talk.ts";

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

  test("a card that is a line, a message that was sent, a hold that was let go and the word on the log come to rest within 160 ms; for who wants no motion nothing moves", async () => {
    await using scene = await actScene({ config: "policy:\n  mode: strict\n" });
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await using tab = await openTab(browser, { reducedMotion });
      const { page } = tab;
      await page.addInitScript(recordMotion);
      await logIn(page, `${scene.gateway.url}/c/new`, scene.gateway.token);
      const moved = async (of: string) =>
        (await page.evaluate(() => (window as unknown as { moved: [string, number][] }).moved))
          .filter(([what]) => what.includes(of))
          .map(([, ms]) => ms);
      const rests = async (of: string) => {
        if (reducedMotion === "reduce") return;
        await expect.poll(() => moved(of), { message: of }).not.toEqual([]);
        for (const ms of await moved(of)) {
          expect(ms, of).toBeGreaterThanOrEqual(120);
          expect(ms, of).toBeLessThanOrEqual(160);
        }
      };
      const file = `motion-${reducedMotion}.txt`;
      await say(page, scene.model.plan([[WRITE(file, "a\n")]]));
      await card(page).waitFor();
      const next = scene.model.plan([[DELETE(file)]]);
      await say(page, next);
      await page.locator(".queued-row").waitFor();
      await rests("queued-row");
      await press(page, "Allow");
      await outcome(page, "you allowed it");
      await rests("approval-outcome");
      await page.locator("article.you", { hasText: next }).waitFor();
      await rests("message you");
      await takesPresses(page);
      const hold = card(page).locator(".hold");
      await hold.hover();
      await page.mouse.down();
      await card(page).locator(".hold[data-holding]").waitFor();
      // Let go within the first frame nothing was drawn yet, so nothing would go back.
      await expect.poll(() => hold.evaluate(drawnShare)).toBeGreaterThan(0);
      await page.mouse.up();
      await expect.poll(() => card(page).locator(".hold[data-holding]").count()).toBe(0);
      await rests("::after");
      await press(page, "Deny");
      await outcome(page, "denied");
      await page.goto(`${scene.gateway.url}/receipts`);
      await page.getByRole("button", { name: "Verify in this browser" }).click();
      await page.locator(".verdict").first().waitFor();
      await rests("verdict");
      if (reducedMotion === "reduce") expect(await moved("")).toEqual([]);
      expect(tab.faults).toEqual([]);
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

/** Runs in the page: how much of a button that is held is filled, from 0 to 1. */
function drawnShare(hold: Element): number {
  return new DOMMatrix(getComputedStyle(hold, "::after").transform).a;
}

/** Runs in the page before its own scripts: whatever begins to move, over reloads too, and for how long. */
function recordMotion(): void {
  const KEY = "test.moved";
  const moved = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, number][];
  Object.assign(window, { moved });
  const note = (
    target: EventTarget | null,
    part: string,
    style: "animationDuration" | "transitionDuration",
  ) => {
    if (!(target instanceof Element)) return;
    // How long holding takes is the point of it; what breathes while something goes on never comes to rest.
    const isHeld = target.matches("[data-holding]");
    const styles = getComputedStyle(target, part === "" ? undefined : part);
    if (isHeld || styles.animationIterationCount === "infinite") return;
    moved.push([`${target.className}${part}`, parseFloat(styles[style]) * 1_000]);
    sessionStorage.setItem(KEY, JSON.stringify(moved));
  };
  addEventListener("animationstart", (event) => note(event.target, event.pseudoElement, "animationDuration"));
  addEventListener("transitionrun", (event) => note(event.target, event.pseudoElement, "transitionDuration"));
}
