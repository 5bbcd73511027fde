import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { GatewayClient } from "@elwood/sdk/client";
import { startTestGateway } from "@elwood/gateway/test/test-gateway";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";

/** As a host's configuration has it: a command, its arguments, its environment. */
function serving(env: Record<string, string>): StdioClientTransport {
  const folder = mkdtempSync(join(tmpdir(), "elwood-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("../bin/elwood.mjs", import.meta.url)), "mcp", "serve"],
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
    stderr: "inherit",
  });
}

test("a host with a token of its own passes the owner's question to its user, and the answer back", async () => {
  await using model = await startScriptedAnthropic();
  await using started = await startTestGateway({
    config: "api: { mcp: true }\nmodel: anthropic/quiet\n",
    env: { ANTHROPIC_API_KEY: "key-of-a-test", ANTHROPIC_BASE_URL: model.url },
  });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  onTestFinished(() => owner.close());
  const { token } = await owner.call("tokens.create", { name: "desk", scopes: ["chat", "approve"] });
  // A host of the revisions before 2026-07-28, which is asked in the middle of its call.
  const host = new Client({ name: "older", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  host.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { decision: "allow once" } };
  });
  await host.connect(serving({ ELWOOD_HOME: started.home, ELWOOD_TOKEN: token }));
  onTestFinished(() => host.close());
  const plan = `anthropic/${model.play([["files.file.write", { path: "plan.md", content: "x" }]])}`;
  const answered = await host.callTool({
    name: "assistant.ask",
    arguments: { message: "Write the plan", model: plan },
  });
  expect(answered.structuredContent).toMatchObject({ status: "done" });
  expect(asked).toEqual([expect.stringContaining("plan.md")]);
  expect(existsSync(join(started.home, "files", "plan.md"))).toBe(true);
});

test("AC-9: a host that starts `elwood mcp serve` can ask the assistant, and its token ends with it", async () => {
  await using started = await startTestGateway();
  const host = new Client({ name: "reference", version: "1" });
  await host.connect(serving({ ELWOOD_HOME: started.home }));
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
  await expect.poll(names).not.toContain("mcp serve");
});
