import { expect, test } from "vitest";
import { Assistant } from "../assistant/assistant.ts";
import { Tool } from "../assistant/tool.ts";
import { text, toolCall } from "../model-script/steps.ts";
import { expectReceipts } from "./expect-receipts.ts";
import { autoApprove, MemoryEngine } from "./memory-engine.ts";
import { ScriptedModel } from "./scripted-model.ts";

async function paid() {
  const pay = new Tool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object", properties: { to: { type: "string" } } },
    execute: async () => "paid",
  });
  const model = new ScriptedModel([toolCall("pay", { to: "Bob" }), text("Done.")]);
  const engine = new MemoryEngine({ model, approvals: autoApprove("pay") });
  const about = { id: "till", name: "Till", role: "", personality: "" };
  const answer = await new Assistant({ ...about, tools: [pay], coreEngineClient: engine }).ask("Pay Bob.");
  return { engine, answer };
}

test("an answer and an engine's receipts are held against the calls that a test expects", async () => {
  const { engine, answer } = await paid();
  expectReceipts(answer).toMatch([{ tool: "pay", status: "succeeded" }]);
  expectReceipts(engine.receipts(answer.runId)).toMatch([
    { tool: "pay", status: "succeeded", input: { to: "Bob" } },
  ]);
  expectReceipts({ activity: answer.activity.map((each) => ({ ...each, toolId: "app.till.pay" })) }).toMatch([
    { tool: "pay", status: "succeeded" },
  ]);
});

test("a call too many, too few, of another tool, with another end or input fails, and says which", async () => {
  const { engine, answer } = await paid();
  const told = expectReceipts(answer);
  expect(() => told.toMatch([])).toThrow(/call 1: it was not expected/);
  expect(() =>
    told.toMatch([
      { tool: "pay", status: "succeeded" },
      { tool: "pay", status: "succeeded" },
    ]),
  ).toThrow(/call 2: it was never made/);
  expect(() => told.toMatch([{ tool: "ay", status: "succeeded" }])).toThrow(/another tool/);
  expect(() => told.toMatch([{ tool: "pay", status: "denied" }])).toThrow(/it has succeeded, not denied/);
  expect(() => told.toMatch([{ tool: "pay", status: "succeeded", input: {} }])).toThrow(/not known here/);
  expect(() =>
    expectReceipts(engine.receipts()).toMatch([{ tool: "pay", status: "succeeded", input: { to: "Eve" } }]),
  ).toThrow(/its input is another/);
});
