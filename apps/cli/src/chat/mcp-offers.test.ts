import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completions, type CompletionDeps } from "./completion.ts";
import { promptArguments, readPromptLine } from "./mcp-offers.ts";
import { openTestChat } from "./test-chat.ts";
import { KEYS } from "./test-terminal.ts";

let gateway: GatewayProcess;
let server: McpHttpServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elwood-offers-"));
  server = await startMcpHttp({
    tools: [{ name: "look" }],
    resources: { "page://home": "The heron stands in the reeds." },
    prompts: { review: "Review the work of {who}." },
  });
  gateway = await startGatewayProcess({
    config: JSON.stringify({ mcpServers: { wiki: { url: server.url } } }),
  });
});
afterAll(async () => {
  await gateway.stop();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function openChat() {
  const chat = await openTestChat({ of: () => gateway, cwd: folder, columns: 140 });
  await expect.poll(async () => (await chat.client.call("mcp.list", {})).servers[0]?.state).toBe("running");
  return chat;
}

const REVIEW = {
  server: "wiki",
  name: "review",
  description: "Looks\nit over",
  arguments: [
    { name: "who", required: true },
    { name: "how", required: false },
  ],
};

async function offered(line: string, deps: Partial<CompletionDeps> = {}) {
  const provider = completions({
    folder,
    now: () => 0,
    argumentsOf: async () => [],
    resources: async () => [{ server: "wiki", uri: "page://home", name: "home" }],
    prompts: async () => [REVIEW],
    ...deps,
  });
  const { signal } = new AbortController();
  const found = await provider.getSuggestions([line], 0, line.length, { signal });
  return { prefix: found?.prefix, values: found?.items.map(({ value }) => value) ?? [], items: found?.items };
}

test("what servers offer to read is completed behind an @, beside files", async () => {
  writeFileSync(join(folder, "homework.md"), "x");
  expect(await offered("see @hom")).toMatchObject({
    prefix: "@hom",
    values: ["@wiki:page://home", "@homework.md"],
  });
  expect((await offered("@wiki:pa")).values).toEqual(["@wiki:page://home"]);
  expect((await offered('@"hom')).values).toEqual(["@homework.md"]);
});

test("texts that servers prepare are completed behind a /, beside commands, with what they take", async () => {
  const { items = [] } = await offered("/re");
  expect(items.map(({ value }) => value)).toEqual(expect.arrayContaining(["resume", "wiki:review"]));
  expect(items.find(({ value }) => value === "wiki:review")?.description).toBe("<who> [how] — Looks it over");
  expect((await offered("look at /re")).values).not.toContain("wiki:review");
  expect((await offered("/wiki:rev")).values).toEqual(["wiki:review"]);
});

test("servers that do not answer hold up neither files nor commands", async () => {
  const never = () => new Promise<never>(() => undefined);
  const [files, commands] = await Promise.all([
    offered("@homew", { resources: never }),
    offered("/resu", { prompts: never }),
  ]);
  expect(files.values).toEqual(["@homework.md"]);
  expect(commands.values).toContain("resume");
});

test("the line of a prompt is read with its arguments, and a path is no such line", () => {
  expect(readPromptLine("/wiki:review")).toEqual({ server: "wiki", prompt: "review", words: "" });
  expect(readPromptLine("/wiki:review  who=Ann ")).toMatchObject({ words: "who=Ann" });
  for (const line of ["/review", "/etc/a:b", "wiki:review", "/http://x"])
    expect(readPromptLine(line)).toBeUndefined();
  expect(promptArguments('who="Ann B" how=x else=y', REVIEW)).toEqual({ who: "Ann B", how: "x" });
  const one = { ...REVIEW, arguments: [{ name: "who", required: true }] };
  expect(promptArguments("Ann B", one)).toEqual({ who: "Ann B" });
  expect(promptArguments("", one)).toEqual({});
});

test("a resource that is completed with Tab goes along with the message", async () => {
  const { terminal, shows, client } = await openChat();
  for (const key of "read @wiki:ho") terminal.type(key);
  // Each key asks again, so that a slow server only comes later.
  const typedAgain = () => {
    for (const key of [KEYS.backspace, "o"]) terminal.type(key);
    return terminal.text();
  };
  await expect.poll(typedAgain, { interval: 200 }).toContain("wiki:page://home");
  terminal.type(KEYS.tab);
  await shows("read @wiki:page://home");
  terminal.type(KEYS.enter);
  await shows(/❯ read @wiki:page:\/\/home[^]*\n\n─/);
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  const { content } = await client.call("sessions.export", {
    sessionKey: sessions[0]!.sessionKey,
    format: "json",
  });
  expect(content).toContain("The heron stands in the reeds.");
});

test("a prepared text goes along as a file after what it needs was asked for, and one that is not there is named", async () => {
  const { terminal, shows } = await openChat();
  terminal.enter("/wiki:nothing");
  await shows("wiki prepares no text “nothing”. There are: review.");
  terminal.enter("/wiki:review");
  await shows("The text needs: who");
  terminal.enter("Ann");
  await shows("“review” of wiki goes with your next message");
  terminal.enter("hello there");
  await shows(/❯ hello there\n[^\n]*wiki-review\.txt/);
  terminal.enter("/nobody:review");
  await shows("Not done:");
});
