import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { GatewayClient } from "@elwood/sdk/client";
import { startTestGateway } from "@elwood/gateway/test/test-gateway";
import { expect, onTestFinished, test } from "vitest";

test("AC-9: a host that starts `elwood mcp serve` can ask the assistant, and its token ends with it", async () => {
  await using started = await startTestGateway();
  const folder = mkdtempSync(join(tmpdir(), "elwood-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // As a host's configuration has it: a command, its arguments, its environment.
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("../bin/elwood.mjs", import.meta.url)), "mcp", "serve"],
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ELWOOD_HOME: started.home },
    stderr: "inherit",
  });
  const host = new Client({ name: "reference", version: "1" });
  await host.connect(transport);
  const { tools } = await host.listTools();
  expect(tools.map(({ name }) => name)).toContain("assistant.ask");
  const answered = await host.callTool({ name: "assistant.ask", arguments: { message: "What can you do?" } });
  expect(answered.structuredContent).toMatchObject({ status: "done" });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  onTestFinished(() => owner.close());
  const names = async () => (await owner.call("tokens.list", {})).tokens.map(({ name }) => name);
  expect(await names()).toContain("mcp serve");
  await host.close();
  await expect.poll(names, { timeout: 20_000 }).not.toContain("mcp serve");
});
