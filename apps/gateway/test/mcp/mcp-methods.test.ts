import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";
import { StdioScript } from "./test-scene.ts";

let remote: McpHttpServer;
let script: StdioScript;
let home: string;
let started: StartedGateway;
let client: GatewayClient;

beforeAll(async () => {
  remote = await startMcpHttp({ tools: [{ name: "echo" }] });
  script = new StdioScript({ tools: [{ name: "echo" }, { name: "crash" }] });
  home = mkdtempSync(join(tmpdir(), "elwood-mcp-methods-"));
  started = await startTestGateway({ home, config: "# mine\nbrowser: { enabled: false }\n" });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token, client: { name: "test", drafts: true } });
});

afterAll(async () => {
  await client.close();
  await started.gateway.close();
  await remote[Symbol.asyncDispose]();
  script[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

const config = () => readFileSync(join(home, "config.yaml"), "utf8");
const mcpTools = async () => {
  const { tools } = await client.call("tools.list", {});
  return tools.filter(({ source }) => source === "mcp").map(({ toolId }) => toolId);
};

test("a server that is added answers at once, stands in the settings, and its key does not", async () => {
  expect(await client.call("mcp.list", {})).toEqual({ servers: [] });
  const { server, problem } = await client.call("mcp.add", {
    name: "remote",
    url: remote.url,
    headers: { Authorization: "Bearer canary-key-00112233", Accept: "text/html" },
  });
  expect(problem).toBeUndefined();
  expect(server).toMatchObject({
    state: "running",
    transport: "http",
    tools: [{ toolId: "mcp-remote.echo.call" }],
  });
  expect(remote.headers()["authorization"]).toBe("Bearer canary-key-00112233");
  expect(await mcpTools()).toEqual(["mcp-remote.echo.call"]);
  expect(config()).toContain("# mine");
  expect(config()).toContain("${MCP_REMOTE_HEADER_AUTHORIZATION}");
  expect(config()).not.toContain("canary");
  expect(readFileSync(join(home, "secrets.env"), "utf8")).toContain("canary-key-00112233");
  await expect(client.call("mcp.add", { name: "remote", url: remote.url })).rejects.toThrow(/already/);
});

test("EL-16: what could not be started safely is refused, and the settings stay as they are", async () => {
  const before = config();
  for (const [params, why] of [
    [{ command: "npx", args: ["-y", "some-server"] }, /"bad" was not added: it would fetch .* exact version/],
    [{ command: "server", env: { NODE_OPTIONS: "--require /tmp/x" } }, /NODE_OPTIONS/],
    [{ command: "server", url: "https://a.example" }, /either `command`/],
    [{ url: "ftp://a.example" }, /no address/],
  ] as const)
    await expect(
      client.call("mcp.add", {
        name: "bad",
        ...params,
        args: "args" in params ? [...params.args] : undefined,
      }),
    ).rejects.toThrow(why);
  expect(config()).toBe(before);
});

test("a client to log in as stands in the settings, and its secret does not", async () => {
  const oauth = { id: "my-client", secret: "canary-secret-445566", port: 8080, scopes: ["pages"] };
  await client.call("mcp.add", { name: "desk", url: remote.url, oauth });
  expect(config()).toMatch(/id: my-client\n\s+secret: \$\{MCP_DESK_OAUTH_SECRET\}/);
  expect(config()).not.toContain("canary");
  expect(readFileSync(join(home, "secrets.env"), "utf8")).toContain("canary-secret-445566");
  await client.call("mcp.remove", { name: "desk" });
  expect(readFileSync(join(home, "secrets.env"), "utf8")).not.toContain("canary-secret-445566");
});

test("a program is started and started again, and its log can be read", async () => {
  const { command, args = [] } = script.settings;
  const folders = [{ path: script.dir, write: true }];
  const { server } = await client.call("mcp.add", { name: "local", command: command!, args, folders });
  expect(server).toMatchObject({ state: "running", server: "scripted 1.0.0" });
  expect((await client.call("mcp.logs", { name: "local" })).lines.join("\n")).toContain(
    "scripted server started",
  );
  expect((await client.call("mcp.restart", { name: "local" })).server.state).toBe("running");
  expect(script.journal.filter((line) => line === "start")).toHaveLength(2);
});

test("a server that is removed is gone from the settings, with its key and its tools", async () => {
  await client.call("mcp.remove", { name: "remote" });
  await client.call("mcp.remove", { name: "local" });
  expect(await mcpTools()).toEqual([]);
  expect(config()).not.toContain("mcp_");
  expect(config()).not.toContain("remote");
  expect(readFileSync(join(home, "secrets.env"), "utf8")).not.toContain("canary");
  await expect(client.call("mcp.remove", { name: "remote" })).rejects.toThrow(
    /There is no MCP server "remote"/,
  );
});
