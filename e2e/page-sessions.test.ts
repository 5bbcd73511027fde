import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { gate } from "@elwood/testkit/answers";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { box, withLetters } from "./page-box.ts";
import { axeFaults } from "./page-checks.ts";
import { BROWSER_PATH, openTab, settled } from "./page-browser.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { connected, inTwo, logIn, opening, replyIs, say, texts } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)(
  "sessions and messages on the page (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let server: AnthropicServer;
    let gateway: GatewayProcess;
    let chat: PageScene["chat"];
    withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

    const session = (page: Page, title: string) => page.locator(".session-row", { hasText: title });
    async function menu(page: Page, title: string, choice: string): Promise<void> {
      await session(page, title).hover();
      await session(page, title)
        .getByRole("button", { name: /More about/ })
        .click();
      await page.getByRole("menuitem", { name: choice, exact: true }).click();
    }
    async function talked(page: Page, words: string, answer: string): Promise<void> {
      server.will(anthropic.reply(answer));
      await page.goto(`${gateway.url}/c/new`);
      await connected(page);
      await say(page, words);
      await replyIs(page, answer);
      await session(page, words).waitFor();
    }

    test("a session is found by its title and by what was said in it, pinned, renamed, exported", async () => {
      const tab = await chat();
      const { page } = tab;
      await talked(page, "About lighthouses", "They are shining.");
      server.will(anthropic.reply("They shine at night."));
      await say(page, "When?");
      await replyIs(page, "They shine at night.");
      await talked(page, "About harbours", "They keep ships.");
      await menu(page, "About lighthouses", "Pin");
      await expect
        .poll(() => page.locator(".session-row").first().textContent())
        .toContain("About lighthouses");
      await menu(page, "About harbours", "Rename…");
      await page.getByLabel("Title", { exact: true }).fill("Ports");
      await page.keyboard.press("Enter");
      await session(page, "Ports").waitFor();
      await expect.poll(() => page.locator("#chat-title").innerText()).toBe("Ports");
      // Neither is anything that was said: it makes nothing new, and moves nothing up.
      await menu(page, "About lighthouses", "Rename…");
      await page.getByLabel("Title", { exact: true }).fill("About lights");
      await page.keyboard.press("Enter");
      await menu(page, "About lights", "Unpin");
      await expect
        .poll(() => page.locator(".session-row").allInnerTexts())
        .toEqual([expect.stringContaining("Ports"), expect.stringContaining("About lights")]);
      expect(await page.locator(".unread").count()).toBe(0);

      const search = page.getByRole("searchbox", { name: "Search sessions" });
      await search.fill("Ports");
      await expect.poll(() => session(page, "About lights").count()).toBe(0);
      // In two messages of one session, which is one row.
      await search.fill("shin");
      await page.locator(".session mark", { hasText: "shin" }).waitFor();
      expect(await page.locator(".session-row").count()).toBe(1);
      await page.locator(".session", { hasText: "About lights" }).click();
      await replyIs(page, "They shine at night.");
      // It leads to where it was said.
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest(".turn")?.textContent))
        .toContain("They shine at night.");
      await search.fill("nothing has these words");
      await page.getByText("Nothing found").waitFor();
      await search.fill("");
      await session(page, "Ports").waitFor();

      for (const [choice, part] of [
        ["Export as Markdown", "They keep ships."],
        ["Export as JSON", '"elwood.session"'],
      ] as const) {
        const download = page.waitForEvent("download");
        await menu(page, "Ports", choice);
        expect(await readFile(await (await download).path(), "utf8")).toContain(part);
      }
      expect(tab.faults).toEqual([]);
    });

    test("a deleted session can be brought back at once, and from the trash later", async () => {
      const { page } = await chat();
      await talked(page, "About rivers", "They flow.");
      await menu(page, "About rivers", "Delete");
      await expect.poll(() => session(page, "About rivers").count()).toBe(0);
      await expect.poll(() => page.locator("article").count()).toBe(0);
      await page.getByRole("button", { name: "Undo" }).click();
      await replyIs(page, "They flow.");
      await session(page, "About rivers").waitFor();
      await menu(page, "About rivers", "Delete");
      await page.getByRole("button", { name: "Trash" }).click();
      await session(page, "About rivers").getByRole("button", { name: "Restore" }).click();
      await replyIs(page, "They flow.");
      await page.getByRole("button", { name: "Back to sessions" }).click();
      await session(page, "About rivers").waitFor();
    });

    test("an archived session is out of the list, comes back by Undo, from the archive, or with a message", async () => {
      const { page } = await chat();
      await talked(page, "About meadows", "They bloom.");
      await menu(page, "About meadows", "Archive");
      await expect.poll(() => session(page, "About meadows").count()).toBe(0);
      await expect.poll(() => page.locator("article").count()).toBe(0);
      await page.getByRole("button", { name: "Undo" }).click();
      await session(page, "About meadows").waitFor();
      await menu(page, "About meadows", "Archive");
      await page.getByRole("button", { name: "Archive", exact: true }).click();
      await session(page, "About meadows").getByRole("link").click();
      await replyIs(page, "They bloom.");
      server.will(anthropic.reply("In May."));
      await say(page, "When?");
      await replyIs(page, "In May.");
      await page.getByText("Nothing is archived").waitFor();
      await page.getByRole("button", { name: "Back to sessions" }).click();
      await session(page, "About meadows").waitFor();
    });

    test("sessions are put into folders, which open and close, and out of them again", async () => {
      const { page } = await chat();
      await talked(page, "About brooks", "They flow.");
      await menu(page, "About brooks", "Move to a folder…");
      await page.getByLabel("Folder", { exact: true }).fill("  Water <b>\u202ework  ");
      await page.keyboard.press("Enter");
      const folder = page.locator(".session-fold", { hasText: "Water <b>work" });
      await folder.waitFor();
      // What is open is seen, also in a folder that is not.
      await expect.poll(() => session(page, "About brooks").getAttribute("data-inside")).toBe("");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await expect.poll(() => session(page, "About brooks").count()).toBe(0);
      await folder.click();
      await session(page, "About brooks").waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await menu(page, "About brooks", "Take out of “Water <b>work”");
      await expect.poll(() => folder.count()).toBe(0);
      await page.getByRole("button", { name: "Undo" }).last().click();
      await folder.waitFor();
      await page.reload();
      await folder.click();
      await menu(page, "About brooks", "Move to a folder…");
      await expect.poll(() => page.locator("datalist option").getAttribute("value")).toBe("Water <b>work");
      await page.keyboard.press("Escape");
    });

    test("a session that something came to elsewhere is marked until it is looked at", async () => {
      const { page } = await chat();
      await talked(page, "Here I am", "And here I stay.");
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      server.will(anthropic.reply("From afar."));
      const { sessionKey } = (await wire.result("sessions.create", { title: "Elsewhere" })) as {
        sessionKey: string;
      };
      await wire.result("chat.send", { sessionKey, message: "Hello" });
      await session(page, "Elsewhere").locator(".unread").waitFor();
      await session(page, "Elsewhere").getByRole("link").click();
      await replyIs(page, "From afar.");
      await expect.poll(() => session(page, "Elsewhere").locator(".unread").count()).toBe(0);
      await wire.close();
    });

    test("messages written while an answer is written wait in a row, and can be taken back or changed", async () => {
      const door = gate();
      server.will(inTwo("One ", "more.", door), anthropic.reply("Third answer."));
      const { page } = await chat();
      await say(page, "First?");
      await replyIs(page, "One");
      await say(page, "Second?");
      await say(page, "Thrid?");
      const rows = page.locator(".queued-row");
      await expect.poll(() => rows.count()).toBe(2);
      await rows.first().getByRole("button", { name: "Remove this message" }).click();
      await rows.first().getByRole("button", { name: "Edit this message" }).click();
      await expect.poll(() => box(page).inputValue()).toBe("Thrid?");
      await say(page, "Third?");
      await rows.filter({ hasText: "Third?" }).waitFor();
      // Still there after the page was loaded anew.
      await page.reload();
      await rows.first().waitFor();
      door.open();
      await replyIs(page, "Third answer.");
      await expect.poll(() => texts(page)).toEqual(["First?", "One more.", "Third?", "Third answer."]);
    });

    test("drafts stay with their session, and Up brings the last message back", async () => {
      const { page } = await chat();
      await talked(page, "Drafted", "Yes.");
      await box(page).fill("half a thought");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await expect.poll(() => box(page).inputValue()).toBe("");
      await box(page).fill("another");
      await session(page, "Drafted").getByRole("link").click();
      await expect.poll(() => box(page).inputValue()).toBe("half a thought");
      await page.getByRole("link", { name: "New session", exact: true }).click();
      await expect.poll(() => box(page).inputValue()).toBe("another");
      await session(page, "Drafted").getByRole("link").click();
      await replyIs(page, "Yes.");
      await box(page).fill("");
      await box(page).press("ArrowUp");
      await expect.poll(() => box(page).inputValue()).toBe("Drafted");
    });

    test("a draft outlives its tab, and is gone after logging out", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      const context = page.context();
      await logIn(page, gateway.url, gateway.token);
      await talked(page, "About gardens", "They grow.");
      await box(page).fill("and about trees");
      const second = await context.newPage();
      await second.goto(page.url());
      await connected(second);
      await page.close();
      const third = await context.newPage();
      await third.goto(second.url());
      await expect.poll(() => box(third).inputValue()).toBe("and about trees");
      await third.keyboard.press("Control+k");
      await third.getByRole("combobox", { name: "Find" }).fill("log out");
      await third.keyboard.press("Enter");
      await third.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
      await logIn(third, gateway.url, gateway.token);
      await session(third, "About gardens").getByRole("link").click();
      await replyIs(third, "They grow.");
      await settled(third);
      expect(await box(third).inputValue()).toBe("");
    });

    test("a message can be sent again in other words, answered anew, and branched off; what was said stays", async () => {
      const tab = await chat();
      const { page } = tab;
      await talked(page, "Name a fruit", "Apple.");
      const first = page.url();
      server.will(anthropic.reply("Second, then."));
      await say(page, "Go on");
      await replyIs(page, "Second, then.");

      const asked = page.locator("article.you").first();
      await asked.hover();
      server.will(anthropic.reply("Carrot."));
      await asked.getByRole("button", { name: "Edit and send again" }).click();
      await page.getByLabel("Your message").fill("Name a vegetable");
      await page.keyboard.press("Enter");
      await replyIs(page, "Carrot.");
      await expect.poll(() => texts(page)).toEqual(["Name a vegetable", "Carrot."]);
      expect(page.url()).toBe(first);
      await page.getByRole("button", { name: "Earlier version" }).click();
      await replyIs(page, "Second, then.");
      await expect.poll(() => texts(page)).toEqual(["Name a fruit", "Apple.", "Go on", "Second, then."]);

      server.will(anthropic.reply("Third way."));
      await page.locator("article.elwood").last().hover();
      await page.getByRole("button", { name: "Another answer" }).last().click();
      await replyIs(page, "Third way.");
      await expect.poll(() => texts(page)).toEqual(["Name a fruit", "Apple.", "Go on", "Third way."]);

      await page.locator("article.elwood").first().hover();
      await page.getByRole("button", { name: "Branch from here" }).first().click();
      await expect.poll(() => texts(page)).toEqual(["Name a fruit", "Apple."]);
      await page.getByText("Branch of “Name a fruit”").click();
      await expect.poll(() => page.url()).toBe(first);
      expect(tab.faults).toEqual([]);
    });

    test("files and pictures go with a message, come back on a reload, and can be fetched", async () => {
      const tab = await chat();
      const { page } = tab;
      server.will(anthropic.reply("I see both."));
      await page.locator("#attach").setInputFiles([
        { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(DOT, "base64") },
        { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("milk\n") },
      ]);
      await expect.poll(() => page.locator('.upload[data-state="ready"]').count()).toBe(2);
      await say(page, "What is in them?");
      await replyIs(page, "I see both.");
      const sent = JSON.stringify(server.last().body);
      expect(sent).toContain('"media_type":"image/png"');
      await page.reload();
      await replyIs(page, "I see both.");
      const picture = page.locator("article.you img");
      await picture.waitFor();
      await expect
        .poll(() => picture.evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth))
        .toBe(1);
      await page
        .locator("article.you")
        .getByRole("button", { name: /list\.txt/ })
        .click();
      const download = page.waitForEvent("download");
      await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
      expect(await readFile(await (await download).path(), "utf8")).toBe("milk\n");
      expect(tab.faults).toEqual([]);
    });

    test("a file that is too large is refused before it is sent, and says so", async () => {
      const { page } = await chat();
      await box(page).waitFor();
      await page.evaluate(() => {
        const files = new DataTransfer();
        files.items.add(
          new File([new Uint8Array(20 * 1024 * 1024 + 1)], "big.bin", { type: "application/zip" }),
        );
        const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
        document.querySelector(".composer")?.dispatchEvent(drop);
      });
      await page.getByText("larger than 21.0 MB; not attached").waitFor();
      await page.locator("#send:disabled").waitFor();
    });

    test("thinking is folded, and what was thought can be read", async () => {
      server.will(
        anthropic.stream(
          anthropic.events({
            content: [
              { type: "thinking", thinking: "I weigh it.", signature: "c2ln" },
              { type: "text", text: "Decided." },
            ],
          }),
        ),
      );
      const { page } = await chat();
      await say(page, "Think");
      await replyIs(page, "Decided.");
      expect(await page.getByText("I weigh it.").isVisible()).toBe(false);
      await page.locator(".thinking summary").click();
      await page.getByText("I weigh it.").waitFor();
    });

    test("keys open a new session, go from one to the next, and stop an answer", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, `${gateway.url}/c/new`, gateway.token);
      await withLetters(page);
      await talked(page, "Older", "Old.");
      await talked(page, "Newer", "New.");
      const nodes = () => page.locator(".turns").evaluate((turns) => turns.childNodes.length);
      const atFirst = await nodes();
      for (const _ of [1, 2]) {
        await page.getByRole("log").focus();
        await page.keyboard.press("]");
        await expect.poll(() => page.locator("#chat-title").innerText()).not.toBe("Newer");
        await page.getByRole("log").focus();
        await page.keyboard.press("[");
        await expect.poll(() => page.locator("#chat-title").innerText()).toBe("Newer");
      }
      // Going to and fro leaves nothing behind.
      await expect.poll(nodes).toBeLessThanOrEqual(atFirst);
      await page.getByRole("log").focus();
      await page.keyboard.press("n");
      await expect.poll(() => page.locator("#chat-title").innerText()).toBe("New session");
      await page.locator("#message:focus").waitFor();
      server.will(anthropic.stream([...opening("Written so far"), { hang: true }]));
      await page.keyboard.type("Go");
      await page.keyboard.press("Enter");
      await replyIs(page, "Written so far");
      await page.keyboard.press("Escape");
      await page.locator(".line", { hasText: "You stopped this run." }).waitFor();
    });
  },
);

/** One black dot. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
