import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, fileIn, pendingOf, runCalls, type Scene, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { logIn } from "./page-talk.ts";

const SESSIONS = 25;
const CALLS = 20;

describe.skipIf(!BROWSER_PATH)("five hundred things that wait (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  beforeAll(async () => {
    [browser, scene] = await Promise.all([
      launchBrowser(),
      actScene({ config: "policy:\n  mode: strict\nlimits:\n  parallelRuns: 32\n" }),
    ]);
  });
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  test("are listed in time, drawn a part at a time, and decided like any other", async () => {
    for (let session = 0; session < SESSIONS; session++) {
      const calls = Array.from({ length: CALLS }, (_, i) => WRITE(`s${session}-${i}.txt`, `${i}\n`));
      const { runId } = await runCalls(scene, calls);
      await asked(scene.owner, runId, CALLS - 1);
    }
    const begun = performance.now();
    const listed = await pendingOf(scene.owner);
    expect(listed.length).toBeGreaterThanOrEqual(50);
    expect(performance.now() - begun).toBeLessThan(2_000);

    await using tab = await openTab(browser);
    const page: Page = tab.page;
    await logIn(page, `${scene.gateway.url}/approvals`, scene.gateway.token);
    await page.locator(".approval").first().waitFor();
    await settled(page);
    const first = page.locator(".approval").first();
    await first.getByRole("heading", { name: `Write ${CALLS} files` }).waitFor();
    expect(await page.locator(".approval").count()).toBeLessThanOrEqual(40);
    await page.getByRole("button", { name: /^Show more/ }).waitFor();
    await page.waitForTimeout(450);
    await first.getByRole("button", { name: `Allow all ${CALLS}` }).click();
    await expect.poll(() => fileIn(scene.home, `s0-${CALLS - 1}.txt`).text).toBe(`${CALLS - 1}\n`);
    await expect.poll(async () => first.textContent()).not.toContain("s0-0.txt");
    expect(tab.faults).toEqual([]);
  });
});
