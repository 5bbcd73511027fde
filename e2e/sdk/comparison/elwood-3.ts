import { Assistant } from "@elwood/sdk";
import { z } from "zod";

const invoice = z.object({ customer: z.string(), cents: z.number().int() });
const about = { id: "clerk", name: "Cleo", role: "reads letters", personality: "" };
const clerk = new Assistant({ ...about, tools: [] });
const { output } = await clerk.ask("Bob owes us 42 dollars.", { output: invoice });
process.stdout.write(`${output.customer} ${output.cents}`);
await clerk.close();
