/** A test of an assistant: the model is a script, the clock stands still, and receipts say what was done. */
import assert from "node:assert/strict";
import { Assistant, HumanInTheLoop, Tool } from "@elwood/sdk";
import {
  autoApprove,
  delay,
  expectReceipts,
  fakeClock,
  MemoryEngine,
  ScriptedModel,
  text,
  toolCall,
} from "@elwood/sdk/testing";

export async function run(): Promise<void> {
  const clock = fakeClock({ autoAdvance: true });
  const model = new ScriptedModel(
    [
      [text("Let me look."), toolCall("cancel", { order: 7 })],
      [delay(60_000), text("It is cancelled.")],
    ],
    { clock },
  );
  const engine = new MemoryEngine({
    model,
    clock,
    approvals: autoApprove("cancel"),
    answers: ({ question }) => (question.includes("7") ? "yes" : undefined),
  });
  const orders = new Set([7, 8]);
  const shop = new Assistant({
    id: "shop",
    name: "Shop",
    role: "looks after orders",
    personality: "careful",
    coreEngineClient: engine,
    tools: [],
  });
  shop.registerTool(
    new Tool({
      name: "cancel",
      description: "Cancels an order.",
      inputSchema: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
      async execute({ order }, conversationId) {
        const conversation = shop.openConversation(conversationId);
        if (await HumanInTheLoop.getApproval(conversation, `Cancel order ${String(order)}?`))
          orders.delete(Number(order));
        return [...orders];
      },
    }),
  );
  const answer = await shop.ask("Cancel order 7, please.");
  assert.equal(answer.text, "It is cancelled.");
  assert.deepEqual([...orders], [8]);
  expectReceipts(answer).toMatch([{ tool: "cancel", status: "succeeded" }]);
  expectReceipts(engine.receipts(answer.runId)).toMatch([
    { tool: "cancel", status: "succeeded", input: { order: 7 } },
  ]);
  model.assertComplete();
}
