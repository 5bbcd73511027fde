import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { logIn, replyIs, say } from "./page-talk.ts";

const FIVE_MINUTES_MS = 300_000;

describe.skipIf(!BROWSER_PATH)("odd input on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  test("hostile Markdown, titles, folders and names of files: nothing runs, nothing leaves, nothing is forged", async () => {
    expect(HOSTILE_TEXTS.length).toBeGreaterThan(51);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    for (const [i, title] of HOSTILE_TEXTS.entries()) {
      const { sessionKey } = (await wire.result("sessions.create", { title })) as { sessionKey: string };
      if (i % 8 === 0) await wire.result("sessions.move", { sessionKey, folder: title.slice(0, 60) });
    }
    await wire.close();
    await using tab = await openTab(browser);
    const { page } = tab;
    const outside: string[] = [];
    await page.context().route(
      (url) => url.origin !== gateway.url,
      (route) => {
        outside.push(route.request().url());
        return route.abort();
      },
    );
    await logIn(page, gateway.url, gateway.token);
    await page.getByText("<script>window.pwned=1</script>", { exact: true }).first().waitFor();
    await attach(
      page,
      HOSTILE_TEXTS.slice(3, 15).map((name) => name.replaceAll(/[/\n]/g, "_")),
    );
    await expect.poll(() => page.locator(".upload-name").count()).toBe(12);

    // By themselves, in a list, in a quotation and in a table.
    const quoted = (text: string) => text.replaceAll(/^/gm, "> ");
    const row = (text: string) => `| a |\n|---|\n| ${text.replaceAll(/[|\n]/g, " ")} |`;
    const listed = (text: string) => `- ${text.replaceAll("\n", "\n  ")}`;
    const shapes = [(text: string) => text, listed, quoted, row];
    for (const [i, shape] of shapes.entries()) {
      server.will(anthropic.reply([...HOSTILE_TEXTS.map(shape), `So much for ${i}.`].join("\n\n")));
      await page.getByLabel("Message", { exact: true }).fill(`Shape ${i}`);
      // Once the files are stored.
      await page.locator("#send").click();
      await page.locator("article.elwood .text", { hasText: `So much for ${i}.` }).waitFor();
      await expect.poll(() => page.locator(".evidence, .reply-facts").count()).toBe(i + 1);
    }
    const made =
      "img, picture, script, iframe, object, embed, video, audio, svg image, svg use, form, input:not([type=checkbox]), base, link, style, meta, details, marquee, template, [contenteditable], [id], [name], [onclick], [onerror], [style], [srcset], maction, foreignObject, mglyph, elwood-approval-dialog, .approval, .tick, .not-verified";
    expect(await page.locator(".turns elwood-markdown").locator(made).count()).toBe(0);
    expect(
      await page.locator(".sessions").locator("img, script, iframe, form, style, [onerror]").count(),
    ).toBe(0);
    const addresses = await page
      .locator("main a")
      .evaluateAll((all) => all.map((a) => (a instanceof HTMLAnchorElement ? a.protocol : "")));
    expect(new Set(addresses)).toEqual(new Set(["http:", "https:"]));
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    expect(outside).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test("ten megabytes that are pasted go along as a file, and what was typed stays", async () => {
    const { page, faults } = await chat();
    await page.getByLabel("Message", { exact: true }).fill("What is in it?");
    const paste = (text: string) =>
      page.locator("#message").evaluate(
        (box, [given, times]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", String(given).repeat(Number(times)));
          box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        },
        [text, 1024 * 1024],
      );
    await paste("ten bytes\n");
    await page.getByRole("alert").getByText("That is too long for a message").waitFor();
    await expect.poll(() => page.locator(".upload-name").allInnerTexts()).toEqual(["pasted.txt"]);
    expect(await page.locator("#message").inputValue()).toBe("What is in it?");
    await expect.poll(() => page.locator("#send").isEnabled()).toBe(true);
    // No model takes so much; who is asked says so, and the message stays with its file.
    await page.locator("#send").click();
    await page.getByText(/does not fit into .* Nothing was sent, and nothing is lost\./).waitFor();
    await page.locator("article.you", { hasText: "pasted.txt" }).waitFor();
    // More than can be stored is told, and nothing of the message is lost.
    await page.getByLabel("Message", { exact: true }).fill("And now?");
    await paste("two times ten bytes and more\n");
    await page
      .locator(".upload", { hasText: "pasted.txt" })
      .getByText(/^larger than .*; not attached$/)
      .waitFor();
    expect(await page.locator("#message").inputValue()).toBe("And now?");
    expect(faults).toEqual([]);
  });

  test("of two hundred files as many are attached as go with a message, and the others are told", async () => {
    await using tab = await openTab(browser);
    await logIn(tab.page, gateway.url, gateway.token);
    await attach(
      tab.page,
      Array.from({ length: 200 }, (_, i) => `${i}.txt`),
    );
    await tab.page.getByRole("alert").getByText("184 files were not attached").waitFor();
    await expect.poll(() => tab.page.locator(".upload-name").count()).toBe(16);
    expect(tab.faults).toEqual([]);
  });

  test("where the browser has no room left, that is said once, and everything else works", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await page.evaluate(() => {
      for (const storage of [sessionStorage, localStorage])
        for (let size = 4 * 1024 * 1024; size >= 1; size = Math.floor(size / 2))
          try {
            for (let i = 0; ; i++) storage.setItem(`filler-${size}-${i}`, "x".repeat(size));
          } catch {
            continue; // not so much any more
          }
    });
    await page.getByLabel("Message", { exact: true }).fill("Hi");
    await page.getByText("This browser has no room left").waitFor();
    await page.getByLabel("Message", { exact: true }).fill("Hi there");
    expect(await page.getByText("This browser has no room left").count()).toBe(1);
    server.will(anthropic.reply("Hello."));
    await page.keyboard.press("Enter");
    await replyIs(page, "Hello.");
    expect(tab.faults).toEqual([]);
  });

  test.each([
    ["ahead", FIVE_MINUTES_MS],
    ["behind", -FIVE_MINUTES_MS],
  ])("with a clock five minutes %s, what is said now is said now", async (_, off) => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript((by) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + by;
    }, off);
    await logIn(page, gateway.url, gateway.token);
    server.will(anthropic.reply("It is late."));
    await say(page, `What time is it, ${off}?`);
    await replyIs(page, "It is late.");
    await page.reload();
    await replyIs(page, "It is late.");
    const times = await page
      .locator(".turns time")
      .evaluateAll((all) => all.map((each) => each.textContent?.trim()));
    expect(times.length).toBeGreaterThan(0);
    expect(new Set(times)).toEqual(new Set(["now"]));
    expect(tab.faults).toEqual([]);
  });
});

function attach(page: Page, names: readonly string[]): Promise<void> {
  return page
    .locator("#attach")
    .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })));
}
