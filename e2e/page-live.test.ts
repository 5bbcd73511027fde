import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import type { GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { box, choose, modelsAsked } from "./page-box.ts";
import { BROWSER_PATH, openTab, settled } from "./page-browser.ts";
import { card, cardButton, press } from "./page-card.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { type PageScene, withPageScene } from "./page-scene.ts";
import { connected, inTwo, logIn, opening, replyIs, say } from "./page-talk.ts";

const LOOK = { name: "files__directory__list", input: { path: "." }, id: "toolu_look" };
const write = (name: string) => ({
  name: "files__file__write",
  input: { path: `plans/${name}.md`, content: "one\ntwo\n" },
  id: `toolu_${name}`,
});

/** Streams the beginning of an answer, and breaks off. */
const breaksAfter = (words: string) => anthropic.stream([...opening(words), { cut: true }]);

describe.skipIf(!BROWSER_PATH)("what a turn shows", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  let chat: PageScene["chat"];
  withPageScene((scene) => ({ browser, server, gateway, chat } = scene));

  const ended = (page: Page) =>
    page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

  /** By the keys of a card, as soon as it takes them. */
  const decide = async (page: Page, key: "a" | "d", nth = 0) => {
    const wanted = page.locator(".approval").nth(nth);
    await wanted.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press(key);
        return wanted.locator("elwood-approval-actions").count();
      })
      .toBe(0);
  };

  /** Scripted runs of every kind: what the model does, and what the owner does meanwhile. */
  const RUNS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    "a plain answer": async (page) => {
      server.will(anthropic.reply("Plain **words**, and `code`."));
      await say(page, "Plain");
    },
    "an answer after thinking": async (page) => {
      server.will(
        anthropic.message({
          content: [
            { type: "thinking", thinking: "I weigh it.", signature: "c2ln" },
            { type: "text", text: "Decided." },
          ],
        }),
      );
      await say(page, "Think");
    },
    "calls with words before them": async (page) => {
      server.will(
        anthropic.tools([LOOK], { text: "Let me look." }),
        anthropic.tools([{ ...LOOK, id: "toolu_again" }], { text: "And again." }),
        anthropic.reply("There is nothing in it."),
      );
      await say(page, "What is there?");
    },
    "a call with wrong arguments": async (page) => {
      server.will(
        anthropic.tools([{ name: "files__directory__list", input: { no: 1 }, id: "toolu_wrong" }], {
          text: "Let me do that.",
        }),
        anthropic.reply("It did not work."),
      );
      await say(page, "Wrong");
    },
    "a failure after some words": async (page) => {
      for (let i = 0; i < 4; i++) server.will(breaksAfter("Once upon a time"));
      await say(page, "Break");
    },
    "a failure that retries cannot mend, with words from an earlier try": async (page) => {
      server.will(breaksAfter("Seen once"), ...Array.from({ length: 3 }, () => anthropic.error(529)));
      await say(page, "Break early");
    },
    "a refused key": async (page) => {
      server.will(anthropic.error(401));
      await say(page, "Refused");
    },
    "a retry that helps": async (page) => {
      server.will(breaksAfter("Void"), anthropic.reply("Whole at last."));
      await say(page, "Retry");
    },
    "an empty answer, and words on the second try": async (page) => {
      server.will(anthropic.reply(""), anthropic.reply("Here I am."));
      await say(page, "Silence");
    },
    "two empty answers": async (page) => {
      server.will(anthropic.reply(""), anthropic.reply(""));
      await say(page, "More silence");
    },
    "an answer cut at its length": async (page) => {
      server.will(anthropic.reply("As long as", { stop: "max_tokens" }));
      await say(page, "Long");
    },
    "a stop in the middle": async (page) => {
      server.will(inTwo("Written so far ", "and no more.", gate()));
      await say(page, "Stop");
      await replyIs(page, "Written so far");
      await box(page).press("Escape");
    },
    "an approval that was given": async (page) => {
      server.will(
        anthropic.tools([write("given")], { text: "I will write it." }),
        anthropic.reply("Written."),
      );
      await say(page, "Do what you think is right");
      await card(page).waitFor();
      await decide(page, "a");
    },
    "an approval that was denied, and one that was given": async (page) => {
      server.will(
        anthropic.tools([write("denied"), LOOK], { text: "Two things." }),
        anthropic.tools([write("second")]),
        anthropic.reply("One of them."),
      );
      await say(page, "Do both");
      await card(page).waitFor();
      await decide(page, "d");
      await expect.poll(() => page.locator(".approval").count()).toBe(2);
      await decide(page, "a", 1);
    },
    "an approval that was edited": async (page) => {
      server.will(anthropic.tools([write("edited")]), anthropic.reply("As you edited it."));
      await say(page, "Do what you think is right");
      await card(page).waitFor();
      await press(page, "Edit");
      await card(page).getByLabel("content", { exact: true }).fill("mine\n");
      await expect.poll(() => card(page).locator(".card-diff").textContent()).toContain("+ mine");
      await cardButton(page, "Allow as edited").click();
      await expect.poll(() => card(page).locator("elwood-approval-actions").count()).toBe(0);
    },
    "a question that was answered": async (page) => {
      server.will(
        anthropic.tools([{ name: "owner__question__ask", input: { question: "Which?" }, id: "toolu_q" }]),
        anthropic.reply("That one."),
      );
      await say(page, "Ask me");
      await card(page).waitFor();
      await say(page, "The blue one");
    },
  };

  test.each(Object.keys(RUNS))(
    "live = reload: %s",
    async (kind) => {
      const { page } = await chat();
      await RUNS[kind]!(page);
      await page
        .locator(".message-actions [aria-label^='Copy'], .line-actions")
        .last()
        .waitFor({ state: "attached" });
      await ended(page);
      // Who pressed Stop may write at once, while what was written is still being put away.
      await expect.poll(() => page.locator("article.writing").count()).toBe(0);
      await settled(page);
      const live = await page.locator("elwood-message-item").evaluateAll(readTurns);
      await page.reload();
      await connected(page);
      await page.locator("elwood-message-item").first().waitFor();
      await settled(page);
      await expect.poll(() => page.locator("elwood-message-item").evaluateAll(readTurns)).toEqual(live);
      expect(live.join("")).not.toBe("");
    },
    60_000,
  );

  test("retries are one line that counts up, keeps what was written in view, and goes when the answer comes", async () => {
    const { page } = await chat();
    const door = gate();
    server.will(breaksAfter("Seen so far"), anthropic.error(529), inTwo("A tower ", "with a light.", door));
    await say(page, "What is a lighthouse?");
    const line = page.locator(".line.warn", { hasText: "Trying again" });
    await line.filter({ hasText: "attempt 2 of 4" }).waitFor();
    await replyIs(page, "Seen so far");
    await line.filter({ hasText: "attempt 3 of 4" }).waitFor();
    expect(await line.count()).toBe(1);
    await replyIs(page, "A tower");
    expect(await line.count()).toBe(0);
    door.open();
    await replyIs(page, "A tower with a light.");
    expect(await page.locator("article.elwood .line").count()).toBe(0);
  });

  test("a failure is told once, keeps what had come, and offers to try again or to use another model", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/c/new`, gateway.token);
    for (let i = 0; i < 4; i++) server.will(breaksAfter("Once upon a time"));
    await say(page, "What is the weather like?");
    const line = page.locator(".line.bad");
    await line.filter({ hasText: "broke before the answer was complete" }).waitFor({ timeout: 60_000 });
    await replyIs(page, "Once upon a time");
    expect(await page.getByRole("log").innerText()).not.toMatch(/left out/);
    await settled(page);
    expect(await line.count()).toBe(1);
    expect(await page.locator(".attention").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    // Elsewhere it is told above the page.
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    await page.locator(".attention", { hasText: "broke before the answer was complete" }).waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await line.waitFor();
    await expect.poll(() => page.locator(".attention").count()).toBe(0);

    server.will(anthropic.error(401));
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await line.filter({ hasText: "refused the key" }).waitFor();
    expect(await line.count()).toBe(1);
    server.will(anthropic.reply("From another."));
    await page.getByRole("button", { name: "Use another model" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "claude-haiku-5-5" }).first().click();
    await replyIs(page, "From another.");
    expect(modelsAsked(server).at(-1)).toBe("claude-haiku-5-5");
    expect(await page.getByRole("button", { name: "Try again", exact: true }).count()).toBe(0);
    expect(await page.evaluate(layoutFaults)).toEqual([]);
    await choose(page, "claude-sonnet-5-5");
    expect(tab.faults).toEqual([]);
  });

  test("a model that says nothing is asked once more, silently; only then a note says so", async () => {
    const { page } = await chat();
    const before = modelsAsked(server).length;
    server.will(anthropic.reply(""), anthropic.reply("Here I am."));
    await say(page, "Are you there?");
    await replyIs(page, "Here I am.");
    expect(modelsAsked(server)).toHaveLength(before + 2);
    expect(await page.locator("article.elwood .line").count()).toBe(0);
    server.will(anthropic.reply(""), anthropic.reply(""));
    await say(page, "And now?");
    await page.getByText("The model ended its turn without saying anything.").waitFor();
    expect(modelsAsked(server)).toHaveLength(before + 4);
  });
});

/** Runs in the page: what each turn says, without the time of day. */
function readTurns(turns: readonly Element[]): string[] {
  return turns.map((turn) => {
    const copy = turn.cloneNode(true) as HTMLElement;
    for (const each of copy.querySelectorAll("time, .unseen, .message-actions")) each.remove();
    // White space between paragraphs is nobody's words.
    for (const each of copy.querySelectorAll("p, summary")) each.append(" ");
    return (copy.textContent ?? "").replaceAll(/\s+/g, " ").trim();
  });
}
