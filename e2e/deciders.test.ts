import { afterAll, beforeAll, expect, test } from "vitest";
import { actScene, asked, finalOf, receiptsIn, runCalls, WRITE, type Scene } from "./act-scene.ts";
import { Wire } from "./conformance/wire.ts";
import { ending } from "./conversation.ts";

let scene: Scene;
let phone: Wire;
beforeAll(async () => {
  scene = await actScene();
  const made = await scene.owner.result("tokens.create", { name: "my phone", scopes: ["chat", "approve"] });
  phone = await Wire.authenticated(scene.gateway.url, String(made["token"]), { name: "pocket" });
});
afterAll(() => scene[Symbol.asyncDispose]());

const PHONE = { kind: "owner", id: "my phone", surface: "pocket" };

test("who stopped a run is on record by the name of their token and where they were", async () => {
  const { runId } = await runCalls(scene, [WRITE("a.txt", "one")]);
  await asked(scene.owner, runId);
  await phone.result("chat.abort", { runId });
  await ending(scene.owner, runId);
  const [denied] = receiptsIn(scene.home, { runId, type: "tool.call.denied" });
  expect(denied?.payload["decidedBy"]).toEqual(PHONE);
  await expect
    .poll(() => receiptsIn(scene.home, { runId, type: "run.finished" })[0]?.payload)
    .toMatchObject({ status: "aborted", stoppedBy: "my phone", stoppedFrom: "pocket" });
});

test("who took a call back is on record by the name of their token and where they were", async () => {
  const { runId } = await runCalls(scene, [WRITE("b.txt", "one")]);
  await scene.owner.result("exec.approve", { approvalId: (await asked(scene.owner, runId)).approvalId });
  await finalOf(scene.owner, runId);
  const [{ callId } = { callId: null }] = receiptsIn(scene.home, { runId, type: "tool.call.succeeded" });
  await phone.result("calls.undo", { callId });
  const undone = receiptsIn(scene.home, { runId, type: "tool.call.approved" }).at(-1);
  expect(undone?.payload["decidedBy"]).toEqual(PHONE);
  expect(undone?.actor).toBe("my phone");
});
