import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, DELETE, finalOf, READ, runCalls, WRITE, type Scene } from "./act-scene.ts";
import { ask, openSession } from "./conversation.ts";
import {
  BROWSER_PATH,
  closeTabs,
  launchBrowser,
  openTab,
  resize,
  settled,
  type Tab,
} from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn } from "./page-talk.ts";
import { bendAnswers, refused } from "./page-wire.ts";

const WIDE = { width: 1_400, height: 900 };
const NARROW = { width: 390, height: 844 };

describe.skipIf(!BROWSER_PATH)("beside the conversation (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  let tab: Tab;
  let page: Page;
  /** A conversation with a write that was allowed, then a run with a read, a write and a deletion that was denied. */
  let sessionKey: string;
  let wrote: string;
  let denied: string;
  let side: Locator;
  let button: Locator;

  beforeAll(async () => {
    [browser, scene] = await Promise.all([
      launchBrowser(),
      actScene({ config: "policy:\n  mode: strict\n" }),
    ]);
    ({ sessionKey, runId: wrote } = await runCalls(scene, [WRITE("a.txt", "apples")]));
    await decide(wrote, "exec.approve");
    ({ runId: denied } = await runCalls(scene, [READ("a.txt"), WRITE("b.txt", "pears"), DELETE("a.txt")], {
      sessionKey,
    }));
    await decide(denied, "exec.approve");
    await decide(denied, "exec.deny", 1);
    await Promise.all([finalOf(scene.owner, wrote), finalOf(scene.owner, denied)]);
    tab = await openTab(browser, { viewport: WIDE });
    page = tab.page;
    await logIn(page, scene.gateway.url, scene.gateway.token);
    side = page.locator("#chat-side");
    button = page.locator(".side-button");
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  async function decide(runId: string, how: "exec.approve" | "exec.deny", nth = 0): Promise<void> {
    const { approvalId, confirm } = await asked(scene.owner, runId, nth);
    await scene.owner.result(how, { approvalId, ...(how === "exec.approve" && confirm ? { confirm } : {}) });
  }

  async function show(name: "Evidence" | "Run" | "Files", key = sessionKey): Promise<void> {
    await page.goto(`${scene.gateway.url}/c/${key}`);
    await connected(page);
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
    await side.getByRole("tab", { name }).click();
  }

  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.className);

  test("it is closed at first; opened, it tells what happened from receipts, and stays so after a reload", async () => {
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await connected(page);
    await settled(page);
    expect(await button.getAttribute("aria-expanded")).toBe("false");
    expect(await side.isVisible()).toBe(false);
    await button.click();
    await expect.poll(() => button.getAttribute("aria-expanded")).toBe("true");
    expect(await button.getAttribute("aria-controls")).toBe("chat-side");
    const groups = side.locator(".side-group");
    await expect.poll(() => groups.count()).toBe(2);
    // The newest run first; in it what was denied before what was done, and the read folded away.
    const rows = groups.first().locator(":scope > .side-list > li");
    await expect.poll(() => rows.count()).toBe(2);
    await rows
      .nth(0)
      .filter({ hasText: /Delete.*a\.txt.*denied.*asked/s })
      .waitFor();
    await rows
      .nth(1)
      .filter({ hasText: /Wrote.*b\.txt.*done.*approved/s })
      .waitFor();
    await groups.first().getByText("1 read", { exact: true }).waitFor();
    expect(await groups.first().locator("h3 a").getAttribute("href")).toBe(`/c/${sessionKey}?run=${denied}`);
    expect(await rows.nth(0).getByRole("link").getAttribute("href")).toMatch(/^\/receipts\/rcp_/);
    await side.getByText("verifies", { exact: true }).waitFor();
    // Hashes and names of tools are for who asks for them.
    expect(await side.innerText()).not.toMatch(/[0-9a-f]{16}|files\.file/);
    expect(await rows.nth(0).locator(".side-what").getAttribute("title")).toBe("files.file.delete");
    await side.getByRole("tab", { name: "Files" }).click();
    await side.getByRole("button", { name: "Undo: b.txt" }).waitFor();
    // What was denied touched nothing.
    await expect
      .poll(() => side.locator("li").allTextContents())
      .toEqual([
        expect.stringMatching(/b\.txt.*written.*receipt/s),
        expect.stringMatching(/a\.txt.*written.*receipt/s),
      ]);
    await page.reload();
    await connected(page);
    await side.getByRole("tab", { name: "Files", selected: true }).waitFor();
    await side.getByText("b.txt").waitFor();
    await side.getByRole("button", { name: "Hide evidence, run and files" }).click();
    await expect.poll(focused).toContain("side-button");
    await page.reload();
    await connected(page);
    await settled(page);
    expect(await side.isVisible()).toBe(false);
    expect(tab.faults).toEqual([]);
  });

  test("while a run waits and goes on, each tab keeps up, and the message box keeps the focus", async () => {
    const key = await openSession(scene.owner);
    await show("Evidence", key);
    await side.getByText("Nothing on record yet").waitFor();
    await side.getByRole("tab", { name: "Files" }).click();
    await side.getByText("No files yet").waitFor();
    await side.getByRole("tab", { name: "Run" }).click();
    await side.getByText("No run yet").waitFor();
    await page.getByLabel("Message", { exact: true }).focus();
    const { runId } = await runCalls(scene, [WRITE("live.txt", "now")], { sessionKey: key });
    await side.locator("h3").getByText("waiting for you").waitFor();
    await side.locator('.timeline-bar[data-kind="approval"]').waitFor();
    await page.keyboard.type("still typing");
    await side.getByRole("tab", { name: "Evidence" }).click();
    await side.locator("li").getByText("waiting for you").waitFor();
    await page.getByLabel("Message", { exact: true }).focus();
    await decide(runId, "exec.approve");
    await side.locator("li").getByText("done", { exact: true }).waitFor();
    await page.keyboard.type(", and on");
    expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("still typing, and on");
    await finalOf(scene.owner, runId);
    await side.getByRole("tab", { name: "Run" }).click();
    await side.locator("h3").getByText("done", { exact: true }).waitFor();
    await side.getByText(/\d+ read, \d+ written/).waitFor();
    expect(await side.getByRole("link", { name: "Open the run" }).getAttribute("href")).toBe(
      `/runs/${runId}`,
    );
    // A piece of the timeline opens to what lies behind it.
    await side.locator(".timeline-row", { hasText: "Wrote " }).first().click();
    await side
      .getByRole("complementary", { name: "Details" })
      .getByText("now", { exact: true })
      .first()
      .waitFor();
    // What was written is taken back here, and says so.
    await side.getByRole("tab", { name: "Files" }).click();
    await side.getByRole("button", { name: "Undo: live.txt" }).click();
    await side.getByText("written, undone since").waitFor();
    expect(existsSync(join(scene.home, "files", "live.txt"))).toBe(false);
    await side.getByRole("tab", { name: "Evidence" }).click();
    await side.getByText("undone since").waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("a click on a turn shows its run; a run that waits is stopped from here", async () => {
    await show("Run");
    await side.locator("h3").getByText("plan-1").waitFor();
    await page.locator("article.you").first().click();
    await side.locator("h3").getByText("plan-0").waitFor();
    await side.getByRole("button", { name: "Newest run" }).click();
    await side.locator("h3").getByText("plan-1").waitFor();
    await page.goto(`${scene.gateway.url}/c/${sessionKey}?run=${wrote}`);
    await side.locator("h3").getByText("plan-0").waitFor();
    const { runId, sessionKey: key } = await runCalls(scene, [WRITE("stop.txt", "never")]);
    await asked(scene.owner, runId);
    await show("Run", key);
    await side.getByRole("button", { name: "Stop", exact: true }).click();
    await side.locator("h3").getByText("cancelled").waitFor();
  });

  test("what was attached stands among the files, and is fetched from there", async () => {
    const headers = { authorization: `Bearer ${scene.gateway.token}`, "content-type": "text/plain" };
    const stored = await fetch(`${scene.gateway.url}/blobs`, { method: "POST", headers, body: "milk" });
    const { blobId } = (await stored.json()) as { blobId: string };
    const key = await openSession(scene.owner);
    const parts = [{ kind: "blob", blobId, name: "groceries.txt", origin: "attached" }];
    await scene.owner.result("chat.send", { sessionKey: key, message: "Keep this", parts });
    await show("Files", key);
    await side.getByRole("button", { name: "groceries.txt" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("groceries.txt");
    await page.keyboard.press("Escape");
    await side.getByText("attached").waitFor();
  });

  test("what Elwood wrote is opened as it is now, and says where it is no more", async () => {
    await show("Files");
    const path = join(scene.home, "files", "b.txt");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, "changed by hand\n");
    const file = side.getByRole("button", { name: /^b\.txt/ });
    await file.click();
    await page.getByRole("dialog", { name: "b.txt" }).getByText("changed by hand").waitFor();
    await page.keyboard.press("Escape");
    rmSync(path);
    await file.click();
    await side.getByText("b.txt: It is not there any more").waitFor();
    writeFileSync(path, before);
    expect(tab.faults).toEqual([]);
  });

  test("a long conversation is told in pages, and what the gateway refuses can be asked for again", async () => {
    const key = await openSession(scene.owner);
    for (let i = 0; i < 12; i++) await ask(scene.owner, key, `Question ${i}`);
    let asks = 0;
    let broken = true;
    const other = await openTab(browser, { viewport: WIDE });
    await bendAnswers(
      other.page,
      (method) => {
        if (method === "runs.activity") asks++;
        return method === "runs.list" && broken ? refused("The shelf is stuck.") : undefined;
      },
      (hello) => ({ ...hello, scopes: ["chat"] }),
    );
    await logIn(other.page, scene.gateway.url, scene.gateway.token);
    await other.page.goto(`${scene.gateway.url}/c/${key}`);
    await other.page.locator(".side-button").click();
    const panel = other.page.locator("#chat-side");
    await panel.getByText("The shelf is stuck.").waitFor();
    broken = false;
    await panel.getByRole("button", { name: "Try again", exact: true }).click();
    await expect.poll(() => panel.locator(".side-group").count()).toBe(10);
    expect(await panel.locator("h3").first().textContent()).toContain("Question 11");
    expect(asks).toBe(10);
    await panel.getByRole("button", { name: "Show earlier" }).click();
    await expect.poll(() => panel.locator(".side-group").count()).toBe(12);
    expect(asks).toBe(12);
    // Taking back is for those who may decide.
    await other.page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await panel.getByRole("tab", { name: "Files" }).click();
    await panel.getByText("b.txt").waitFor();
    expect(await panel.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
    expect(other.faults).toEqual([]);
    await other[Symbol.asyncDispose]();
  });

  test("with the keyboard alone: a key opens it, arrows walk the tabs, the palette leads to one", async () => {
    await show("Evidence");
    await side.locator(".side-group").first().waitFor();
    const box = page.getByLabel("Message", { exact: true });
    await box.focus();
    await page.keyboard.press("Control+Shift+E");
    await expect.poll(() => side.isVisible()).toBe(false);
    await page.keyboard.press("Control+Shift+E");
    await side.getByRole("tab", { name: "Evidence" }).waitFor();
    await page.locator("#message:focus").waitFor();
    for (let i = 0; i < 12 && (await focused()) !== "side-evidence"; i++) await page.keyboard.press("Tab");
    expect(await focused()).toBe("side-evidence");
    for (const name of ["run", "files", "evidence", "run", "files"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(focused).toBe(`side-${name}`);
    }
    await page.keyboard.press("ArrowLeft");
    await expect.poll(focused).toBe("side-run");
    await page.keyboard.press("Control+K");
    await page.getByRole("combobox").fill("files of this conversation");
    await page.keyboard.press("Enter");
    await side.getByText("b.txt").waitFor();
    await page.keyboard.press("Control+Shift+E");
    await expect.poll(() => side.isVisible()).toBe(false);
  });

  test("where there is no room it lies over the conversation: the focus goes in, Escape and the shade close it", async () => {
    const { runId, sessionKey: key } = await runCalls(scene, [WRITE("narrow.txt", "x")]);
    await asked(scene.owner, runId);
    await page.setViewportSize(NARROW);
    await page.goto(`${scene.gateway.url}/c/${key}`);
    await connected(page);
    await settled(page);
    expect(await side.isVisible()).toBe(false);
    await button.click();
    await expect.poll(focused).toMatch(/^side-/);
    await side.getByRole("tab", { name: "Evidence" }).click();
    await side.locator("li").getByText("waiting for you").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => side.isVisible()).toBe(false);
    await expect.poll(focused).toContain("side-button");
    const { run } = (await scene.owner.result("runs.get", { runId })) as { run: { status: string } };
    expect(run.status).toBe("waiting");
    await button.click();
    await expect.poll(focused).toMatch(/^side-/);
    await page.mouse.click(20, 400);
    await expect.poll(() => side.isVisible()).toBe(false);
    await button.click();
    await side.getByRole("tab", { name: "Evidence" }).click();
    await side.locator("h3 a").click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.localName))
      .toBe("elwood-message-item");
    await expect.poll(() => side.isVisible()).toBe(false);
    await page.setViewportSize(WIDE);
    expect(tab.faults).toEqual([]);
  });

  test("no tab has a fault that axe finds, light and dark, wide and narrow, and nothing sticks out from 360 to 2,560 px", async () => {
    for (const name of ["Evidence", "Run", "Files"] as const) {
      await page.setViewportSize(WIDE);
      await show(name);
      await side.locator("h3, li").first().waitFor();
      if (name === "Run") await side.locator(".timeline-row").first().click();
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport);
        if (viewport === NARROW) {
          // The column went with the room for it.
          await expect.poll(() => side.isVisible()).toBe(false);
          await button.click();
        }
        await side.locator("h3, li").first().waitFor();
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const look = colorScheme === "light" ? "all" : "colours";
          expect
            .soft(await axeFaults(page, look), `${name}, ${viewport.width} px, ${colorScheme}`)
            .toEqual([]);
        }
      }
      for (const width of [360, 768, 1_199, 1_200, 2_560]) {
        await resize(page, width);
        await side.locator("h3, li").first().waitFor();
        expect.soft(await page.evaluate(layoutFaults), `${name}, ${width} px`).toEqual([]);
      }
    }
  });
});
