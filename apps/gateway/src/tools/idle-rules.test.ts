import { GatewayClient } from "@elwood/sdk/client";
import { defineTool } from "@elwood/sdk/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestGateway } from "../test-gateway.ts";

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
  const home = mkdtempSync(join(tmpdir(), "elwood-rules-"));
  writeFileSync(join(home, "config.yaml"), CONFIG, { mode: 0o600 });
  const later: (typeof lamp)[] = [];
  const started = await startTestGateway({ home, extraTools: [{ source: "built-in", tools: later }] });
  try {
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
  } finally {
    await started[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  }
});
