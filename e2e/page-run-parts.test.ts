import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { anthropic } from "@elwood/testkit/anthropic-server";
import { cleanEnvironment, LAUNCHER } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  finalOf,
  READ,
  receiptsIn,
  runCalls,
  type Scene,
  WRITE,
} from "./act-scene.ts";
import { contentsOf, ending, openSession, send } from "./conversation.ts";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab, settled, type Tab } from "./page-browser.ts";
import { axeFaults } from "./page-checks.ts";
import { logIn, replyIs } from "./page-talk.ts";

const run = promisify(execFile);

describe.skipIf(!BROWSER_PATH)("the parts of a run (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let scene: Scene;
  let tab: Tab;
  let page: Page;
  /** A run that read two files, of which one is there. */
  let read: { runId: string; sessionKey: string };
  const show = (path: string) => page.goto(`${scene.gateway.url}${path}`);

  beforeAll(async () => {
    [browser, scene] = await Promise.all([launchBrowser(), actScene()]);
    read = await runCalls(scene, [READ("missing.txt"), WRITE("a.txt", "apples")]);
    const { approvalId } = await asked(scene.owner, read.runId);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(scene.owner, read.runId);
    tab = await openTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    page = tab.page;
    await logIn(page, scene.gateway.url, scene.gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await closeTabs(browser);
  });

  test("each has an address: what was put on record in its order, the evidence, and all of it as it is", async () => {
    await show(`/runs/${read.runId}`);
    const parts = page.getByRole("navigation", { name: "Parts of the run" });
    await page.locator(".timeline-row").first().waitFor();
    // Its id is there for who wants it.
    const facts = page.locator("elwood-run-view");
    expect(await facts.innerText()).not.toContain(read.runId.slice(0, 8));
    await facts.locator(".run-id summary").click();
    await facts.getByRole("button", { name: `Copy ${read.runId}` }).waitFor();
    expect(await parts.getByRole("link").allTextContents()).toEqual([
      "Timeline",
      "Events",
      "Raw",
      "Evidence",
    ]);
    await parts.getByRole("link", { name: "Events" }).click();
    const events = page.locator(".event-row");
    const recorded = receiptsIn(scene.home, { runId: read.runId });
    await expect.poll(() => events.count()).toBe(recorded.length);
    const told = await page.locator(".event-about").allTextContents();
    expect([told[0], told.at(-1)]).toEqual(["Run began", expect.stringMatching(/^Reply|Run ended/)]);
    const states = await page.locator(".event-type").allTextContents();
    expect(states.indexOf("asked you")).toBeGreaterThan(0);
    expect(states.indexOf("asked you")).toBeLessThan(states.indexOf("approved"));
    expect(await page.locator(".event-row time").allTextContents()).toContainEqual(
      expect.stringMatching(/^\+/),
    );
    expect(await axeFaults(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => events.count()).toBe(recorded.length);
    await parts.getByRole("link", { name: "Evidence" }).click();
    await page.locator(".evidence-list li", { hasText: "Read " }).getByText("failed").waitFor();
    await page.locator(".evidence-counts", { hasText: "1 failed, 1 done" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await parts.getByRole("link", { name: "Raw" }).click();
    await page.locator(".run-raw pre").waitFor();
    await settled(page);
    const raw = JSON.parse((await page.locator(".run-raw pre").textContent()) ?? "") as { run: object };
    expect(raw.run).toMatchObject({ runId: read.runId, status: "done" });
    await page.getByRole("button", { name: "Copy all of it" }).click();
    await expect
      .poll(() =>
        page.evaluate(() => navigator.clipboard.readText()).then((text) => text && JSON.parse(text)),
      )
      .toEqual(raw);
    expect(await axeFaults(page)).toEqual([]);
    await page.goBack();
    await page.locator(".evidence-list").waitFor();
    expect(tab.faults).toEqual([]);
  });

  test("that a run used outside text is told in its evidence where an effect then ran unasked, and nowhere else", async () => {
    const words = page.getByText("This run used outside text");
    const told = page.locator(".evidence-counts");
    const wrote = async (name: string, more: Record<string, unknown> = {}) => {
      const plan = scene.model.plan([[READ("a.txt"), WRITE(name, "pears")]]);
      const sessionKey = await openSession(scene.owner);
      const runId = await send(scene.owner, sessionKey, `Write pears to ${name}. ${plan}`, more);
      const { ruleOfTwo } = await finalOf(scene.owner, runId);
      expect(ruleOfTwo).toMatchObject({ sideEffect: true, unasked: 1 });
      return runId;
    };
    // The owner's own files, and what was approved.
    await show(`/runs/${read.runId}?show=evidence`);
    await told.waitFor();
    expect(await words.count()).toBe(0);
    await show(`/runs/${await wrote("own.txt")}?show=evidence`);
    await told.waitFor();
    expect(await words.count()).toBe(0);
    const parts = [{ kind: "text", text: "Pears are cheap this week.", origin: "piped" }];
    await show(`/runs/${await wrote("piped.txt", { parts })}?show=evidence`);
    await told.waitFor();
    expect(await words.textContent()).toBe(
      "This run used outside text and private data, and 1 effect ran without asking you.",
    );
  });

  test("a question to the model that was tried again has a mark for each try on its bar, and says so", async () => {
    const again = anthropic.error(529, { headers: { "retry-after-ms": "20" } });
    scene.model.server.will(again, again);
    const runId = await send(scene.owner, await openSession(scene.owner), "Try hard.");
    await ending(scene.owner, runId);
    await show(`/runs/${runId}`);
    const row = page.locator(".timeline-row", { hasText: "tried again 2 times" });
    await row.waitFor();
    expect(await row.locator(".timeline-tick").count()).toBe(2);
    expect(await page.locator('.timeline-bar[data-kind="retry"]').count()).toBe(0);
    const lefts = await row
      .locator(".timeline-tick")
      .evaluateAll((ticks) => ticks.map((tick) => tick.getBoundingClientRect().left));
    const track = (await row.locator(".timeline-track").boundingBox())!;
    for (const left of lefts) expect(left).toBeGreaterThanOrEqual(track.x - 1);
    await page.getByLabel("Failures only").check();
    await row.click();
    const details = page.getByRole("complementary", { name: "Details" });
    await expect.poll(() => details.getByText("tried again").count()).toBe(2);
    await details.filter({ hasText: /overloaded/i }).waitFor();
  });

  test("only runs that failed, or in which a call did not succeed, are listed where that is asked for", async () => {
    const well = await runCalls(scene, [READ("a.txt")]);
    await finalOf(scene.owner, well.runId);
    const denied = await runCalls(scene, [DELETE("a.txt")]);
    const { approvalId } = await asked(scene.owner, denied.runId);
    await show("/runs");
    await page.getByLabel("State").selectOption({ label: "waiting for you" });
    const ids = async () =>
      (await page.locator(".run-row").evaluateAll((rows) => rows.map((row) => row.getAttribute("href")))).map(
        (href) => href?.slice("/runs/".length),
      );
    await expect.poll(ids).toEqual([denied.runId]);
    await scene.owner.result("exec.deny", { approvalId });
    await finalOf(scene.owner, denied.runId);
    await page.getByText("No run has this state.").waitFor();
    await page.getByLabel("State").selectOption("");
    await expect.poll(async () => (await ids()).includes(well.runId)).toBe(true);
    await page.getByLabel("Failures only").check();
    await expect.poll(ids).toEqual([denied.runId, read.runId]);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("it is repeated by a command that holds no token, and in a branch; its conversation opens where it stands", async () => {
    const { runId, sessionKey } = await runCalls(scene, [READ("a.txt")], { reply: "It says: it's apples." });
    await finalOf(scene.owner, runId);
    await show(`/runs/${runId}`);
    const link = page.getByRole("link", { name: "Open the conversation" });
    await expect.poll(() => link.getAttribute("href")).toBe(`/c/${sessionKey}?run=${runId}`);
    await page.getByRole("button", { name: "Copy as command" }).click();
    await page.getByText("Copied. It says the same again in this session.").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toMatch(new RegExp(`^elwood --session ${sessionKey} -- 'Please do plan-\\d+\\.'$`));
    const shell = `elwood() { '${process.execPath}' '${LAUNCHER}' "$@"; }; ${command}`;
    const ran = run("/bin/sh", ["-c", shell], { env: cleanEnvironment(scene.home), timeout: 60_000 });
    ran.child.stdin?.end();
    expect((await ran).stdout.trim()).toBe("It says: it's apples.");
    const said = (await contentsOf(scene.owner, sessionKey)).filter((each) => each.startsWith("Please do"));
    expect(said).toHaveLength(2);

    await page.getByRole("button", { name: "Run again in a branch" }).click();
    await page.waitForURL("**/c/**");
    expect(page.url()).not.toContain(sessionKey);
    await replyIs(page, "It says: it's apples.");
    expect(tab.faults).toEqual([]);
  });

  test("a run that began with a file takes it along into the branch, and has no command", async () => {
    const upload = await fetch(`${scene.gateway.url}/blobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${scene.gateway.token}`, "content-type": "text/plain" },
      body: "a list",
    });
    const { blobId } = (await upload.json()) as { blobId: string };
    const sessionKey = await openSession(scene.owner);
    const parts = [{ kind: "blob", blobId, name: "list.txt", origin: "attached" }];
    const runId = await send(scene.owner, sessionKey, "Look at this.", { parts });
    await ending(scene.owner, runId);
    await show(`/runs/${runId}`);
    await page.getByRole("button", { name: "Copy as command" }).click();
    await page.getByText("Files came with this message, and no command can attach them.").waitFor();
    await page.getByRole("button", { name: "Run again in a branch" }).click();
    await page.waitForURL("**/c/**");
    await page.locator("article").first().getByText("list.txt").waitFor();
    await replyIs(page, "Nothing was planned for this.");
  });
});
