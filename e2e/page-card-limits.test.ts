import { CARD_CHARS_MAX } from "@elwood/core/base/show";
import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, runCalls, type Scene, WRITE } from "./act-scene.ts";
import {
  BROWSER_PATH,
  closeTabs,
  launchBrowser,
  openTab,
  resize,
  settled,
  type Tab,
} from "./page-browser.ts";
import { card, outcome, press } from "./page-card.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

const PROGRAM = `
  for (let n = 1; n <= 20; n++) {
    const saved = await tools.files.file.write({ path: "plan/note-" + n + ".txt", content: "Note " + n + " of 20.\\n" });
    if (!saved.ok) return saved.error.message;
  }
  return "written";`;

describe.skipIf(!BROWSER_PATH)("large things to decide on (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    const port = await freePort();
    [browser, scene] = await Promise.all([launchBrowser(), actScene({ port })]);
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, scene.gateway.url, scene.gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  async function opened(runId: string): Promise<string> {
    const { approvalId } = await asked(scene.owner, runId);
    await page.goto(`${scene.gateway.url}/approvals/${approvalId}`);
    await card(page).waitFor();
    await settled(page);
    return approvalId;
  }

  test("a plan of twenty calls shows all twenty whole, is allowed by one press, and every call is on record", async () => {
    const { runId, sessionKey } = await runCalls(scene, [
      { tool: "program.code.run", input: { source: PROGRAM } },
    ]);
    await opened(runId);
    const steps = card(page).locator(".approval-plan > li");
    await expect.poll(() => steps.count()).toBe(20);
    for (const [i, text] of (await steps.allTextContents()).entries())
      expect(text).toContain(`Note ${i + 1} of 20.`);
    for (const width of [360, 1_280]) {
      await resize(page, width);
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
    }
    expect(await axeFaults(page)).toEqual([]);
    await press(page, "Allow");
    await outcome(page, "you allowed it");
    await finalOf(scene.owner, runId);
    for (const n of [1, 20]) expect(fileIn(scene.home, `plan/note-${n}.txt`).text).toBe(`Note ${n} of 20.\n`);
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    const reply = page.locator("article.elwood").last();
    await reply.locator(".approval.decided").last().getByRole("button", { name: "Details" }).click();
    const made = reply.locator(".call-children summary", { has: page.getByTitle("files.file.write") });
    await expect.poll(() => made.count()).toBe(20);
    expect(tab.faults).toEqual([]);
  });

  test("what just fits is shown to its last character and can be allowed; one character more has no way to be", async () => {
    // As much of it as the card holds beside the lines that would change, which say the same again.
    const path = "large.txt";
    const line = "0123456789 abcdefghij 0123456789 abcdefghij\n";
    const sized = async (chars: number) => {
      const content = `${line.repeat(Math.ceil(chars / line.length)).slice(0, chars - 4)}END.`;
      const { runId } = await runCalls(scene, [WRITE(path, content)]);
      const { showable } = await asked(scene.owner, runId);
      return { runId, content, showable };
    };
    let fits = 1_000;
    let over = CARD_CHARS_MAX;
    while (over - fits > 1) {
      const chars = Math.floor((fits + over) / 2);
      const { runId, showable } = await sized(chars);
      await scene.owner.result("chat.abort", { runId });
      if (showable) fits = chars;
      else over = chars;
    }
    expect(fits).toBeGreaterThan(CARD_CHARS_MAX / 3);

    const tooLong = await sized(over);
    const refused = await opened(tooLong.runId);
    await page.getByText("too long to be shown whole").waitFor();
    expect(await card(page).getByRole("button", { name: /allow/i }).count()).toBe(0);
    await card(page).focus();
    await page.waitForTimeout(450);
    for (const key of ["a", "s", "e"]) await page.keyboard.press(key);
    expect(await card(page).getAttribute("data-outcome")).toBeNull();
    await expect(scene.owner.result("exec.approve", { approvalId: refused })).rejects.toThrow(/whole/);
    await press(page, "Deny");
    await outcome(page, "you denied it");

    const whole = await sized(fits);
    await opened(whole.runId);
    const shown = (await card(page).textContent()) ?? "";
    expect(shown).toContain("END.");
    for (const width of [360, 1_280]) {
      await resize(page, width);
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
    }
    await press(page, "Allow");
    await finalOf(scene.owner, whole.runId);
    expect(fileIn(scene.home, path).text).toBe(whole.content);
    expect(tab.faults).toEqual([]);
  });
});
