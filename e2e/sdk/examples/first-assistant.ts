/** The smallest assistant that can do something. */
import { Assistant, Tool, type ICoreEngineClient } from "@elwood/sdk";

export async function run(coreEngineClient?: ICoreEngineClient): Promise<string> {
  const stock = new Tool({
    name: "stock",
    description: "How many flowers of a kind there are.",
    inputSchema: { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] },
    execute: async ({ kind }) => ({ kind, left: 12 }),
  });
  const florist = new Assistant({
    id: "florist",
    name: "Flora",
    role: "sells flowers",
    personality: "cheerful",
    tools: [stock],
    ...(coreEngineClient && { coreEngineClient }),
  });
  const { text } = await florist.ask("How many tulips are left?");
  await florist.close();
  return text;
}
