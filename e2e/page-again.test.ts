import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { modelsAsked } from "./page-box.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { framesSent, logIn, replyIs, say, texts } from "./page-talk.ts";
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
    const first = page.url();
    const asked = modelsAsked(server).length;
    server.will(anthropic.reply("Another answer."));
    await page.locator("article.elwood").hover();
    await page.getByRole("button", { name: "Another answer" }).dblclick();
    await replyIs(page, "Another answer.");
    // It stands in the place of the first, in the same session.
    expect(page.url()).toBe(first);
    expect(await versions(page)).toEqual(["2/2"]);
    await page.locator("article.elwood").hover();
    await page.getByRole("button", { name: "Branch from here" }).dblclick();
    await expect.poll(() => page.url()).not.toBe(first);
    await replyIs(page, "Another answer.");
    expect(await versions(page)).toEqual([]);
    expect(frames.filter(({ method }) => method === "sessions.fork")).toHaveLength(1);
    expect(frames.filter(({ method }) => method === "chat.retry")).toHaveLength(1);
    expect(modelsAsked(server)).toHaveLength(asked + 1);
  });

  test("versions are leafed through with mouse and keys, and read the same after a reload and in another tab", async () => {
    await using tab = await openTab(browser);
    await using other = await openTab(browser);
    const { page } = tab;
    await begin(page);
    server.will(anthropic.reply("And so on."), anthropic.reply("Another answer."));
    await say(page, "Go on");
    await replyIs(page, "And so on.");
    await logIn(other.page, gateway.url, gateway.token);
    await other.page.goto(page.url());
    await replyIs(other.page, "And so on.");
    await page.locator("article.elwood").first().hover();
    await page.getByRole("button", { name: "Another answer" }).first().click();
    await replyIs(page, "Another answer.");
    await expect.poll(() => texts(page)).toEqual(["A question", "Another answer."]);
    await expect.poll(() => texts(other.page)).toEqual(["A question", "Another answer."]);
    await page.getByRole("button", { name: "Earlier version" }).click();
    await expect.poll(() => texts(page)).toEqual(["A question", "An answer.", "Go on", "And so on."]);
    await expect.poll(() => versions(page)).toEqual(["1/2"]);
    await expect.poll(() => focused(page)).toBe("Later version");
    const live = await conversation(page);
    await page.reload();
    await replyIs(page, "And so on.");
    await expect.poll(() => versions(page)).toEqual(["1/2"]);
    expect(await conversation(page)).toBe(live);
    await expect.poll(() => versions(other.page)).toEqual(["1/2"]);
    await page.getByRole("button", { name: "Later version" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => texts(page)).toEqual(["A question", "Another answer."]);
    await expect.poll(() => focused(page)).toBe("Earlier version");
    expect(await axeFaults(page)).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test("what a version did that is not shown stays listed under the answer, and is undone there", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const input = { path: "versioned.txt", content: "hello" };
    server.will(
      anthropic.tools([{ name: "files__file__write", input, id: "toolu_v" }]),
      anthropic.reply("Written."),
    );
    await say(page, "Write hello into versioned.txt");
    await replyIs(page, "Written.");
    server.will(anthropic.reply("I would rather not."));
    await page.locator("article.elwood").hover();
    await page.getByRole("button", { name: "Another answer" }).click();
    await replyIs(page, "I would rather not.");
    const effects = page.locator(".version-effects");
    await expect.poll(() => effects.innerText()).toMatch(/Done in another version:\s+Wrote .*versioned\.txt/);
    await page.reload();
    await effects.getByRole("button", { name: "Undo" }).click();
    await effects.getByText("(undone since)").waitFor();
    await expect.poll(() => effects.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(tab.faults).toEqual([]);
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
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await replyIs(page, "An answer after all.");
    await expect.poll(() => why.count()).toBe(0);
    expect(await versions(page)).toEqual(["2/2"]);
  });

  test("words that could not be sent stay, to be sent again", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    let isRefused = true;
    await bendAnswers(page, (method) =>
      method === "chat.edit" && isRefused ? refused("Not now.") : undefined,
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
    await page.getByRole("button", { name: "Earlier version" }).click();
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

/** `2/3` for every turn that is one of several. */
function versions(page: Page): Promise<string[]> {
  return page
    .locator(".versions > span")
    .evaluateAll((all) => all.map((each) => each.textContent.replaceAll(/Version | of |\s/g, "")));
}

function conversation(page: Page): Promise<string> {
  return page.getByRole("log").innerText();
}

function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
}
