import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  citeOf,
  evidenceOf,
  ownOf,
  tickedIn,
  fileIn,
  finalOf,
  pendingOf,
  trail,
  type Scene,
} from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";
import { BROWSER_PATH } from "./page-browser.ts";

/** Plain requests to the demo model, over the socket of a real gateway with its own tools and its own rules. */

const CAGED =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"]).status === 0;
const PAGE = `<!doctype html><title>Harbour</title><h1>Ships today</h1><p>Two ships came in.</p><a href="/log">The log</a>`;

const site = new LoopbackServer();
let scene: Scene;
let sessionKey: string;
beforeAll(async () => {
  await site.start();
  for (const path of ["/", "/favicon.ico"])
    site.always(`GET ${path}`, (exchange) => {
      exchange.head(200, { "content-type": "text/html" });
      exchange.end(path === "/" ? PAGE : "");
    });
  scene = await actScene({
    demo: true,
    config: [
      "web:",
      `  allowedOrigins: ['${site.url}']`,
      "browser:",
      ...(BROWSER_PATH ? [`  executable: ${BROWSER_PATH}`] : []),
      `  sandbox: ${process.getuid?.() !== 0}`,
      // Whether the owner's own words are leave enough is the rules' business, not this test's.
      "policy:",
      "  rules:",
      "    - { tool: browser.page.open, decision: ask }",
      "    - { tool: web.page.fetch, decision: ask }",
      "",
    ].join("\n"),
  });
  sessionKey = await openSession(scene.owner);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await site.close();
});

const say = (words: string) => send(scene.owner, sessionKey, words);
const answerTo = async (words: string) => {
  const runId = await say(words);
  return { runId, final: await finalOf(scene.owner, runId) };
};
const UNASKED = ["requested", "started", "succeeded"];
const ASKED = ["requested", "asked", "approved", "started", "succeeded"];

