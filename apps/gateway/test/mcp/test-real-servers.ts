/** The gateway with MCP servers from npm, and the conformance suite: `npm run test:real -- mcp`. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import {
  startScriptedAnthropic,
  type CallScript,
  type ScriptedAnthropic,
} from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

const run = promisify(execFile);
const VERSION = "2026.8.31";
const PACKAGES = [
  `@modelcontextprotocol/server-filesystem@${VERSION}`,
  `@modelcontextprotocol/server-everything@${VERSION}`,
  `@modelcontextprotocol/server-memory@${VERSION}`,
  "@modelcontextprotocol/conformance@0.1.16",
];
/** Installed once, outside of the project. */
const installed = join(tmpdir(), "elwood-real-mcp");
const entry = (name: string) => join(installed, "node_modules/@modelcontextprotocol", name, "dist/index.js");

let home: string;
let notes: string;
let model: ScriptedAnthropic;
let started: StartedGateway;
let client: GatewayClient;

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  if (!PACKAGES.every((name) => existsSync(entry(name.split("/")[1]!.split("@")[0]!)))) {
    writeFileSync(join(installed, "package.json"), "{}");
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...PACKAGES], {
      cwd: installed,
    });
  }
  home = mkdtempSync(join(tmpdir(), "elwood-real-home-"));
  notes = mkdtempSync(join(tmpdir(), "elwood-real-notes-"));
  model = await startScriptedAnthropic();
  const folders = [{ path: installed }, { path: notes, write: true }];
  const server = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [entry(name), ...args],
    folders,
    env: { MEMORY_FILE_PATH: join(notes, "memory.jsonl") },
  });
  started = await startTestGateway({
    home,
    config: JSON.stringify({
      browser: { enabled: false },
      mcpServers: {
        files: server("server-filesystem", notes),
        everything: server("server-everything"),
        memory: server("server-memory"),
      },
    }),
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token, client: { name: "test", drafts: true } });
});

afterAll(async () => {
  await client?.close();
  await started?.gateway.close();
  await model?.[Symbol.asyncDispose]();
  for (const folder of [home, notes]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Makes calls as a model would, allows all of them, and tells what became of each. */
async function make(calls: CallScript): Promise<readonly string[]> {
  const { sessionKey } = await client.call("sessions.create", {});
  const ended = Promise.withResolvers<void>();
  const off = client.onPush((push) => {
    if (isPush(push, "exec.approval_request"))
      void client.call("exec.approve", { approvalId: push.data.approvalId });
    if (isPush(push, "chat.final")) ended.resolve();
    if (isPush(push, "chat.error")) ended.reject(new Error(push.data.message));
  });
  const { runId } = await client.call("chat.send", {
    sessionKey,
    message: "Go on",
    model: `anthropic/${model.play(calls)}`,
  });
  await ended.promise.finally(off);
  const { calls: rows } = await client.call("calls.list", { runId });
  return Promise.all(
    rows.map(async ({ callId }) => {
      const { call } = await client.call("calls.get", { callId });
      return `${call.state} ${JSON.stringify(call)}`;
    }),
  );
}

test("server-filesystem writes and reads a file in its folder, and nothing outside of it", async () => {
  const { server } = await client.call("mcp.test", { name: "files" });
  expect(server.tools?.length).toBeGreaterThan(5);
  const path = join(notes, "plan.md");
  const [written, read, outside] = await make([
    ["mcp-files.write_file.call", { path, content: "Paint the gate" }],
    ["mcp-files.read_text_file.call", { path }],
    ["mcp-files.read_text_file.call", { path: join(home, "config.yaml") }],
  ]);
  expect(written).toMatch(/^succeeded/);
  expect(readFileSync(path, "utf8")).toBe("Paint the gate");
  expect(read).toMatch(/^succeeded.*Paint the gate/);
  expect(outside).toMatch(/^failed/);
});

test("server-everything echoes, counts, and offers resources and prompts", async () => {
  const { server } = await client.call("mcp.test", { name: "everything" });
  const ids = server.tools?.map(({ toolId }) => toolId) ?? [];
  expect(ids).toContain("mcp-everything.echo.call");
  const [echoed] = await make([["mcp-everything.echo.call", { message: "hello" }]]);
  expect(echoed).toMatch(/^succeeded.*hello/);
  const { resources } = await client.call("mcp.resources", { name: "everything" });
  expect(resources.length).toBeGreaterThan(0);
  const text = resources.find(({ mimeType }) => mimeType?.startsWith("text/")) ?? resources[0]!;
  const { part } = await client.call("mcp.resource", { name: "everything", uri: text.uri });
  expect(part.origin).toBe("attached");
  const { prompts } = await client.call("mcp.prompts", { name: "everything" });
  expect(prompts.length).toBeGreaterThan(0);
});

test("server-memory keeps what it was told", async () => {
  await client.call("mcp.test", { name: "memory" });
  const entities = [{ name: "Ann", entityType: "person", observations: ["paints gates"] }];
  const [made, graph] = await make([
    ["mcp-memory.create_entities.call", { entities }],
    ["mcp-memory.read_graph.call", {}],
  ]);
  expect(made).toMatch(/^succeeded/);
  expect(graph).toMatch(/^succeeded.*paints gates/);
});

/** Scenarios that Elwood does not pass, and why. */
const FAILS: Readonly<Record<string, string>> = {
  "sse-retry":
    "Elwood keeps no stream open: a server that ends the stream of a call to be polled later has broken it off",
  "elicitation-sep1034-client-defaults":
    "the suite's server asks over a stream that stays open beside the calls, and Elwood opens none",
  "auth/basic-cimd":
    "Elwood has no public address to publish a client's metadata at, and registers itself instead",
  "auth/scope-step-up": "a call that lacks a scope fails, and the owner logs in again",
  "auth/pre-registration": "the settings have no place for the id of a client that was registered before",
  "auth/2025-03-26-oauth-metadata-backcompat":
    "the login ends after the metadata; the reason is not known yet",
};

test.each(
  [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/basic-cimd",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
  ].map((name) => [name, FAILS[name] ?? "passes"] as const),
)("the conformance scenario %s: %s", async (scenario, expected) => {
  const driver = fileURLToPath(new URL("./test-conformance-client.ts", import.meta.url));
  const command = `${process.execPath} ${driver}`;
  const args = [entry("conformance"), "client", "--command", command, "--scenario", scenario];
  const passed = await run(process.execPath, args, { cwd: home }).then(
    () => true,
    (error: { stdout?: string; stderr?: string }) => {
      if (expected === "passes") process.stderr.write(`${error.stdout ?? ""}${error.stderr ?? ""}`);
      return false;
    },
  );
  expect(passed).toBe(expected === "passes");
});
