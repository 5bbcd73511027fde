import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { GatewayClient } from "@elwood/sdk/client";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, resize } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)("jobs on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  let model: ScriptedAnthropic;
  beforeAll(async () => {
    const config = [
      "timeZone: Europe/Berlin",
      "cron:",
      "  - name: morning news",
      '    schedule: "0 8 * * 1-5"',
      "    message: What is new in my notes?",
      "",
    ].join("\n");
    model = await startScriptedAnthropic();
    const env = { ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000", ANTHROPIC_BASE_URL: model.url };
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess({ config, env })]);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await gateway?.kill();
    await model?.[Symbol.asyncDispose]();
  });

  test("are listed with their next time, made, run, paused and removed, and say what became of them", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/jobs`, gateway.token);
    const news = page.locator(".job", { hasText: "morning news" });
    await news.getByText(/next .* 08:00/).waitFor();

    await page.getByRole("button", { name: "New job" }).click();
    await page.getByLabel("Text", { exact: true }).fill("call the landlord");
    await page.getByLabel("When").selectOption("cron");
    await page.getByLabel("Cron expression").fill("0 9 31 2 *");
    await page.getByLabel("Name", { exact: true }).fill("landlord / rent");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("call the landlord");
    await page.getByLabel("Cron expression").fill("0 9 1 * *");
    await page.getByRole("button", { name: "Add it" }).click();
    const rent = page.locator(".job", { hasText: "landlord / rent" });
    await rent.getByText("has not run yet").waitFor();

    await rent.getByRole("button", { name: "Run now" }).click();
    await rent.getByText("done").waitFor();
    await rent.getByRole("button", { name: "Pause" }).click();
    await rent.getByText("paused").waitFor();
    await rent.getByRole("link", { name: "landlord / rent" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.getByRole("row", { name: /by hand.*done/ }).waitFor();
    await page.getByRole("button", { name: "Remove this job" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await news.waitFor();
    await expect.poll(() => page.locator(".job", { hasText: "landlord" }).count()).toBe(0);

    await news.getByRole("link", { name: "morning news" }).click();
    await page.getByText("It is set in config.yaml").waitFor();
    expect(await page.locator(".job-next li").count()).toBe(5);
    expect(tab.faults).toEqual([]);
  });

  test("are rehearsed, and what is ticked there runs unasked until it is revoked or the text is another", async () => {
    const client = await GatewayClient.connect({
      url: gateway.url,
      token: gateway.token,
      client: { name: "test" },
    });
    const script = model.play([
      ["files.file.write", { path: "notes/today.md", content: "# Today\n\nNothing is new.\n" }],
      ["files.file.delete", { path: "notes/today.md" }],
    ]);
    const job = { name: "daily note", message: "Write the note of the day.", every: "1d" };
    await client.call("jobs.create", { ...job, model: `anthropic/${script}` });
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, `${gateway.url}/jobs/daily%20note`, gateway.token);
    await page.getByRole("button", { name: "Rehearse", exact: true }).click();
    const card = page.getByRole("group", { name: "Create notes/today.md" });
    await card.getByText("Nothing is new.").waitFor();
    await page.getByRole("status").getByText("nothing changed").waitFor();
    expect(existsSync(join(gateway.home, "files", "notes", "today.md"))).toBe(false);
    // What always asks cannot be ticked. There is no such file, so it was not even listed.
    expect(await page.getByRole("checkbox").count()).toBe(1);

    await card.getByRole("checkbox", { name: "Allow in runs of this job" }).check();
    await card.getByLabel("What it covers").selectOption("folder");
    await card.getByLabel("Times a run").fill("3");
    await card.getByLabel("For how long").selectOption("90");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(page, colorScheme === "light" ? "all" : "colours")).toEqual([]);
    }
    for (const width of [360, 1280]) {
      await resize(page, width);
      expect.soft(await page.evaluate(layoutFaults), String(width)).toEqual([]);
    }
    await page.getByRole("button", { name: "Allow 1 call in runs of this job" }).click();
    const grant = page.locator(".job-grant");
    await grant
      .getByText(
        "write anything in notes/, in the job “daily note” as it is now, up to 3 times a run, for 90 days",
      )
      .waitFor();

    await page.getByRole("button", { name: "Run now" }).click();
    // What was not allowed waits.
    await page.getByRole("row", { name: /by hand.*waiting for you/ }).waitFor();
    expect(existsSync(join(gateway.home, "files", "notes", "today.md"))).toBe(true);
    await grant.getByText("used 1 time").waitFor();

    await client.call("jobs.update", { name: "daily note", change: { message: "Write another note." } });
    await page.reload();
    await grant.getByText("The text of the job has changed since you gave this permission.").waitFor();
    await page.getByText("The text of the job has changed since this rehearsal.").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await grant.getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => grant.count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await client.close();
  });
});
