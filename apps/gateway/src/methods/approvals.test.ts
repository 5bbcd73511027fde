import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import type { GatewayStores } from "../gateway.ts";
import { openScene } from "../../test/methods/test-scene.ts";

test("until an approval is on disk nobody is told of it: it is pending, in no list, and whoever looks closer waits", async () => {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  let stores: GatewayStores | undefined;
  const onDisk = Promise.withResolvers<void>();
  await using scene = await openScene(model, {
    config: "policy:\n  mode: strict\n",
    wrapStores: (opened) => {
      stores = opened;
      const write: typeof opened.ledger.write = async (tenant, unit) => {
        const written = await opened.ledger.write(tenant, unit);
        if (unit.applied) await onDisk.promise;
        return written;
      };
      return { ...opened, ledger: { ...opened.ledger, write } };
    },
  });
  const path = "notes.txt";
  const { asks, runId } = await scene.run({
    calls: [["files.file.write", { path, content: "x" }]],
    decide: () => "wait",
  });
  const { approvalId, callId } = asks[0]!;
  const told: string[] = [];
  const allowed = scene.call("exec.approve", { approvalId }).then(({ decided }) => decided.status);
  await expect
    .poll(async () => (await stores!.ledger.approval("default", approvalId))?.status)
    .toBe("approved");
  const looked = scene.call("calls.get", { callId }).then(({ call }) => told.push(call.state));
  const denied = scene.call("exec.deny", { approvalId }).then(({ decided }) => told.push(decided.status));
  expect((await scene.call("approvals.get", { approvalId })).approval.decided.status).toBe("pending");
  for (const status of ["pending", "approved"] as const)
    expect((await scene.call("approvals.list", { status })).approvals).toEqual([]);
  expect(await scene.call("approvals.list", {})).toMatchObject({
    approvals: [{ approvalId, decided: { status: "pending" } }],
  });
  await nextEventLoopTurn();
  expect(told).toEqual([]);
  onDisk.resolve();
  expect(await allowed).toBe("approved");
  await Promise.all([looked, denied]);
  expect(told).toContain("approved");
  await expect
    .poll(async () => (await scene.call("calls.list", { runId })).calls[0]?.status)
    .toBe("succeeded");
  expect((await scene.call("approvals.list", { status: "approved" })).approvals).toHaveLength(1);
});
