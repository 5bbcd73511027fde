/** A report that a scheduler of your own asks for; a job of the gateway does the same without a program. */
import { Assistant, Tool, type ICoreEngineClient } from "@elwood/sdk";

export async function report(
  sales: () => Promise<readonly number[]>,
  coreEngineClient?: ICoreEngineClient,
  signal?: AbortSignal,
): Promise<string> {
  const read = new Tool({
    name: "sales",
    description: "What was sold today, in cents.",
    inputSchema: { type: "object" },
    outputSchema: { type: "array", items: { type: "number" } },
    risk: "read",
    sends: false,
    execute: async () => [...(await sales())],
  });
  const analyst = new Assistant({
    id: "analyst",
    name: "Ana",
    role: "writes the daily report",
    personality: "numbers first",
    tools: [read],
    ...(coreEngineClient && { coreEngineClient }),
  });
  const { text } = await analyst.ask("The report of today.", signal ? { signal } : {});
  await analyst.close();
  return text;
}