test("EL-9: “what files are here” looks at once, and tells what there is", async () => {
  fileIn(scene.home, "harbour.txt").put("fog until five\n");
  mkdirSync(join(scene.home, "files/logs"), { recursive: true });
  const { runId, final } = await answerTo("What files are here?");
  expect(trail(scene.home, runId)).toEqual(UNASKED);
  expect(final.text).toMatch(/harbour\.txt {2}15 bytes[^]*logs\//);
  expect(tickedIn(final).map(([, ...cites]) => cites)).toEqual([["c1"]]);
  expect(evidenceOf(final)).toBe("1 local read");
});

test("EL-9: “search my files” and “read …” look at once too", async () => {
  const found = await answerTo("search my files for fog");
  expect(found.final.text).toContain("harbour.txt:1: fog until five");
  const read = await answerTo("open harbour.txt");
  expect(read.final.text).toBe("I read harbour.txt. It says:\n\n```text\nfog until five\n```");
  expect(tickedIn(read.final)).toEqual([["I read harbour.txt.", citeOf(read.final)]]);
  expect(trail(scene.home, read.runId)).toEqual(UNASKED);
});

test("EL-9: what is out of bounds is denied, and the reply says so", async () => {
  const { runId, final } = await answerTo("read /etc/passwd");
  expect(trail(scene.home, runId)).toEqual(["requested", "denied"]);
  expect(final.text).toMatch(/A rule refused that, so it was not done:.*outside of the folders/s);
});

test.runIf(CAGED)("JV-6: “run date” runs unasked in the cage, and its output is the reply", async () => {
  const { runId, final } = await answerTo("run date");
  expect(trail(scene.home, runId)).toEqual(UNASKED);
  expect(final.text).toMatch(
    /`date` ended with exit code 0\. Its output:\n\n```text\n.*\d\d:\d\d:\d\d.*\n```$/,
  );
  expect(tickedIn(final)).toEqual([["The command `date` ended with exit code 0.", citeOf(final)]]);
  expect(evidenceOf(final)).toBe("✓ Ran date");
});

test.runIf(!CAGED)("JV-6: “run date” asks where there is no cage", async () => {
  const runId = await say("run date");
  const card = await asked(scene.owner, runId);
  expect(card).toMatchObject({ toolName: "shell.command.run", rule: "ask.no-cage" });
  await scene.owner.result("exec.approve", { approvalId: card.approvalId });
  expect((await finalOf(scene.owner, runId)).text).toContain("exit code 0");
});

test("JV-6: “run rm -rf x” asks with the very words; denied, nothing is removed and the reply says so", async () => {
  mkdirSync(join(scene.home, "files/x"), { recursive: true });
  const runId = await say("run rm -rf x");
  const card = await asked(scene.owner, runId);
  expect(card).toMatchObject({ toolName: "shell.command.run", details: { command: "rm -rf x" } });
  await scene.owner.result("exec.deny", { approvalId: card.approvalId, reason: "keep it" });
  const final = await finalOf(scene.owner, runId);
  expect(final.text).toMatch(/That was denied, so it was not done:.*keep it”$/s);
  expect(ownOf(final)).toEqual(["◈ Not done, you said no: run shell command → rm -rf x."]);
  expect(existsSync(join(scene.home, "files/x"))).toBe(true);
});

test("a search without a service is not offered, and the list of tools says what to set up", async () => {
  const { runId, final } = await answerTo("search the web for lighthouses");
  expect(trail(scene.home, runId)).toEqual([]);
  expect(final.text).toContain("elwood tools list");
  const { off } = (await scene.owner.result("tools.list")) as { off: string[] };
  expect(off.join("\n")).toContain("BRAVE_SEARCH_API_KEY");
});

test("EL-9: “fetch …” asks with the address, and tells what came from there", async () => {
  const runId = await say(`fetch ${site.url}/`);
  const card = await asked(scene.owner, runId);
  expect(card).toMatchObject({ toolName: "web.page.fetch", details: { url: `${site.url}/` } });
  await scene.owner.result("exec.approve", { approvalId: card.approvalId });
  const final = await finalOf(scene.owner, runId);
  expect(final.text).toContain("Two ships came in.");
  expect(trail(scene.home, runId)).toEqual(ASKED);
});

test("EL-14: the gateway itself is denied to “open …” and “fetch …” in any spelling", async () => {
  for (const words of [
    ...(BROWSER_PATH ? [`open ${scene.gateway.url}`] : []),
    `fetch ${scene.gateway.url.replace("127.0.0.1", "localhost")}`,
  ]) {
    const { runId, final } = await answerTo(words);
    expect(trail(scene.home, runId), words).toEqual(["requested", "denied"]);
    expect(final.text).toContain("A rule refused that, so it was not done:");
  }
  expect(await pendingOf(scene.owner)).toEqual([]);
});

describe.skipIf(!BROWSER_PATH)("EL-9: with a browser", () => {
  test("“open …” asks, then opens and reads, and tells what it saw; a screenshot is a picture of it", async () => {
    const runId = await say(`open ${site.url}/`);
    const card = await asked(scene.owner, runId);
    expect(card.summary).toBe(`Open ${site.url}/ in the browser.`);
    await scene.owner.result("exec.approve", { approvalId: card.approvalId });
    const final = await finalOf(scene.owner, runId);
    expect(trail(scene.home, runId)).toEqual([...ASKED, ...UNASKED]);
    expect(final.text).toContain("“Harbour”");
    expect(final.text).toMatch(/“Ships today”.*1 link.*“Two ships came in\.”$/s);

    const pictured = await answerTo("take a screenshot");
    expect(trail(scene.home, pictured.runId)).toEqual(UNASKED);
    expect(pictured.final.text).toContain("“A picture of p1 ");
    expect(tickedIn(pictured.final).map(([, ...cites]) => cites)).toEqual([[citeOf(pictured.final)]]);
    const other = await openSession(scene.owner);
    const elsewhere = await finalOf(scene.owner, await send(scene.owner, other, "take a screenshot"));
    expect(elsewhere.text).toContain("No page is open in this conversation");
  });
});
