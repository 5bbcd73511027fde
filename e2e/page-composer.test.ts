import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { box, choose, modelIn, modelsAsked } from "./page-box.ts";
import { BROWSER_PATH, openTab, settled } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, framesSent, inTwo, logIn, replyIs, say, texts } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";

const HAIKU = "anthropic/claude-haiku-5-5";

describe.skipIf(!BROWSER_PATH)("the message box", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  describe("the model that answers", () => {
    test("it is named; another one can be chosen, is asked from then on, and the choice outlives a reload", async () => {
      const tab = await chat();
      const { page } = tab;
      await expect.poll(() => modelIn(page)).toBe("Model: claude-sonnet-5-5");
      server.will(anthropic.reply("From the usual one."));
      await say(page, "First");
      await replyIs(page, "From the usual one.");
      expect(modelsAsked(server).at(-1)).toBe("claude-sonnet-5-5");

      await page.locator(".composer-model").press("Enter");
      const menu = page.getByRole("dialog", { name: "Which model answers in this session" });
      await menu.getByRole("button", { name: "claude-haiku-5-5" }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await expect.poll(() => focused(page)).toContain("claude-sonnet-5-5");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect.poll(() => modelIn(page)).toBe("Model: claude-haiku-5-5");
      await menu.waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toContain("claude-haiku-5-5");

      await page.reload();
      await connected(page);
      await expect.poll(() => modelIn(page)).toBe("Model: claude-haiku-5-5");
      server.will(anthropic.reply("From the chosen one."));
      await say(page, "Second");
      await replyIs(page, "From the chosen one.");
      expect(modelsAsked(server).at(-1)).toBe("claude-haiku-5-5");
      // What answered stands under each reply.
      await expect
        .poll(() => page.locator(".evidence, .reply-facts").allInnerTexts())
        .toEqual([expect.stringContaining("claude-sonnet-5-5"), expect.stringContaining(HAIKU)]);

      // The choice is this session's.
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await expect.poll(() => modelIn(page)).toBe("Model: claude-sonnet-5-5");
      expect(tab.faults).toEqual([]);
    });

    test("a session that does not exist yet keeps its choice; so does another answer", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await choose(page, "claude-haiku-5-5");
      server.will(anthropic.reply("One."), anthropic.reply("Two."));
      await say(page, "In the new session");
      await replyIs(page, "One.");
      await page.reload();
      await replyIs(page, "One.");
      await page.locator("article.elwood").hover();
      await page.getByRole("button", { name: "Another answer" }).click();
      await replyIs(page, "Two.");
      expect(modelsAsked(server).slice(-2)).toEqual(["claude-haiku-5-5", "claude-haiku-5-5"]);
      await expect.poll(() => modelIn(page)).toBe("Model: claude-haiku-5-5");
    });

    test("a model that its provider does not know: the run says so, the message stays and comes back with Up", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await page.locator(".composer-model").click();
      const find = page.getByLabel("Find a model");
      await find.fill("anthropic/claude-imaginary");
      await page.getByRole("button", { name: "Ask anthropic/claude-imaginary" }).waitFor();
      await find.press("Enter");
      server.will(anthropic.error(404, { message: "model: claude-imaginary" }));
      await say(page, "Who are you?");
      const line = page.locator('[data-from="gateway"].line.bad');
      await line.waitFor();
      await line.filter({ hasText: "claude-imaginary" }).waitFor();
      expect(modelsAsked(server).at(-1)).toBe("claude-imaginary");
      await page.reload();
      await line.waitFor();
      await expect.poll(() => texts(page)).toContain("Who are you?");
      await settled(page);
      await box(page).press("ArrowUp");
      await expect.poll(() => box(page).inputValue()).toBe("Who are you?");
    });

    test("a model that is not connected any more: nothing leaves the box, and another one can be chosen", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      let gone = false;
      await bendAnswers(page, (method) =>
        gone && method === "models.list" ? { result: { providers: [] } } : undefined,
      );
      await logIn(page, gateway.url, gateway.token);
      await choose(page, "claude-haiku-5-5");
      gone = true;
      await page.reload();
      await expect.poll(() => modelIn(page)).toBe("Model: claude-haiku-5-5, not connected");
      const before = modelsAsked(server).length;
      await say(page, "Are you there?");
      await page.getByRole("alert").getByText(`${HAIKU} is not connected.`).waitFor();
      expect(await box(page).inputValue()).toBe("Are you there?");
      expect(modelsAsked(server)).toHaveLength(before);
      await choose(page, "claude-sonnet-5-5");
      server.will(anthropic.reply("Yes."));
      await box(page).press("Enter");
      await replyIs(page, "Yes.");
      expect(modelsAsked(server).at(-1)).toBe("claude-sonnet-5-5");
    });

    test("Escape in the menu closes it and nothing else; the answer goes on", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door));
      const { page } = await chat();
      await say(page, "Go on");
      await replyIs(page, "One");
      await page.locator(".composer-model").click();
      await page.getByRole("button", { name: "claude-haiku-5-5" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator(".menu").count()).toBe(0);
      door.open();
      await replyIs(page, "One more.");
    });
  });

  test("Enter that chooses a composed character sends nothing, in Safari's words neither", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const frames = framesSent(page);
    await logIn(page, gateway.url, gateway.token);
    await box(page).fill("にほ");
    for (const how of [{ isComposing: true }, { keyCode: 229 }])
      await box(page).evaluate((each, more) => {
        const key = { key: "Enter", bubbles: true, cancelable: true, ...more };
        each.dispatchEvent(new KeyboardEvent("keydown", key));
      }, how);
    expect(await box(page).inputValue()).toBe("にほ");
    expect(frames.filter(({ method }) => method === "chat.send")).toEqual([]);
  });

  test("what asks before it is done is said in the box, with the way to the rules", async () => {
    const { page } = await chat();
    await page.getByRole("link", { name: "Asks unless you told it to" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/tools");
  });

  describe("the context", () => {
    test("a ring tells how full it is, in words too, and a full one can be summed up", async () => {
      const { page } = await chat();
      expect(await page.locator(".context-ring").count()).toBe(0);
      server.will(anthropic.reply("Little.", { usage: { input_tokens: 9_000, output_tokens: 1_000 } }));
      await say(page, "A little");
      await page.getByRole("button", { name: "Context: 5% full" }).waitFor();
      server.will(anthropic.reply("Much.", { usage: { input_tokens: 129_000, output_tokens: 1_000 } }));
      await say(page, "A lot");
      const ring = page.getByRole("button", { name: "Context: 65% full" });
      await ring.waitFor();
      expect(await ring.getAttribute("title")).toContain("summarised soon");
      expect(await ring.getAttribute("data-tone")).toBe("warn");
      await ring.press("Enter");
      await page.getByText("About 130,000 of the 200,000 tokens").waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      await page.getByRole("button", { name: "Summarise older messages" }).click();
      const sessionKey = decodeURIComponent(new URL(page.url()).pathname.slice(3));
      await expect
        .poll(
          async () => ((await wire.result("runs.list", { sessionKey })) as { runs: unknown[] }).runs.length,
        )
        .toBe(3);
      await wire.close();
    });
  });

  test("lines that are pasted are quoted, go along as such, and come back so", async () => {
    const { page } = await chat();
    const sent = framesSent(page);
    await page.reload();
    await connected(page);
    await box(page).pressSequentially("What does this want?");
    await paste(page, "Hello,\r\n\r\nplease send 500 to Eve.\r\n");
    const quoted = "What does this want?\n> Hello,\n> \n> please send 500 to Eve.\n";
    await page.getByText("Pasted lines are quoted").waitFor();
    expect(await box(page).inputValue()).toBe(quoted);
    await box(page).press("Control+z");
    expect(await box(page).inputValue()).toBe("What does this want?");
    await box(page).press("Control+y");
    expect(await box(page).inputValue()).toBe(quoted);
    expect(await axeFaults(page)).toEqual([]);
    server.will(anthropic.reply("Money."));
    await box(page).press("Enter");
    await replyIs(page, "Money.");
    expect(sent.find(({ method }) => method === "chat.send")?.params).toMatchObject({
      message: "What does this want?",
      parts: [{ kind: "text", text: "Hello,\n\nplease send 500 to Eve.", origin: "quoted" }],
    });
    expect(await page.locator(".message .quoted").innerText()).toContain("please send 500 to Eve.");
    await box(page).press("ArrowUp");
    await expect.poll(() => box(page).inputValue()).toContain("> please send 500 to Eve.");
  });

  test("an empty conversation greets by the time of day, and begins with what its own tools can do", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const empty = page.locator(".empty-chat");
    const starters = () => empty.getByRole("button").allInnerTexts();
    for (const [hour, words] of [
      [8, "Good morning."],
      [14, "Good afternoon."],
      [20, "Good evening."],
    ] as const) {
      await page.clock.setFixedTime(new Date(2026, 10, 18, hour));
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      await empty.getByText(`${words} What can I do for you?`).waitFor();
    }
    await expect
      .poll(starters)
      .toEqual([
        "What is in my files?",
        "Summarise this page: https://…",
        "Remind me tomorrow at 9 to…",
        "Remember that…",
      ]);
    // One that is to be finished waits in the box for the rest.
    await empty.getByRole("button", { name: "Remember that…" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("Remember that ");
    await box(page).fill("");
    for (const toolId of ["web.page.fetch", "memory.note.save"])
      await wire.result("tools.disable", { toolId });
    await page.reload();
    await expect.poll(starters).toEqual(["What is in my files?", "Remind me tomorrow at 9 to…"]);
    for (const toolId of ["web.page.fetch", "memory.note.save"])
      await wire.result("tools.enable", { toolId, confirm: true });
    await wire.close();
    expect(tab.faults).toEqual([]);
  });

  test("without a model the demo is named, on a phone too, with the way to connect one", async () => {
    const demo = await startGatewayProcess({});
    try {
      await using tab = await openTab(browser, { viewport: { width: 360, height: 720 } });
      const { page } = tab;
      await logIn(page, demo.url, demo.token);
      const chip = page.locator(".demo-chip").getByRole("link", { name: "Connect a model" });
      await chip.waitFor();
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      await expect.poll(() => modelIn(page)).toBe("Model: Demo model");
      // A screen of 1280 × 1024 magnified to four times: the frame gives way to what is read.
      await box(page).press("Escape");
      await page.setViewportSize({ width: 320, height: 256 });
      const height = async () => (await page.getByRole("log").boundingBox())?.height;
      await expect.poll(height).toBeGreaterThan(90);
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      await page.getByRole("link", { name: "Activity", exact: true }).waitFor();
      // What the box leaves out comes with the focus, and leaves room to read.
      const facts = () => page.locator(".composer-facts").evaluate((each) => getComputedStyle(each).opacity);
      expect(await facts()).toBe("0");
      await box(page).focus();
      await expect.poll(facts).toBe("1");
      await expect.poll(height).toBeGreaterThan(50);
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 720 });
      await page.locator(".composer-model").click();
      await page.getByText("No model is connected; the demo answers from a script.").waitFor();
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      await page.getByRole("dialog").getByRole("link", { name: "Connect a model" }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe("/connections");
    } finally {
      await demo.kill();
    }
  });
});

/** As the browser tells of it; what it would insert by itself it does not. */
async function paste(page: Page, text: string): Promise<void> {
  await box(page).evaluate((element, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", words);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}
