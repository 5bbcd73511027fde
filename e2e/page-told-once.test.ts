import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, READ, runCalls, type Scene, WRITE } from "./act-scene.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { card, evidence, outcome, press } from "./page-card.ts";
import { axeFaults } from "./page-checks.ts";
import { connected, logIn, say } from "./page-talk.ts";

const ALLOWED = "policy:\n  rules:\n    - tool: files.*\n      decision: allow\n";

describe.skipIf(!BROWSER_PATH)("each thing is told once (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closeTabs(browser));

  async function opened(config: string): Promise<{ scene: Scene; tab: Tab; page: Page }> {
    const scene = await actScene({ config });
    const tab = await openTab(browser);
    await logIn(tab.page, `${scene.gateway.url}/c/new`, scene.gateway.token);
    return { scene, tab, page: tab.page };
  }

  const reply = (page: Page) => page.locator("article.elwood").last();
  const again = async (page: Page) => {
    await page.reload();
    await connected(page);
  };

  test("an allowed program is one line with what it was for, and all that it did is undone by one button", async () => {
    const { scene, tab, page } = await opened("policy:\n  mode: strict\n");
    await using _scene = scene;
    await using _tab = tab;
    const names = ["a.txt", "b.txt", "c.txt"];
    const source = names
      .map((path) => `must(await tools.files.file.write({ path: "${path}", content: "x" }));`)
      .join("\n");
    const input = { source: `${source}\nreturn 1;`, purpose: "Write three files" };
    await say(page, scene.model.plan([[{ tool: "program.code.run", input }]]));
    await press(page, "Allow");
    await outcome(page, /Ran a program: Write three files · you allowed it/);
    await evidence(page, "✓ Wrote a.txt, b.txt, c.txt");
    const isOneLine = async () => {
      await reply(page).getByRole("button", { name: "Undo all 3" }).waitFor();
      // After a reload it is drawn a moment after the button.
      await expect.poll(() => page.locator(".approval").count()).toBe(1);
      expect(await page.locator("elwood-call-card, elwood-call-group summary").count()).toBe(0);
    };
    await isOneLine();
    await again(page);
    await isOneLine();
    expect(await axeFaults(page)).toEqual([]);
    await reply(page).getByRole("button", { name: "Undo all 3" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo all 3?" });
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual(
      names.map((name) => `Wrote ${name} `),
    );
    await dialog.getByRole("button", { name: "Undo them" }).click();
    await page.locator(".toast", { hasText: "3 calls undone" }).waitFor();
    for (const name of names) expect(fileIn(scene.home, name).text).toBeUndefined();
    const isUndone = async () => {
      await evidence(page, "↩ Wrote a.txt, Wrote b.txt, Wrote c.txt (undone since)");
      await expect.poll(() => reply(page).getByRole("button", { name: /^Undo/ }).count()).toBe(0);
    };
    await isUndone();
    await again(page);
    await isUndone();
    expect(tab.faults).toEqual([]);
  });

  test("a change that ran unasked names its file, has Undo below its reply, and leaves no tick once it is undone", async () => {
    const { scene, tab, page } = await opened(ALLOWED);
    await using _scene = scene;
    await using _tab = tab;
    const words = scene.model.plan([[WRITE("new.md", "water\n")]], "I wrote `new.md` [c1].");
    await say(page, words);
    await reply(page).locator('.tick[title="On record: c1"]').waitFor();
    const isTold = async () => {
      await expect
        .poll(() => reply(page).locator("details.call summary").textContent())
        .toMatch(/Wrote new\.md\s+done/);
      await reply(page).getByRole("button", { name: "Undo", exact: true }).waitFor();
    };
    await isTold();
    await again(page);
    await isTold();
    // Another turn rests on the same call.
    await say(page, scene.model.plan([[READ("new.md")]], "I wrote `new.md` before [c1]."));
    await expect.poll(() => page.locator(".tick").count()).toBe(2);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    const hasNoTick = async () => {
      await expect.poll(() => page.locator('.tick.undone[title="c1: undone since"]').count()).toBe(2);
      expect(await page.locator(".tick:not(.undone)").count()).toBe(0);
      expect(await page.getByRole("button", { name: "Undo", exact: true }).count()).toBe(0);
    };
    await hasNoTick();
    expect(fileIn(scene.home, "new.md").text).toBeUndefined();
    await again(page);
    await hasNoTick();
    expect(tab.faults).toEqual([]);
  });

  test("files that were read in pieces are counted as files", async () => {
    const { scene, tab, page } = await opened(ALLOWED);
    await using _scene = scene;
    await using _tab = tab;
    for (const name of ["one.txt", "two.txt"]) fileIn(scene.home, name).put("a\nb\nc\n");
    const part = (path: string, offset: number) => ({
      tool: "files.file.read",
      input: { path, offset, limit: 1 },
    });
    const calls = [part("one.txt", 1), part("one.txt", 2), part("two.txt", 1), part("two.txt", 2)];
    await say(page, scene.model.plan([calls]));
    const line = reply(page).locator(".call-group > summary", { hasText: "Read 2 files" });
    await evidence(page, "4 local reads");
    await line.waitFor();
    await again(page);
    await line.waitFor();
  });

  test("a mark speaks the language of its reply", async () => {
    const { scene, tab, page } = await opened(ALLOWED);
    await using _scene = scene;
    await using _tab = tab;
    await say(
      page,
      scene.model.plan([], "Ich habe die Datei `alt.md` gelöscht und dir eine Mail geschickt."),
    );
    const mark = reply(page).locator(".not-verified").first();
    const isGerman = async () => {
      await expect.poll(() => mark.textContent()).toBe("nicht belegt");
      expect(await mark.getAttribute("title")).toBe("Elwood hat dazu keinen Eintrag");
    };
    await isGerman();
    await again(page);
    await isGerman();
  });

  test("a question that waits names its conversation, and is told as answered, not as approved", async () => {
    const { scene, tab, page } = await opened("policy:\n  mode: strict\n");
    await using _scene = scene;
    await using _tab = tab;
    const ask = { tool: "owner.question.ask", input: { question: "How many people?" } };
    const { sessionKey, runId } = await runCalls(scene, [ask]);
    await scene.owner.until(({ event }) => event === "owner.question");
    await scene.owner.result("sessions.rename", { sessionKey, title: "A dinner" });
    await page.goto(`${scene.gateway.url}/approvals`);
    await card(page).getByRole("link", { name: "A dinner" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/c/${sessionKey}`);
    await page.goto(`${scene.gateway.url}/approvals`);
    const [{ approvalId }] = (
      (await scene.owner.result("approvals.list", { status: "pending" })) as unknown as {
        approvals: [{ approvalId: string }];
      }
    ).approvals;
    await scene.owner.result("owner.answer", { questionId: approvalId, answer: "Six" });
    await finalOf(scene.owner, runId);
    await page.goto(`${scene.gateway.url}/approvals?show=history`);
    const row = page.locator(".history-row", { hasText: "How many people?" });
    await row.locator(".badge", { hasText: "answered" }).waitFor();
    expect(await row.textContent()).not.toContain("approved");
    // In its conversation it is one line too.
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await outcome(page, /How many people\?.*answered.*Six/);
    expect(await page.locator("elwood-call-card").count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  test("the card for moving a module to where tools lie shows its code", async () => {
    const { scene, tab, page } = await opened("policy:\n  mode: strict\n");
    await using _scene = scene;
    await using _tab = tab;
    fileIn(scene.home, "count.ts").put("export default countWords;\n");
    const to = join(scene.home, "workspace", "tools", "text", "count.ts");
    const { runId, sessionKey } = await runCalls(scene, [
      { tool: "files.file.move", input: { from: "count.ts", to } },
    ]);
    await asked(scene.owner, runId);
    await page.goto(`${scene.gateway.url}/c/${sessionKey}`);
    await card(page).locator(".card-diff .diff-come", { hasText: "export default countWords;" }).waitFor();
    await press(page, "Deny");
    await outcome(page, "you denied it");
  });
});
