import { expect, test } from "vitest";
import type { WireTool } from "@elwood/core/protocol/tool-shapes";
import type { WireMcpServer } from "@elwood/core/protocol/mcp-shapes";
import {
  addServer,
  labelTool,
  listServers,
  logIn,
  logOut,
  removeServer,
  showLogs,
  testServer,
} from "./mcp-command.ts";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const server: WireMcpServer = {
  name: "notes",
  transport: "stdio",
  where: "npx -y server@1.2.3 /home/me/notes",
  state: "running",
  caged: true,
  protocol: "2025-11-25",
  server: "files 1.2.3",
  tools: [
    { toolId: "mcp-notes.read_file.call", name: "read_file" },
    { toolId: "mcp-notes.a-b-x01234567.call", name: "a/b" },
  ],
};
const broken: WireMcpServer = {
  name: "wiki",
  where: "",
  state: "off",
  problem: 'The MCP server "wiki" is off: its `url` is no\u001b[2J address.',
};

test("mcp list shows each server, and on standard error what is wrong with one", async () => {
  const crashed: WireMcpServer = { ...server, name: "town", state: "down", problem: "it ended with code 3" };
  const { client } = await testGateway({ "mcp.list": () => ({ servers: [server, broken, crashed] }) });
  const io = testIo();
  expect(await listServers(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("SERVER");
  expect(io.out()).toMatch(/notes +running +2 +npx -y server@1\.2\.3/);
  expect(io.err()).toContain('! The MCP server "wiki" is off');
  expect(io.err()).toContain("! town: it ended with code 3\n");
  expect(io.err()).not.toContain("\u001b[2J");
});

test("mcp add tells what would be started, and sends a command with all that belongs to it", async () => {
  const { client, calls } = await testGateway({ "mcp.add": () => ({ server }) });
  const io = testIo();
  const flags = {
    env: ["LOG=info", "TOKEN=a=b"],
    folder: ["/home/me"],
    writeFolder: ["/home/me/notes"],
    network: false,
    timeout: "30",
    yes: true,
    json: false,
  };
  expect(await addServer(io, { client }, "notes", ["npx", "-y", "server@1.2.3"], flags)).toBe(EXIT.ok);
  expect(calls[0]?.params).toEqual({
    name: "notes",
    command: "npx",
    args: ["-y", "server@1.2.3"],
    env: { LOG: "info", TOKEN: "a=b" },
    folders: [
      { path: "/home/me", write: false },
      { path: "/home/me/notes", write: true },
    ],
    network: false,
    timeoutMs: 30_000,
  });
  expect(io.err()).toContain(
    "This starts a program on this machine with your rights:\n  npx -y server@1.2.3",
  );
  expect(io.out()).toContain(
    "Added. notes answers as files 1.2.3 (MCP 2025-11-25), with 2 tools. It runs in a cage.",
  );
  expect(io.out()).toContain("mcp-notes.a-b-x01234567.call  a/b");
});

test("mcp add sends what belongs to a login, and the secret of a client with it", async () => {
  const { client, calls } = await testGateway({ "mcp.add": () => ({ server }) });
  const flags = {
    url: "https://desk.example.com/mcp",
    oauthId: "my-client",
    oauthSecret: "its-secret",
    oauthPort: "8080",
    oauthScope: ["tickets:read", "tickets:write"],
    yes: true,
    json: false,
  };
  expect(await addServer(testIo(), { client }, "desk", [], flags)).toBe(EXIT.ok);
  expect(calls[0]?.params).toEqual({
    name: "desk",
    url: "https://desk.example.com/mcp",
    oauth: {
      id: "my-client",
      secret: "its-secret",
      port: 8080,
      scopes: ["tickets:read", "tickets:write"],
    },
  });
});

test("mcp add without a question needs --yes, and one that does not answer is told as added with exit code 1", async () => {
  const problem = 'The MCP server "wiki" could not be used: it is gone. Nothing was sent to it.';
  const { client, calls } = await testGateway({
    "mcp.add": () => ({ server: { ...server, tools: undefined }, problem }),
  });
  const quiet = testIo();
  const flags = { url: "https://mcp.example.com/mcp", header: ["Authorization: Bearer abc"], json: false };
  expect(await addServer(quiet, { client }, "wiki", [], flags)).toBe(EXIT.failed);
  expect(quiet.err()).toContain("Nothing was added.");
  expect(calls).toEqual([]);
  const io = testIo();
  expect(await addServer(io, { client }, "wiki", [], { ...flags, yes: true })).toBe(EXIT.failed);
  expect(calls[0]?.params).toEqual({
    name: "wiki",
    url: "https://mcp.example.com/mcp",
    headers: { Authorization: "Bearer abc" },
  });
  expect(io.err()).toContain(`It was added, but: ${problem}`);
});

test.each([
  [[], {}],
  [["a"], { url: "https://a.example" }],
  [["a"], { env: ["NOVALUE"] }],
  [["a"], { timeout: "soon" }],
  [[], { url: "https://a.example", oauthPort: "80000" }],
])("mcp add refuses %j with %j, and asks the gateway nothing", async (words, flags) => {
  const { client, calls } = await testGateway({});
  await expect(
    addServer(testIo(), { client }, "a", words, { ...flags, yes: true, json: false }),
  ).rejects.toMatchObject({
    failure: { reason: "INVALID_INPUT", message: expect.stringContaining("Nothing was added.") },
  });
  expect(calls).toEqual([]);
});

test("mcp test, logs and remove say what came of it, or print it as JSON", async () => {
  const { client } = await testGateway({
    "mcp.test": () => ({ server: { ...server, caged: false } }),
    "mcp.logs": () => ({ lines: ["one\u001b[2J", "two"] }),
    "mcp.remove": () => ({ ok: true as const }),
  });
  const io = testIo();
  expect(await testServer(io, { client }, { name: "notes", json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("It does not run in a cage");
  expect(await showLogs(io, { client }, { name: "notes", json: false })).toBe(EXIT.ok);
  expect(io.out()).not.toContain("\u001b[2J");
  expect(await removeServer(io, { client }, { name: "notes", json: true })).toBe(EXIT.ok);
  expect(io.out()).toContain('{"name":"notes","removed":true}');
  await expect(showLogs(io, { client }, { name: "notes", lines: 0, json: false })).rejects.toThrow(/--lines/);
});

const tool: WireTool = {
  toolId: "mcp-notes.read_file.call",
  description: "Reads a file.",
  risk: "destructive",
  egress: "third_party",
  source: "mcp",
  standing: "new",
  labelling: { suggested: "reads" },
  canPreview: false,
  canUndo: false,
  contractHash: "c0ffee",
  labels: {
    egress: "third_party",
    output: "untrusted",
    critical: ["*"],
    ids: {},
    content: [],
    time: [],
    sensitive: true,
  },
  requiresApproval: false,
  idempotent: false,
  canReconcile: false,
  timeoutMs: 1_000,
  secrets: [],
  input: {},
  output: {},
};

test("mcp label says what the label means, and binds it to the contract that was shown", async () => {
  const { client, calls } = await testGateway({
    "tools.get": () => ({ tool }),
    "mcp.label": () => ({ ok: true }),
  });
  const { toolId } = tool;
  const io = testIo();
  const flags = { toolId, label: undefined, yes: true, json: false };
  expect(await labelTool(io, { client }, flags)).toBe(EXIT.ok);
  expect(io.err()).toContain("As a tool that only reads, it runs without asking. Its server suggests this.");
  expect(io.out()).toBe(`${toolId} only reads.\n`);
  const quiet = testIo();
  expect(await labelTool(quiet, { client }, { ...flags, label: "sends", yes: false })).toBe(EXIT.failed);
  expect(quiet.err()).toContain("Nothing was changed.");
  expect(await labelTool(testIo(), { client }, { ...flags, label: "none" })).toBe(EXIT.ok);
  await expect(labelTool(testIo(), { client }, { ...flags, label: "harmless" })).rejects.toThrow(
    /Say what .* does: reads, changes, sends, or none/,
  );
  expect(calls.filter(({ method }) => method === "mcp.label").map(({ params }) => params)).toEqual([
    { toolId, contractHash: "c0ffee", label: "reads" },
    { toolId, contractHash: "c0ffee", label: null },
  ]);
});

test("mcp login prints the address, waits until the owner is back, and takes a pasted address", async () => {
  let looks = 0;
  const { client, calls } = await testGateway({
    "mcp.login": ({ address }) =>
      address === undefined ? { url: "https://login.example/authorize?x=1" } : { server },
    "mcp.list": () => ({ servers: [{ ...server, login: ++looks > 2 ? "in" : "needed" }] }),
    "mcp.logout": () => ({ ok: true }),
  });
  const io = testIo();
  const flags = { name: "notes", json: false, pauseMs: 0 };
  expect(await logIn(io, { client }, flags)).toBe(EXIT.ok);
  expect(io.out()).toBe("https://login.example/authorize?x=1\nLogged in.\n");
  expect(looks).toBe(3);
  const pasted = testIo();
  await logIn(pasted, { client }, { ...flags, address: "http://127.0.0.1:5/callback?code=1" });
  expect(pasted.out()).toContain("Logged in. notes answers");
  const out = testIo();
  expect(await logOut(out, { client }, { name: "notes", json: false })).toBe(EXIT.ok);
  expect(out.out()).toContain("its tokens are gone from this machine");
  expect(calls.filter(({ method }) => method === "mcp.login").map(({ params }) => params)).toEqual([
    { name: "notes" },
    { name: "notes", address: "http://127.0.0.1:5/callback?code=1" },
  ]);
});
