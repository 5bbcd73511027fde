import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { anthropicEnv, logIn, replyIs, say, texts } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)(
  "what can be done with a message (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let server: AnthropicServer;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      browser = await launchBrowser();
      server = await startAnthropic();
      gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    });
    afterAll(async () => {
      await gateway?.kill();
      await server?.close();
      await closeTabs(browser);
    });

    const talked = async (page: Page, words: string, answer: string) => {
      server.will(anthropic.reply(answer));
      await say(page, words);
      await replyIs(page, answer);
    };

    test("a picture opens large, by the keyboard too: named, fetched, closed, and the focus is back", async () => {
      await using tab = await openTab(browser, { acceptDownloads: true });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await page
        .locator("#attach")
        .setInputFiles([
          { name: "red\u202egnp.png", mimeType: "image/png", buffer: Buffer.from(DOT, "base64") },
        ]);
      await page.locator('.upload[data-state="ready"]').waitFor();
      await talked(page, "Look", "A dot.");
      const small = page.locator("article.you .blob-image");
      await small.focus();
      await page.keyboard.press("Enter");
      const large = page.getByRole("dialog", { name: "red\\u202egnp.png" });
      await large.getByRole("img", { name: "red\\u202egnp.png" }).waitFor();
      await large.getByText("red\\u202egnp.png", { exact: true }).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const look = colorScheme === "light" ? "all" : "colours";
        expect(await axeFaults(page, look), colorScheme).toEqual([]);
      }
      const download = page.waitForEvent("download");
      await large.getByRole("button", { name: "Download" }).click();
      expect(await readFile(await (await download).path(), "base64")).toBe(DOT);
      await page.keyboard.press("Escape");
      await large.waitFor({ state: "detached" });
      await expect.poll(() => small.evaluate((each) => each === document.activeElement)).toBe(true);
      await small.click();
      await large.getByRole("button", { name: "Close" }).click();
      await large.waitFor({ state: "detached" });
      expect(tab.faults).toEqual([]);
    });

    test("one message is forgotten from where it stands, and a whole turn from its reply", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await talked(page, "My locker is 4711.", "Noted.");
      await talked(page, "The garden gate is blue.", "A fine colour.");
      const dialog = page.getByRole("dialog");
      await page.locator("article.you").first().hover();
      await page.getByRole("button", { name: "Delete this message…" }).first().click();
      await dialog.getByRole("heading", { name: "Delete this message for good?" }).waitFor();
      await dialog.getByRole("button", { name: /^Forget/ }).click();
      await dialog.getByText("Forgotten:").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.getByText("What was said here was forgotten.").first().waitFor();
      await expect.poll(() => texts(page)).toEqual(["Noted.", "The garden gate is blue.", "A fine colour."]);

      // Words of it that were about to be changed go, too.
      const kept = () => page.evaluate(() => JSON.stringify(sessionStorage));
      await page.getByRole("button", { name: "Edit and send again" }).last().click();
      await page.getByRole("textbox", { name: "Your message" }).press("!");
      await expect.poll(kept).toMatch(/gate is blue/);
      await page.locator("article.elwood").last().hover();
      await page.getByRole("button", { name: "Delete this exchange…" }).last().click();
      await dialog.getByRole("button", { name: /^Forget/ }).click();
      await dialog.getByText("Forgotten:").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect.poll(() => page.getByRole("log").innerText()).not.toMatch(/4711|blue|fine colour/);
      await expect.poll(kept).not.toMatch(/blue/);
      expect(tab.faults).toEqual([]);
    });

    test("a login that may not decide is not offered to forget", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await bendAnswers(
        page,
        () => undefined,
        (hello) => ({ ...hello, scopes: ["chat"] }),
      );
      await logIn(page, gateway.url, gateway.token);
      await talked(page, "Hello", "Hi.");
      await page.getByRole("button", { name: "Edit and send again" }).waitFor({ state: "attached" });
      expect(await page.getByRole("button", { name: /^Forget/ }).count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });
  },
);

/** One red pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
