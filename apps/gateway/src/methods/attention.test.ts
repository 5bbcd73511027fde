import { DatabaseSync } from "node:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventData } from "@elwood/core/protocol/events";
import { isPush } from "@elwood/sdk/client";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

type Told = EventData<"attention.changed">;

function toldOf(scene: Scene): Told[] {
  const told: Told[] = [];
  scene.client.onPush((push) => {
    if (isPush(push, "attention.changed")) told.push(push.data);
  });
  return told;
}

test("what waits for the owner is listed with where to go, and clients hear once that it came and went", async () => {
  await using scene = await open();
  expect((await scene.call("attention.list", {})).items).toEqual([]);
  const told = toldOf(scene);
  const { asks } = await scene.run({
    calls: [["files.file.write", { path: "a.txt", content: "x" }]],
    decide: () => "wait",
  });
  const { approvalId } = asks[0]!;
  await expect.poll(() => told).toEqual([{ count: 1, worst: "warning" }]);
  const { items } = await scene.call("attention.list", {});
  expect(items).toMatchObject([
    {
      id: approvalId,
      kind: "approval",
      severity: "warning",
      action: { label: "Decide", route: `/approvals/${approvalId}` },
    },
  ]);
  await scene.call("exec.deny", { approvalId });
  await expect.poll(() => told).toEqual([{ count: 1, worst: "warning" }, { count: 0 }]);
});

test("a last run that failed is listed until one does better", async () => {
  const model = await startAnthropic();
  onTestFinished(() => model.close());
  model.will(anthropic.error(401), anthropic.reply("Fine."));
  await using scene = await open({ env: { ANTHROPIC_BASE_URL: model.url } });
  const told = toldOf(scene);
  const { sessionKey } = await scene.client.call("sessions.create", {});
  const { runId } = await scene.client.call("chat.send", { sessionKey, message: "hello" });
  await expect.poll(() => told.length).toBe(1);
  const { items } = await scene.call("attention.list", {});
  expect(items[0]).toMatchObject({
    id: runId,
    kind: "run_failed",
    severity: "error",
    action: { route: `/runs/${runId}` },
  });
  await scene.client.call("chat.send", { sessionKey, message: "again" });
  await expect.poll(() => told.at(-1)).toEqual({ count: 0 });
});

test("a model without a key, one near its end, and tools that cannot be loaded are listed, the worst first", async () => {
  await using scene = await open({
    env: { ELWOOD_MODEL: "openai/gpt-5.5" },
    config: "providers: {}\n",
  });
  mkdirSync(join(scene.home, "workspace", "tools", "broken"), { recursive: true });
  writeFileSync(join(scene.home, "workspace", "tools", "broken", "thing.ts"), "export default {{{");
  await scene.call("tools.reload", {});
  const { items } = await scene.call("attention.list", {});
  expect(items[0]).toMatchObject({ kind: "model", severity: "error", action: { route: "/connections" } });
  expect(items.find(({ kind }) => kind === "tool")).toMatchObject({
    severity: "warning",
    action: { route: "/tools" },
  });
  await using old = await open({ env: { ELWOOD_MODEL: "anthropic/claude-sonnet-4-5" } });
  const end = (await old.call("attention.list", {})).items.filter(({ text }) =>
    text.includes("claude-sonnet-4-5"),
  );
  expect(end).toMatchObject([{ kind: "model", severity: "warning" }]);
});

test("receipts that are not what they were are listed once somebody looked", async () => {
  await using scene = await open();
  await scene.run({ calls: [["files.file.list", { path: "." }]] });
  const db = new DatabaseSync(join(scene.home, "elwood.db"));
  db.exec("DROP TRIGGER receipts_stay; UPDATE receipts_by_number SET payload = '{}' WHERE seq = 2");
  db.close();
  const told = toldOf(scene);
  await scene.call("attention.list", {});
  await expect.poll(() => told).toEqual([{ count: 1, worst: "error" }]);
  const { items } = await scene.call("attention.list", {});
  expect(items).toMatchObject([
    { id: "receipts", kind: "receipts", severity: "error", action: { route: "/receipts" } },
  ]);
});
