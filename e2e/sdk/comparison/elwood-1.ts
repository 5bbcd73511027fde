import { Assistant, Tool } from "@elwood/sdk";
import { z } from "zod";
import { stock } from "./given.ts";

const count = new Tool({
  name: "stock",
  description: "How many flowers of a kind there are.",
  inputSchema: z.object({ kind: z.string() }),
  execute: ({ kind }) => stock(kind),
});
const about = { id: "florist", name: "Flora", role: "sells flowers", personality: "" };
const florist = new Assistant({ ...about, tools: [count] });
process.stdout.write((await florist.ask("How many tulips are left?")).text);
await florist.close();
