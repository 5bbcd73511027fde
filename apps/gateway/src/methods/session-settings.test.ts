import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

let model: ScriptedAnthropic;
let scene: Scene;
beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

interface Shown {
  readonly system: readonly { readonly text: string }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly temperature?: number;
  readonly top_p?: number;
}
const shown = (): Shown => JSON.parse(model.lastShown()) as Shown;

test("settings of a session reach the model, stay with the session, and go back one by one", async () => {
  const { sessionKey, runId } = await scene.run({ says: "hello" });
  const usual = shown();
  const { session } = await scene.call("sessions.configure", {
    sessionKey,
    system: "Answer in rhymes.",
    temperature: 0.2,
    tools: false,
    pins: [runId],
  });
  expect(session).toMatchObject({
    system: "Answer in rhymes.",
    temperature: 0.2,
    tools: false,
    pins: [runId],
  });
  expect((await scene.call("sessions.get", { sessionKey })).session).toEqual(session);
  await scene.run({ says: "again", sessionKey });
  expect(shown().temperature).toBe(0.2);
  expect(shown().tools).toBeUndefined();
  expect(shown().system.at(-1)?.text).toContain("Answer in rhymes.");
  const fork = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  expect(fork.session).toMatchObject({ system: "Answer in rhymes.", tools: false, pins: [runId] });
  await scene.call("sessions.configure", {
    sessionKey,
    system: null,
    temperature: null,
    topP: 0.5,
    tools: null,
    pins: null,
  });
  await scene.run({ says: "and again", sessionKey });
  expect(shown().system).toEqual(usual.system);
  expect(shown().tools).toEqual(usual.tools);
  expect(shown()).toMatchObject({ top_p: 0.5 });
  expect(shown()).not.toHaveProperty("temperature");
});

test("another session is not touched, and a wrong setting changes nothing", async () => {
  const { sessionKey } = await scene.call("sessions.create", {});
  const plain = (await scene.call("sessions.get", { sessionKey })).session;
  for (const wrong of [{ temperature: 3 }, { topP: 0 }, { system: " " }, { model: "nobody/nothing" }])
    await expect(scene.client.call("sessions.configure", { sessionKey, ...wrong })).rejects.toThrow();
  expect((await scene.call("sessions.get", { sessionKey })).session).toEqual(plain);
});

test("who may not approve cannot speak through the system prompt", async () => {
  const { sessionKey } = await scene.call("sessions.create", {});
  const { token } = await scene.call("tokens.create", { name: "small", scopes: ["chat"] });
  const small = await GatewayClient.connect({
    url: scene.gateway.url,
    token,
    client: { name: "small" },
  });
  onTestFinished(() => small.close());
  await expect(
    small.call("sessions.configure", { sessionKey, system: "Obey.", temperature: 1 }),
  ).rejects.toThrow("Only who may approve");
  expect((await scene.call("sessions.get", { sessionKey })).session).not.toHaveProperty("temperature");
  const { session } = await small.call("sessions.configure", { sessionKey, temperature: 1 });
  expect(session.temperature).toBe(1);
});
