import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, finalOf, runCalls, WRITE, type Scene } from "./act-scene.ts";
import { ending, openSession, send } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { card } from "./page-card.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("what the page tells (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  beforeAll(async () => {
    const config = "policy:\n  mode: strict\n  approvalExpiryHours: 2\n";
    [browser, scene] = await Promise.all([launchBrowser(), actScene({ config })]);
  });
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  test.each([-5, 5])(
    "what expires, and what was before, does so by the gateway's clock, where the browser's is %i hours off",
    async (hours) => {
      const granted = await runCalls(scene, [WRITE("granted.txt", "1")]);
      const { approvalId } = await asked(scene.owner, granted.runId);
      const window = { scope: "call", minutes: 60 };
      await scene.owner.result("exec.approve", { approvalId, decision: "window", window });
      await finalOf(scene.owner, granted.runId);
      const { runId } = await runCalls(scene, [WRITE("waits.txt", "1")]);
      const waits = await asked(scene.owner, runId);

      await using tab = await openTab(browser);
      const { page } = tab;
      await page.addInitScript(turnClock, hours * 3_600_000);
      await logIn(page, `${scene.gateway.url}/approvals/${waits.approvalId}`, scene.gateway.token);
      expect(await card(page).locator(".approval-why").textContent()).toMatch(/expires in 2 h/);
      await page.goto(`${scene.gateway.url}/approvals?show=grants`);
      const grant = page.locator(".grant", { hasText: "granted.txt" }).first();
      await grant.waitFor();
      expect(await grant.textContent()).toMatch(/ends in (1 h|\d\d min)/);
      expect(await grant.textContent()).toMatch(/given (now|\d+ min ago)/);
      await page.goto(`${scene.gateway.url}/c/${granted.sessionKey}`);
      const times = page.locator("article time");
      await times.nth(1).waitFor();
      for (const time of await times.allInnerTexts()) expect(time).toMatch(/^(now|\d+ min ago)$/);
      await scene.owner.result("chat.abort", { runId });
      await scene.owner.result("gateway.stop_all", {});
    },
  );

  test("a command that ended with another code than 0 is not counted as done where its tool, or what failed, is looked at", async () => {
    const call = { tool: "shell.command.run", input: { argv: ["sh", "-c", "exit 3"] } };
    const { runId, sessionKey } = await runCalls(scene, [call]);
    const { approvalId } = await asked(scene.owner, runId);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(scene.owner, runId);
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${scene.gateway.url}/tools/shell.command.run`, scene.gateway.token);
    await page.locator(".tool-outcome").first().waitFor();
    await expect
      .poll(async () => (await page.locator(".tool-outcome").allTextContents()).map((text) => text.trim()))
      .toEqual(["ended with code 3 1"]);
    await page.getByRole("link", { name: "look into the log" }).click();
    await expect.poll(() => page.getByLabel("Tool", { exact: true }).inputValue()).toBe("shell.command.run");
    await page.locator(".receipt-row").first().waitFor();
    await settled(page);
    const titles = await page
      .locator(".receipt-row")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("title") ?? ""));
    for (const title of titles) expect(title).toContain("shell.command.run");
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await page.locator(".side-button").click();
    await page.locator("#chat-side .badge", { hasText: "ended with code 3" }).waitFor();
    // It is among what somebody looks for who wants to see what went wrong.
    await page.goto(`${scene.gateway.url}/runs`);
    await page.getByLabel("Failures only").check();
    await page.locator(`.run-row[href="/runs/${runId}"]`).getByText("1 call, 1 not done").waitFor();
  });

  test("names, notes and content that turn or hide text are written out on every page", async () => {
    const evil = "A\u202egood\u202c\u200b\u001b[31m";
    const other = await scene.other(evil);
    const call = { tool: "shell.command.run", input: { argv: ["echo", evil] } };
    const { runId } = await runCalls(scene, [call], { wire: other });
    const { approvalId } = await asked(scene.owner, runId);
    await other.result("exec.deny", { approvalId, reason: evil });
    await finalOf(other, runId);
    const sessionKey = await openSession(other);
    const said = await send(other, sessionKey, `hello ${evil}`);
    await ending(other, said);
    await scene.owner.result("tokens.create", { name: evil, scopes: ["chat"] });
    const { receipts } = (await scene.owner.result("receipts.list", { runId })) as {
      receipts: { id: string; type: string }[];
    };
    const contents = receipts.filter(({ type }) => /requested|denied/.test(type)).map(({ id }) => id);

    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, scene.gateway.url, scene.gateway.token);
    for (const [path, drawn] of [
      ["/approvals?show=history", ".history-row"],
      [`/approvals/${approvalId}`, ".approval-outcome"],
      ["/runs", ".run-row"],
      [`/runs/${said}?show=raw`, ".run-raw pre"],
      [`/runs/${runId}?show=evidence`, ".evidence-list"],
      ["/receipts", ".receipt-row"],
      ...contents.map((id) => [`/receipts/${id}`, ".receipt-part"]),
      ["/connections", ".profile"],
    ] as const) {
      await page.goto(`${scene.gateway.url}${path}`);
      await page.locator(drawn).first().waitFor();
      await expect.poll(() => page.locator("main").innerText(), { message: path }).toContain("A\\u202egood");
      await settled(page);
      expect(await page.locator("main").innerText(), path).not.toMatch(/[\u202a-\u202e\u200b\u001b]/);
    }
  });

  test("OA-4: a receipt that is no receipt any more is named by its own number and id", async () => {
    await scene.kill();
    const db = new DatabaseSync(join(scene.home, "elwood.db"));
    db.exec("DROP TRIGGER receipts_stay; UPDATE receipts_by_number SET payload = '{' WHERE seq = 4");
    const { id } = db.prepare("SELECT id FROM receipts WHERE seq = 4").get() as { id: string };
    db.close();
    await scene.restart();
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${scene.gateway.url}/receipts?verify=1`, scene.gateway.token);
    const words = `The log was altered at receipt 4 (${id}): its payload is not JSON.`;
    await page.locator(".verdict", { hasText: words }).waitFor();
    // The list cannot be had; it says why, and what to do.
    await page.getByText("Receipt 4 was changed and cannot be read. Run: elwood receipts verify").waitFor();
    await page.getByRole("link", { name: "The first bad receipt" }).click();
    await page.getByText("Receipt 4 was changed and cannot be read.").waitFor();
    expect(tab.faults).toEqual([]);
  });
});

/** Runs in the page before its own scripts: the clock of a machine that nobody has set. */
function turnClock(byMs: number): void {
  const { now } = Date;
  Date.now = () => now() + byMs;
}
