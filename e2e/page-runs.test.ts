import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { anthropic } from "@elwood/testkit/anthropic-server";
import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  finalOf,
  READ,
  receiptsIn,
  runCalls,
  WRITE,
  type Scene,
} from "./act-scene.ts";
import { ending, openSession, send } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, resize, type Tab } from "./page-browser.ts";
import { connected, logIn, replyIs } from "./page-talk.ts";

const run = promisify(execFile);

describe.skipIf(!BROWSER_PATH)("runs and receipts on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  let tab: Tab;
  let page: Page;
  /** A run that read, asked and wrote; one whose deletion was denied. */
  let wrote: string;
  let denied: string;
  const url = (path: string) => `${scene.gateway.url}${path}`;

  beforeAll(async () => {
    const port = await freePort();
    [browser, scene] = await Promise.all([
      launchBrowser(),
      actScene({ config: "policy:\n  mode: strict\n", port }),
    ]);
    const first = await runCalls(scene, [WRITE("a.txt", "apples"), READ("missing.txt")]);
    wrote = first.runId;
    const { approvalId } = await asked(scene.owner, wrote);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(scene.owner, wrote);
    const second = await runCalls(scene, [DELETE("a.txt")]);
    denied = second.runId;
    const deletion = await asked(scene.owner, denied);
    await scene.owner.result("exec.deny", { approvalId: deletion.approvalId });
    await finalOf(scene.owner, denied);
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, scene.gateway.url, scene.gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  test("runs are listed with what came of them, and told apart by their state", async () => {
    await page.goto(url("/runs"));
    const rows = page.locator(".run-row");
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().textContent()).toMatch(/done.*1 call.*tokens/s);
    // Right below their headings, and these right below the filters.
    const [filters, heads, first] = await Promise.all(
      [".filters", ".run-heads", ".run-row"].map((part) => page.locator(part).first().boundingBox()),
    );
    expect(heads!.y - filters!.y - filters!.height).toBeLessThan(40);
    expect(first!.y - heads!.y - heads!.height).toBeLessThan(40);
    // What it cost is read whole.
    await rows.first().locator("> :nth-child(6)", { hasText: "under $0.01" }).waitFor();
    for (const width of [1440, 1280, 1000]) {
      await resize(page, width, 900);
      expect(await rows.first().evaluate(cutCells), `${width} px`).toEqual([]);
    }
    // On a phone there are no headings, and the rows have all the room.
    await resize(page, 390, 844);
    await expect
      .poll(async () => (await page.locator(".run-list").boundingBox())!.height)
      .toBeGreaterThan(250);
    await rows.first().waitFor();
    await resize(page, 1280, 720);
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No run has this state.").waitFor();
    await page.getByLabel("State").selectOption("done");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("Find").fill("no such words");
    await page.getByLabel("Find").press("Enter");
    await page.getByText("No run began with these words.").waitFor();
    await page.getByLabel("Find").fill("");
    await page.getByLabel("Find").press("Enter");
    await expect.poll(() => rows.count()).toBe(2);
    // With the keyboard: down to the second, and in.
    await page.locator(".row").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.locator('.row[data-index="1"]:focus').waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/runs/${wrote}`);
    expect(tab.faults).toEqual([]);
  });

  test("the timeline has the wait for an approval as a kind of its own, is walked with arrows, and shows what lies behind", async () => {
    await page.goto(url(`/runs/${wrote}`));
    const rows = page.locator(".timeline-row");
    /** Called by its tool only for who hovers. */
    const named = (tool: string) => rows.filter({ has: page.locator(`[title^="${tool}"]`) });
    await page.locator('.timeline-bar[data-kind="approval"]').waitFor();
    expect(await page.locator(".page-head").textContent()).toContain("Please do plan-0.");
    const kinds = await page
      .locator(".timeline-bar")
      .evaluateAll((bars) => bars.map((bar) => bar.getAttribute("data-kind")));
    expect(kinds).toEqual(expect.arrayContaining(["model", "tool", "approval"]));
    await rows.first().focus();
    const details = page.getByRole("complementary", { name: "Details" });
    const count = await rows.count();
    for (let i = 1; i < count; i++) await page.keyboard.press("ArrowDown");
    await expect.poll(() => rows.last().getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Home");
    await expect.poll(() => rows.first().getAttribute("aria-pressed")).toBe("true");
    await named("files.file.write").last().click();
    await details.getByText("apples").first().waitFor();
    // Ids and receipts are there for who asks.
    expect(await details.innerText()).not.toContain("files.file.write");
    await details.locator("summary", { hasText: "Details" }).click();
    await details.getByText("files.file.write", { exact: true }).waitFor();
    await details.getByRole("link", { name: /succeeded #\d+/ }).waitFor();
    await page.getByLabel("Failures only").check();
    await expect.poll(() => named("files.file.write").count()).toBe(0);
    await expect.poll(() => named("files.file.read").count()).toBe(1);
    // The evidence of the run, from its receipts.
    await page.getByRole("link", { name: "Evidence" }).click();
    await page.locator(".evidence-list li", { hasText: "Wrote " }).getByText("done").waitFor();
    await page.getByRole("link", { name: "Its receipts" }).click();
    await page.getByRole("link", { name: "Only one run" }).waitFor();
    const of = receiptsIn(scene.home, { runId: wrote }).length;
    await expect.poll(() => page.locator(".receipt-row").count()).toBe(of);
    const types = await page.locator(".receipt-type").allTextContents();
    expect(types).toContain("asked you");
  });

  test("a run that waits is stopped; one that failed is tried again in a branch, with what it knew before", async () => {
    const waiting = await runCalls(scene, [WRITE("b.txt", "bananas")]);
    await asked(scene.owner, waiting.runId);
    await page.goto(url(`/runs/${waiting.runId}`));
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop it" }).click();
    await page.locator(".run-facts").getByText("cancelled").waitFor();

    scene.model.server.will(anthropic.error(400, { message: "no" }));
    const sessionKey = await openSession(scene.owner);
    const failed = await send(scene.owner, sessionKey, "Answer me");
    await ending(scene.owner, failed);
    await page.goto(url(`/runs/${failed}`));
    await page.locator(".line.bad").waitFor();
    await page.locator(".timeline-bar[data-failed]").first().waitFor();
    await page.getByRole("button", { name: "Try again in a branch" }).click();
    await page.waitForURL("**/c/**");
    expect(page.url()).not.toContain(sessionKey);
    await replyIs(page, "Nothing was planned for this.");
  });

  test("receipts are found by outcome and tool; one shows its content, recomputed here, and its proof", async () => {
    await page.goto(url("/receipts"));
    // A call is one line, which leads to its receipts; logins are folded away.
    const one = page.locator(".receipt-row", { hasText: /\d receipts/ }).first();
    await one.waitFor();
    expect(await page.locator(".receipt-row", { hasText: "Logged in" }).count()).toBe(0);
    await page.getByLabel("Every receipt, logins too").check();
    await page.locator(".receipt-row", { hasText: "Logged in" }).first().waitFor();
    await page.getByLabel("Every receipt, logins too").uncheck();
    await one.click();
    await page.locator(".receipt-type", { hasText: "requested" }).waitFor();
    await page.getByRole("link", { name: "Only one call" }).click();
    await page.getByLabel("Outcome").selectOption("denied");
    await expect
      .poll(async () => new Set(await page.locator(".receipt-type").allTextContents()))
      .toEqual(new Set(["denied"]));
    await page.getByLabel("Outcome").selectOption("");
    await page.getByLabel("Tool").fill("files.file.read");
    await page.getByLabel("Tool").press("Enter");
    const areOf = async (tool: string) => {
      // In words for its reader; what the log calls it is there for who hovers.
      const rows = await page
        .locator(".receipt-row")
        .evaluateAll((all) => all.map((row) => [row.getAttribute("title") ?? "", row.textContent]));
      return (
        rows.length > 0 &&
        rows.every(([details = "", words = ""]) => details.includes(tool) && !words.includes(tool))
      );
    };
    await expect.poll(() => areOf("files.file.read")).toBe(true);
    await page.getByLabel("Tool").fill("files.file.write");
    await page.getByLabel("Tool").press("Enter");
    await expect.poll(() => areOf("files.file.write")).toBe(true);
    await page.locator(".receipt-row", { hasText: "requested" }).first().click();
    await page.getByText("Recorded content").first().click();
    await page.getByText("Recomputed here: it is what was recorded.").first().waitFor();
    await page.getByRole("button", { name: "Prove that it is in the log" }).click();
    await page.getByRole("region", { name: "Proof" }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("OA-4: the log verifies in the browser, and its export by the verifier that comes with it", async () => {
    await page.goto(url("/receipts?verify=1"));
    await page.locator(".verdict.ok").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const path = await (await download).path();
    const { verifier } = JSON.parse(readFileSync(path, "utf8")) as { verifier: string };
    const program = join(scene.home, "verify.mjs");
    const bundle = join(scene.home, "bundle.json");
    writeFileSync(program, verifier);
    copyFileSync(path, bundle);
    const { stdout } = await run(process.execPath, [program, bundle]);
    expect(stdout).toMatch(/^All \d+ receipts are as they were written\./);
  });

  test("OA-4: after somebody changed the database, verifying names the first bad receipt, and every page says so", async () => {
    await scene.kill();
    const db = new DatabaseSync(join(scene.home, "elwood.db"));
    db.exec("DROP TRIGGER receipts_stay; UPDATE receipts_by_number SET surface = 'nobody' WHERE seq = 3");
    db.close();
    await scene.restart();
    await page.reload();
    await connected(page);
    await page.getByRole("button", { name: "Verify in this browser" }).click();
    await page.locator(".verdict.bad", { hasText: /\b3\b/ }).waitFor();
    await page.getByRole("link", { name: "The first bad receipt" }).click();
    await page.locator(".page-head", { hasText: /Receipt #3\b/ }).waitFor();
    await page.locator('.chip[data-kind="receipts"]').waitFor();
  });
});

/** Runs in the page: the cells of a row that are cut off, but for its message. */
function cutCells(row: Element): string[] {
  return [...row.children]
    .filter((cell, i) => i !== 1 && cell.scrollWidth > cell.clientWidth)
    .map((cell) => cell.textContent);
}
