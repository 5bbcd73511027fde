import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, trail } from "./act-scene.ts";
import { openSession } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled } from "./page-browser.ts";
import { card, outcome, press } from "./page-card.ts";
import { axeFaults } from "./page-checks.ts";
import { broken, connected, logIn, say } from "./page-talk.ts";

/** Only then does a command end with its gateway. */
const CAGED =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"]).status === 0;

describe.skipIf(!BROWSER_PATH)("after kill -9, on the page (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closeTabs(browser));

  test.runIf(CAGED)(
    "calls that were cut off are asked about where they stood, and the answer is what every place says from then on",
    async () => {
      await using scene = await actScene({ port: await freePort() });
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, scene.gateway.url, scene.gateway.token);
      const cut = [
        { answer: "It did not happen", word: "failed", sessionKey: await openSession(scene.owner) },
        { answer: "It happened", word: "done", sessionKey: await openSession(scene.owner) },
      ];
      for (const { sessionKey } of cut) {
        await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
        const argv = ["bash", "-c", `echo up > ${sessionKey}; sleep 86403`];
        await say(page, scene.model.plan([[{ tool: "shell.command.run", input: { argv } }]]));
        await press(page, "Allow");
        await expect.poll(() => existsSync(join(scene.home, "files", sessionKey))).toBe(true);
      }
      await scene.kill();
      await broken(page);
      await scene.restart();
      await connected(page);
      // The one that was open is asked about there, without anybody's doing.
      for (const { answer, word, sessionKey } of cut.toReversed()) {
        const address = `${scene.gateway.url}/c/${sessionKey}`;
        if (page.url() !== address) await page.goto(address);
        const asks = page.locator(".approval", { hasText: "a question for you" });
        await asks
          .filter({ hasText: /shell\.command\.run.*Elwood cannot tell whether it took effect/s })
          .waitFor();
        await page.locator(".approval-outcome", { hasText: /Maybe run: .*no answer came/s }).waitFor();
        if (word === "done") expect(await axeFaults(page)).toEqual([]);
        await press(page, answer);
        await outcome(page, new RegExp(`you answered: ${answer}`, "i"));
        const { runs } = (await scene.owner.result("runs.list", { sessionKey })) as {
          runs: { runId: string }[];
        };
        const { runId } = runs[0]!;
        await expect.poll(() => trail(scene.home, runId).at(-1)).toBe("settled");
        await page.goto(`${scene.gateway.url}/runs/${runId}?show=evidence`);
        await page
          .locator(".evidence-list li", { hasText: /R[au]n a command/ })
          .getByText(word)
          .waitFor();
        await page.goto(`${scene.gateway.url}/approvals?show=history`);
        await page.locator(".history-row", { hasText: "shell.command.run" }).first().waitFor();
        await page.goto(address);
        await page.locator("article.elwood").first().waitFor();
        await settled(page);
        expect(await page.locator("elwood-approval-actions").count()).toBe(0);
      }
      expect(tab.faults).toEqual([]);
    },
  );

  test("a question waits through it, is answered in the tab that asked it, and the answer arrives", async () => {
    await using scene = await actScene({ demo: true, port: await freePort() });
    await using tab = await openTab(browser);
    const { page } = tab;
    await logIn(page, scene.gateway.url, scene.gateway.token);
    await say(page, "ask me something");
    await card(page).getByRole("heading", { name: "What shall I call you?" }).waitFor();
    await card(page).getByRole("textbox").fill("half an ans");
    await scene.kill();
    await broken(page);
    await press(page, "Answer");
    const said = card(page).locator(".approval-said");
    await said.filter({ hasText: "The connection broke. If your answer arrived" }).waitFor();
    await scene.restart();
    await connected(page);
    await expect.poll(() => said.textContent()).toBe("");
    // What was being written when the connection broke is still there.
    await settled(page);
    expect(await card(page).getByRole("textbox").inputValue()).toBe("half an ans");
    await card(page).getByRole("textbox").fill("Bo");
    await press(page, "Answer");
    await outcome(page, "you answered: Bo");
    await expect
      .poll(async () => (await page.locator("article.elwood .text").allTextContents()).join(" "))
      .toContain("You answered: “Bo”");
    expect(await page.locator(".approval").count()).toBe(1);
    expect(tab.faults).toEqual([]);
  });
});
