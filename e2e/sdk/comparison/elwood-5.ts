import assert from "node:assert/strict";
import { Assistant, Tool } from "@elwood/sdk";
import {
  autoApprove,
  expectReceipts,
  MemoryEngine,
  ScriptedModel,
  text,
  toolCall,
} from "@elwood/sdk/testing";
import { z } from "zod";

const asked: string[] = [];
const count = new Tool({
  name: "stock",
  description: "How many flowers of a kind there are.",
  inputSchema: z.object({ kind: z.string() }),
  execute: async ({ kind }) => asked.push(kind),
});
const model = new ScriptedModel([toolCall("stock", { kind: "tulip" }), text("One is left.")]);
const engine = new MemoryEngine({ model, approvals: autoApprove() });
const about = { id: "florist", name: "Flora", role: "sells flowers", personality: "" };
const florist = new Assistant({ ...about, tools: [count], coreEngineClient: engine });
const answer = await florist.ask("How many tulips are left?");
assert.equal(answer.text, "One is left.");
assert.deepEqual(asked, ["tulip"]);
expectReceipts(answer).toMatch([{ tool: "stock", status: "succeeded" }]);
model.assertComplete();
