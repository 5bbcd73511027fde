import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession, send } from "./conversation.ts";
import { withLetters } from "./page-box.ts";
import {
  BROWSER_PATH,
  closeTabs,
  launchBrowser,
  openTab,
  resize,
  settled,
  type Tab,
} from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)("the frame around every page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  let wire: Wire;
  let tab: Tab;
  let page: Page;
  const palette = () => page.getByRole("dialog", { name: "Find a command, page or session" });
  const path = () => new URL(page.url()).pathname;

  beforeAll(async () => {
    [browser, gateway] = await Promise.all([
      launchBrowser(),
      startGatewayProcess({ config: "policy:\n  mode: strict\n" }),
    ]);
    wire = await Wire.authenticated(gateway.url, gateway.token);
    await ask(wire, await openSession(wire), "hello, tell me about walruses");
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, `${gateway.url}/runs`, gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await wire?.close();
    await gateway?.kill();
    await closeTabs(browser);
  });

  test("the palette finds pages, commands, and sessions by their title and by what was said", async () => {
    await page.keyboard.press("Control+k");
    await palette().getByRole("option").first().waitFor();
    const heads = await palette().locator(".palette-group").allTextContents();
    expect(heads).toEqual([...new Set(heads)]);
    // Sessions first, what stops everything last.
    const options = () => palette().getByRole("option").allInnerTexts();
    expect((await options())[0]).toContain("New session");
    expect((await options()).at(-1)).toContain("Stop everything");
    await palette().getByRole("combobox").fill("receipts");
    await expect.poll(() => palette().getByRole("option").first().textContent()).toContain("Go to Receipts");
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(path).toBe("/receipts");
    await page.keyboard.press("Control+k");
    await palette().getByRole("combobox").fill("dark");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.keyboard.press("Control+k");
    await palette().getByRole("combobox").fill("walruses");
    await palette().getByText("Sessions", { exact: true }).waitFor();
    await palette().getByText("Said in", { exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(path).toMatch(/^\/c\//);
    await page.keyboard.press("Control+k");
    await palette().getByRole("combobox").fill("zzzz");
    await palette().getByText("Nothing has that name.").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
  });

  test("the sheet of shortcuts has every key, from the list that hears them", async () => {
    await page.goto(`${gateway.url}/runs`);
    await connected(page);
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    for (const words of [
      "Go to Receipts",
      "Find a command, page or session",
      "Allow this once",
      "Deny, and say why",
      "Next line",
      "Save",
    ])
      await sheet.getByText(words, { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await withLetters(page);
    for (const [key, where] of [
      ["t", "/tools"],
      ["j", "/jobs"],
      ["u", "/usage"],
      ["o", "/connections"],
      ["d", "/doctor"],
      ["s", "/settings"],
      ["r", "/runs"],
      ["e", "/receipts"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await expect.poll(path).toBe(where);
    }
  });

  test("single-letter shortcuts can be switched off, and stay off after a reload; ?, Escape and Ctrl go on", async () => {
    await page.goto(`${gateway.url}/runs`);
    await withLetters(page);
    await page.keyboard.press("?");
    await page.getByLabel("Single-letter shortcuts").uncheck();
    await page.keyboard.press("Escape");
    await page.reload();
    await connected(page);
    for (const key of ["g", "t"]) await page.keyboard.press(key);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Find a command, page or session" });
    await palette.getByRole("combobox").fill("single");
    expect(path()).toBe("/runs");
    await page.keyboard.press("Enter");
    await page.getByText("Single-letter shortcuts are on.").waitFor();
    // It is said a moment before the palette is gone, which hears the keys until then.
    await palette.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
  });

  test("another page begins at its top, with the focus inside it, and the way back is the browser's", async () => {
    await page.goto(`${gateway.url}/tools`);
    const last = page.locator(".tool-row").last();
    await last.focus();
    await expect.poll(() => page.locator("main").evaluate((main) => main.scrollTop)).toBeGreaterThan(0);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "About this tool" }).waitFor();
    await page.locator("main:focus").waitFor();
    await expect.poll(() => page.locator("main").evaluate((main) => main.scrollTop)).toBe(0);
    await page.goBack();
    await last.waitFor();
    expect(path()).toBe("/tools");
  });

  test("what wants the owner stands in one line, with the way to it; the demo's word is put away for this tab", async () => {
    await page.goto(`${gateway.url}/tools`);
    const demo = page.locator(".demo-chip");
    await demo.getByText("Demo model: scripted answers.").waitFor();
    for (const name of ["one", "two"]) await send(wire, await openSession(wire), `write 'x' to ${name}.txt`);
    const line = page.getByRole("region", { name: "What wants you" });
    await line.getByRole("button", { name: "1 more" }).click();
    await page.locator("#attention-more .chip").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    for (const width of [360, 768, 1280]) {
      await resize(page, width, 720);
      expect(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
      expect((await line.boundingBox())?.height).toBeLessThan(56);
    }
    await expect.poll(() => page.title()).toBe("(2) Tools & policy · Elwood");
    await demo.getByRole("button", { name: "Dismiss" }).click();
    await demo.waitFor({ state: "detached" });
    await page.reload();
    await line.waitFor();
    await settled(page);
    expect(await demo.count()).toBe(0);
    await line.getByRole("link", { name: "Decide" }).first().click();
    await page.locator(".approval:focus").waitFor();
    await line.waitFor({ state: "detached" });
    await wire.result("gateway.stop_all");
    await expect.poll(() => page.title()).toBe("Approvals · Elwood");
  });

  test("a gateway that cannot say what wants the owner is helped out by what the tab knows", async () => {
    await using old = await openTab(browser);
    await bendAnswers(
      old.page,
      () => undefined,
      (hello) => ({
        ...hello,
        methods: hello.methods.filter((each) => each !== "attention.list" && each !== "usage.summary"),
      }),
    );
    await logIn(old.page, `${gateway.url}/tools`, gateway.token);
    await send(wire, await openSession(wire), "write 'x' to three.txt");
    await old.page.locator(".chip", { hasText: "three.txt" }).waitFor();
    // A page for what it does not have does not exist.
    expect(await old.page.getByRole("link", { name: "Usage" }).count()).toBe(0);
    await old.page.goto(`${gateway.url}/usage`);
    await old.page.getByText("Elwood has no page /usage").waitFor();
    await wire.result("gateway.stop_all");
    expect(old.faults).toEqual([]);
  });
});
