import { freePort } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, finalOf, runCalls, type Scene, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled, type Tab } from "./page-browser.ts";
import { card, cardButton, outcome, press } from "./page-card.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn } from "./page-talk.ts";

describe.skipIf(!BROWSER_PATH)(
  "logins that may not do everything (ELWOOD_TEST_BROWSER names a browser)",
  () => {
    let browser: Browser;
    let scene: Scene;
    let reader: Tab;
    let decider: Tab;
    /** What the gateway refused to each of them. */
    const refusals = new Map<Page, string[]>();
    let done: { runId: string; sessionKey: string };
    let waiting: string;

    beforeAll(async () => {
      const port = await freePort();
      [browser, scene] = await Promise.all([launchBrowser(), actScene({ port })]);
      done = await runCalls(scene, [WRITE("mine.txt", "x")]);
      const { approvalId } = await asked(scene.owner, done.runId);
      await scene.owner.result("exec.approve", {
        approvalId,
        decision: "window",
        window: { minutes: 60, scope: "call" },
      });
      await finalOf(scene.owner, done.runId);
      const next = await runCalls(scene, [WRITE("other.txt", "x")]);
      waiting = (await asked(scene.owner, next.runId)).approvalId;
      reader = await enter("reader", ["chat"]);
      decider = await enter("decider", ["chat", "approve"]);
    });
    afterAll(async () => {
      await reader?.[Symbol.asyncDispose]();
      await decider?.[Symbol.asyncDispose]();
      await scene?.[Symbol.asyncDispose]();
      await closeTabs(browser);
    });

    async function enter(name: string, scopes: readonly string[]): Promise<Tab> {
      const { token } = (await scene.owner.result("tokens.create", { name, scopes })) as { token: string };
      const tab = await openTab(browser);
      const heard: string[] = [];
      refusals.set(tab.page, heard);
      tab.page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => {
          const { error } = JSON.parse(String(payload)) as { error?: { message: string } };
          if (error) heard.push(error.message);
        }),
      );
      await logIn(tab.page, scene.gateway.url, token);
      return tab;
    }

    async function show({ page }: Tab, path: string, drawn: string): Promise<string> {
      await page.goto(`${scene.gateway.url}${path}`);
      await page.locator(drawn).first().waitFor();
      await settled(page);
      return (await page.locator("main").textContent()) ?? "";
    }

    const MAY_NOT = "This login may not";

    test("one that may only talk is told on each page what it cannot do, has no button for it, and is refused nothing", async () => {
      const { page } = reader;
      const buttons = (name: RegExp) => page.getByRole("button", { name });
      await show(reader, "/approvals", ".approval");
      await page.getByText(`${MAY_NOT} decide, or end a permission: it lacks the scope approve.`).waitFor();
      await page.getByText("This login may not decide. Answer from one that may.").waitFor();
      expect(await buttons(/allow|deny/i).count()).toBe(0);
      await card(page).focus();
      await page.waitForTimeout(450);
      for (const key of ["a", "d"]) await page.keyboard.press(key);
      expect(await card(page).getAttribute("data-outcome")).toBeNull();
      await show(reader, "/approvals?show=grants", ".grant");
      expect(await buttons(/revoke/i).count()).toBe(0);
      await page.getByText(`${MAY_NOT} decide, or end a permission`).waitFor();
      await show(reader, "/tools", ".tool-row");
      await page.getByText(`${MAY_NOT} reload the tools: it lacks the scope admin.`).waitFor();
      expect(await buttons(/load anew/i).count()).toBe(0);
      await show(reader, "/settings", "h1");
      await page.getByText(`${MAY_NOT} stop everything: it lacks the scope approve.`).waitFor();
      await page.getByText(`${MAY_NOT} see the configuration: it lacks the scope admin.`).waitFor();
      expect(await buttons(/stop everything/i).count()).toBe(0);
      await show(reader, "/connections", ".empty-state");
      await page.getByText("This login may not see credentials.").waitFor();
      expect(await page.locator("main").getByRole("textbox").count()).toBe(0);
      await show(reader, `/runs/${done.runId}`, ".timeline-row");
      await page
        .locator(".timeline-row", { has: page.locator(`[title^="files.file.write"]`) })
        .last()
        .click();
      await page.getByText(`${MAY_NOT} undo it: it lacks the scope approve.`).waitFor();
      expect(await buttons(/undo/i).count()).toBe(0);
      await show(reader, `/c/${done.sessionKey}`, "article.elwood");
      expect(await axeFaults(page)).toEqual([]);
      expect(refusals.get(page)).toEqual([]);
      expect(reader.faults).toEqual([]);
    });

    test("one that may decide but not administer decides, and is told of the rest", async () => {
      const { page } = decider;
      for (const path of ["/tools", "/settings", "/connections"]) {
        const text = await show(decider, path, path === "/tools" ? ".tool-row" : "section, .empty-state");
        expect(text, path).toMatch(/This login may not .*admin/s);
        expect(text, path).not.toContain("lacks the scope approve");
      }
      await show(decider, "/approvals", ".approval");
      expect(await page.getByText(MAY_NOT).count()).toBe(0);
      await page.goto(`${scene.gateway.url}/approvals/${waiting}`);
      await cardButton(page, "Deny").waitFor();
      await press(page, "Deny");
      await outcome(page, "decider denied it");
      expect(refusals.get(page)).toEqual([]);
      expect(decider.faults).toEqual([]);
    });

    test("the addresses of what it may not see say so too: the doctor and its log", async () => {
      for (const path of ["/doctor", "/doctor?show=log"]) {
        await show(reader, path, "h1, h2");
        await reader.page
          .getByText(/may not/)
          .first()
          .waitFor();
        expect(await reader.page.getByRole("button", { name: "Look again" }).count()).toBe(0);
      }
      expect(refusals.get(reader.page)).toEqual([]);
    });
  },
);
