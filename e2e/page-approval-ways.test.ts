import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  fileIn,
  finalOf,
  pendingOf,
  runCalls,
  WRITE,
  type Scene,
} from "./act-scene.ts";
import { DISPLAY_VECTORS } from "./approval-vectors.ts";
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
import { card, cardButton, outcome, press, takesPresses } from "./page-card.ts";
import { contrastFaults, layoutFaults } from "./page-checks.ts";
import { connected, logIn } from "./page-talk.ts";

const STRICT = "policy:\n  mode: strict\n";

describe.skipIf(!BROWSER_PATH)(
  "ways to decide, and the queue of what waits (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let scene: Scene;
    /** The owner's, logged in. */
    let tab: Tab;
    let page: Page;
    beforeAll(async () => {
      [browser, scene] = await Promise.all([launchBrowser(), actScene({ config: STRICT })]);
      tab = await openTab(browser);
      page = tab.page;
      await logIn(page, scene.gateway.url, scene.gateway.token);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
      await closeTabs(browser);
    });

    /** A run that asks, and the page of what it asks. */
    async function askedFor(calls: Parameters<typeof runCalls>[1]) {
      const begun = await runCalls(scene, calls);
      const { approvalId } = await asked(scene.owner, begun.runId);
      await page.goto(`${scene.gateway.url}/approvals/${approvalId}`);
      await connected(page);
      await card(page).waitFor();
      return { ...begun, approvalId };
    }

    test("what an address names is decided only after the login, and the address is kept for it", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      const { runId } = await runCalls(scene, [WRITE("deep.txt", "deep")]);
      const { approvalId } = await asked(scene.owner, runId);
      const address = `${scene.gateway.url}/approvals/${approvalId}`;
      await page.goto(address);
      await page.getByLabel("paste a link or a token").fill(scene.gateway.token);
      expect(await page.locator("body").textContent()).not.toContain("deep.txt");
      await page.getByRole("button", { name: "Log in" }).click();
      await cardButton(page, "Allow").waitFor();
      expect(page.url()).toBe(address);
      await press(page, "Allow");
      await outcome(page, "you allowed it");
      await finalOf(scene.owner, runId);
      await page.goto(`${scene.gateway.url}/approvals/apr_nobody`);
      await page.getByText("There is no approval apr_nobody.").waitFor();
      await page.getByRole("link", { name: "See all there are" }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test("allowed for longer: each scope is a sentence, the permission is listed, used without asking, and revoked", async () => {
      const first = await askedFor([WRITE("longer.txt", "one")]);
      await press(page, "More ways to allow");
      const { approval } = (await scene.owner.result("approvals.get", { approvalId: first.approvalId })) as {
        approval: WireApproval;
      };
      expect(approval.scopes?.length).toBeGreaterThan(1);
      const ways = page.getByRole("menu", { name: "Ways to allow" }).getByRole("menuitem");
      const words = (await ways.allTextContents()).map((each) => each.replaceAll(/\s+/g, " ").trim());
      expect(words).toEqual([
        "This once asks again next time",
        "Write longer.txt, for the next hour in this chat",
        "Write anything in files/, for the next hour in this chat",
        "Write anything in files/, always listed under Approvals, Permissions",
      ]);
      await page.keyboard.press("Escape");
      await expect.poll(() => ways.count()).toBe(0);
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      await cardButton(page, "More ways to allow").click();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await outcome(page, "you allowed it for a while");
      await finalOf(scene.owner, first.runId);
      const again = await runCalls(scene, [WRITE("longer.txt", "two")], { sessionKey: first.sessionKey });
      await finalOf(scene.owner, again.runId);
      expect(fileIn(scene.home, "longer.txt").text).toBe("two");

      await page.goto(`${scene.gateway.url}/approvals?show=grants`);
      const grant = page.locator(".grant");
      await grant.getByText("used 1 time").waitFor();
      expect(await grant.textContent()).toMatch(/ends in (?:60|5[5-9]) min|ends in 1 h/);
      await grant.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No permissions.").waitFor();
      const asks = await runCalls(scene, [WRITE("longer.txt", "three")], { sessionKey: first.sessionKey });
      await asked(scene.owner, asks.runId);
      await scene.owner.result("chat.abort", { runId: asks.runId });
    });

    test("edited, then allowed: what was asked for and what ran stand apart, and the model is told", async () => {
      const { runId, told } = await askedFor([WRITE("edited.txt", "as asked")]);
      await press(page, "Edit");
      const content = card(page).getByLabel("content", { exact: true });
      const body = card(page).locator(".card-diff");
      // What would run is shown while it is written, before anything is decided.
      await content.fill("as edited\nand more");
      await expect.poll(() => body.textContent()).toContain("+ and more");
      expect(await body.textContent()).not.toContain("as asked");
      // An input that cannot run says why, and a press decides nothing.
      await card(page).getByLabel("path", { exact: true }).fill("../../outside.txt");
      await card(page)
        .getByText(/Nothing was decided\./)
        .waitFor();
      expect(await body.count()).toBe(0);
      await cardButton(page, "Allow as edited").click();
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      await card(page).getByLabel("path", { exact: true }).fill("edited.txt");
      await content.fill("as edited");
      await expect.poll(() => body.textContent()).toBe("+ as edited\n");
      await cardButton(page, "Allow as edited").click();
      await outcome(page, /Created edited\.txt · you edited it first/);
      expect(await body.textContent()).toContain("+ as edited");
      expect(await body.textContent()).not.toContain("as asked");
      await cardButton(page, "Details").click();
      await card(page).getByLabel("Input as it was asked for").filter({ hasText: "as asked" }).waitFor();
      await card(page).getByLabel("Input as you edited it").filter({ hasText: "as edited" }).waitFor();
      await finalOf(scene.owner, runId);
      expect(fileIn(scene.home, "edited.txt").text).toBe("as edited");
      expect(told().join(" ")).toMatch(/edited/i);
      // The call itself tells both, too.
      await page.getByRole("link", { name: "run", exact: true }).click();
      await page
        .locator(".timeline-row", { has: page.locator(`[title^="files.file.write"]`) })
        .first()
        .click();
      const inspector = page.getByRole("complementary", { name: "Details" });
      await inspector.getByText("As it was asked for:").waitFor();
      await inspector.getByText("As you edited it, and as it ran:").waitFor();
    });

    test("keys: N, E and S lead to the note, the editor and the menu, and Escape back, J and K walk, D denies, A allows", async () => {
      // One after the other: the one that asked first stands first.
      const runs = [await runCalls(scene, [WRITE("k1.txt", "1")])];
      await asked(scene.owner, runs[0]!.runId);
      runs.push(await runCalls(scene, [WRITE("k2.txt", "2")]));
      await asked(scene.owner, runs[1]!.runId);
      await page.goto(`${scene.gateway.url}/runs`);
      await withLetters(page);
      await settled(page);
      await page.locator("body").press("g");
      await page.keyboard.press("a");
      const cards = page.locator(".approval");
      await expect.poll(() => cards.count()).toBe(2);
      const onCard = () => page.evaluate(() => document.activeElement?.getAttribute("aria-labelledby"));
      const titles = await cards.evaluateAll((all) =>
        all.map((each) => each.getAttribute("aria-labelledby")),
      );
      await expect.poll(onCard).toBe(titles[0]);
      await takesPresses(page);
      for (const [key, there] of [
        ["n", cards.first().getByLabel("Deny, and tell Elwood why")],
        ["e", cards.first().getByLabel("content", { exact: true })],
        ["s", page.getByRole("menuitem", { name: /^This once/ })],
      ] as const) {
        await cards.first().focus();
        await page.keyboard.press(key);
        await expect.poll(() => there.evaluate((element) => element === document.activeElement)).toBe(true);
        await page.keyboard.press("Escape");
        await expect
          .poll(() => there.evaluateAll((all) => all.some((each) => each === document.activeElement)))
          .toBe(false);
      }
      expect(await cards.first().getByRole("button", { name: "Edit", exact: true }).count()).toBe(1);
      await cards.first().focus();
      await page.keyboard.press("j");
      await expect.poll(onCard).toBe(titles[1]);
      await page.keyboard.press("k");
      await expect.poll(onCard).toBe(titles[0]);
      await page.keyboard.press("d");
      await expect.poll(() => cards.count()).toBe(1);
      // The next one has the focus, and takes no press that was meant for the one before.
      await expect.poll(onCard).toBe(titles[1]);
      await takesPresses(page);
      await page.keyboard.press("a");
      await page.getByText("Nothing waits for you.").waitFor();
      for (const { runId } of runs) await finalOf(scene.owner, runId);
      expect([fileIn(scene.home, "k1.txt").text, fileIn(scene.home, "k2.txt").text]).toEqual([
        undefined,
        "2",
      ]);
    });

    test("several are decided at once only where none destroys anything; on a phone each opens over the list", async () => {
      await resize(page, 390);
      fileIn(scene.home, "b3.txt").put("3");
      const two = [
        await runCalls(scene, [WRITE("b1.txt", "1")]),
        await runCalls(scene, [WRITE("b2.txt", "2")]),
      ];
      for (const { runId } of two) await asked(scene.owner, runId);
      await page.goto(`${scene.gateway.url}/approvals`);
      const all = page.getByRole("group", { name: "All at once" });
      await all.getByRole("button", { name: "Allow all 2 once" }).waitFor();
      const third = await runCalls(scene, [DELETE("b3.txt")]);
      await asked(scene.owner, third.runId);
      await all.getByText("3 calls wait for you.").waitFor();
      await expect.poll(() => all.getByRole("button", { name: /Allow/ }).count()).toBe(0);

      await page.locator(".queue-row", { hasText: "b3.txt" }).click();
      const sheet = page.locator("dialog.approval-sheet");
      await sheet.getByRole("button", { name: "Deny", exact: true }).waitFor();
      expect(await page.locator(".approval").count()).toBe(1);
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      await takesPresses(page);
      await sheet.getByRole("button", { name: "Deny", exact: true }).click();
      await sheet.getByText("you denied it").waitFor();
      await sheet.getByRole("button", { name: "Close" }).click();
      await sheet.waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true);

      await all.getByRole("button", { name: "Allow all 2 once" }).click();
      const sure = page.getByRole("dialog", { name: "Allow all 2 calls?" });
      expect(await sure.getByRole("listitem").allTextContents()).toEqual([
        expect.stringContaining("b1.txt"),
        expect.stringContaining("b2.txt"),
      ]);
      await sure.getByRole("button", { name: "Allow them once" }).click();
      await page.getByText("Nothing waits for you.").waitFor();
      for (const { runId } of [...two, third]) await finalOf(scene.owner, runId);
      expect(["b1", "b2", "b3"].map((name) => fileIn(scene.home, `${name}.txt`).text)).toEqual([
        "1",
        "2",
        "3",
      ]);
      expect(await pendingOf(scene.owner)).toEqual([]);
      await resize(page, 1_280);
    });

    test("text that deceives the eye is shown with its tricks written out, and cannot be edited", async () => {
      const begun = [];
      for (const [i, { display }] of DISPLAY_VECTORS.entries())
        begun.push(await runCalls(scene, [WRITE(`shown-${i}.txt`, display)]));
      for (const [i, { line }] of DISPLAY_VECTORS.entries()) {
        const { runId } = begun[i]!;
        const { approvalId } = await asked(scene.owner, runId);
        await page.evaluate((path) => {
          history.pushState(null, "", path);
          dispatchEvent(new PopStateEvent("popstate"));
        }, `/approvals/${approvalId}`);
        await card(page)
          .locator(".card-title", { hasText: `shown-${i}.txt` })
          .waitFor();
        const content = async () => {
          const text = await card(page).locator(".card-diff").textContent();
          return text?.trim().replaceAll(/^\+ /gm, "").replaceAll("\n", "\\n");
        };
        await expect.poll(content).toBe(line);
        const whole = (await card(page).textContent()) ?? "";
        expect(whole.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u3164]|\ufe0f/u);
        if (!line.includes("\\n")) expect(await cardButton(page, "Edit").count()).toBe(0);
        await scene.owner.result("chat.abort", { runId });
      }
      expect(tab.faults).toEqual([]);
    });

    test("what cannot be shown whole has no button that allows it; a login without the scope has none at all", async () => {
      const { token } = (await scene.owner.result("tokens.create", { name: "reader", scopes: ["chat"] })) as {
        token: string;
      };
      await using reader = await openTab(browser);
      const { runId } = await runCalls(scene, [WRITE("long.txt", "long ".repeat(12_000))]);
      const { approvalId } = await asked(scene.owner, runId);
      await page.goto(`${scene.gateway.url}/approvals/${approvalId}`);
      await logIn(reader.page, `${scene.gateway.url}/approvals/${approvalId}`, token);
      await page.getByText("too long to be shown whole").waitFor();
      expect(await cardButton(page, "Allow").count()).toBe(0);
      expect(await cardButton(page, "Edit").count()).toBe(0);
      await reader.page.getByText("This login may not decide.").waitFor();
      expect(await card(reader.page).locator("elwood-approval-actions button").count()).toBe(0);
      await press(page, "Deny");
      await outcome(reader.page, "you denied it");
    });

    test("nothing of a card is cut off or hard to read, on a phone and a wide screen, light and dark", async () => {
      const { runId, approvalId } = await askedFor([
        WRITE(`a-${"long".repeat(30)}.txt`, "unbroken".repeat(30)),
      ]);
      // Fingers need larger buttons.
      await using touched = await openTab(browser, { hasTouch: true });
      const touch = touched.page;
      await logIn(touch, `${scene.gateway.url}/approvals/${approvalId}`, scene.gateway.token);
      await card(touch).waitFor();
      for (const width of [360, 390, 900, 1200]) {
        await resize(touch, width);
        expect(await touch.evaluate(layoutFaults), `${width} px`).toEqual([]);
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await touch.emulateMedia({ colorScheme });
        expect(await touch.evaluate(contrastFaults), colorScheme).toEqual([]);
      }
      const tree = await card(page).ariaSnapshot();
      expect(tree).toContain('group "Create');
      expect(tree).not.toMatch(/- (button|textbox|group)(:|$)/m);
      await scene.owner.result("chat.abort", { runId });
    });
  },
);
