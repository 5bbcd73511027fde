/** The files of a new tool: a module that works as it is, and a test of it. */
export function scaffold(toolId: string): { readonly path: string; readonly text: string }[] {
  const [integration = "", ...rest] = toolId.split(".");
  const base = rest.join("-").toLowerCase();
  return [
    { path: `${integration}/${base}.ts`, text: MODULE.replace("TOOL_ID", toolId) },
    { path: `${integration}/${base}.test.ts`, text: TEST.replaceAll("MODULE", `./${base}.ts`) },
  ];
}

const MODULE = `import { defineTool } from "@elwood/sdk/tool";
import { z } from "zod";

export default defineTool({
  id: "TOOL_ID",
  // For the model: what it does, and when to use it.
  description: "Count the words of a text.",
  // read changes nothing, write can be taken back, destructive cannot.
  risk: "read",
  input: z.object({ text: z.string().describe("The text to count.") }),
  output: z.object({ words: z.number() }),
  // egress "none": it sends nothing out. With hosts, write "third_party".
  labels: { egress: "none", output: "trusted", critical: [], sensitive: false },
  // Where ctx.fetch may go, and the secrets that ctx.secrets holds:
  // hosts: ["api.example.com"],
  // secrets: ["EXAMPLE_API_KEY"],
  async handler({ text }, ctx) {
    ctx.progress("counting");
    return { words: text.split(/\\s+/).filter((word) => word !== "").length };
  },
});
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { testContext } from "@elwood/sdk/tool";
import tool from "MODULE";

test("counts the words of a text", async () => {
  assert.deepEqual(await tool.handler({ text: "three small words" }, testContext()), { words: 3 });
});

test("an empty text has none", async () => {
  assert.deepEqual(await tool.handler({ text: " " }, testContext()), { words: 0 });
});
`;
