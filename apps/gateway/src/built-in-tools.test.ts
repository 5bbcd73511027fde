import { GatewayClient } from "@elwood/sdk/client";
import { expect, test } from "vitest";
import { startTestGateway } from "../test/test-gateway.ts";

async function contracts(config: string): Promise<Map<string, string>> {
  await using started = await startTestGateway({ config });
  const { url, ownerToken: token } = started.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "test" } });
  try {
    const { tools } = await client.call("tools.list", {});
    const found = new Map<string, string>();
    for (const { toolId } of tools) {
      const { tool } = await client.call("tools.get", { toolId });
      found.set(toolId, tool.contractHash);
    }
    return found;
  } finally {
    await client.close();
  }
}

test("opening a folder changes no contract, so that standing permissions stay", async () => {
  const before = await contracts("");
  const after = await contracts("files:\n  roots:\n    - { path: /srv, write: true }\n");
  expect(before.size).toBeGreaterThan(10);
  expect([...after]).toEqual([...before]);
});

test("a command or a read that names a file which usually holds keys is asked about", async () => {
  await using started = await startTestGateway({});
  const { url, ownerToken: token } = started.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "test" } });
  const told = async (toolId: string, input: unknown) =>
    (await client.call("policy.explain", { toolId, input })).decision;
  for (const name of ["server.key", ".bash_history", "profile/Cookies", "prod.tfvars", ".git/config"]) {
    expect(await told("files.file.read", { path: name }), name).toBe("ask");
    expect(await told("shell.command.run", { argv: ["cat", name] }), name).toBe("ask");
    expect(await told("shell.command.run", { argv: ["head", "-n", "3", `./${name}`] }), name).toBe("ask");
  }
  expect(await told("files.file.read", { path: "notes.md" })).toBe("allow");
  await client.close();
});
