import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fileIn } from "./act-scene.ts";
import { Wire } from "./conformance/wire.ts";
import { openSession, send } from "./conversation.ts";
import { announced } from "./page-box.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled, type Tab } from "./page-browser.ts";
import { card, cardButton, evidence, outcome, press, takesPresses } from "./page-card.ts";
import { broken, connected, logIn, say } from "./page-talk.ts";

/** So that what is asked for in plain words asks too. */
const STRICT = "policy:\n  mode: strict\n";

describe.skipIf(!BROWSER_PATH)(
  "what waits for the owner, in the conversation (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    const home = temporaryHome();
    let browser: Browser;
    let start: () => Promise<GatewayProcess>;
    let gateway: GatewayProcess;
    let tab: Tab;
    let page: Page;
    beforeAll(async () => {
      const port = await freePort();
      start = () => startGatewayProcess({ home: home.path, port, config: STRICT });
      [browser, gateway] = await Promise.all([launchBrowser(), start()]);
      tab = await openTab(browser);
      page = tab.page;
      await logIn(page, gateway.url, gateway.token);
    });
    afterAll(async () => {
      await gateway?.kill();
      await closeTabs(browser);
      home.remove();
    });
    beforeEach(async () => {
      await page.goto(`${gateway.url}/c/new`);
      await connected(page);
    });

    test("JV-3: a write asks with everything that would run; allowed, it is done, and the evidence says so", async () => {
      await say(page, "write 'milk' to shopping.txt");
      await cardButton(page, "Allow").waitFor();
      await settled(page);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("message");
      const read = async () => (await card(page).textContent())?.replaceAll(/\s+/g, " ") ?? "";
      const shown = await read();
      for (const part of [
        "Create shopping.txt",
        "1 line · you can undo this",
        "+ milk",
        "Every change asks in strict mode.",
      ])
        expect(shown).toContain(part);
      // It is said once, and what nobody needs for that is behind Details.
      expect(shown.match(/milk/g)).toHaveLength(1);
      expect(shown).not.toMatch(/files\.file\.write|mode\.strict|apr_|expires/);
      await cardButton(page, "Details").click();
      const whole = await read();
      for (const part of [
        "files.file.write",
        "/files/shopping.txt",
        "mode.strict",
        "It changes something",
        "Asked on web",
        "Expires",
        '"content": "milk\\n"',
        "apr_",
      ])
        expect(whole).toContain(part);
      const of = (name: string) => card(page).getByRole("link", { name, exact: true }).getAttribute("href");
      expect(await of("run")).toMatch(/^\/runs\/run_\w+$/);
      expect(await of("receipts")).toMatch(/^\/receipts\?run=run_\w+$/);
      const icon = () => page.locator('link[rel="icon"]').getAttribute("href");
      const row = page.locator(".session-row[data-open] .session-waits");
      await row.getByText("Waiting for you").waitFor();
      await expect.poll(() => page.title()).toBe("(1) Chat · Elwood");
      await expect.poll(icon).toBe("/icon-waiting.svg");
      await page.locator(".reply-status", { hasText: "Waiting for you…" }).waitFor();
      await expect.poll(() => announced(page)).toMatch(/^Approval needed\. Create /);
      expect(fileIn(gateway.home, "shopping.txt").text).toBeUndefined();
      await press(page, "Allow");
      await evidence(page, "✓ Wrote shopping.txt");
      expect(fileIn(gateway.home, "shopping.txt").text).toBe("milk\n");
      await outcome(page, /^\s*Created shopping\.txt · you allowed it\s*$/);
      await card(page).locator("elwood-approval-actions").waitFor({ state: "detached" });
      await row.waitFor({ state: "detached" });
      await page.locator("summary", { hasText: "Wrote shopping.txt" }).getByText("done").waitFor();
      await expect.poll(() => page.title()).toBe("Chat · Elwood");
      await expect.poll(icon).toBe("/icon.svg");
      await page.reload();
      await evidence(page, "✓ Wrote shopping.txt");
      // The same line, and its Undo.
      await outcome(page, /^\s*Created shopping\.txt · you allowed it\s*$/);
      await cardButton(page, "Undo").waitFor();

      // What was read before a call that asks is named: its words may come from there.
      await say(page, "add 'eggs' to shopping.txt");
      await takesPresses(page);
      await cardButton(page, "Details").click();
      await card(page)
        .locator("dd", { hasText: /^the file “shopping\.txt” \(call_\w+\)$/ })
        .waitFor();
      await press(page, "Deny");
      await outcome(page, "you denied it");
      expect(tab.faults).toEqual([]);
    });

    test("denied with a note: the answer says so, and nothing was deleted", async () => {
      fileIn(gateway.home, "keep.txt").put("mine\n");
      await say(page, "delete keep.txt");
      await takesPresses(page);
      await card(page).getByLabel("Deny, and tell Elwood why").fill("I still need it");
      await page.keyboard.press("Enter");
      // Elwood says so itself, in its own name, below the model's words.
      const own = /^Not done, you said no: delete files? → keep\.txt\.$/u;
      await page.locator('.own-words[data-from="gateway"]', { hasText: own }).last().waitFor();
      const reply = await page.locator("article.elwood .text").last().textContent();
      expect(reply).toContain("That was denied, so it was not done");
      expect(reply).toContain("I still need it");
      expect(fileIn(gateway.home, "keep.txt").text).toBe("mine\n");
      await outcome(page, /Not deleted: keep\.txt · you said “I still need it”/);
    });

    test("presses that were on their way when the card came decide nothing", async () => {
      await page.evaluate(() => {
        // Presses every button of a card, and its keys, in the moments in which it appears.
        let since: number | undefined;
        new MutationObserver(() => {
          if (document.querySelector(".approval button")) since ??= performance.now();
          if (since === undefined || performance.now() - since > 200) return;
          for (const b of document.querySelectorAll<HTMLButtonElement>(".approval button")) b.click();
          for (const key of ["a", "d"])
            document
              .querySelector(".approval")
              ?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }).observe(document.body, { childList: true, subtree: true });
      });
      await say(page, "write 'early' to early.txt");
      await cardButton(page, "Allow").waitFor();
      expect(await cardButton(page, "Deny").isEnabled()).toBe(true);
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      await page.reload();
      await press(page, "Deny");
      await outcome(page, "you denied it");
      expect(fileIn(gateway.home, "early.txt").text).toBeUndefined();
    });

    test("what destroys something is held, or its word is typed; a press only says so", async () => {
      const file = fileIn(gateway.home, "gone.txt");
      file.put("x\n");
      await say(page, "delete gone.txt");
      await takesPresses(page);
      const hold = cardButton(page, "Hold to allow");
      const says = card(page).locator(".approval-said");
      await hold.click();
      await says.filter({ hasText: "Hold the button, or type “delete”" }).waitFor();
      // Short presses of keys, and the card's own key, are presses too.
      for (const key of ["Enter", "Space", "a"]) {
        await (key === "a" ? card(page) : hold).focus();
        await page.keyboard.press(key);
        await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toMatch(/^word-/);
      }
      // The finger slips off, or the key is let go too early.
      await hold.hover();
      await page.mouse.down();
      await page.mouse.move(1, 1);
      await page.waitForTimeout(1_000);
      await page.mouse.up();
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      expect(file.text).toBe("x\n");
      await hold.hover();
      await page.mouse.down();
      await outcome(page, "you allowed it");
      await page.mouse.up();
      await evidence(page, "✓ Deleted gone.txt");
      expect(file.text).toBeUndefined();

      await page.locator(".reply-status").waitFor({ state: "detached" });
      file.put("y\n");
      await say(page, "delete gone.txt");
      await takesPresses(page);
      await cardButton(page, "Hold to allow").focus();
      await page.keyboard.down("Enter");
      await outcome(page, "you allowed it");
      await page.keyboard.up("Enter");
      await expect.poll(() => file.text).toBeUndefined();

      // Editing it is no way around: it is held there, too.
      await page.locator(".reply-status").waitFor({ state: "detached" });
      file.put("e\n");
      await say(page, "delete gone.txt");
      await press(page, "Edit");
      await cardButton(page, "Hold to allow").click();
      await card(page).getByText("Hold the button, or type “delete”").waitFor();
      await cardButton(page, "Stop editing").click();
      await cardButton(page, "Deny").waitFor();
      expect(await cardButton(page, "More ways to allow").count()).toBe(0);
      await press(page, "Deny");
      await outcome(page, "you denied it");
      expect(file.text).toBe("e\n");

      await page.locator(".reply-status").waitFor({ state: "detached" });
      file.put("z\n");
      await say(page, "delete gone.txt");
      await press(page, "Hold to allow");
      await card(page).getByLabel("Or type “delete”").fill("delete");
      await page.keyboard.press("Enter");
      await outcome(page, "you allowed it");
    });

    test("two tabs: the second flips, and says who decided where; so it does when the command line decides", async () => {
      await say(page, "write 'two' to tabs.txt");
      await cardButton(page, "Allow").waitFor();
      const second = await page.context().newPage();
      await second.goto(`${gateway.url}/c/new`);
      await connected(second);
      const chip = second.locator(".chip", { hasText: "tabs.txt" });
      await chip.getByRole("link", { name: "Decide" }).click();
      await cardButton(second, "Allow").waitFor();
      await expect.poll(() => second.evaluate(() => document.activeElement?.className)).toContain("approval");
      await press(page, "Deny");
      await outcome(second, "you denied it");
      await card(second).locator("elwood-approval-actions").waitFor({ state: "detached" });
      await chip.waitFor({ state: "detached" });

      const cli = await Wire.authenticated(gateway.url, gateway.token, { name: "cli" });
      await send(cli, await openSession(cli), "write 'three' to tabs.txt");
      await second.getByRole("link", { name: "All approvals" }).click();
      await cardButton(second, "Allow").waitFor();
      const { approvals } = (await cli.result("approvals.list", { status: "pending" })) as {
        approvals: { approvalId: string }[];
      };
      await cli.result("exec.approve", { approvalId: approvals[0]!.approvalId });
      await second.getByText("Nothing waits for you.").waitFor();
      const line = second.locator(".queue-decided li", { hasText: "Created tabs.txt" });
      await line.getByText("you allowed it in the terminal").waitFor();

      // In the conversation it turns into its line, with what became of it and a way back.
      await say(page, "write 'four' to four.txt");
      await cardButton(page, "Allow").waitFor();
      const { approvals: more } = (await cli.result("approvals.list", { status: "pending" })) as {
        approvals: { approvalId: string }[];
      };
      await cli.result("exec.approve", { approvalId: more[0]!.approvalId });
      await outcome(page, /Created four\.txt · you allowed it in the terminal/);
      await cardButton(page, "Undo").waitFor();
      await second.getByRole("link", { name: "History" }).click();
      await second.locator(".history-row", { hasText: /tabs\.txt.*approved.*you, terminal/s }).waitFor();
      await cli.close();
      await second.close();
    });

    test("a question is answered in words, and one with options by a press or its number", async () => {
      await say(page, "ask me something");
      await card(page).getByLabel("Your answer").fill("Bo");
      await press(page, "Answer");
      await page.locator("article .text", { hasText: "You answered: “Bo”" }).waitFor();
      await outcome(page, "you answered: Bo");
      await say(page, "let me choose");
      await press(page, "Coffee");
      await page.locator("article .text", { hasText: "You answered: “Coffee”" }).waitFor();
      // Or by its number, while the card has the focus.
      await page.locator(".reply-status").waitFor({ state: "detached" });
      await say(page, "let me choose");
      await takesPresses(page, "Tea");
      await card(page).focus();
      await page.keyboard.press("1");
      await page.locator("article .text", { hasText: "You answered: “Tea”" }).waitFor();
    });

    test("the whole card is within reach of the keyboard, and keeps the focus once it is decided", async () => {
      await say(page, "write 'keys' to keys.txt");
      await takesPresses(page);
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
      for (let i = 0; i < 40 && (await focused()) !== "AllowA"; i++) await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");
      await evidence(page, "✓ Wrote keys.txt");
      await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain("approval");
    });

    test("a card survives kill -9 of the gateway, and is decided after it", async () => {
      await say(page, "write 'late' to late.txt");
      await cardButton(page, "Allow").waitFor();
      await gateway.kill();
      await broken(page);
      gateway = await start();
      await connected(page);
      await settled(page);
      expect(await page.locator(".approval").count()).toBe(1);
      await press(page, "Allow");
      await evidence(page, "✓ Wrote late.txt");
      expect(fileIn(gateway.home, "late.txt").text).toBe("late\n");
      expect(await page.locator(".approval").count()).toBe(1);
    });
  },
);
