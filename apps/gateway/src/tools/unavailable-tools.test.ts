import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { GatewayClient } from "@elwood/sdk/client";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";
import { watchUnavailableTools, type UnavailableTools } from "./unavailable-tools.ts";

async function ownerOf(started: Awaited<ReturnType<typeof startTestGateway>>) {
  const { url, ownerToken: token } = started.gateway;
  const owner = await GatewayClient.connect({ url, token });
  onTestFinished(() => owner.close());
  return owner;
}

test("web search without a service is not there, and the list of tools says why", async () => {
  await using started = await startTestGateway();
  const owner = await ownerOf(started);
  const { tools, off = [], problems } = await owner.call("tools.list", {});
  expect(tools.map(({ toolId }) => toolId)).toContain("web.page.fetch");
  expect(tools.map(({ toolId }) => toolId)).not.toContain("web.search.query");
  expect(off).toContain(
    "Web search is off because no search service is set up. Set web.search.key to a key of the Brave Search API (BRAVE_SEARCH_API_KEY), or web.search.searxngUrl to the address of a SearXNG of yours, in Settings on the page or with elwood config set.",
  );
  expect(problems).toBeUndefined();
  await expect(owner.call("tools.get", { toolId: "web_search" })).rejects.toThrow(
    /^Web search is off because/,
  );
});

test("web search with a service is there", async () => {
  await using started = await startTestGateway({
    config: "web: { search: { searxngUrl: 'http://127.0.0.1:8888' } }\n",
  });
  const { tools, off = [] } = await (await ownerOf(started)).call("tools.list", {});
  expect(tools.map(({ toolId }) => toolId)).toContain("web.search.query");
  expect(off.filter((line) => line.startsWith("Web search"))).toEqual([]);
});

test("browser tools without a browser are not there, come back without a restart, and rules about them are not called idle", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-off-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const chrome = join(folder, "chrome");
  await using started = await startTestGateway({
    config: [
      `browser: { executable: ${chrome}, sandbox: false }`,
      "policy:",
      "  rules:",
      "    - { tool: browser.page.open, decision: deny }",
      "    - { tool: 'web.*', decision: ask }",
      "    - { tool: web.search.query, decision: ask }",
      "",
    ].join("\n"),
  });
  const owner = await ownerOf(started);
  const ids = async () =>
    (await owner.call("tools.list", {})).tools.flatMap(({ toolId }) =>
      toolId.startsWith("browser.") ? [toolId] : [],
    );
  expect(await ids()).toEqual([]);
  expect(started.gateway.idleRules()).toEqual([]);
  const { off = [] } = await owner.call("tools.list", {});
  expect(off.join()).toContain(
    `Browser tools are off because ${chrome}, which browser.executable names, cannot be run.`,
  );
  writeFileSync(chrome, "#!/bin/sh\n", { mode: 0o755 });
  expect((await owner.call("tools.reload", {})).added).toContain("browser.page.open");
  expect(await ids()).toContain("browser.page.open");
});

test("what was missing is looked for from time to time, until it is there", async () => {
  const clock = new ManualClock();
  const log = memoryLog();
  const over = new AbortController();
  let missing = true;
  let broken = false;
  let reloads = 0;
  const browser: UnavailableTools = {
    tools: ["browser.*"],
    what: "",
    fix: "",
    stillOff: async () => {
      if (broken) throw new Error("the disk is gone");
      return missing;
    },
  };
  const search: UnavailableTools = { tools: ["web.search.*"], what: "", fix: "" };
  let off = [search, browser];
  const reload = async () => {
    reloads++;
    off = [search];
    return { added: ["browser.page.open"] };
  };
  const ended = watchUnavailableTools({ off: () => off, reload }, { clock, log, signal: over.signal });
  const look = async () => {
    await clock.untilAsleep();
    await clock.advance(LIMITS.offToolsLookMs);
  };
  await look();
  expect(reloads).toBe(0);
  broken = true;
  await look();
  broken = false;
  expect(log.entries.map(({ level }) => level)).toEqual(["error"]);
  missing = false;
  await look();
  await ended;
  expect(reloads).toBe(1);
  expect(log.entries.at(-1)).toMatchObject({ level: "info", fields: { added: ["browser.page.open"] } });
  expect(clock.sleeping).toBe(0);
});
