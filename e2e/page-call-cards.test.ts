import { spawnSync } from "node:child_process";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, runCalls, type Scene, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, resize, type Tab } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn, say } from "./page-talk.ts";

/** Without a cage every command asks. */
const CAGED =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"]).status === 0;

describe.skipIf(!BROWSER_PATH)("cards of calls (ELWOOD_TEST_BROWSER names a browser)", () => {
  const site = new LoopbackServer();
  let browser: Browser;
  let scene: Scene;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await site.start();
    site.always("GET /", (exchange) => {
      exchange.head(200, { "content-type": "text/html" });
      exchange.end("<!doctype html><title>Blue</title><body style='background:#00f'><h1>A blue page</h1>");
    });
    site.always("GET /favicon.ico", (exchange) => {
      exchange.head(404, {});
      exchange.end("");
    });
    const config = [
      "web:",
      `  allowedOrigins: ['${site.url}']`,
      "browser:",
      `  executable: ${BROWSER_PATH}`,
      `  sandbox: ${process.getuid?.() !== 0}`,
      "",
    ].join("\n");
    const port = await freePort();
    [browser, scene] = await Promise.all([launchBrowser(), actScene({ config, port })]);
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, scene.gateway.url, scene.gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
    await site.close();
  });

  const reply = () => page.locator("article.elwood").last();
  const cardOf = (tool: string): Locator => reply().locator("details.call", { has: page.getByTitle(tool) });
  /** A call that was asked about lies behind the line that says what became of it. */
  const openCall = () =>
    reply().locator(".approval.decided").last().getByRole("button", { name: "Details" }).click();
  const allow = async (runId: string) => {
    const { approvalId } = await asked(scene.owner, runId);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(scene.owner, runId);
  };

  test("a file that was written is taken back from its card: the file is as before, and every place says so", async () => {
    const file = fileIn(scene.home, "kept.txt");
    file.put("before\n");
    const { runId, sessionKey } = await runCalls(scene, [WRITE("kept.txt", "after\n")]);
    await allow(runId);
    expect(file.text).toBe("after\n");
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    const written = cardOf("files.file.write");
    await openCall();
    await written.locator(".call-inside").getByText("before").first().waitFor();
    await written.getByRole("button", { name: "Undo" }).click();
    await written.getByText("Its effect was taken back.").waitFor();
    expect(file.text).toBe("before\n");
    expect(await written.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await written.locator("summary .badge", { hasText: "undone" }).waitFor();
    const everyPlaceSaysSo = async () => {
      await reply()
        .locator(".approval-outcome", { hasText: /kept\.txt.* · undone/ })
        .waitFor();
      await reply().locator(".evidence-line", { hasText: "↩ Wrote kept.txt (undone since)" }).waitFor();
      expect(await reply().locator(".evidence-line").textContent()).not.toContain("✓");
    };
    await everyPlaceSaysSo();
    await reply().locator(".evidence summary").click();
    await reply().locator(".evidence-list li", { hasText: "kept.txt (undone since)" }).waitFor();
    await page.reload();
    await connected(page);
    await everyPlaceSaysSo();
    await openCall();
    await cardOf("files.file.write").getByText("Its effect was taken back.").waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("what is taken back elsewhere says so here by itself, wherever the call is shown", async () => {
    const { runId, sessionKey } = await runCalls(scene, [WRITE("elsewhere.txt", "after\n")]);
    await allow(runId);
    const { callId } = await asked(scene.owner, runId);
    const inspected = await page.context().newPage();
    await inspected.goto(`${scene.gateway.url}/runs/${runId}`);
    await inspected.locator(".timeline-row", { hasText: "Wrote elsewhere.txt" }).first().click();
    await inspected.getByRole("button", { name: "Undo" }).waitFor();
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await reply().locator(".evidence summary").click();
    const evidence = reply().locator(".evidence-list li", { hasText: "elsewhere.txt" });
    await evidence.waitFor();
    await openCall();
    await cardOf("files.file.write").getByRole("button", { name: "Undo" }).waitFor();
    await page.locator(".side-button").click();
    const beside = page.locator("#chat-side li", { hasText: "elsewhere.txt" });
    await beside.getByText("approved").waitFor();

    await scene.owner.result("calls.undo", { callId });
    for (const each of [cardOf("files.file.write"), inspected])
      await each.getByText("Its effect was taken back.").waitFor();
    await evidence.getByText("(undone since)").waitFor();
    await beside.getByText("undone since").waitFor();
    await page.locator(".side-button").click();
    await inspected.close();
  });

  test("what cannot be taken back any more says so, and changes nothing", async () => {
    const file = fileIn(scene.home, "changed.txt");
    file.put("first\n");
    const { runId, sessionKey } = await runCalls(scene, [WRITE("changed.txt", "second\n")]);
    await allow(runId);
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await openCall();
    const undo = cardOf("files.file.write").getByRole("button", { name: "Undo" });
    await undo.waitFor();
    file.put("third, by somebody else\n");
    await undo.click();
    await page
      .locator(".toast")
      .filter({ hasText: /changed/i })
      .first()
      .waitFor();
    expect(file.text).toBe("third, by somebody else\n");
  });

  test("a screenshot of the browser's is shown in the card of its call, from a ticket, and is what was seen", async () => {
    const opening = await runCalls(scene, [{ tool: "browser.page.open", input: { url: `${site.url}/` } }]);
    await allow(opening.runId);
    const shot = await runCalls(scene, [{ tool: "browser.page.screenshot", input: {} }], {
      sessionKey: opening.sessionKey,
    });
    await finalOf(scene.owner, shot.runId);
    await page.goto(`${scene.gateway.url}/c/${opening.sessionKey}`);
    const taken = cardOf("browser.page.screenshot");
    await taken.locator("summary").click();
    const image = taken.locator(".blob-image img");
    await image.waitFor();
    await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(300);
    const pixel = await image.evaluate((img: HTMLImageElement) => {
      const canvas = document.createElement("canvas").getContext("2d")!;
      // Its lower right corner, at the beginning of the canvas.
      canvas.drawImage(img, 5 - img.naturalWidth, 5 - img.naturalHeight);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    });
    expect(pixel).toEqual([0, 0, 255, 255]);
    expect(await image.getAttribute("src")).toMatch(/^\/blobs\/[^?]+\?ticket=/);
    expect(await image.getAttribute("alt")).not.toBe("");
    for (const width of [360, 1_280]) {
      await resize(page, width);
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
      const box = (await image.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    expect(await axeFaults(page)).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test.runIf(CAGED)(
    "a command that ended with another code than 0 is told by it, live, after a reload, in evidence and timeline",
    async () => {
      await page.goto(scene.gateway.url);
      await connected(page);
      const words = scene.model.plan([[{ tool: "shell.command.run", input: { argv: ["ls", "nowhere"] } }]]);
      await say(page, words);
      const told = () => cardOf("shell.command.run").locator("summary .badge");
      const isTold = async () => {
        await expect.poll(() => told().textContent(), { timeout: 60_000 }).toContain("ended with code 2");
        expect(await told().getAttribute("data-tone")).toBe("warn");
      };
      await isTold();
      await reply().locator(".evidence-line", { hasText: "↯ Ran ls nowhere (ended with code 2)" }).waitFor();
      await page.reload();
      await connected(page);
      await isTold();
      await cardOf("shell.command.run").locator("summary").click();
      await cardOf("shell.command.run").getByText("Output, exit code 2").waitFor();
      await isTold();
      await reply().locator(".evidence summary").click();
      await reply().locator(".evidence-counts", { hasText: "1 ended with code 2" }).waitFor();
      await reply().getByRole("link", { name: "Timeline of this run" }).click();
      await page.getByLabel("Failures only").check();
      const row = page.locator(".timeline-row", { hasText: "ended with code 2" });
      await row.click();
      const details = page.getByRole("complementary", { name: "Details" });
      await details.locator(".badge", { hasText: "ended with code 2" }).waitFor();
      expect(tab.faults).toEqual([]);
    },
  );

  test("a call that was denied is told as denied after a reload too, not as failed", async () => {
    const { runId, sessionKey } = await runCalls(scene, [WRITE("never.txt", "x")]);
    const { approvalId } = await asked(scene.owner, runId);
    await scene.owner.result("exec.deny", { approvalId });
    await finalOf(scene.owner, runId);
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await reply()
      .locator(".approval-outcome", { hasText: "Not created: never.txt · you denied it" })
      .waitFor();
    await openCall();
    await expect
      .poll(() => cardOf("files.file.write").locator("summary .badge").textContent())
      .toContain("denied");
  });
});
