import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

let model: ScriptedAnthropic;
let scene: Scene;

beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model, { config: "policy:\n  mode: balanced\n" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function said(sessionKey: string, of: Scene = scene): Promise<string[]> {
  const { messages } = await of.call("chat.history", { sessionKey });
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

test("another answer and other words stand in the place of the first, and the model is shown nothing else", async () => {
  const { sessionKey, runId: first } = await scene.run({ says: "one zephyr" });
  await scene.run({ says: "two", sessionKey });
  await scene.call("sessions.rename", { sessionKey, title: "Versions" });
  const lines = () => readFileSync(join(scene.home, "sessions", "default", `${sessionKey}.jsonl`), "utf8");
  const before = lines();

  const { runId: again } = await scene.run({ sessionKey, instead: { runId: first } });
  expect(await said(sessionKey)).toEqual(["one zephyr"]);
  const { runId: other } = await scene.run({ sessionKey, instead: { runId: again, message: "one zebra" } });
  expect(await said(sessionKey)).toEqual(["one zebra"]);
  const view = await scene.call("sessions.get", { sessionKey });
  expect(view.versions).toEqual([{ runId: other, of: [first, again, other] }]);
  expect(view.hidden).toHaveLength(3);

  const { runId: third } = await scene.run({ says: "three", sessionKey });
  expect(model.lastShown()).toContain("one zebra");
  expect(model.lastShown()).not.toContain("zephyr");
  // What was written is still there, and only grows.
  expect(lines().startsWith(before)).toBe(true);
  expect((await scene.call("runs.list", { sessionKey })).runs).toHaveLength(5);

  const found = async (query: string) => (await scene.call("sessions.search", { query })).hits;
  expect(await found("zephyr")).toEqual([]);
  expect(await found("zebra")).toMatchObject([{ runId: other }]);
  const { content } = await scene.call("sessions.export", { sessionKey });
  expect(content).toContain("one zebra");
  expect(content).not.toContain("zephyr");

  const { session } = await scene.call("sessions.version", { runId: first });
  expect(session.sessionKey).toBe(sessionKey);
  expect(await said(sessionKey)).toEqual(["one zephyr", "two"]);
  expect(await found("zebra")).toEqual([]);
  await scene.call("sessions.version", { runId: again });
  expect(await said(sessionKey)).toEqual(["one zephyr"]);
  // The newest that continued a version comes back with it.
  await scene.call("sessions.version", { runId: other });
  expect(await said(sessionKey)).toEqual(["one zebra", "three"]);

  // A branch holds the version through the run that it begins at, shown or not.
  const fork = await scene.call("sessions.fork", { sessionKey, runId: first, include: true });
  expect(await said(fork.sessionKey)).toEqual(["one zephyr"]);
  const shown = await scene.call("sessions.fork", { sessionKey, runId: third, include: true });
  expect(await said(shown.sessionKey)).toEqual(["one zebra", "three"]);
  expect(await scene.call("sessions.get", { sessionKey: shown.sessionKey })).not.toHaveProperty("versions");
});

test("a copied message has versions in the copy, and none in the session that it came from", async () => {
  const { sessionKey, runId } = await scene.run({ says: "copied" });
  const fork = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  await scene.run({ sessionKey: fork.sessionKey, instead: { runId, message: "copied, and changed" } });
  expect(await said(fork.sessionKey)).toEqual(["copied, and changed"]);
  expect(await said(sessionKey)).toEqual(["copied"]);
  await scene.call("sessions.version", { runId, sessionKey: fork.sessionKey });
  expect(await said(fork.sessionKey)).toEqual(["copied"]);
});

test("a second answer is no second order: what the first did is used up, what was denied stays denied", async () => {
  const write = (name: string) => [["files.file.write", { path: name, content: "plumbago" }]] as const;
  const once = await scene.run({ says: "write plumbago into once.txt", calls: write("once.txt") });
  expect(once.asks).toEqual([]);
  expect(existsSync(join(scene.files, "once.txt"))).toBe(true);
  const { sessionKey } = once;
  const again = await scene.run({ sessionKey, calls: write("once.txt"), instead: { runId: once.runId } });
  expect(again.asks).toHaveLength(1);
  // Also from the side: the second version knows of both.
  const third = await scene.run({ sessionKey, calls: write("once.txt"), instead: { runId: once.runId } });
  expect(third.asks).toHaveLength(1);

  const told = "delete twice.txt";
  await scene.run({ says: "write plumbago into twice.txt", calls: write("twice.txt") });
  const gone = [["files.file.delete", { path: "twice.txt" }]] as const;
  const denied = await scene.run({ says: told, calls: gone });
  expect(denied.asks).toHaveLength(1);
  const retried = await scene.run({
    sessionKey: denied.sessionKey,
    calls: gone,
    instead: { runId: denied.runId },
  });
  expect(retried.asks).toHaveLength(1);

  // In other words of the owner's it is another order.
  const other = await scene.run({
    sessionKey,
    calls: write("other.txt"),
    instead: { runId: once.runId, message: "write plumbago into other.txt" },
  });
  expect(other.asks).toEqual([]);
});

test("what a version did that is not shown stays listed, with its way back", async () => {
  const calls = [["files.file.write", { path: "kept.txt", content: "kept" }]] as const;
  const { sessionKey, runId } = await scene.run({ says: "write kept into kept.txt", calls });
  const { runId: shown } = await scene.run({ sessionKey, instead: { runId } });
  const view = await scene.call("sessions.get", { sessionKey });
  expect(view.versions).toEqual([{ runId: shown, of: [runId, shown], effects: [runId] }]);
  const { activity } = await scene.call("runs.activity", { runId });
  expect(activity).toMatchObject([{ toolId: "files.file.write", status: "succeeded" }]);
  expect((await scene.call("calls.undo", { callId: activity[0]!.callId })).ok).toBe(true);
  expect(existsSync(join(scene.files, "kept.txt"))).toBe(false);
  // Nobody told the model of a call that it has not made.
  await scene.run({ says: "and now?", sessionKey });
  expect(model.lastShown()).not.toContain("kept.txt: undone");
});

test("files go along with other words, and what cannot be asked again is refused with words", async () => {
  const { sessionKey, runId } = await scene.run({ says: "first" });
  const asked = scene.client;
  await expect(asked.call("chat.retry", { runId: "run_none" })).rejects.toThrow("There is no run run_none.");
  await expect(asked.call("sessions.version", { runId })).rejects.toThrow("not one of several versions");
  await expect(asked.call("chat.edit", { runId, message: " " })).rejects.toThrow("The message is empty.");
  const { runId: compaction } = await scene.call("sessions.compact", { sessionKey });
  await expect
    .poll(async () => (await scene.call("runs.get", { runId: compaction })).run.endedAt)
    .toBeTypeOf("number");
  await expect(asked.call("chat.retry", { runId: compaction })).rejects.toThrow(
    "Only an answer to a message",
  );
});

test("a summary that was asked for in one version is no part of another", async () => {
  const { sessionKey, runId } = await scene.run({ says: "one" });
  await scene.run({ sessionKey, instead: { runId } });
  const { runId: asked } = await scene.call("sessions.compact", { sessionKey });
  const { client } = scene;
  await expect
    .poll(async () => (await client.call("runs.get", { runId: asked })).run.endedAt)
    .toBeTypeOf("number");
  const holds = async () =>
    (await scene.call("sessions.get", { sessionKey })).messages.some((message) => message.runId === asked);
  const inThis = await holds();
  await scene.call("sessions.version", { runId });
  expect([inThis, await holds()]).toEqual([true, false]);
});

test("while something is answered, nothing takes its place", async () => {
  const { sessionKey, runId } = await scene.run({ says: "hello" });
  const { sessionKey: own, runId: waits } = await scene.run({
    says: "write it",
    calls: [["files.file.write", { path: "waits.txt", content: "unsaid" }]],
    decide: () => "wait",
    sessionKey,
  });
  expect(own).toBe(sessionKey);
  const { client } = scene;
  await expect(client.call("chat.retry", { runId })).rejects.toThrow("still being answered");
  await expect(client.call("sessions.version", { runId })).rejects.toThrow("still being answered");
  await client.call("chat.abort", { runId: waits });
  await expect.poll(async () => (await scene.call("runs.get", { runId: waits })).run.status).toBe("aborted");
  await scene.run({ sessionKey, instead: { runId } });
  expect(await said(sessionKey)).toEqual(["hello"]);
});
