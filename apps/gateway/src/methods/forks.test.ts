import { readdirSync } from "node:fs";
import { join } from "node:path";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import type { GatewayStores } from "../gateway.ts";
import { sweepForks } from "./fork-session.ts";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

async function said(scene: Scene, sessionKey: string): Promise<string[]> {
  const { messages } = await scene.call("chat.history", { sessionKey });
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

test("a fork holds what was said up to a run, with it or before it, and grows on its own", async () => {
  await using scene = await open();
  const { sessionKey, runId: first } = await scene.run({ says: "one zephyr" });
  const { runId: second } = await scene.run({ says: "two", sessionKey });
  await scene.run({ says: "three", sessionKey });
  await scene.call("sessions.rename", { sessionKey, title: "Plans" });

  const whole = await scene.call("sessions.fork", { sessionKey, runId: second, include: true });
  expect(whole.session).toMatchObject({
    title: "Plans (fork)",
    titledBy: "owner",
    messageCount: 4,
    forkedFrom: { sessionKey, runId: second },
  });
  expect(await said(scene, whole.sessionKey)).toEqual(["one zephyr", "two"]);
  const cut = await scene.call("sessions.fork", { sessionKey, runId: second, include: false });
  expect(await said(scene, cut.sessionKey)).toEqual(["one zephyr"]);
  await scene.run({ says: "another two", sessionKey: cut.sessionKey });
  expect(await said(scene, cut.sessionKey)).toEqual(["one zephyr", "another two"]);
  expect(await said(scene, sessionKey)).toEqual(["one zephyr", "two", "three"]);

  const empty = await scene.call("sessions.fork", { sessionKey, runId: first, include: false });
  expect(empty.session).toMatchObject({ title: "New session", titledBy: "default", messageCount: 0 });
  const { hits } = await scene.call("sessions.search", { query: "zephyr" });
  const found = hits.map(({ session }) => session.sessionKey).toSorted();
  expect(found).toEqual([sessionKey, whole.sessionKey, cut.sessionKey].toSorted());
  const listed = await scene.call("sessions.list", {});
  expect(listed.sessions.find((s) => s.sessionKey === cut.sessionKey)?.forkedFrom?.sessionKey).toBe(
    sessionKey,
  );
});

test("copied messages name their runs, whose receipts and calls are still found, and no receipt is copied", async () => {
  await using scene = await open();
  const { sessionKey, runId } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "allow",
  });
  const before = await scene.call("receipts.head", {});
  const fork = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  expect((await scene.call("receipts.head", {})).size).toBe(before.size);
  const { messages } = await scene.call("chat.history", { sessionKey: fork.sessionKey });
  expect(new Set(messages.map((m) => m.runId))).toEqual(new Set([runId]));
  const { activity } = await scene.call("runs.activity", { runId });
  expect(activity).toMatchObject([{ toolId: "files.file.write", status: "succeeded" }]);
  const result = messages.find(({ role }) => role === "tool")?.blocks[0];
  const callId = result?.type === "tool_result" ? result.callId : "";
  expect((await scene.call("calls.get", { callId })).call.sessionKey).toBe(sessionKey);
});

test("calls of a fork are numbered from c1, whatever was copied, and those of the first session go on", async () => {
  await using scene = await open();
  const calls = [["files.file.list", { path: "." }]] as const;
  const { sessionKey } = await scene.run({ calls: [...calls, ...calls] });
  const { runId } = await scene.run({ calls, sessionKey });
  const fork = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  const cites = async (of: string) =>
    (await scene.call("runs.activity", { runId: of })).activity.map(({ cite }) => cite);
  const inFork = await scene.run({ calls, sessionKey: fork.sessionKey });
  const after = await scene.run({ calls, sessionKey });
  expect(await Promise.all([runId, inFork.runId, after.runId].map(cites))).toEqual([["c3"], ["c1"], ["c4"]]);
});

const TOLD = "write the word plumbago into words.txt";

/** Whether a write of the word would ask, as the policy sees the session. */
async function sources(scene: Scene, sessionKey: string): Promise<string> {
  const input = { path: "words.txt", content: "plumbago" };
  const { decision } = await scene.call("policy.explain", {
    toolId: "files.file.write",
    input,
    sessionKey,
  });
  return decision;
}

