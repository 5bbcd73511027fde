/** A program that lets its owner choose, on whatever surface they are. */
import { Assistant, HumanInTheLoop, type ICoreEngineClient } from "@elwood/sdk";

export async function run(coreEngineClient?: ICoreEngineClient): Promise<string> {
  const planner = new Assistant({
    id: "planner",
    name: "Paula",
    role: "plans trips",
    personality: "practical",
    tools: [],
    ...(coreEngineClient && { coreEngineClient }),
  });
  await using conversation = planner.startConversation("Suggest two ways to get to Rome.");
  for await (const event of conversation) if (event.type === "turn_end") break;
  // Under a key: a program that was started again waits for this question instead of asking anew.
  const way = (await HumanInTheLoop.selectOption(
    conversation,
    "How do you want to travel?",
    [
      { label: "By train", hours: 12 },
      { label: "By plane", hours: 2 },
    ],
    { key: "way-to-rome" },
  )) as { label: string; hours: number };
  return `${way.label}, ${way.hours} hours`;
}
