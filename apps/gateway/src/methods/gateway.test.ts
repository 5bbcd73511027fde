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
  await expect(scene.client.call("agents.prompt", { agentId: "nobody" })).rejects.toThrow(
    'There is no agent "nobody". Known agents: assistant.',
  );
});
