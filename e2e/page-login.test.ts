import { gate } from "@elwood/testkit/answers";
import { anthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { box, choose, modelIn } from "./page-box.ts";
import { BROWSER_PATH, openTab } from "./page-browser.ts";
import { connected, inTwo, logIn, replyIs, say } from "./page-talk.ts";
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
    await logIn(page, gateway.url, token);
    server.will(anthropic.reply("Hello."));
    await say(page, "Hi");
    await replyIs(page, "Hello.");
    const session = page.url();
    const closed = await page.context().newPage();
    await closed.goto(session);
    await box(closed).fill("Half a thought");
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
    await logIn(page, gateway.url, gateway.token);
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
