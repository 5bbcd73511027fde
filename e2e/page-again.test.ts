import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { modelsAsked } from "./page-box.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { framesSent, logIn, replyIs, say } from "./page-talk.ts";
import { bendAnswers, refused } from "./page-wire.ts";
import { withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)("asking again (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, server, gateway } = scene));

  const begin = async (page: Page) => {
    server.will(anthropic.reply("An answer."));
    await logIn(page, gateway.url, gateway.token);
    await say(page, "A question");
    await replyIs(page, "An answer.");
  };

  test("pressed twice, an answer is asked for once, and a branch is made once", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const frames = framesSent(page);
    await begin(page);
    const asked = modelsAsked(server).length;
    server.will(anthropic.reply("Another answer."));
    await page.locator("article.elwood").hover();
    await page.getByRole("button", { name: "Try again, in a branch" }).dblclick();
    await replyIs(page, "Another answer.");
    await page.locator("article.elwood").hover();
    const branch = page.url();
    await page.getByRole("button", { name: "Branch from here" }).dblclick();
    await expect.poll(() => page.url()).not.toBe(branch);
    expect(frames.filter(({ method }) => method === "sessions.fork")).toHaveLength(2);
    expect(modelsAsked(server)).toHaveLength(asked + 1);
  });

  test("what failed before a word was said is said once, and is answered anew by the button below it", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    server.will(anthropic.error(401));
    await say(page, "A question");
    const why = page.locator(".line.bad", { hasText: "refused the key" });
    await why.waitFor();
    server.will(anthropic.reply("An answer after all."));
    await page.getByRole("button", { name: "Try again, in a branch" }).click();
    await replyIs(page, "An answer after all.");
    expect(await why.count()).toBe(0);
  });

  test("words that could not be sent into a branch stay, to be sent again", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    let isRefused = true;
    await bendAnswers(page, (method) =>
      method === "sessions.fork" && isRefused ? refused("Not now.") : undefined,
    );
    await begin(page);
    const words = page.getByRole("textbox", { name: "Your message" });
    await page.locator("article.you").hover();
    await page.getByRole("button", { name: "Edit and send again" }).click();
    await words.fill("A question, but longer");
    await words.press("Enter");
    await page.getByText("Not now.").waitFor();
    expect(await words.inputValue()).toBe("A question, but longer");
    isRefused = false;
    // Nor are they lost by a visit to another session, or by a reload.
    await page.getByRole("link", { name: "New session" }).click();
    await words.waitFor({ state: "detached" });
    await page.goBack();
    await expect.poll(() => words.inputValue()).toBe("A question, but longer");
    await page.reload();
    await expect.poll(() => words.inputValue()).toBe("A question, but longer");
    server.will(anthropic.reply("Hello again."));
    await words.press("Enter");
    await replyIs(page, "Hello again.");
    await expect
      .poll(() => page.locator("article.you .text").allInnerTexts())
      .toEqual(["A question, but longer"]);
    await page.goBack();
    await replyIs(page, "An answer.");
    expect(await words.count()).toBe(0);
  });

  test("the focus is not lost when somebody changes their mind about a message or a title", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await begin(page);
    const edit = page.getByRole("button", { name: "Edit and send again" });
    const words = page.getByRole("textbox", { name: "Your message" });
    await edit.focus();
    await page.keyboard.press("Enter");
    await words.press("Escape");
    await expect.poll(() => focused(page)).toBe("Edit and send again");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => focused(page)).toBe("Edit and send again");

    for (const key of ["Escape", "Enter"]) {
      await page.getByRole("heading", { level: 1 }).dblclick();
      await page.getByLabel("Title of the session").fill("A title");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
    }
    await page.getByRole("heading", { level: 1, name: "A title" }).waitFor();
    expect(tab.faults).toEqual([]);
  });
});

function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
}
