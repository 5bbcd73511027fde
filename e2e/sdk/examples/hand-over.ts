/** Two assistants: one reads, the other writes. Each has its own prompt, tools and conversation. */
import { Assistant, type ICoreEngineClient } from "@elwood/sdk";

export async function run(topic: string, coreEngineClient?: ICoreEngineClient): Promise<string> {
  const engine = coreEngineClient && { coreEngineClient };
  const about = { personality: "to the point", tools: [] };
  const reader = new Assistant({ id: "reader", name: "Rea", role: "collects facts", ...about, ...engine });
  const writer = new Assistant({ id: "writer", name: "Will", role: "writes letters", ...about, ...engine });
  const { text: facts } = await reader.ask(`Three facts about ${topic}.`);
  const { text: letter } = await writer.ask(`A letter of five lines with these facts:\n\n${facts}`);
  await reader.close();
  await writer.close();
  return letter;
}
