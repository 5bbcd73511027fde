import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, finalOf, runCalls, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

const ALL = 10_000;

describe.skipIf(!BROWSER_PATH)("what was decided (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closeTabs(browser));

  test("ten thousand decisions are walked to their end, and found by tool, risk, surface and outcome", async () => {
    await using scene = await actScene({ port: await freePort() });
    await using tab = await openTab(browser);
    const { page } = tab;
    const { runId } = await runCalls(scene, [WRITE("first.txt", "x")]);
    const { approvalId } = await asked(scene.owner, runId);
    await scene.owner.result("exec.deny", { approvalId });
    await finalOf(scene.owner, runId);
    await scene.kill();
    copyDecision(scene.home, approvalId);
    await scene.restart();
    await logIn(page, `${scene.gateway.url}/approvals?show=history`, scene.gateway.token);
    const rows = page.locator(".history-row");
    await rows.first().waitFor();
    expect(await rows.first().textContent()).toMatch(/first\.txt.*denied.*write.*you, first/s);
    const size = async () => Number(await page.locator(".row").first().getAttribute("aria-setsize"));

    // Each filter is asked of the gateway: what fits lies far behind the first page.
    const filtered = async (count: number) => {
      await expect.poll(size).toBe(count);
      return rows.first().textContent();
    };
    await page.getByLabel("Risk").selectOption("destructive");
    expect(await filtered(10)).toContain("destructive");
    await page.getByLabel("Outcome").selectOption("approved");
    await page.getByText("Nothing that was decided fits.").waitFor();
    await page.getByLabel("Outcome").selectOption("");
    await page.getByLabel("Risk").selectOption("");
    await page.getByLabel("Tool").fill("mail.message.send");
    await page.getByLabel("Tool").press("Enter");
    await filtered(50);
    expect(await rows.first().locator(".history-what [title]").getAttribute("title")).toBe(
      "mail.message.send",
    );
    await page.getByLabel("Tool").fill("");
    await page.getByLabel("Tool").press("Enter");
    await expect.poll(size).toBe(100);
    await page.getByLabel("Outcome").selectOption("expired");
    expect(await filtered(4)).toContain("nobody in time");
    await page.getByLabel("Outcome").selectOption("");
    // A surface that is only known far behind is offered once it was seen there.
    await expect.poll(size).toBe(100);
    expect(await page.getByLabel("Decided on").locator("option").allTextContents()).not.toContain("Telegram");

    await page.locator(".row").first().focus();
    for (let i = 0; i < 300 && (await size()) < ALL; i++) {
      const before = await size();
      await page.keyboard.press("End");
      await expect.poll(size).not.toBe(before);
    }
    await page.keyboard.press("End");
    await page.locator(`.row[data-index="${ALL - 1}"]:focus`).waitFor();
    expect(await rows.count()).toBeLessThan(80);
    await page.getByLabel("Decided on").selectOption("telegram");
    expect(await filtered(20)).toContain("Telegram");
    expect(await axeFaults(page)).toEqual([]);
    for (const width of [360, 900, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
    }

    // What is decided now comes first by itself, and leads to its card.
    await page.getByLabel("Decided on").selectOption("");
    const now = await runCalls(scene, [WRITE("second.txt", "x")]);
    const question = await asked(scene.owner, now.runId);
    await scene.owner.result("exec.deny", { approvalId: question.approvalId });
    await page.locator('.row[data-index="0"] .history-row', { hasText: "second.txt" }).click();
    await page.waitForURL(`**/approvals/${question.approvalId}`);
    expect(tab.faults).toEqual([]);
  });
});

/** Decisions of long ago, one like the other but for a few, behind the one there is. */
function copyDecision(home: string, approvalId: string): void {
  const db = new DatabaseSync(join(home, "elwood.db"));
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ALL - 1})
     INSERT INTO approvals (tenant, id, call_id, run_id, session_id, tool_id, digest, card, status, created_at,
         expires_at, decision, decided_by, decided_at, note)
       SELECT tenant, printf('apr_0%09d', i), call_id, run_id, session_id,
         iif(i % 200 = 1, 'mail.message.send', tool_id), digest,
         iif(i % 1000 = 1, json_set(card, '$.risk', 'destructive'), card),
         iif(i < 5, 'expired', status), 1700000000000 + i, expires_at, decision,
         iif(i < 5, '{"kind":"expiry"}', iif(i % 500 = 5, json_set(decided_by, '$.surface', 'telegram'), decided_by)),
         decided_at, note
       FROM approvals, n WHERE id = ?`,
  ).run(approvalId);
  db.close();
}
