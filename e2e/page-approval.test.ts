import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileIn } from "./act-scene.ts";
import { Wire } from "./conformance/wire.ts";
import { openSession, send } from "./conversation.ts";
import { BROWSER_PATH, launchBrowser, openTab } from "./page-browser.ts";
import { contrastFaults, layoutFaults } from "./page-checks.ts";
import { alreadyBack, connected, logIn, say } from "./page-talk.ts";

/** So that what is asked for in plain words asks too. */
const STRICT = "policy:\n  mode: strict\n";

describe.skipIf(!BROWSER_PATH)(
  "what waits for the owner, on the page (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      browser = await launchBrowser();
      gateway = await startGatewayProcess({ config: STRICT });
    });
    afterAll(async () => {
      await gateway?.kill();
      await browser?.close();
    });

    const card = (page: Page) => page.locator(".card").last();
    const button = (page: Page, name: string) => card(page).getByRole("button", { name, exact: true });
    /** Presses a button once the card takes presses. */
    async function press(page: Page, name: string): Promise<void> {
      await button(page, name).waitFor();
      await page.waitForTimeout(450);
      await button(page, name).click();
    }

    test("JV-3: a write asks with everything that would run; allowed, it is done, and the evidence says so", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "write 'milk' to shopping.txt");
      await button(page, "Allow once").waitFor();
      const shown = (await card(page).textContent()) ?? "";
      for (const part of [
        "Changes something",
        "shopping.txt (5 bytes).",
        "files.file.write",
        "pathshopping.txt",
        "contentmilk",
        "+ milk",
        "Rule: mode.strict",
        "It changes something",
      ]) {
        expect(shown).toContain(part);
      }
      expect(await page.title()).toBe("(1) Elwood");
      expect(await page.locator(".reply-status").textContent()).toBe("Waiting for you…");
      expect(await page.locator("#announcer").textContent()).toMatch(/^Approval needed: Create /);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("message");
      expect(fileIn(gateway.home, "shopping.txt").text).toBeUndefined();
      await press(page, "Allow once");
      await page.getByText("✓ files.file.write → shopping.txt").waitFor();
      expect(fileIn(gateway.home, "shopping.txt").text).toBe("milk\n");
      expect(await card(page).locator(".card-outcome").textContent()).toMatch(
        /^Allowed once by owner on web\./,
      );
      expect(await card(page).getByRole("button").count()).toBe(0);
      expect(await page.locator(".call-lines").textContent()).toBe("files.file.writedone");
      expect(await page.title()).toBe("Elwood");
      await page.reload();
      await page.getByText("✓ files.file.write → shopping.txt").waitFor();
      expect(tab.faults).toEqual([]);
    });

    test("denied with a note: the answer says so, and nothing was deleted", async () => {
      fileIn(gateway.home, "keep.txt").put("mine\n");
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "delete keep.txt");
      await press(page, "Deny with a note…");
      await card(page).getByLabel("What shall the model know?").fill("I still need it");
      await button(page, "Deny with this note").click();
      await page.getByText("⊘ files.file.delete → keep.txt (denied)").waitFor();
      const reply = await page.locator("article.elwood .text").last().textContent();
      expect(reply).toContain("That was denied, so it was not done");
      // Elwood says so itself, in its own name, before the model's words.
      expect(await page.locator(".own-words").last().textContent()).toBe(
        "◈ Not done, the call was denied: files.file.delete → keep.txt.",
      );
      expect(reply).toContain("I still need it");
      expect(fileIn(gateway.home, "keep.txt").text).toBe("mine\n");
      expect(await card(page).locator(".card-outcome").textContent()).toContain("Note: I still need it");
    });

    test("what destroys something takes a second press, and an early press takes nothing", async () => {
      fileIn(gateway.home, "gone.txt").put("x\n");
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await page.evaluate(() => {
        // Presses every button of a card in the very moment it appears, as a finger might that was on its way.
        new MutationObserver(() => {
          for (const b of document.querySelectorAll<HTMLButtonElement>(".card button")) b.click();
        }).observe(document.body, { childList: true, subtree: true });
      });
      await say(page, "delete gone.txt");
      await button(page, "Allow once").waitFor();
      expect(await button(page, "Deny").isEnabled()).toBe(true);
      await page.reload();
      await press(page, "Allow once");
      await page.getByText("Press again to allow it").waitFor();
      expect(fileIn(gateway.home, "gone.txt").text).toBe("x\n");
      await press(page, "Yes, allow it once");
      await page.getByText("✓ files.file.delete → gone.txt").waitFor();
      expect(fileIn(gateway.home, "gone.txt").text).toBeUndefined();
    });

    test("two tabs: the second flips, and says who decided where", async () => {
      await using first = await openTab(browser);
      await using second = await openTab(browser);
      await logIn(first.page, gateway.url, gateway.token);
      await say(first.page, "write 'two' to tabs.txt");
      await button(first.page, "Allow once").waitFor();
      await logIn(second.page, gateway.url, gateway.token);
      await second.page
        .locator("#waiting")
        .getByRole("button", { name: /tabs\.txt/ })
        .click();
      await button(second.page, "Allow once").waitFor();
      await expect.poll(() => second.page.evaluate(() => document.activeElement?.className)).toBe("card");
      await press(first.page, "Deny");
      await second.page.getByText("Denied by owner on web.").waitFor();
      expect(await card(second.page).getByRole("button").count()).toBe(0);
      expect(await second.page.locator("#waiting").isVisible()).toBe(false);
    });

    test("a question is answered in words, and one with options by a press", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "ask me something");
      await card(page).getByLabel("Your answer").fill("Bo");
      await press(page, "Answer");
      await page.locator("article .text", { hasText: "You answered: “Bo”" }).waitFor();
      expect(await card(page).textContent()).toContain("Answered by owner on web: Bo");
      await say(page, "let me choose");
      await press(page, "Coffee");
      await page.locator("article .text", { hasText: "You answered: “Coffee”" }).waitFor();
    });

    test("the whole card is within reach of the keyboard", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "write 'keys' to keys.txt");
      await button(page, "Allow once").waitFor();
      await page.waitForTimeout(450);
      const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
      for (let i = 0; i < 40 && (await focused()) !== "Allow once"; i++)
        await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");
      await page.getByText("✓ files.file.write → keys.txt").waitFor();
      expect(await page.evaluate(() => document.activeElement?.className)).toBe("card");
    });

    test("what cannot be shown whole has no button that allows it; a login without the scope has none at all", async () => {
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const { token } = (await wire.result("tokens.create", { name: "reader", scopes: ["chat"] })) as {
        token: string;
      };
      await using tab = await openTab(browser);
      await using reader = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await logIn(reader.page, gateway.url, token);
      await send(wire, await openSession(wire), `write '${"long ".repeat(5_000)}' to long.txt`);
      for (const { page } of [tab, reader]) {
        await page
          .locator("#waiting")
          .getByRole("button", { name: /long\.txt/ })
          .click();
        await card(page).waitFor();
      }
      await tab.page.getByText("too long to be shown whole").waitFor();
      expect(await button(tab.page, "Allow once").count()).toBe(0);
      expect(await reader.page.getByText("This login may not decide.").count()).toBe(1);
      expect(await card(reader.page).getByRole("button").count()).toBe(0);
      await press(tab.page, "Deny");
      await reader.page.getByText("Denied by owner on web.").waitFor();
      await wire.close();
    });

    test("a card survives kill -9 of the gateway, and is decided after it", async () => {
      await using world = await startDemoWorld();
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, world.gateway.url, world.gateway.token);
      await say(page, "write 'late' to late.txt");
      await button(page, "Allow once").waitFor();
      await world.restart();
      await page.getByRole("button", { name: "Retry now" }).click({ timeout: 1_000 }).catch(alreadyBack);
      await connected(page);
      expect(await page.locator(".card").count()).toBe(1);
      await press(page, "Allow once");
      await page.getByText("✓ files.file.write → late.txt").waitFor();
      expect(fileIn(world.home, "late.txt").text).toBe("late\n");
      expect(await page.locator(".card").count()).toBe(1);
    });

    test("nothing of it is cut off or hard to read, on a phone and a wide screen, light and dark", async () => {
      await using tab = await openTab(browser, { hasTouch: true });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, `write '${"unbroken".repeat(30)}' to a-${"long".repeat(30)}.txt`);
      await button(page, "Deny").waitFor();
      for (const width of [360, 390, 900, 1200]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate(contrastFaults), colorScheme).toEqual([]);
      }
      const tree = await card(page).ariaSnapshot();
      expect(tree).toContain('region "Create');
      expect(tree).not.toMatch(/- (button|textbox|region)(:|$)/m);
      await press(page, "Deny");
    });
  },
);

/** A demo gateway that can be killed and come back on the same port and folder. */
async function startDemoWorld() {
  const folder = temporaryHome();
  const port = await freePort();
  const options = { home: folder.path, port, config: STRICT };
  let gateway = await startGatewayProcess(options);
  return {
    home: folder.path,
    get gateway() {
      return gateway;
    },
    async restart() {
      await gateway.kill();
      gateway = await startGatewayProcess(options);
    },
    async [Symbol.asyncDispose]() {
      await gateway.kill();
      folder.remove();
    },
  };
}
