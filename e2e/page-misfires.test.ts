import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, pendingOf, READ, runCalls, WRITE, type Scene } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { takesPresses } from "./page-card.ts";
import { axeFaults } from "./page-checks.ts";
import { connected, framesSent, logIn, say } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("hands that are too fast (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  beforeAll(async () => {
    [browser, scene] = await Promise.all([
      launchBrowser(),
      actScene({ config: "policy:\n  mode: strict\n" }),
    ]);
  });
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });
  const enter = (page: Page, path: string) => logIn(page, `${scene.gateway.url}${path}`, scene.gateway.token);

  test("a double click decides one card of the queue, not the one that comes into its place", async () => {
    for (let i = 0; i < 3; i++)
      await asked(scene.owner, (await runCalls(scene, [WRITE("same.txt", "same")])).runId);
    await using tab = await openTab(browser);
    const { page } = tab;
    await enter(page, "/approvals");
    const cards = page.locator(".approval");
    await expect.poll(() => cards.count()).toBe(3);
    await takesPresses(page);
    // Cards that ask for the same are still told apart.
    expect(await axeFaults(page)).toEqual([]);
    const deny = cards.first().getByRole("button", { name: "Deny", exact: true });
    // The second press, as soon as the next card has come up: on its own button, wherever that stands now.
    await page.evaluate(() => {
      const whenNext = new MutationObserver(() => {
        if (document.querySelectorAll(".approval").length !== 2) return;
        whenNext.disconnect();
        const press = () => {
          const buttons = [...document.querySelectorAll<HTMLElement>(".approval button")];
          const next = buttons.find((each) => each.textContent?.trim().startsWith("Deny"));
          document.body.dataset["pressed"] = next?.textContent?.trim() ?? "";
          next?.click();
        };
        requestAnimationFrame(press);
      });
      whenNext.observe(document.body, { childList: true, subtree: true });
    });
    await deny.click();
    await page.locator('body[data-pressed^="Deny"]').waitFor();
    await expect.poll(() => cards.count()).toBe(2);
    await takesPresses(page);
    expect(await pendingOf(scene.owner)).toHaveLength(2);
    await deny.click();
    await expect.poll(() => cards.count()).toBe(1);
  });

  test("a card stays where it is, and takes presses, while the page looks again whether its run is still there", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const sent = framesSent(page);
    await page.clock.install();
    await enter(page, "/c/new");
    await say(page, scene.model.plan([[READ("here.txt"), WRITE("card.txt", "x")]]));
    const card = page.locator(".approval");
    await card.getByRole("button", { name: "Deny", exact: true }).waitFor();
    const rows = page.locator("elwood-call-card");
    await expect.poll(() => rows.count()).toBe(1);
    // There is no such file, and the row says so once that is known.
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining("failed")]);
    await page.clock.runFor(1_000);
    const placed = async () => ({ box: await card.boundingBox(), rows: await rows.allTextContents() });
    const before = await placed();
    const actions = await card.locator(".approval-buttons").elementHandle();
    const looks = () => sent.filter(({ method }) => method === "chat.resume").length;
    const looked = looks();
    // Twice: what is silent at the second is looked at again.
    await page.clock.runFor(25_000);
    await expect.poll(looks).toBeGreaterThan(looked);
    // What was sent after the look is answered after it.
    await page.clock.runFor(10_000);
    await expect.poll(looks).toBeGreaterThan(looked + 1);
    expect(await placed()).toEqual(before);
    expect(before.rows.join()).not.toContain("waiting");
    const same = await card.locator(".approval-buttons").evaluate((now, then) => now === then, actions);
    expect(same).toBe(true);
    await card.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("you denied it").waitFor();
  });

  test("everything is stopped by the key of the full stop, whatever it writes with Shift", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await enter(page, "/runs");
    await page.keyboard.press("Control+Shift+Period");
    const dialog = page.getByRole("dialog", { name: "Stop everything?" });
    await dialog.waitFor();
    // Logged out elsewhere, nothing of the owner's stays on the screen.
    const other = await page.context().newPage();
    await other.goto(`${scene.gateway.url}/settings`);
    await connected(other);
    await other.getByRole("button", { name: "Log out of this browser" }).click();
    await page.getByText("Log in to Elwood").waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
  });
});
