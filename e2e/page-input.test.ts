import { after, gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import type { GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import { announced, box, lastWords } from "./page-box.ts";
import { BROWSER_PATH, openTab, type Tab } from "./page-browser.ts";
import { card } from "./page-card.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { connected, framesSent, inTwo, logIn, replyIs, say, texts } from "./page-talk.ts";

const asks = (tool: string, input: unknown) =>
  anthropic.tools([{ name: tool.replaceAll(".", "__"), input, id: `toolu_${tool}` }]);

describe.skipIf(!BROWSER_PATH)("the box and what it does", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));
  afterEach(() => {
    server.requests.length = 0;
  });

  const inBox = (page: Page) => page.locator("#message:focus").waitFor();
  const sendButton = (page: Page) => page.locator("#send").innerText();

  describe("where typing goes", () => {
    test("the box has the focus after a load, a new session, a switch and a visit elsewhere: what is typed is sent whole", async () => {
      const { page } = await chat();
      await inBox(page);
      server.will(anthropic.reply("Much."));
      await page.keyboard.type("What can you do?");
      await page.keyboard.press("Enter");
      await replyIs(page, "Much.");
      expect(lastWords(server).at(-1)).toContain("What can you do?");
      await page.reload();
      await connected(page);
      await inBox(page);
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await inBox(page);
      await page.locator("a.session").first().click();
      await inBox(page);
      await page.getByRole("link", { name: "Activity", exact: true }).click();
      await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
      await page.getByRole("link", { name: "Chat", exact: true }).click();
      await inBox(page);
      await page.getByRole("link", { name: "Chat", exact: true }).click();
      await inBox(page);
    });

    test("typed outside the box, text lands in it; letters are no shortcuts until Settings switch them on", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      const { pathname } = new URL(page.url());
      await inBox(page);
      await box(page).press("Escape");
      await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe("log");
      await page.keyboard.type("no g or s");
      expect(await box(page).inputValue()).toBe("no g or s");
      expect(new URL(page.url()).pathname).toBe(pathname);
      // A key that presses what has the focus stays with it.
      await page.locator(".side-button").focus();
      await page.keyboard.press("Space");
      await expect.poll(() => page.locator(".side-button").getAttribute("aria-expanded")).toBe("true");

      await page.goto(`${gateway.url}/settings`);
      await page.getByLabel("Single-letter shortcuts").check();
      await page.keyboard.press("Tab");
      await page.keyboard.press("g");
      await page.keyboard.press("u");
      await expect.poll(() => new URL(page.url()).pathname).toBe("/usage");
      expect(tab.faults).toEqual([]);
    });

    test("on a touch screen the box waits to be touched, so that no keyboard slides over the page", async () => {
      await using tab = await openTab(browser, {
        viewport: { width: 360, height: 720 },
        hasTouch: true,
        isMobile: true,
      });
      const { page } = tab;
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      await box(page).waitFor();
      await page.getByRole("link", { name: "Activity", exact: true }).tap();
      await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
      await page.getByRole("link", { name: "Chat", exact: true }).tap();
      await box(page).waitFor();
      expect(await page.locator("#message:focus").count()).toBe(0);
    });

    test("the sheet of shortcuts opens at its top, whatever the height", async () => {
      await using tab = await openTab(browser, { viewport: { width: 1280, height: 500 } });
      const { page } = tab;
      await logIn(page, `${gateway.url}/runs`, gateway.token);
      await page.keyboard.press("?");
      const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await sheet.waitFor();
      expect(await sheet.evaluate((each) => each.scrollTop)).toBe(0);
      expect(await sheet.evaluate((each) => each.scrollHeight > each.clientHeight)).toBe(true);
      const inView = async (words: string) => {
        const [outer, inner] = await Promise.all([
          sheet.boundingBox(),
          sheet.getByText(words, { exact: true }).first().boundingBox(),
        ]);
        return inner!.y >= outer!.y && inner!.y + inner!.height <= outer!.y + outer!.height;
      };
      expect(await inView("Keyboard shortcuts")).toBe(true);
      expect(await inView("General")).toBe(true);
      await sheet.getByRole("button", { name: "Close" }).click();
      await sheet.waitFor({ state: "detached" });
    });
  });

  describe("while a question waits", () => {
    test("it is told as the assistant's, on its card, in the banner and aloud, without the gateway's glyphs", async () => {
      const { page } = await chat();
      const question = "◈ Elwood: the receipts were verified ✓. Which address?";
      server.will(
        asks("owner.question.choose", { question, options: ["✓ eve@evil.example", "none"] }),
        anthropic.reply("As you like."),
      );
      await say(page, "Go on");
      const told = "The assistant asks: (*) Elwood: the receipts were verified (+). Which address?";
      await page.getByText(told).first().waitFor();
      // The banner may be there before the card is.
      await page.getByText("(+) eve@evil.example").first().waitFor();
      const shown = await page.locator("body").innerText();
      expect(shown).not.toContain("◈");
      expect(shown).toContain("(+) eve@evil.example");
      expect(await announced(page)).toContain(told);
      await page.getByRole("link", { name: "Activity", exact: true }).click();
      await page.locator(".chip-text", { hasText: told }).waitFor();
      await page.goBack();
      await say(page, "none");
      await replyIs(page, "As you like.");
    });

    test("what is typed in the box answers it, and nothing is queued", async () => {
      const { page } = await chat();
      server.will(asks("owner.question.ask", { question: "Which colour?" }), anthropic.reply("Blue it is."));
      await say(page, "Paint it");
      await card(page).waitFor();
      await expect.poll(() => sendButton(page)).toBe("Answer");
      expect(await box(page).getAttribute("placeholder")).toBe("Type your answer");
      expect(await axeFaults(page)).toEqual([]);
      await say(page, "Blue, please");
      await replyIs(page, "Blue it is.");
      expect(await page.locator(".queued-row").count()).toBe(0);
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("The owner answers: Blue, please");
      await expect.poll(() => sendButton(page)).toBe("Send");
      expect(await box(page).inputValue()).toBe("");
    });

    test("one that offers choices takes something else, too", async () => {
      const { page } = await chat();
      server.will(
        asks("owner.question.choose", { question: "Tea or coffee?", options: ["tea", "coffee"] }),
        anthropic.reply("Cocoa."),
      );
      await say(page, "Serve me");
      await card(page).waitFor();
      await expect
        .poll(() => box(page).getAttribute("placeholder"))
        .toBe("Choose above, or type something else");
      await say(page, "cocoa");
      await replyIs(page, "Cocoa.");
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("The owner answers: cocoa");
    });

    test("Enter meant for a message that was being written does not answer a question that comes in between", async () => {
      const door = gate();
      const { page } = await chat();
      server.will(
        after(door, asks("owner.question.ask", { question: "Which colour?" })),
        anthropic.reply("Red it is."),
      );
      await say(page, "Paint it");
      await box(page).fill("By the way");
      // Enter in the very moment in which the question appears, however slow the machine is.
      const submitted = page.evaluate(
        () =>
          new Promise<void>((done) => {
            const look = () => {
              if (!document.querySelector(".approval")) {
                requestAnimationFrame(look);
                return;
              }
              document.querySelector<HTMLFormElement>(".composer")!.requestSubmit();
              done();
            };
            look();
          }),
      );
      door.open();
      await submitted;
      await page.getByText("Something came up for you while you wrote.").waitFor();
      expect(await box(page).inputValue()).toBe("By the way");
      await box(page).fill("Red");
      await expect
        .poll(async () => {
          await box(page).press("Enter");
          return box(page).inputValue();
        })
        .toBe("");
      await replyIs(page, "Red it is.");
    });
  });

  describe("while a card waits", () => {
    const write = { path: "plans/unsaid.md", content: "one\n" };

    test("Enter queues the message behind the card, and the button says so", async () => {
      const { page } = await chat();
      server.will(asks("files.file.write", write), anthropic.reply("Denied."), anthropic.reply("Next."));
      await say(page, "Do what you think is right");
      await card(page).waitFor();
      await expect.poll(() => sendButton(page)).toBe("Send after this");
      await say(page, "And then?");
      await expect.poll(() => page.locator(".queued-text").allInnerTexts()).toEqual(["And then?"]);
      await expect.poll(() => announced(page)).toBe("Queued: 1 message waits.");
      await card(page).focus();
      await expect
        .poll(async () => {
          await page.keyboard.press("d");
          return page.locator(".queued-row").count();
        })
        .toBe(0);
      await replyIs(page, "Next.");
    });

    test("“Deny and tell” denies it with the words as the reason", async () => {
      const { page } = await chat();
      server.will(asks("files.file.write", write), anthropic.reply("I see."));
      await say(page, "Do what you think is right");
      await card(page).waitFor();
      await page.getByRole("button", { name: "Choose what Enter does" }).click();
      await page.getByRole("menuitemradio", { name: "Deny and tell" }).click();
      await expect.poll(() => sendButton(page)).toBe("Deny and tell");
      await inBox(page);
      await page.keyboard.type("Use another folder");
      await page.keyboard.press("Enter");
      await replyIs(page, "I see.");
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Use another folder");
      expect(await page.locator(".queued-row").count()).toBe(0);
    });

    test("a bare yes sends nothing, leads to the card and says that typing cannot approve", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      const frames = framesSent(page);
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      server.will(asks("files.file.write", write), anthropic.reply("Not done."));
      await say(page, "Do what you think is right");
      await card(page).waitFor();
      await expect.poll(() => sendButton(page)).toBe("Send after this");
      const sent = () => frames.filter(({ method }) => /^(chat\.send|exec\.|owner\.)/.test(method ?? ""));
      const before = sent().length;
      for (const yes of ["yes", "Ok!", "ja", "oui"]) {
        await say(page, yes);
        await page.getByText("Typing cannot approve.").waitFor();
        await expect
          .poll(() => card(page).evaluate((each) => each.contains(document.activeElement)))
          .toBe(true);
      }
      expect(sent()).toHaveLength(before);
      expect(await page.locator(".queued-row").count()).toBe(0);
      await expect
        .poll(async () => {
          await page.keyboard.press("d");
          return sent().length;
        })
        .toBe(before + 1);
      await replyIs(page, "Not done.");
      expect(tab.faults).toEqual([]);
    });
  });

  describe("Stop, with messages queued", () => {
    const queueThree = async (): Promise<Tab> => {
      const tab = await chat();
      const { page } = tab;
      server.will(inTwo("One ", "more.", gate()));
      await say(page, "First");
      await replyIs(page, "One");
      for (const text of ["b", "c"]) await say(page, text);
      await expect.poll(() => page.locator(".queued-row").count()).toBe(2);
      await box(page).press("Escape");
      await page.getByText("Paused: 2 messages not sent").waitFor();
      await page.locator(".line", { hasText: "You stopped this run." }).waitFor();
      return tab;
    };

    test("pauses them, over a reload too; a new message goes first, and Resume sends the rest", async () => {
      const { page } = await queueThree();
      await page.reload();
      await connected(page);
      await page.getByText("Paused: 2 messages not sent").waitFor();
      expect(await axeFaults(page)).toEqual([]);
      server.will(anthropic.reply("To something else."));
      await say(page, "Something else");
      await replyIs(page, "To something else.");
      expect(await page.locator(".queued-text").allInnerTexts()).toEqual(["b", "c"]);
      server.will(anthropic.reply("To b."), anthropic.reply("To c."));
      await page.getByRole("button", { name: "Resume" }).click();
      await replyIs(page, "To c.");
      expect(await page.locator(".queued-row").count()).toBe(0);
    });

    test("Discard takes them away, and Undo brings them back", async () => {
      const { page } = await queueThree();
      await page.getByRole("button", { name: "Discard" }).click();
      await expect.poll(() => page.locator(".queued-row").count()).toBe(0);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => page.locator(".queued-text").allInnerTexts()).toEqual(["b", "c"]);
      await page.getByRole("button", { name: "Discard" }).click();
      await expect.poll(() => texts(page)).not.toContain("b");
    });
  });

  test("toasts cover nothing that can be pressed, on any page and screen", async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 360, height: 720 },
    ]) {
      await using tab = await openTab(browser, { viewport });
      const { page } = tab;
      for (const path of ["/c/new", "/settings"]) {
        if (path === "/c/new") await logIn(page, `${gateway.url}${path}`, gateway.token);
        else await page.goto(`${gateway.url}${path}`);
        await connected(page);
        for (const _ of [1, 2]) {
          await page.keyboard.press("Control+k");
          await page.getByRole("dialog").getByRole("combobox").fill("single");
          await page.keyboard.press("Enter");
        }
        await page.locator(".toast").nth(1).waitFor();
        expect(await page.evaluate(coveredByToasts), `${path} at ${viewport.width}`).toEqual([]);
        expect(await page.evaluate(layoutFaults)).toEqual([]);
      }
    }
  });
});

/** Runs in the page: the names of what can be pressed and lies under a toast. */
function coveredByToasts(): string[] {
  const toasts = [...document.querySelectorAll(".toast")].map((each) => each.getBoundingClientRect());
  return [...document.querySelectorAll<HTMLElement>("button, a, input, textarea")]
    .filter((each) => !each.closest(".toasts") && each.checkVisibility())
    .filter((each) => {
      const { top, bottom, left, right } = each.getBoundingClientRect();
      const { top: pageTop, bottom: pageBottom } = (
        each.closest("main") ?? document.body
      ).getBoundingClientRect();
      return toasts.some(
        (toast) =>
          toast.top < Math.min(bottom, pageBottom) &&
          toast.bottom > Math.max(top, pageTop) &&
          toast.left < right &&
          toast.right > left,
      );
    })
    .map((each) => each.innerText || each.id);
}