test("in a fork the owner has said what was copied, also once the first session is purged, and not what was cut away", async () => {
  let stores: GatewayStores | undefined;
  await using scene = await open({
    config: "policy:\n  mode: balanced\n",
    wrapStores: (opened) => (stores = opened),
  });
  const { sessionKey, runId: first } = await scene.run({ says: "hello" });
  const { runId } = await scene.run({ says: TOLD, sessionKey });
  const told = await sources(scene, sessionKey);
  const { sessionKey: stranger } = await scene.call("sessions.create", {});
  const untold = await sources(scene, stranger);
  expect(told).not.toBe(untold);

  const kept = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  const cut = await scene.call("sessions.fork", { sessionKey, runId, include: false });
  const ofFork = await scene.call("sessions.fork", { sessionKey: kept.sessionKey, runId, include: true });
  expect(await sources(scene, kept.sessionKey)).toBe(told);
  expect(await sources(scene, ofFork.sessionKey)).toBe(told);
  expect(await sources(scene, cut.sessionKey)).toBe(untold);
  await stores!.sessions.purge("default", sessionKey);
  expect((await stores!.runs.journal("default", runId)).steps).toHaveLength(1);
  expect(await stores!.runs.idsOfSession("default", kept.sessionKey, 10)).toEqual([runId, first]);
  expect(await sources(scene, kept.sessionKey)).toBe(told);
  expect(await sources(scene, cut.sessionKey)).toBe(untold);
});

test("what is still being answered is not copied; what came before it is", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({ says: "hello" });
  const { runId } = await scene.run({
    says: "wait",
    sessionKey,
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "wait",
  });
  await expect(scene.call("sessions.fork", { sessionKey, runId, include: true })).rejects.toThrow(
    "still being answered",
  );
  const before = await scene.call("sessions.fork", { sessionKey, runId, include: false });
  expect(await said(scene, before.sessionKey)).toEqual(["hello"]);
  await expect(scene.call("sessions.fork", { sessionKey, runId: "run_none", include: true })).rejects.toThrow(
    "There is no run run_none in this session.",
  );
});

test("a copy that fails leaves nothing, and one that a crash cut short is swept away with its file", async () => {
  let stores: GatewayStores | undefined;
  let broken: "no" | "fails" | "dies" = "no";
  const never = new Promise<never>(() => undefined);
  await using scene = await open({
    wrapStores: (opened) => {
      stores = opened;
      const finish: typeof opened.forks.finish = async (tenant, fork) => {
        if (broken === "fails") throw new FailureError(failure("STORAGE_FULL", "The disk is full."));
        return broken === "dies" ? never : opened.forks.finish(tenant, fork);
      };
      return { ...opened, forks: { ...opened.forks, finish } };
    },
  });
  const { sessionKey, runId } = await scene.run({ says: "hello" });
  const files = () => readdirSync(join(scene.home, "sessions", "default")).length;
  const sessions = async () => (await scene.call("sessions.list", {})).sessions.length;
  broken = "fails";
  await expect(scene.call("sessions.fork", { sessionKey, runId, include: true })).rejects.toThrow(
    "disk is full",
  );
  expect([files(), await sessions()]).toEqual([1, 1]);

  broken = "dies";
  void scene.client.call("sessions.fork", { sessionKey, runId, include: true }).catch(() => undefined);
  await expect.poll(files).toBe(2);
  expect(await sessions()).toBe(1);
  const sweep = (now: number) =>
    sweepForks({ stores: stores!, forks: stores!.forks, clock: { now: () => now } }, "default");
  expect(await sweep(Date.now())).toBe(0);
  expect(await sweep(Date.now() + LIMITS.forkMs + 1)).toBe(1);
  expect(files()).toBe(1);
  expect(await sweep(Date.now() + LIMITS.forkMs + 1)).toBe(0);
});

test("calls of copied runs stay known until the last session that holds their results is purged", async () => {
  let stores: GatewayStores | undefined;
  await using scene = await open({ wrapStores: (opened) => (stores = opened) });
  const read = ["files.file.list", { path: "." }] as const;
  const { sessionKey, runId } = await scene.run({ calls: [read] });
  const { runId: later } = await scene.run({ calls: [read], sessionKey });
  const fork = await scene.call("sessions.fork", { sessionKey, runId, include: true });
  const again = await scene.call("sessions.fork", { sessionKey: fork.sessionKey, runId, include: true });
  const left = async () => [
    (await stores!.ledger.callsOfRun("default", runId)).length,
    (await stores!.ledger.callsOfRun("default", later)).length,
  ];
  const purge = (id: string) => stores!.sessions.purge("default", id);
  expect(await left()).toEqual([1, 1]);
  await purge(again.sessionKey);
  expect(await left()).toEqual([1, 1]);
  await purge(sessionKey);
  expect(await left()).toEqual([1, 0]);
  await purge(fork.sessionKey);
  expect(await left()).toEqual([0, 0]);
});
