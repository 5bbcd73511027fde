import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, test } from "vitest";
import { openScene } from "../../test/methods/test-scene.ts";

test("agents.prompt is what the model is sent before the first message, part by part, and an unknown agent is named", async () => {
  await using model = await startScriptedAnthropic();
  await using scene = await openScene(model);
  const prompt = await scene.call("agents.prompt", {});
  await scene.run({ says: "hello" });
  const sent = JSON.parse(model.lastShown()) as {
    readonly system: readonly { readonly text: string }[];
    readonly tools: readonly { readonly name: string; readonly description: string }[];
  };
  expect(prompt.system).toBe(sent.system.map(({ text }) => text).join(""));
  expect(prompt.tools.map(({ toolId, description }) => [toolId.replaceAll(".", "__"), description])).toEqual(
    sent.tools.map(({ name, description }) => [name, description]),
  );
  const parts = prompt.tools.reduce((sum, { tokens }) => sum + tokens, prompt.systemTokens);
  expect(prompt.tokens).toBe(parts);
  // By OpenAI's tokenizer these texts have 4.1 letters to a token.
  const letters = prompt.tools.reduce(
    (sum, { toolId, description, inputSchema }) =>
      sum + `${toolId}${description}${JSON.stringify(inputSchema)}`.length,
    prompt.system.length,
  );
  expect(letters / 4).toBeLessThan(3_000);
  await expect(scene.client.call("agents.prompt", { agentId: "nobody" })).rejects.toThrow(
    'There is no agent "nobody". Known agents: assistant.',
  );
});

test("runs are found by words of the message that began them, page by page", async () => {
  await using model = await startScriptedAnthropic();
  await using scene = await openScene(model);
  for (const says of ["About Penguins", "about seals", "more penguins"]) await scene.run({ says });
  const found = async (query: string, limit = 10) => scene.call("runs.list", { query, limit });
  expect((await found("PENGUINS")).runs).toHaveLength(2);
  expect((await found("walruses")).runs).toEqual([]);
  const first = await found("penguins", 1);
  expect(first.runs).toHaveLength(1);
  const rest = await scene.call("runs.list", { query: "penguins", limit: 1, before: first.next! });
  expect(rest.runs).toHaveLength(1);
  expect(rest.runs[0]?.runId).not.toBe(first.runs[0]?.runId);
});
