import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, DELETE, fileIn, finalOf, runCalls } from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { card, cardButton, outcome, press, takesPresses } from "./page-card.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)(
  "plans of programs, and what nobody decided (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => closeTabs(browser));

    test("a plan shows each of its calls whole; one that destroys takes the word that it names, and no press", async () => {
      await using scene = await actScene({ demo: true, config: "policy:\n  mode: strict\n" });
      await using tab = await openTab(browser);
      const { page } = tab;
      const sessionKey = await openSession(scene.owner);
      const writing = await send(scene.owner, sessionKey, "make a program that writes two notes");
      await asked(scene.owner, writing);
      await logIn(page, `${scene.gateway.url}/c/${sessionKey}`, scene.gateway.token);
      const steps = card(page).locator(".approval-plan > li");
      await expect.poll(() => steps.count()).toBe(2);
      await settled(page);
      for (const text of await steps.allTextContents()) {
        expect(text).toContain("files.file.write");
        expect(text).toMatch(/\+ .*Note \d of 2/);
      }
      expect(await cardButton(page, "Edit").count()).toBe(0);
      await press(page, "Allow");
      await finalOf(scene.owner, writing);

      const deleting = await send(scene.owner, sessionKey, "delete the notes with a program");
      const { confirm } = await asked(scene.owner, deleting);
      await takesPresses(page);
      const destructive = card(page).locator(".approval-plan .badge", { hasText: "destructive" });
      await expect.poll(() => destructive.count()).toBe(2);
      await press(page, "Allow");
      await card(page).getByText(`Type “${confirm}” first.`).waitFor();
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      const word = card(page).getByLabel(`Type “${confirm}” to allow it`);
      await word.fill("something else");
      await word.press("Enter");
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      await word.fill(confirm!);
      await word.press("Enter");
      await outcome(page, "you allowed it");
      await finalOf(scene.owner, deleting);
      // What a program did stands inside it, as cards of their own.
      const reply = page.locator("article.elwood").last();
      await reply.locator(".evidence").waitFor();
      await reply.locator(".approval.decided").last().getByRole("button", { name: "Details" }).click();
      await reply.locator(".call-source").waitFor();
      const made = reply.locator(".call-children summary", { has: page.getByTitle("files.file.delete") });
      await expect.poll(() => made.count()).toBe(2);
      expect(tab.faults).toEqual([]);
    });

    test("what nobody decided in time is expired, not denied, and says that it was not done", async () => {
      await using scene = await actScene({ config: "policy:\n  approvalExpiryHours: 0.0025\n" });
      fileIn(scene.home, "late.txt").put("still here\n");
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, scene.gateway.url, scene.gateway.token);
      const { runId } = await runCalls(scene, [DELETE("late.txt")]);
      const { approvalId } = await asked(scene.owner, runId);
      await page.locator(".chip").getByRole("link", { name: "Decide" }).click();
      await cardButton(page, "Deny").waitFor();
      await outcome(page, /Not deleted: late\.txt · nobody decided in time/);
      expect(page.url()).toContain(approvalId);
      const decide = card(page).getByRole("button", { name: /Allow|Deny/ });
      await expect.poll(() => decide.count()).toBe(0);
      await page.goto(`${scene.gateway.url}/approvals?show=history`);
      await page.locator(".history-row", { hasText: /late\.txt.*expired.*nobody in time/s }).waitFor();
      expect(fileIn(scene.home, "late.txt").text).toBe("still here\n");
    });
  },
);
