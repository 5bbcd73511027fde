import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "@elwood/runtime/ports/ports";
import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open() {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  const scene = await openScene(model);
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

async function clientWith(scene: Scene, name: string, scopes: Scope[]): Promise<GatewayClient> {
  const { token } = await scene.client.call("tokens.create", { name, scopes });
  const client = await GatewayClient.connect({ url: scene.gateway.url, token, client: { name: "bot" } });
  onTestFinished(() => client.close());
  return client;
}

const SAYS = "Write the word hello into greeting.txt.";
const CALLS = [["files.file.write", { path: "greeting.txt", content: "hello" }]] as const;

test("what a token that may approve sends counts as the owner's word, and the call runs unasked", async () => {
  const scene = await open();
  const sender = await clientWith(scene, "phone", ["chat", "approve"]);
  const { asks, sessionKey } = await scene.run({ says: SAYS, calls: CALLS, sender });
  expect(asks).toEqual([]);
  expect(existsSync(join(scene.files, "greeting.txt"))).toBe(true);
  const { messages } = await scene.client.call("chat.history", { sessionKey });
  expect(messages[0]).toMatchObject({ role: "user", origin: "owner", meta: { sender: { name: "phone" } } });
});

test("the same from a token that may only chat is a program's message: the call asks, and its receipt names the token", async () => {
  const scene = await open();
  const sender = await clientWith(scene, "ci", ["chat"]);
  const { asks, sessionKey, runId } = await scene.run({ says: SAYS, calls: CALLS, sender });
  expect(asks.map(({ toolName, rule }) => [toolName, rule])).toEqual([
    ["files.file.write", "authority.none"],
  ]);
  expect(existsSync(join(scene.files, "greeting.txt"))).toBe(false);
  const { messages } = await scene.client.call("chat.history", { sessionKey });
  expect(messages[0]).toMatchObject({ origin: "program", blocks: [{ type: "text", origin: "program" }] });
  const { receipts } = await scene.client.call("receipts.list", { runId });
  expect(receipts.find(({ type }) => type === "run.started")?.payload).toMatchObject({ senderName: "ci" });
});

test("a part that a chat-only token calls the owner's is no more than the rest of its message", async () => {
  const scene = await open();
  const sender = await clientWith(scene, "ci", ["chat"]);
  const parts = [{ kind: "text" as const, origin: "owner" as const, text: SAYS }];
  const { asks } = await scene.run({ says: "please", parts, calls: CALLS, sender });
  expect(asks).toHaveLength(1);
});

test("a message of the owner's own token carries no sender", async () => {
  const scene = await open();
  const { sessionKey, runId } = await scene.run({ says: SAYS, calls: CALLS });
  const { messages } = await scene.client.call("chat.history", { sessionKey });
  expect(messages[0]).toMatchObject({ origin: "owner", meta: { surface: "test" } });
  expect(messages[0]?.meta).not.toHaveProperty("sender");
  const { receipts } = await scene.client.call("receipts.list", { runId });
  expect(receipts.find(({ type }) => type === "run.started")?.payload).not.toHaveProperty("senderName");
});
