import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { METHODS, type MethodName } from "@elwood/core/protocol/methods";
import { GatewayClient } from "@elwood/sdk/client";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ProgramCaller } from "../../src/methods/program-caller.ts";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

const START = "# mine\nlimits:\n  dayCostUsd: 5 # a day\n";
let started: StartedGateway;
let owner: GatewayClient;
let file: string;

beforeAll(async () => {
  started = await startTestGateway({ config: START });
  file = join(started.home, "config.yaml");
  const { url, ownerToken: token } = started.gateway;
  owner = await GatewayClient.connect({ url, token });
});
afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
});

const text = () => readFileSync(file, "utf8");
const setting = async (key: string) => (await owner.call("settings.get", { key })).settings[0]!;
const set = async (key: string, value: unknown, confirm = true, client = owner) =>
  client.call("settings.set", { key, value, expected: (await setting(key)).value, confirm });
const client = async (scopes: ("chat" | "approve" | "admin")[]) => {
  const { token } = await owner.call("tokens.create", { name: scopes.join("-"), scopes });
  const made = await GatewayClient.connect({ url: started.gateway.url, token });
  onTestFinished(() => made.close());
  return made;
};

describe("a setting that is changed on the page", () => {
  beforeEach(() => writeFileSync(file, START));

  test("is in the file with its comments, on record, and counts at once", async () => {
    expect(await setting("limits.dayCostUsd")).toEqual({
      key: "limits.dayCostUsd",
      kind: "number",
      value: 5,
      default: 20,
      origin: "config.yaml:3",
      effect: "now",
    });
    const before = (await owner.call("receipts.list", { types: ["settings.changed"] })).receipts.length;
    const changed = await set("limits.dayCostUsd", 3, false);
    expect(changed).toMatchObject({ restart: false, setting: { value: 3, origin: "config.yaml:3" } });
    expect(text()).toBe("# mine\nlimits:\n  dayCostUsd: 3 # a day\n");
    expect((await owner.call("gateway.status", {})).limits["dayCostUsd"]).toBe(3);
    expect((await owner.call("usage.summary", {})).caps.dayCostUsd).toBe(3);
    const { receipts } = await owner.call("receipts.list", { types: ["settings.changed"] });
    expect(receipts).toHaveLength(before + 1);
    expect(receipts[0]).toMatchObject({ actor: "owner", payload: { keys: ["limits.dayCostUsd"] } });
  });

  test("goes back to its default, and the line with it", async () => {
    await set("limits.dayCostUsd", null);
    expect(text()).toBe("# mine\n");
    expect(await setting("limits.dayCostUsd")).toMatchObject({ value: 20, origin: "default" });
  });

  test("is not changed by the second of two tabs that saw the same value", async () => {
    await set("limits.dayCostUsd", 4);
    await expect(
      owner.call("settings.set", { key: "limits.dayCostUsd", value: 2, expected: 5 }),
    ).rejects.toMatchObject({
      reason: "CONFLICT",
      message: expect.stringContaining("was changed meanwhile: it is 4 now. Nothing was changed."),
    });
    expect(text()).toContain("dayCostUsd: 4");
  });

  test("needs somebody who may approve, and who means it, where it lets more happen", async () => {
    await expect(set("limits.dayCostUsd", 50, false)).rejects.toMatchObject({
      reason: "INVALID_INPUT",
      message: expect.stringContaining("say confirm: true"),
    });
    const admin = await client(["chat", "admin"]);
    await expect(set("limits.dayCostUsd", 50, true, admin)).rejects.toMatchObject({
      reason: "SCOPE_MISSING",
    });
    expect(text()).toBe(START);
    // Less needs neither.
    expect(await set("limits.dayCostUsd", 1, false, admin)).toMatchObject({ setting: { value: 1 } });
  });

  test("that only a start can take up says so, and what runs stays as it is", async () => {
    const zone = await setting("timeZone");
    const other = zone.value === "Europe/Berlin" ? "Asia/Tokyo" : "Europe/Berlin";
    expect(await set("timeZone", other)).toMatchObject({
      restart: true,
      setting: { value: other, running: zone.value, effect: "restart" },
    });
    await set("timeZone", null);
    expect((await setting("timeZone")).running).toBeUndefined();
  });

  test("must be something that Elwood could start with", async () => {
    await expect(set("timeZone", "Mars/Olympus")).rejects.toMatchObject({
      reason: "INVALID_INPUT",
      message: expect.stringContaining("must be the name of a time zone"),
    });
    await expect(set("limits.laps", "many")).rejects.toThrow("Nothing was changed.");
    await expect(set("limits.dayCost", 3)).rejects.toThrow("limits.dayCostUsd");
    await expect(setting("gateway.port")).rejects.toMatchObject({ reason: "NOT_FOUND" });
    expect(text()).toBe(START);
  });

  test("is refused, and told in words, while the file has a mistake that an editor left", async () => {
    const broken = "# mine\nlimits:\n  dayCostUsd: [5\n";
    writeFileSync(file, broken);
    const { problem, settings } = await owner.call("settings.get", {});
    expect(problem).toMatch(/The settings have mistakes: config\.yaml:\d+/);
    expect(settings.every(({ fixed }) => fixed === problem)).toBe(true);
    await expect(
      owner.call("settings.set", { key: "limits.laps", value: 3, expected: 40 }),
    ).rejects.toMatchObject({ reason: "CONFLICT" });
    expect(text()).toBe(broken);
  });

  test("a policy mode counts for the next call, commands included, and is on record twice", async () => {
    expect(await set("policy.mode", "strict", false)).toMatchObject({ setting: { value: "strict" } });
    expect((await owner.call("policy.mode", {})).mode).toBe("strict");
    const look = { toolId: "shell.command.run", input: { command: "ls" } };
    expect(await owner.call("policy.explain", look)).toMatchObject({ decision: "ask" });
    await expect(set("policy.mode", "trusting", false)).rejects.toThrow("confirm: true");
    await set("policy.mode", null);
    expect(await owner.call("policy.explain", look)).toMatchObject({ decision: "allow" });
    const { receipts } = await owner.call("receipts.list", { types: ["policy.changed"], limit: 2 });
    expect(receipts.map(({ payload }) => payload["mode"])).toEqual(["balanced", "strict"]);
  });

  test("a folder is open from now on, and closed again", async () => {
    const folder = join(started.home, "..", `elwood-open-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "a.txt"), "a");
    const read = { toolId: "files.file.read", input: { path: join(folder, "a.txt") } };
    expect(await owner.call("policy.explain", read)).toMatchObject({ decision: "deny" });
    await expect(set("files.roots", [{ path: folder, write: false }], false)).rejects.toThrow("confirm");
    const { setting: now } = await set("files.roots", [{ path: folder, write: false }]);
    expect(now.value).toEqual([{ path: folder, write: false }]);
    expect(await owner.call("policy.explain", read)).toMatchObject({ decision: "allow" });
    const prompt = await owner.call("agents.prompt", {});
    expect(prompt.system).toContain(folder);
    await set("files.roots", [], false);
    expect(await owner.call("policy.explain", read)).toMatchObject({ decision: "deny" });
    expect((await owner.call("agents.prompt", {})).system).not.toContain(folder);
  });

  test("a search service makes its tool, wherever it is, and goes again with it", async () => {
    const searxng = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ results: [] }));
    });
    await new Promise<void>((listening) => searxng.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void searxng.close());
    const { port } = searxng.address() as AddressInfo;
    const hasSearch = async () =>
      (await owner.call("tools.list", {})).tools.some(({ toolId }) => toolId.startsWith("web.search."));
    expect(await hasSearch()).toBe(false);
    await set("web.search.searxngUrl", `http://127.0.0.1:${port}`);
    expect(await hasSearch()).toBe(true);
    await set("web.search.searxngUrl", null);
    expect(await hasSearch()).toBe(false);
    // A key is kept beside the file, and never told.
    expect(await set("web.search.key", "BSA-planted-key-of-the-owner")).toMatchObject({
      setting: { value: true, origin: "secrets.env" },
    });
    expect(await hasSearch()).toBe(true);
    expect(text()).not.toContain("planted");
    expect(JSON.stringify(await owner.call("settings.get", {}))).not.toContain("planted");
    await set("web.search.key", null);
    expect(await hasSearch()).toBe(false);
  });

  test("the default model is another one with the next message, and goes back", async () => {
    expect((await owner.call("gateway.status", {})).demo).toBe(true);
    await set("model", "ollama/small");
    expect((await owner.call("gateway.status", {})).model).toBe("ollama/small");
    await expect(owner.call("models.use", { model: "demo/demo" })).rejects.toThrow("model: ollama/small");
    await set("model", null);
    expect(await owner.call("gateway.status", {})).toMatchObject({ demo: true });
  });
});

describe("a tool", () => {
  beforeEach(() => writeFileSync(file, START));
  const tool = async (toolId: string) =>
    (await owner.call("tools.list", {})).tools.find((each) => each.toolId === toolId);
  const explained = (toolId: string, input: unknown) => owner.call("policy.explain", { toolId, input });
  const offered = async () => (await owner.call("agents.prompt", {})).tools.map(({ toolId }) => toolId);

  test("is turned off: denied, and no longer offered; and turned on again", async () => {
    const call = ["files.file.list", { path: "." }] as const;
    expect(await offered()).toContain("files.file.list");
    expect(await owner.call("tools.disable", { toolId: "files.file.list" })).toEqual({
      toolId: "files.file.list",
      rule: "deny",
      previous: "usual",
    });
    expect(text()).toContain("# a day");
    expect(await explained(...call)).toMatchObject({ decision: "deny", rule: "owner.deny" });
    expect(await offered()).not.toContain("files.file.list");
    expect((await tool("files.file.list"))?.rule).toMatchObject({ decision: "deny", exact: true });
    await expect(owner.call("tools.enable", { toolId: "files.file.list" })).rejects.toThrow("confirm: true");
    const admin = await client(["chat", "admin"]);
    await expect(
      admin.call("tools.enable", { toolId: "files.file.list", confirm: true }),
    ).rejects.toMatchObject({ reason: "SCOPE_MISSING" });
    await owner.call("tools.enable", { toolId: "files.file.list", confirm: true });
    expect(text()).toBe(START);
    expect(await explained(...call)).toMatchObject({ decision: "allow" });
    expect(await offered()).toContain("files.file.list");
  });

  test("asks every time, or never, as its owner says; what older settings say goes with it", async () => {
    writeFileSync(
      file,
      `${START}permissions:\n  toolPolicy:\n    files.file.read: deny\n    web.page.fetch: ask\n`,
    );
    await owner.call("tools.enable", { toolId: "files.file.read", rule: "ask", confirm: true });
    expect(text()).not.toContain("read: deny");
    expect(text()).toContain("web.page.fetch: ask");
    expect(await explained("files.file.read", { path: "a.txt" })).toMatchObject({ decision: "ask" });
    await owner.call("tools.enable", { toolId: "files.file.read", rule: "allow", confirm: true });
    expect((await tool("files.file.read"))?.rule).toMatchObject({ decision: "allow" });
    await owner.call("tools.enable", { toolId: "files.file.read" });
    expect((await tool("files.file.read"))?.rule).toBeUndefined();
  });

  test("stays denied while a wider rule denies it", async () => {
    writeFileSync(file, `${START}policy:\n  rules:\n    - { tool: files.*, decision: deny }\n`);
    await expect(owner.call("tools.enable", { toolId: "files.file.list", confirm: true })).rejects.toThrow(
      /denied by a rule for files\.\* \(config\.yaml:\d+\)/,
    );
  });
});

describe("an agent", () => {
  test("is given other words, sampling and tools from what was seen; comments stay", async () => {
    const yaml = join(started.home, "workspace", "agent.yaml");
    writeFileSync(yaml, "# who it is\nname: Elwood # mine\n");
    const first = (await owner.call("agents.prompt", {})).text!;
    expect(first).toMatchObject({ name: "Elwood", model: null, tools: null, temperature: null });
    const saved = await owner.call("agents.save", {
      agentId: "assistant",
      expected: first.revision,
      soul: "You answer in rhymes.\n",
      temperature: 0.2,
      tools: ["files.*"],
    });
    const { system, text: after, tools } = await owner.call("agents.prompt", {});
    expect(system).toContain("You answer in rhymes.");
    expect(after).toMatchObject({ temperature: 0.2, tools: ["files.*"], revision: saved.revision });
    expect(tools.every(({ toolId }) => !toolId.startsWith("web."))).toBe(true);
    expect(readFileSync(yaml, "utf8")).toContain("# who it is\nname: Elwood # mine\n");
    await expect(
      owner.call("agents.save", { agentId: "assistant", expected: first.revision, soul: "No." }),
    ).rejects.toMatchObject({ reason: "CONFLICT" });
    const more = { agentId: "assistant", expected: saved.revision, tools: null };
    await expect(owner.call("agents.save", more)).rejects.toThrow("confirm: true");
    await owner.call("agents.save", { ...more, temperature: null, confirm: true });
    const [receipt] = (await owner.call("receipts.list", { types: ["settings.changed"] })).receipts;
    expect(receipt?.payload).toMatchObject({ keys: ["agents.assistant.agent.yaml"] });
  });

  test("is made anew under a name of its own, once", async () => {
    const made = { agentId: "chef", expected: null, name: "Chef", soul: "You cook.\n" };
    await owner.call("agents.save", made);
    expect((await owner.call("agents.list", {})).agents.map(({ id }) => id)).toContain("chef");
    await expect(owner.call("agents.save", made)).rejects.toMatchObject({ reason: "CONFLICT" });
    await expect(
      owner.call("agents.save", { agentId: "chef", expected: null, model: "nonsense" }),
    ).rejects.toThrow();
    await expect(owner.call("agents.save", { agentId: "../x", expected: null })).rejects.toMatchObject({
      reason: "INVALID_INPUT",
    });
  });
});

describe("no tool, program, channel or assistant", () => {
  const params: Partial<Record<MethodName, unknown>> = {
    "settings.get": {},
    "settings.set": { key: "limits.laps", value: 1, expected: 40 },
    "tools.enable": { toolId: "files.file.list" },
    "tools.disable": { toolId: "files.file.list" },
    "agents.save": { agentId: "assistant", expected: "x" },
  };
  const names = Object.keys(params) as MethodName[];

  test("reaches the settings: there is no way over HTTP, and every method needs the scope admin", async () => {
    expect(names.map((name) => [METHODS[name].scope, "http" in METHODS[name]])).toEqual(
      names.map(() => ["admin", false]),
    );
    const program = await client(["chat", "approve"]);
    for (const name of names)
      await expect(program.call(name, params[name] as never)).rejects.toMatchObject({
        reason: "SCOPE_MISSING",
      });
  });

  test("reaches them by MCP or the API, whatever its token may do elsewhere", async () => {
    const all = new Set(["chat", "approve", "admin", "execute"] as const);
    const caller = new ProgramCaller(
      // Refused before any service is asked.
      {} as never,
      { tokenId: "t", name: "p", tenant: "default", scopes: all },
      "mcp",
    );
    for (const name of names)
      await expect(caller.call(name, params[name] as never)).rejects.toMatchObject({
        failure: { reason: "SCOPE_MISSING" },
      });
  });

  test("reaches them by a connection that serves its assistant", async () => {
    const program = await client(["chat", "approve", "admin"]);
    await program.call("settings.get", {});
    await program.call("assistant.define", { assistantId: "bot", name: "Bot", role: "", personality: "" });
    for (const name of names)
      await expect(program.call(name, params[name] as never)).rejects.toMatchObject({
        reason: "SCOPE_MISSING",
      });
  });
});

test("a setting that a variable sets is shown with its origin, and stays", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-fixed-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { ELWOOD_HOME: home, ELWOOD_LOG_LEVEL: "error" };
  const outside = { flags: { port: 0 }, env, cwd: home, version: "test" };
  await using fixed = await startTestGateway({ home, env, outside });
  const { url, ownerToken: token } = fixed.gateway;
  const connected = await GatewayClient.connect({ url, token });
  onTestFinished(() => connected.close());
  const { settings } = await connected.call("settings.get", { key: "log.level" });
  expect(settings[0]).toMatchObject({
    value: "error",
    origin: "environment ELWOOD_LOG_LEVEL",
    fixed: expect.stringContaining("is set by the variable ELWOOD_LOG_LEVEL"),
  });
  await expect(
    connected.call("settings.set", { key: "log.level", value: "warn", expected: "error" }),
  ).rejects.toMatchObject({ reason: "SETTING_FIXED" });
});
