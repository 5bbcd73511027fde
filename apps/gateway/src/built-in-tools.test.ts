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
