import type { ActionSpec } from "@elwood/core/action/action-spec";
import { expect, test } from "vitest";
import type { ActionView } from "./action-service.ts";
import { offeredActions } from "./offered-actions.ts";

const action = (name: string, spec: Partial<ActionSpec>): ActionView => ({
  name,
  trn: `trn:elwood:default:action/llm/${name}@v1`,
  version: 1,
  newest: 1,
  spec: { kind: "llm", task: "chat", ...spec },
  source: "stored",
  updatedAt: 0,
});

async function offered(...actions: ActionView[]) {
  return offeredActions({
    list: async () => actions,
    repeatable: ({ spec }) => spec.task !== "http",
    execute: async ({ name }) => {
      throw new Error(name);
    },
  });
}

test("only actions that say so are offered, under the name they ask for", async () => {
  const all = await offered(
    action("quiet", {}),
    action("support", { mcp_enabled: true, name_override: "ask_support", description: "Help." }),
    action("order", { mcp_enabled: true, kind: "http", task: "http" }),
  );
  expect(all.map(({ name, description, reads }) => ({ name, description, reads }))).toEqual([
    { name: "ask_support", description: "Help.", reads: true },
    { name: "order", description: "A request to another service.", reads: false },
  ]);
  expect(all[0]?.input).toMatchObject({ properties: { messages: { type: "array" } } });
  const caller = {
    tenant: "default",
    tokenId: "t",
    by: "p",
    surface: "mcp",
    scopes: new Set<"execute">(),
    signal: AbortSignal.abort(),
  };
  await expect(all[0]?.execute({}, caller)).rejects.toThrow("support");
});

test("a name that is taken is not given twice", async () => {
  const all = await offered(
    action("a", { mcp_enabled: true, name_override: "b" }),
    action("b", { mcp_enabled: true }),
    action("c", { mcp_enabled: true, name_override: "same" }),
    action("d", { mcp_enabled: true, name_override: "same" }),
  );
  expect(all.map(({ name }) => name)).toEqual(["a", "b", "same", "d"]);
});
