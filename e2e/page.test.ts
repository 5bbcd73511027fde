import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import {
  BROWSER_PATH,
  closeTabs,
  launchBrowser,
  openTab,
  resize,
  settled,
  type Tab,
} from "./page-browser.ts";
import { contrastFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn, say } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("the page in a browser (ELWOOD_TEST_BROWSER names one)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  /** One that is logged in, for tests that are not about that. */
  let inside: Tab;
  beforeAll(async () => {
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess()]);
    inside = await openTab(browser);
    await logIn(inside.page, gateway.url, gateway.token);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await gateway?.kill();
  });

  describe("logging in, with the demo model", () => {
    async function freshLink(): Promise<string> {
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const { url } = (await wire.result("login.link")) as { url: string };
      await wire.close();
      return url;
    }

    test("JV-1: a login link works once, and leaves the address bar before anything is asked", async () => {
      const link = await freshLink();
      await using tab = await openTab(browser);
      await tab.page.goto(link);
      await connected(tab.page);
      expect(tab.page.url()).toBe(`${gateway.url}/`);
      expect(await tab.steps()).toEqual(["replaceState", 'fetch /login with "" in the address', "socket"]);
      expect(await tab.page.evaluate(() => sessionStorage.getItem("elwood.token"))).toMatch(/^elw_/);

      await using another = await openTab(browser);
      await another.page.goto(link);
      await another.page.getByRole("alert").filter({ hasText: "used before" }).first().waitFor();
      expect(another.page.url()).toBe(`${gateway.url}/`);
      expect([...tab.faults, ...another.faults]).toEqual([]);
    });

    test("without a login the page says how to get one, and takes a pasted link or token", async () => {
      for (const secret of [await freshLink(), gateway.token]) {
        await using tab = await openTab(browser);
        await tab.page.goto(gateway.url);
        await tab.page.getByText("npx elwood open").waitFor();
        await tab.page.getByLabel("paste a link or a token").fill(secret);
        await tab.page.keyboard.press("Enter");
        await connected(tab.page);
        expect(tab.faults).toEqual([]);
      }
    });

    test("a link opened in a tab that already shows the page logs it in", async () => {
      await using tab = await openTab(browser);
      await tab.page.goto(gateway.url);
      await tab.page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
      await tab.page.goto(await freshLink());
      await connected(tab.page);
      expect(tab.page.url()).toBe(`${gateway.url}/`);
    });

    test("a refused token leads back to the login with the reason, and is forgotten", async () => {
      await using tab = await openTab(browser);
      await tab.page.goto(gateway.url);
      await tab.page.getByLabel("paste a link or a token").fill("elw_wrong");
      await tab.page.getByRole("button", { name: "Log in" }).click();
      await tab.page.getByText("The token was not accepted.").waitFor();
      expect(await tab.page.evaluate(() => sessionStorage.getItem("elwood.token"))).toBeNull();
    });

    test("a token that is revoked while the page is open ends at the login", async () => {
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const made = await wire.result("tokens.create", { name: "a tab", scopes: ["chat"] });
      const { token, info } = made as { token: string; info: { id: string } };
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, token);
      await wire.result("tokens.revoke", { tokenId: info.id });
      await wire.close();
      await tab.page.getByText("The gateway ended this login.").waitFor();
      await tab.page.reload();
      await tab.page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    });

    test("JV-3: the page says that the demo is one, suggests a beginning, and shows what came of it", async () => {
      const { page, faults } = inside;
      await page.goto(`${gateway.url}/c/new`);
      await page.getByText("Demo model: scripted answers.").waitFor();
      await page.getByRole("button", { name: "What can you do?" }).click();
      await expect.poll(() => page.locator("#message:focus").inputValue()).toBe("What can you do?");
      await page.keyboard.press("Enter");
      await page.locator(".evidence, .reply-facts").first().waitFor();
      await page.getByText("demo model").first().waitFor();
      expect(faults).toEqual([]);
    });

    test("what one tab says is in the other one at once, and its answer grows there too", async () => {
      const { page } = inside;
      await page.goto(`${gateway.url}/c/new`);
      await say(page, "hello from the first tab");
      await expect.poll(() => page.url()).toMatch(/\/c\/ses_/);
      const second = await page.context().newPage();
      await second.goto(page.url());
      await second.getByText("hello from the first tab").first().waitFor();
      await say(page, "and one thing more");
      await second.locator("article").getByText("and one thing more").waitFor();
      await expect.poll(() => second.locator("article.elwood").count()).toBe(2);
      await second.close();
    });

    test("a second tab is let in by the first, and both leave together", async () => {
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      const second = await tab.page.context().newPage();
      await second.goto(gateway.url);
      await connected(second);
      expect(await second.evaluate(() => sessionStorage.getItem("elwood.token"))).toBe(
        await tab.page.evaluate(() => sessionStorage.getItem("elwood.token")),
      );
      expect(
        await second.evaluate(() => Object.keys(localStorage).filter((key) => /token/i.test(key))),
      ).toEqual([]);
      await second.keyboard.press("Control+k");
      await second.getByRole("combobox", { name: "Find" }).fill("log out");
      await second.keyboard.press("Enter");
      for (const page of [second, tab.page])
        await page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    });

    test("the whole way can be walked by keyboard alone", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await page.goto(gateway.url);
      await page.getByLabel("paste a link or a token").and(page.locator(":focus")).waitFor();
      await page.keyboard.insertText(gateway.token);
      await page.keyboard.press("Enter");
      await connected(page);
      await page.getByLabel("Message", { exact: true }).waitFor();
      await settled(page);
      // The box has the focus. Before everything else stands the way past it all.
      await page.locator("#message:focus").waitFor();
      const skip = page.getByText("Skip to the page");
      const first = 'a[href], button, input, textarea, select, [tabindex="0"]';
      expect(await skip.evaluate((link, all) => document.querySelector(all) === link, first)).toBe(true);
      await skip.focus();
      await page.keyboard.press("Enter");
      await page.locator("#message:focus").waitFor();
      await page.keyboard.type("first line");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("second line");
      const box = page.getByLabel("Message", { exact: true });
      expect(await box.inputValue()).toBe("first line\nsecond line");
      await page.keyboard.press("Enter");
      await page.locator(".evidence, .reply-facts").first().waitFor();
      expect(await page.locator("article").first().locator(".text").textContent()).toBe(
        "first line\nsecond line",
      );
      expect(await box.inputValue()).toBe("");
      expect(tab.faults).toEqual([]);
    });
  });

  describe("for every reader", () => {
    test("nothing is cut off or too small, from 360 px to a wide screen", async () => {
      await using tab = await openTab(browser, { hasTouch: true });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, `Hello ${"unbroken".repeat(40)}`);
      await page.locator(".evidence, .reply-facts").first().waitFor();
      for (const width of [360, 390, 899, 900, 1200, 2560]) {
        await resize(page, width, 700);
        expect(await page.evaluate(layoutFaults), `chat at ${width} px`).toEqual([]);
        if (width >= 900) continue;
        await page.getByRole("button", { name: "Sessions" }).click();
        await page.getByRole("searchbox", { name: "Search sessions" }).waitFor();
        expect(await page.evaluate(layoutFaults), `sessions at ${width} px`).toEqual([]);
        await page.keyboard.press("Escape");
        await page.getByRole("searchbox", { name: "Search sessions" }).waitFor({ state: "hidden" });
      }
    });

    test("colours keep their contrast in the light and the dark theme", async () => {
      for (const colorScheme of ["dark", "light"] as const) {
        await inside.page.emulateMedia({ colorScheme });
        expect(await inside.page.evaluate(contrastFaults), colorScheme).toEqual([]);
      }
    });

    test("every control and landmark has a name, and those who want no motion get none", async () => {
      const { page } = inside;
      await page.goto(`${gateway.url}/c/new`);
      await say(page, "Tell me a long story");
      await page.locator(".writing").waitFor();
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
      const tree = await page.locator("body").ariaSnapshot();
      for (const name of [
        'region "Sessions"',
        'textbox "Message"',
        'navigation "Parts of Elwood"',
        'log "',
        "main",
      ]) {
        expect(tree).toContain(name);
      }
      expect(tree).not.toMatch(/- (button|textbox|link|region|log)(:|$)/m);
    });
  });
});
