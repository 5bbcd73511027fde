import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

/** What a message box shows beside the text: how full the context is, what asks, which models there are. */

async function open(config = ""): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, { config });
}

test("a session tells how much of its model's window it takes, once that was counted", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.call("sessions.create", {});
  expect((await scene.call("sessions.get", { sessionKey })).context).toBeUndefined();
  await scene.run({ sessionKey });
  const { context, messages } = await scene.call("sessions.get", { sessionKey });
  const { usage } = messages.findLast(({ meta }) => meta?.usage)!.meta!;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage!;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  expect(context).toEqual({ tokens, window: 200_000 });
});

test("the window is the owner's word where there is one, and says so where nobody told it", async () => {
  await using own = await open('contextWindows: [{ match: "anthropic/*", tokens: 12000 }]\n');
  const { sessionKey } = await own.run({});
  expect((await own.call("sessions.get", { sessionKey })).context).toMatchObject({ window: 12_000 });
  writeFileSync(join(own.home, "workspace", "agent.yaml"), "model: ollama/qwen3\n");
  expect((await own.call("sessions.get", { sessionKey })).context).toMatchObject({
    window: LIMITS.contextTokensAssumed,
    assumed: true,
  });
});

test("of a long session the newest runs can be asked for alone, and it says how much stands before them", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({ says: "first" });
  await scene.run({ sessionKey, says: "second" });
  const all = await scene.call("sessions.get", { sessionKey });
  const last = await scene.call("sessions.get", { sessionKey, last: 1 });
  const newest = all.messages.filter(({ runId }) => runId === all.messages.at(-1)?.runId);
  expect(last.messages).toEqual(newest);
  expect(newest[0]).toMatchObject({ content: "second" });
  expect(last).toMatchObject({ earlier: all.messages.length - newest.length, context: all.context });
  expect(await scene.call("sessions.get", { sessionKey, last: 2 })).toEqual(all);
});

test("a session of an agent that cannot run is shown all the same", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({ says: "before" });
  writeFileSync(join(scene.home, "workspace", "agent.yaml"), "model: [no\n");
  const { context, messages } = await scene.call("sessions.get", { sessionKey });
  expect(context).toBeUndefined();
  expect(messages[0]).toMatchObject({ content: "before" });
});

test("the status says by which mode the policy asks", async () => {
  await using scene = await open("policy: { mode: strict }\n");
  expect(await scene.call("gateway.status", {})).toMatchObject({ policyMode: "strict" });
});
