import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { box, choose, modelIn } from "./page-box.ts";
import { BROWSER_PATH, openTab, settled } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { connected, inTwo, logIn, logInByHand, replyIs, say } from "./page-talk.ts";
import { withPageScene } from "./page-scene.ts";

describe.skipIf(!BROWSER_PATH)("tabs that log in (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let server: AnthropicServer;
  let gateway: GatewayProcess;
  withPageScene((scene) => ({ browser, server, gateway } = scene));

  test("a fresh link opened in a tab that is logged in leaves a page that works", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await box(page).fill("Typed before");
    const socket = page.waitForEvent("websocket");
    await page.evaluate((hash) => (location.hash = hash), new URL(gateway.link).hash);
    await socket;
    await connected(page);
    expect(await box(page).inputValue()).toBe("Typed before");
    server.will(anthropic.reply("Still here."));
    await box(page).press("Enter");
    await replyIs(page, "Still here.");
    expect(tab.faults).toEqual([]);
  });

  test("a tab that was refused before it was let in is not logged in again by every other tab", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.goto(gateway.url);
    for (const secret of [`${gateway.url}/#t=no-such-ticket`, gateway.token]) {
      await page.getByLabel("paste a link or a token").fill(secret);
      await page.getByRole("button", { name: "Log in" }).click();
      if (secret !== gateway.token) await page.getByRole("alert").waitFor();
    }
    await connected(page);
    const sockets: unknown[] = [];
    page.on("websocket", (socket) => sockets.push(socket));
    await page.evaluate(() => {
      new BroadcastChannel("elwood-login").addEventListener("message", ({ data }: MessageEvent<object>) => {
        if ("token" in data) document.body.dataset["heard"] = "a token";
      });
    });
    const other = await page.context().newPage();
    await other.goto(gateway.url);
    await connected(other);
    await page.locator('body[data-heard="a token"]').waitFor();
    expect(sockets).toEqual([]);
  });

  test("a browser that stays logged in needs no link when its last tab was closed, and is let in no more once it is revoked", async () => {
    await using tab = await openTab(browser);
    const context = tab.page.context();
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const link = async () => ((await wire.result("login.link")) as { url: string }).url;
    const devices = async () =>
      ((await wire.result("tokens.list")) as { tokens: { id: string; device?: boolean }[] }).tokens.filter(
        ({ device }) => device,
      );
    const stay = async (page: Page) => {
      await page.goto(await link());
      await connected(page);
      const token = () => page.evaluate(() => sessionStorage.getItem("elwood.token"));
      const before = await token();
      await page.getByRole("button", { name: "Stay logged in" }).click();
      // What the link gave it is exchanged for the device's.
      await expect.poll(token).not.toBe(before);
      await connected(page);
      expect(await devices()).toHaveLength(1);
    };
    await stay(tab.page);
    // What the link gave it is ended: the device is all that is listed of this browser.
    await tab.page.goto(`${gateway.url}/connections`);
    await tab.page.locator(".profile", { hasText: "this browser" }).getByText("stays logged in").waitFor();
    expect(await tab.page.evaluate(keptKey)).toEqual({ type: "private", extractable: false });
    const closed = await context.newPage();
    await tab.page.close();
    await closed.goto(gateway.url);
    await connected(closed);
    await closed.goto(`${gateway.url}/settings`);
    await closed.getByText("This browser stays logged in until").waitFor();
    await wire.result("tokens.revoke", { tokenId: (await devices())[0]?.id });
    await closed.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    await closed.reload();
    await closed.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    expect(await closed.evaluate(keptKey)).toBeUndefined();

    // Logging out ends it as well.
    await stay(closed);
    await closed.goto(`${gateway.url}/settings`);
    await closed.getByText("This browser stays logged in until").waitFor();
    await closed.getByRole("button", { name: "Log out of this browser" }).click();
    await closed.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    await expect.poll(async () => (await devices()).length).toBe(0);
    await wire.close();
    expect(tab.faults).toEqual([]);
  });

  test("where the page came unencrypted from another machine nobody is offered to stay, and the reason is told", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    // As every browser says of plain HTTP that is not from its own machine.
    await page.addInitScript(() => Object.defineProperty(window, "isSecureContext", { value: false }));
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    await page.goto(((await wire.result("login.link")) as { url: string }).url);
    await wire.close();
    await connected(page);
    await settled(page);
    expect(await page.getByRole("button", { name: "Stay logged in" }).count()).toBe(0);
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    const stay = page.getByRole("button", { name: "Stay logged in on this device" });
    await page.getByText("This page came unencrypted from another machine").waitFor();
    expect(await stay.isDisabled()).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  test("logins of tabs that were closed are folded away, and ended together; this browser's stays", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const browsers = async () =>
      ((await wire.result("tokens.list")) as { tokens: { browser?: boolean }[] }).tokens.filter(
        (token) => token.browser,
      ).length;
    const before = await browsers();
    const letIn = async () => {
      const tab = await openTab(browser);
      await tab.page.goto(((await wire.result("login.link")) as { url: string }).url);
      await connected(tab.page);
      return tab;
    };
    for (let i = 0; i < 2; i++) await (await letIn())[Symbol.asyncDispose]();
    await using tab = await letIn();
    const { page } = tab;
    await page.goto(`${gateway.url}/connections`);
    const list = page.locator("elwood-token-list");
    const row = list.locator("> .profiles .profile", { hasText: "this browser" });
    await row.waitFor();
    await list.getByText(`${before + 2} logins of closed tabs`).click();
    expect(await list.locator(".token-closed .profile").count()).toBe(before + 2);
    await list.getByRole("button", { name: "End them all" }).click();
    await expect.poll(browsers).toBe(1);
    await expect.poll(() => list.locator(".token-closed").count()).toBe(0);
    expect(await row.count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    await wire.close();
    expect(tab.faults).toEqual([]);
  });

  test("logging out of one tab logs out the others for good: no reload brings them back", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const { url } = (await wire.result("login.link")) as { url: string };
    await page.goto(url);
    await connected(page);
    const other = await page.context().newPage();
    await other.goto(gateway.url);
    await connected(other);
    const token = (await page.evaluate(() => sessionStorage.getItem("elwood.token"))) ?? "";
    await (await Wire.authenticated(gateway.url, token)).close();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("Log out");
    await page.keyboard.press("Enter");
    for (const each of [page, other])
      await each.getByRole("heading", { level: 1, name: "Log in to Elwood" }).waitFor();
    await expect.poll(() => other.evaluate(() => sessionStorage.length)).toBe(0);
    for (const each of [other, page]) {
      await each.reload();
      await each.getByRole("heading", { level: 1, name: "Log in to Elwood" }).waitFor();
    }
    // What the link gave this browser is ended at the gateway, too.
    await expect(Wire.authenticated(gateway.url, token)).rejects.toThrow();
    await wire.close();
  });

  test("a token that ends takes nothing along that was typed, in tabs that are closed neither", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const made = await wire.result("tokens.create", { name: "short", scopes: ["chat"] });
    const { token, info } = made as { token: string; info: { id: string } };
    await using tab = await openTab(browser);
    const { page } = tab;
    await logInByHand(page, gateway.url, token);
    server.will(anthropic.reply("Hello."));
    await say(page, "Hi");
    await replyIs(page, "Hello.");
    const session = page.url();
    const closed = await page.context().newPage();
    await closed.goto(session);
    await box(closed).fill("Half a thought");
    // It is kept behind the typing, in a moment that no hand is quick enough to close a tab in.
    await expect.poll(() => page.evaluate(keptDrafts)).toContainEqual({ text: "Half a thought", files: [] });
    await closed.close();
    await wire.result("tokens.revoke", { tokenId: info.id });
    await page.getByRole("heading", { level: 1, name: "Log in to Elwood" }).waitFor();
    await page.getByLabel("paste a link or a token").fill(gateway.token);
    await page.getByRole("button", { name: "Log in" }).click();
    await connected(page);
    await expect.poll(() => page.url()).toBe(session);
    await expect.poll(() => box(page).inputValue()).toBe("Half a thought");
    await wire.close();
  });

  test("where the browser keeps nothing, nothing typed is lost as long as the page is open", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException("not here", "SecurityError");
          },
        });
    });
    await logInByHand(page, gateway.url, gateway.token);
    await page.getByRole("link", { name: "New session" }).click();
    const door = gate();
    server.will(inTwo("One ", "more.", door));
    await say(page, "First");
    await replyIs(page, "One");
    await say(page, "Waits");
    await page.getByRole("button", { name: "Edit this message" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("Waits");
    await choose(page, "claude-haiku-5-5");
    await expect.poll(() => modelIn(page)).toBe("Model: claude-haiku-5-5");

    await page.getByRole("link", { name: "New session" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("");
    await box(page).fill("In the new one");
    await page.locator(".session").first().click();
    await expect.poll(() => box(page).inputValue()).toBe("Waits");
    await page.getByRole("link", { name: "New session" }).click();
    await expect.poll(() => box(page).inputValue()).toBe("In the new one");
    door.open();
    expect(tab.faults).toEqual([]);
  });
});

/** Runs in the page: what it has of a key to stay logged in with. */
function keptKey(): Promise<{ type: string; extractable: boolean } | undefined> {
  return new Promise((resolve) => {
    const opening = indexedDB.open("elwood-device", 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore("device"));
    opening.addEventListener("success", () => {
      const asked = opening.result.transaction("device").objectStore("device").get("device");
      asked.addEventListener("success", () => {
        opening.result.close();
        const kept = asked.result as { key: CryptoKey } | undefined;
        resolve(kept && { type: kept.key.type, extractable: kept.key.extractable });
      });
    });
  });
}

/** Runs in the page: what the browser keeps of drafts beyond the life of a tab. */
function keptDrafts(): Promise<unknown[]> {
  return new Promise((resolve) => {
    const opening = indexedDB.open("elwood", 1);
    opening.addEventListener("success", () => {
      const asked = opening.result.transaction("drafts").objectStore("drafts").getAll();
      asked.addEventListener("success", () => resolve(asked.result));
    });
  });
}
