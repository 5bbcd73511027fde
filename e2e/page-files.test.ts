import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { box } from "./page-box.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { inTwo, logIn, replyIs, say } from "./page-talk.ts";
import { withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)("files for a message (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, server, gateway } = scene));

  test("a file that is still being stored comes to its session, wherever its owner is by then", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const door = gate();
    server.will(inTwo("One ", "more.", door));
    await logIn(page, gateway.url, gateway.token);
    await say(page, "First");
    await replyIs(page, "One");
    await say(page, "Waits");
    const stored = gate();
    await page.route("**/blobs", async (route) => {
      await stored.opened;
      await route.continue();
    });
    await attach(page, ["slow.txt"]);
    await page.getByText("storing…").waitFor();
    // A message taken back into the box does not push it out.
    await page.getByRole("button", { name: "Edit this message" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("Waits");
    expect(await files(page)).toEqual(["slow.txt"]);
    const session = page.url();
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByRole("link", { name: "New session" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("");
    expect(await files(page)).toEqual([]);
    const answered = page.waitForResponse("**/blobs");
    stored.open();
    await answered;

    await page.goBack();
    await expect.poll(() => page.url()).toBe(session);
    await page.locator('.upload[data-state="ready"]').waitFor();
    expect(await files(page)).toEqual(["slow.txt"]);
    await page.reload();
    await expect.poll(() => files(page)).toEqual(["slow.txt"]);
    await expect.poll(() => box(page).inputValue()).toBe("Waits");
    door.open();
  });

  test("more files than go with a message are not left out in silence", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await attach(
      page,
      Array.from({ length: 20 }, (_, i) => `${i}.txt`),
    );
    await expect.poll(() => files(page).then(({ length }) => length)).toBe(16);
    await page.getByRole("alert").getByText("4 files were not attached").waitFor();
    await page.getByRole("button", { name: "Do not attach 3.txt" }).click();
    await expect.poll(() => files(page).then(({ length }) => length)).toBe(15);
    await page.locator("#message:focus").waitFor();
  });

  test("a file let go over the conversation is attached", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    server.will(anthropic.reply("Got it."));
    // What takes files is fetched beside the page: it is there once it shows that a file is over it.
    await expect
      .poll(async () => {
        await drag(page, "dragover");
        return page.locator("[data-dragging]").count();
      })
      .toBe(1);
    await drag(page, "drop");
    await page.locator('.upload[data-state="ready"]', { hasText: "dropped.txt" }).waitFor();
    expect(await page.locator("[data-dragging]").count()).toBe(0);
  });
});

function drag(page: Page, type: "dragover" | "drop"): Promise<void> {
  return page.getByRole("log").evaluate((log, kind) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["words"], "dropped.txt", { type: "text/plain" }));
    log.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  }, type);
}

function attach(page: Page, names: readonly string[]): Promise<void> {
  return page
    .locator("#attach")
    .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })));
}

function files(page: Page): Promise<string[]> {
  return page.locator(".upload-name").allInnerTexts();
}
