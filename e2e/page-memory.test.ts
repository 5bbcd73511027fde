import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, resize, settled } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn, say } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("memory on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  let wire: Wire;
  beforeAll(async () => {
    browser = await launchBrowser();
    gateway = await startGatewayProcess({});
    wire = await Wire.authenticated(gateway.url, gateway.token);
  });
  afterAll(async () => {
    await wire?.close();
    await gateway?.kill();
    await closeTabs(browser);
  });

  const noteFile = (key: string) =>
    readFileSync(join(gateway.home, "memory", "default", `${key}.md`), "utf8");
  const saved = (page: Page) => page.getByText("Saved.", { exact: true }).first().waitFor();

  test("a note is begun, changed and found again; one that was changed by hand is not overwritten", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    await page.goto(`${gateway.url}/memory`);
    await page.getByRole("link", { name: "New note" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page
      .getByLabel("Text")
      .fill("- Town: Rome (since 2021)\n- Town: Oslo (since 2024)\n- Car: Volvo\n- Car: Saab\n");
    await page.getByRole("button", { name: "Save" }).click();
    await saved(page);
    expect(noteFile("ada")).toContain("Town: Oslo (since 2024)");
    await page.getByRole("row", { name: /Town: Rome.*no longer.*replaced by line 2/ }).waitFor();
    await page.getByRole("row", { name: /Car: Volvo.*valid.*Car: Saab/ }).waitFor();
    appendFileSync(join(gateway.home, "memory", "default", "ada.md"), "- Cat: Minka\n");
    await page.getByLabel("Text").fill("- Town: Bergen\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("alert")
      .getByText(/changed meanwhile/)
      .waitFor();
    expect(noteFile("ada")).toContain("Minka");
    await page.getByRole("button", { name: "Show the current version" }).click();
    await page.getByRole("row", { name: /Cat: Minka/ }).waitFor();
    expect(await page.getByLabel("Text").inputValue()).toBe("- Town: Bergen\n");
    await page.getByRole("button", { name: "Save" }).click();
    await saved(page);
    await expect.poll(() => noteFile("ada")).toBe("- Town: Bergen\n");
    await page.goto(`${gateway.url}/memory`);
    await page.getByLabel("Search notes and conversations").fill("which town is it, Bergen?");
    await page.keyboard.press("Enter");
    const hit = page.locator(".hit", { hasText: "Bergen" }).first();
    await hit.locator("mark", { hasText: "Bergen" }).first().waitFor();
    expect(await hit.innerText()).not.toMatch(/Score|\.md/);
    await hit.getByText("Details", { exact: true }).click();
    await hit.getByText("memory/default/ada.md#1").waitFor();
    await hit.getByText(/Score \d+\.\d: \w+ -?\d+\.\d\d/).waitFor();
    await page.reload();
    await page.locator(".hit", { hasText: "Bergen" }).first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("everything about a word is forgotten after its plan was shown, in an open chat of another tab too", async () => {
    await using first = await openTab(browser);
    await logIn(first.page, gateway.url, gateway.token);
    await say(first.page, "remember that the quince tree stands by the well");
    await first.page.locator(".evidence, .reply-facts").last().waitFor();
    await first.page.getByText("quince tree").first().waitFor();
    await using second = await openTab(browser);
    const { page } = second;
    await logIn(page, gateway.url, gateway.token);
    await page.goto(`${gateway.url}/memory`);
    await connected(page);
    await page.getByRole("button", { name: "Forget a word…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Everything with this word").fill("Quince");
    await dialog.getByRole("button", { name: "See what would go" }).click();
    await dialog.getByText("remembered, line 1").waitFor();
    expect(noteFile("remembered")).toContain("quince");
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: /^Forget all \d+$/ }).click();
    await dialog.getByText("it is in none of them.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => first.page.getByText("quince tree").count()).toBe(0);
    await first.page.getByText("What was said here was forgotten.").first().waitFor();
    // The answer does not hold the word, and stays.
    await first.page.getByText("That is done.").first().waitFor();
    expect(await first.page.locator("p.line", { hasText: "was forgotten" }).count()).toBe(0);
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test("why it knew something is told under the reply, with Forget and Never use", async () => {
    await wire.result("memory.save", {
      key: "shed",
      content: "- The key of the garden shed hangs behind the boiler\n",
    });
    await wire.result("memory.search", { query: "garden shed key" });
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    const why = page.locator("details.recalled summary");
    // A gateway that just started may read its index in beside the first message.
    await expect
      .poll(
        async () => {
          await page.goto(`${gateway.url}/c/new`);
          await connected(page);
          await say(page, "Where is the key of the garden shed behind the boiler?");
          await page.locator("details.evidence > summary").last().click();
          await page.getByText("Timeline of this run").waitFor();
          return why.waitFor({ timeout: 2_000 }).then(
            () => true,
            () => false,
          );
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    await why.click();
    const item = page.locator("details.recalled li", { hasText: "behind the boiler" }).first();
    await item.getByRole("link", { name: "shed, line 1" }).waitFor();
    await item.getByRole("button", { name: /^Never use/ }).click();
    await item.getByText("never used").waitFor();
    await item.getByRole("button", { name: /^Forget/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Forget (it|all \d+)$/ }).click();
    await dialog.getByText("Forgotten:").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(async () => (await wire.ask("memory.show", { key: "shed" })).error?.code).toBe(-32003);
    expect(tab.faults).toEqual([]);
  });

  test("a token that may only chat reads, and is told that it cannot change anything", async () => {
    const { token } = (await wire.result("tokens.create", { name: "reader", scopes: ["chat"] })) as {
      token: string;
    };
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, token);
    await page.goto(`${gateway.url}/memory/ada`);
    await page.getByText("This token may read notes, not change them.").waitFor();
    expect(await page.getByRole("button", { name: /Forget|Save/ }).count()).toBe(0);
    await page.goto(`${gateway.url}/memory`);
    await page.getByRole("heading", { name: "Notes" }).waitFor();
    expect(await page.getByRole("button", { name: /Forget|Rebuild/ }).count()).toBe(0);
  });

  test("in light at 360 pixels and in dark at 1,440 nothing is cut off, and axe finds nothing", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, gateway.url, gateway.token);
    for (const path of ["/memory", "/memory/ada", "/memory?q=town", "/memory/new%20note"]) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator(".page-body h1").waitFor();
      await page.locator("elwood-memory-status summary, .note-editor").first().waitFor();
      await settled(page);
      for (const [colorScheme, width] of [
        ["light", 360],
        ["dark", 1440],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await resize(page, width);
        expect(await page.evaluate(layoutFaults), `${path}, ${width}`).toEqual([]);
        expect(await axeFaults(page), `${path}, ${colorScheme}`).toEqual([]);
      }
    }
  });
});
