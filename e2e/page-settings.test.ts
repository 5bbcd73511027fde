import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

const START = "# mine\nlimits:\n  dayCostUsd: 5 # a day\n";

describe.skipIf(!BROWSER_PATH)("settings that set (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    [browser, gateway] = await Promise.all([
      launchBrowser(),
      startGatewayProcess({ config: START, env: { ELWOOD_LOG_LEVEL: "error" } }),
    ]);
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, `${gateway.url}/settings`, gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await gateway?.kill();
    await closeTabs(browser);
  });

  const text = () => readFileSync(join(gateway.home, "config.yaml"), "utf8");
  const budget = (at: Page) => at.getByLabel("Daily budget");
  const path = () => new URL(page.url()).pathname;

  test("five places, each with its pages; addresses from before lead to where things are now", async () => {
    const rail = page.getByRole("navigation", { name: "Parts of Elwood" });
    expect(await rail.locator(".rail-link > span:not(.count)").allTextContents()).toEqual([
      "Chat",
      "Approvals",
      "Activity",
      "Memory",
      "Settings",
    ]);
    const tabs = (place: string) =>
      page
        .getByRole("navigation", { name: `Parts of ${place}` })
        .getByRole("link")
        .allTextContents();
    expect(await tabs("Settings")).toEqual([
      "General",
      "Models & keys",
      "Tools & policy",
      "Channels",
      "Integrations",
      "Actions",
      "Usage",
      "Health",
    ]);
    await rail.getByRole("link", { name: "Activity" }).click();
    await expect.poll(path).toBe("/runs");
    expect(await tabs("Activity")).toEqual(["Runs", "Receipts", "Jobs"]);
    for (const [old, now] of [
      ["/doctor?show=log", "/doctor"],
      ["/activity", "/runs"],
      ["/policy", "/tools"],
      ["/connections", "/connections"],
    ] as const) {
      await page.goto(`${gateway.url}${old}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(path()).toBe(now);
      // The address of each place is the page's also for a browser that comes straight to it.
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    await page.goto(`${gateway.url}/settings`);
    await budget(page).waitFor();
  });

  test("a setting is changed in the file, and its comment stays; what loosens is asked about first", async () => {
    await budget(page).fill("3");
    await budget(page).press("Enter");
    await page.getByText("Saved").waitFor();
    expect(text()).toBe("# mine\nlimits:\n  dayCostUsd: 3 # a day\n");
    await budget(page).fill("50");
    await budget(page).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Allow more?" });
    await dialog.getByText("Daily budget: 3 → 50").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => budget(page).inputValue()).toBe("3");
    expect(text()).toContain("dayCostUsd: 3");
    await budget(page).fill("4");
    await budget(page).press("Enter");
    await dialog.getByRole("button", { name: "Yes, change it" }).click();
    await expect.poll(text).toContain("dayCostUsd: 4");
    await page.getByRole("button", { name: "Back to the default (20)" }).click();
    await dialog.getByRole("button", { name: "Yes, change it" }).click();
    await expect.poll(text).toBe("# mine\n");
    expect(tab.faults).toEqual([]);
  });

  test("the second of two tabs that change one setting is told, and shows what is there", async () => {
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/settings`);
    await budget(other).waitFor();
    await budget(page).fill("2");
    await budget(page).press("Enter");
    await expect.poll(text).toContain("dayCostUsd: 2");
    await budget(other).fill("1");
    await budget(other).press("Enter");
    await other.getByText("was changed meanwhile: it is 2 now. Nothing was changed.").waitFor();
    await expect.poll(() => budget(other).inputValue()).toBe("2");
    await other.close();
  });

  test("a file with a mistake is told with its line, nothing can be changed, and it is not overwritten", async () => {
    const broken = "limits:\n  dayCostUsd: [1\n";
    const before = text();
    writeFileSync(join(gateway.home, "config.yaml"), broken);
    await page.reload();
    await page
      .getByRole("alert")
      .getByText(/The settings have mistakes: config\.yaml:\d/)
      .waitFor();
    expect(await budget(page).isDisabled()).toBe(true);
    expect(text()).toBe(broken);
    writeFileSync(join(gateway.home, "config.yaml"), before);
    await page.getByRole("alert").getByRole("button", { name: "Check again" }).click();
    await expect.poll(() => budget(page).isDisabled()).toBe(false);
  });

  test("what counts after a restart says so, and what a variable decides is shown with its origin", async () => {
    const zone = page.getByLabel("Time zone");
    await zone.fill("Asia/Tokyo");
    await zone.press("Enter");
    await page.getByText("In use until then:").waitFor();
    await zone.fill("Mars/Olympus");
    await zone.press("Enter");
    await page.getByText("must be the name of a time zone").waitFor();
    await expect.poll(() => zone.inputValue()).toBe("Asia/Tokyo");
    await page.locator("elwood-settings-group", { hasText: "For other programs" }).getByText("More").click();
    await page.getByText("is set by the variable ELWOOD_LOG_LEVEL").waitFor();
    expect(await page.getByLabel("Log", { exact: true }).isDisabled()).toBe(true);
  });

  test("the assistant gets other words, and a folder is opened and closed", async () => {
    await page.getByText("Its name, character, instructions").click();
    await page.getByLabel("Who it is").fill("You answer in rhymes.\n");
    await page.locator("elwood-agent-editor").getByRole("button", { name: "Save" }).click();
    await page.getByText("It counts from the next message on.").waitFor();
    expect(readFileSync(join(gateway.home, "workspace", "SOUL.md"), "utf8")).toBe("You answer in rhymes.\n");
    await page.getByLabel("Another folder").fill("/usr/share");
    await page.getByLabel("Another folder").press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Yes, change it" }).click();
    await page.getByRole("button", { name: "Close /usr/share to Elwood" }).click();
    await page.getByRole("button", { name: "Close /usr/share to Elwood" }).waitFor({ state: "detached" });
    expect(text()).not.toContain("/usr/share");
  });

  test("a session has a model, instructions, sampling and tools of its own, and goes back to the usual", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const sessionKey = await openSession(wire);
    await ask(wire, sessionKey, "hello");
    const session = async () =>
      ((await wire.result("sessions.get", { sessionKey })) as { session: Record<string, unknown> }).session;
    await page.goto(`${gateway.url}/c/${sessionKey}`);
    const open = async () => {
      await page.locator(".chat-head").getByRole("button", { name: "More about this session" }).click();
      await page.getByRole("menuitem", { name: "Settings…" }).click();
      return page.getByRole("dialog", { name: "Settings of this session" });
    };
    const dialog = await open();
    await dialog.getByLabel("Instructions for this session").fill("In French.");
    await dialog.getByLabel("Temperature").fill("0.4");
    await dialog.getByLabel("May use tools").uncheck();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await session()).toMatchObject({ system: "In French.", temperature: 0.4, tools: false });
    const again = await open();
    await expect.poll(() => again.getByLabel("Temperature").inputValue()).toBe("0.4");
    await again.getByLabel("Temperature").fill("");
    await again.getByLabel("May use tools").check();
    await again.getByRole("button", { name: "Save" }).click();
    await again.waitFor({ state: "detached" });
    expect(await session()).not.toHaveProperty("temperature");
    await wire.close();
  });

  test("the mode of the policy is chosen in words, and a tool is turned off and on", async () => {
    await page.goto(`${gateway.url}/tools`);
    await page.getByLabel("Strict").check();
    await expect.poll(text).toContain("mode: strict");
    await page.getByLabel("Trusting").check();
    const dialog = page.getByRole("dialog", { name: "Allow more?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByLabel("Strict").isChecked()).toBe(true);
    const rule = page.getByLabel("When “List a folder” asks");
    await rule.selectOption("Off");
    await expect.poll(text).toContain("files.file.list");
    await rule.selectOption("As usual");
    await dialog.getByRole("button", { name: "Yes, change it" }).click();
    await expect.poll(text).not.toContain("files.file.list");
    expect(tab.faults).toEqual([]);
  });
});
