import { join } from "node:path";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { gate, after } from "@elwood/testkit/answers";
import { isPush } from "@elwood/sdk/client";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

test("a run's time is told as its turn, the model's laps, the call and the wait for the owner", async () => {
  await using scene = await open();
  const { runId, asks } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "allow",
  });
  const timeline = await scene.call("runs.timeline", { runId });
  const { spans, start, end } = timeline;
  expect(spans.map(({ kind }) => kind)).toEqual(["queue", "model", "approval", "tool", "model"]);
  const [queue, first, approval, tool, second] = spans;
  expect(queue).toMatchObject({ start, end: expect.any(Number) });
  expect(first).toMatchObject({
    lap: 1,
    status: "done",
    detail: "tool_use",
    model: expect.stringContaining("anthropic/"),
  });
  expect(first?.derived).toBeUndefined();
  expect(first?.tokens).toBeGreaterThan(0);
  expect(approval).toMatchObject({
    approvalId: asks[0]?.approvalId,
    callId: tool?.callId,
    status: "approved",
  });
  expect(tool).toMatchObject({ status: "done", label: expect.stringContaining("files.file.write") });
  expect(approval!.end).toBeLessThanOrEqual(tool!.start);
  expect(second).toMatchObject({ lap: 2, detail: "end_turn" });
  for (const span of spans) expect(span.end).toBeGreaterThanOrEqual(span.start);
  expect(second!.end).toBeLessThanOrEqual(end!);
});

test("a run that waits for the owner is told with the wait still open", async () => {
  await using scene = await open();
  const { runId } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "wait",
  });
  const { spans, end } = await scene.call("runs.timeline", { runId });
  expect(end).toBeUndefined();
  const still = spans.filter((span) => span.end === undefined);
  expect(still.map(({ kind }) => kind).toSorted()).toEqual(["approval", "tool"]);
});

test("tries that failed are told inside the lap that was answered in the end, and a lap that goes on has no end", async () => {
  const model = await startAnthropic();
  onTestFinished(() => model.close());
  const door = gate();
  model.will(anthropic.error(529, { headers: { "retry-after-ms": "1" } }));
  model.will(after(door, anthropic.reply("Here.")));
  await using scene = await open({ env: { ANTHROPIC_BASE_URL: model.url } });
  const { sessionKey } = await scene.client.call("sessions.create", {});
  const noticed = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  scene.client.onPush((push) => {
    if (isPush(push, "chat.notice")) noticed.resolve();
    if (isPush(push, "chat.final")) done.resolve();
  });
  const { runId } = await scene.client.call("chat.send", { sessionKey, message: "hello" });
  await noticed.promise;
  const during = await scene.call("runs.timeline", { runId });
  expect(during.spans.at(-1)).toMatchObject({ kind: "model", lap: 1, status: "running", derived: true });
  expect(during.spans.at(-1)?.end).toBeUndefined();
  door.open();
  await done.promise;
  const { spans } = await scene.call("runs.timeline", { runId });
  const lap = spans.find(({ kind }) => kind === "model");
  const retry = spans.find(({ kind }) => kind === "retry");
  expect(retry).toMatchObject({ lap: 1, detail: "OVERLOADED" });
  expect(retry!.start).toBeGreaterThanOrEqual(lap!.start);
  expect(retry!.end).toBeLessThanOrEqual(lap!.end!);
});

test("a model that failed for good is told as a failed lap", async () => {
  const model = await startAnthropic();
  onTestFinished(() => model.close());
  model.will(anthropic.error(401));
  await using scene = await open({ env: { ANTHROPIC_BASE_URL: model.url } });
  const { sessionKey } = await scene.client.call("sessions.create", {});
  const over = Promise.withResolvers<void>();
  scene.client.onPush((push) => isPush(push, "chat.error") && over.resolve());
  const { runId } = await scene.client.call("chat.send", { sessionKey, message: "hello" });
  await over.promise;
  const { spans, status } = await scene.call("runs.timeline", { runId });
  expect(status).toBe("failed");
  expect(spans.map(({ kind, status: s }) => [kind, s])).toEqual([
    ["queue", undefined],
    ["model", "failed"],
  ]);
});

test("runs are listed with their first words, in 200 bytes at most, and by where they came from", async () => {
  await using scene = await open();
  await scene.run({ says: "short\nwords" });
  await scene.run({ says: "ü".repeat(300) });
  const { runs } = await scene.call("runs.list", { surface: "test" });
  expect(runs.map(({ summary }) => summary)).toEqual([`${"ü".repeat(98)}…`, "short words"]);
  expect((await scene.call("runs.list", { surface: "cli" })).runs).toEqual([]);
});
