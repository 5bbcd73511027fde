/** An answer as a checked value of a type. */
import { Assistant, type ICoreEngineClient } from "@elwood/sdk";
import { z } from "zod";

const invoice = z.object({ customer: z.string(), cents: z.number().int() });

export async function run(
  letter: string,
  coreEngineClient?: ICoreEngineClient,
): Promise<z.infer<typeof invoice>> {
  const clerk = new Assistant({
    id: "clerk",
    name: "Cleo",
    role: "reads letters",
    personality: "exact",
    tools: [],
    ...(coreEngineClient && { coreEngineClient }),
  });
  const { output } = await clerk.ask(`Who owes what?\n\n${letter}`, { output: invoice });
  await clerk.close();
  return output;
}
