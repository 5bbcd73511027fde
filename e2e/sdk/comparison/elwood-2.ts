import { Assistant, Tool } from "@elwood/sdk";
import { z } from "zod";
import { decide, refund } from "./given.ts";

const pay = new Tool({
  name: "refund",
  description: "Pays the price of an order back.",
  inputSchema: z.object({ order: z.number() }),
  execute: ({ order }) => refund(order),
});
const about = { id: "support", name: "Sam", role: "handles complaints", personality: "" };
const support = new Assistant({ ...about, tools: [pay] });
const conversation = support.startConversation("Order 7 arrived broken.");
for await (const event of conversation) {
  if (event.type === "human_input_required") {
    const allowed = await decide(`${event.prompt} ${JSON.stringify(event.input)}`);
    await conversation.submitHumanInput(allowed ? "yes" : "no", event.inputStepId);
  }
  if (event.type === "text_delta") process.stdout.write(event.text);
  if (event.type === "turn_end") break;
}
await support.close();
