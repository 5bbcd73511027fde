import { GatewayClient } from "@elwood/sdk/client";
import { defineTool } from "@elwood/sdk/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import { startTestGateway } from "../../test/test-gateway.ts";

const CONFIG = `policy:
  rules:
    - tool: files.file.wirte
      decision: deny
    - tool: lamp.*
      decision: deny
    - tool: files.*
      decision: ask
`;

const lamp = defineTool({
  id: "lamp.light.switch",
  risk: "write",
  input: z.object({ on: z.boolean() }),
  handler: () => ({ done: true }),
});

test("rules that name no tool are told at the start, with what was meant, and bind a tool that comes later", async () => {
  const later: (typeof lamp)[] = [];
  const extraTools = [{ source: "built-in", tools: later }] as const;
  await using started = await startTestGateway({ config: CONFIG, extraTools });
  const [misspelt, early, ...more] = started.gateway.idleRules();
  expect(misspelt).toContain('config.yaml:3 has a rule (deny) for "files.file.wirte"');
  expect(misspelt).toContain("Did you mean files.file.write?");
  expect(early).toContain('"lamp.*"');
  expect(more).toEqual([]);

  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  const notices = async () => (await owner.call("gateway.status", {})).notices.join("\n");
  expect(await notices()).toContain('"lamp.*"');
  later.push(lamp);
  expect((await owner.call("tools.reload", {})).added).toEqual([lamp.id]);
  expect(await notices()).not.toContain('"lamp.*"');
  const explained = await owner.call("policy.explain", { toolId: lamp.id, input: { on: true } });
  expect(explained).toMatchObject({ decision: "deny" });
  await owner.close();
});
