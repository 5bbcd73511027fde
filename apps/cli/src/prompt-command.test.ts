import { expect, test } from "vitest";
import { showPrompt, type PromptOptions } from "./prompt-command.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const prompt = {
  agentId: "default",
  system: "You are\u001b[31m an assistant.",
  systemTokens: 900,
  tools: [
    { toolId: "files.file.read", description: "Reads.", inputSchema: { type: "object" }, tokens: 40 },
    { toolId: "web.page.get", description: "Gets.", inputSchema: { type: "object" }, tokens: 160 },
  ],
  tokens: 1_100,
};

async function shown(options: PromptOptions) {
  const { client, calls } = await testGateway({ "agents.prompt": () => prompt });
  const io = testIo();
  const code = await showPrompt(io, client, options);
  await client.close();
  return { code, calls, text: io.out() };
}

test("prompt show prints the system prompt and every tool's text, with nothing that commands a terminal", async () => {
  const { code, text, calls } = await shown({ form: "text", agentId: "writer" });
  expect([code, calls]).toEqual([0, [{ method: "agents.prompt", params: { agentId: "writer" } }]]);
  expect(text).toBe(
    [
      "You are[31m an assistant.",
      '─── files.file.read\nReads.\n{"type":"object"}',
      '─── web.page.get\nGets.\n{"type":"object"}',
      "─── 1,100 tokens in all, estimated\n",
    ].join("\n\n"),
  );
});

test("--tokens names only what each part costs, the dearest first, and --json is what the gateway said", async () => {
  const { text } = await shown({ form: "tokens" });
  expect(text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["PART", "TOKENS"],
    ["system prompt", "900"],
    ["web.page.get", "160"],
    ["files.file.read", "40"],
    [""],
    ["1,100 tokens in all, estimated"],
    [""],
  ]);
  expect(JSON.parse((await shown({ form: "json" })).text)).toEqual(prompt);
});
