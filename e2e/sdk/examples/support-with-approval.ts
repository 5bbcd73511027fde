/** A support bot whose refunds somebody has to allow. `decide` is where your own page or queue goes. */
import { Assistant, Tool, type HumanInput, type ICoreEngineClient } from "@elwood/sdk";

export async function run(
  decide: (asked: HumanInput) => Promise<"yes" | "no">,
  coreEngineClient?: ICoreEngineClient,
): Promise<{ readonly refunds: readonly number[]; readonly answer: string }> {
  const refunds: number[] = [];
  const refund = new Tool({
    name: "refund",
    description: "Pays the price of an order back.",
    inputSchema: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
    risk: "write",
    requiresApproval: true,
    async execute({ order }) {
      refunds.push(Number(order));
      return { refunded: order };
    },
  });
  const support = new Assistant({
    id: "support",
    name: "Sam",
    role: "handles complaints",
    personality: "calm and short",
    tools: [refund],
    ...(coreEngineClient && { coreEngineClient }),
  });
  await using conversation = support.startConversation("Order 7 arrived broken.");
  let answer = "";
  for await (const event of conversation) {
    if (event.type === "human_input_required")
      await conversation.submitHumanInput(await decide(event), event.inputStepId);
    if (event.type === "message" && typeof event.message.content === "string") answer = event.message.content;
    if (event.type === "turn_end") break;
  }
  return { refunds, answer };
}
