import { expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  evidenceOf,
  type Final,
  ownOf,
  fileIn,
  finalOf,
  pendingOf,
  receiptsIn,
  resolved,
  runCalls,
  trail,
  WRITE,
} from "./act-scene.ts";
import { send } from "./conversation.ts";

test("approval-110 OA-5: kill -9 while it waits: it waits on, runs unasked by nobody, and runs once when another client allows it", async () => {
  await using scene = await actScene();
  const file = fileIn(scene.home, "survive.txt");
  const { runId, told } = await runCalls(scene, [WRITE("survive.txt", "once\n")]);
  const before = await asked(scene.owner, runId);
  for (let round = 0; round < 2; round++) {
    await scene.kill();
    await scene.restart();
    const [waiting] = await pendingOf(scene.owner);
    expect(waiting).toMatchObject({
      approvalId: before.approvalId,
      digest: before.digest,
      details: before.details,
      preview: before.preview,
      expiresAt: before.expiresAt,
    });
    expect(file.text).toBeUndefined();
  }
  const another = await scene.other("another");
  await another.result("chat.resume", { runId });
  await another.result("exec.approve", { approvalId: before.approvalId });
  const final = await finalOf(another, runId);
  expect(file.text).toBe("once\n");
  expect(evidenceOf(final)).toBe("✓ Wrote survive.txt");
  expect(trail(scene.home, runId)).toEqual(["requested", "asked", "approved", "started", "succeeded"]);
  expect(told()).toHaveLength(1);
  await scene.kill();
  await scene.restart();
  expect(await scene.owner.result("exec.deny", { approvalId: before.approvalId })).toMatchObject({
    ok: false,
    decided: { status: "approved" },
  });
});

test("killed right after the answer: the run goes on by itself, nobody is asked again, and what it says of the call is true", async () => {
  await using scene = await actScene();
  const { runId, told } = await runCalls(scene, [WRITE("after.txt", "x")]);
  const { approvalId } = await asked(scene.owner, runId);
  await scene.owner.result("exec.approve", { approvalId });
  await scene.kill();
  await scene.restart();
  const { snapshot } = (await scene.owner.result("chat.resume", { runId })) as {
    snapshot: { final?: Final };
  };
  // It may have ended before anybody asked.
  const final = snapshot.final ?? (await finalOf(scene.owner, runId));
  expect(await pendingOf(scene.owner)).toEqual([]);
  const types = trail(scene.home, runId);
  for (const once of ["asked", "approved", "started"])
    expect(types.filter((type) => type === once)).toEqual([once]);
  // Where the kill came between the start of the call and its effect, it is looked up that nothing was done.
  const wasMade = types.at(-1) === "succeeded";
  if (!wasMade) expect(types.slice(-3)).toEqual(["unknown", "settled", "failed"]);
  expect(fileIn(scene.home, "after.txt").text).toBe(wasMade ? "x" : undefined);
  // What was allowed and not made is told to both.
  if (!wasMade) expect(ownOf(final)).toEqual([expect.stringContaining("after.txt")]);
  expect(told()).toEqual([expect.stringContaining(wasMade ? "after.txt" : "did not take effect")]);
});

test("a question waits through kill -9 too", async () => {
  await using scene = await actScene({ demo: true });
  const { sessionKey } = (await scene.owner.result("sessions.create")) as { sessionKey: string };
  const runId = await send(scene.owner, sessionKey, "ask me something");
  await scene.owner.until((f) => f.event === "owner.question");
  await scene.kill();
  await scene.restart();
  const [question] = await pendingOf(scene.owner);
  expect(question).toMatchObject({ kind: "question", summary: "What shall I call you?" });
  await scene.owner.result("chat.resume", { runId });
  await scene.owner.result("owner.answer", { questionId: question!.approvalId, answer: "Bo" });
  expect((await finalOf(scene.owner, runId)).text).toContain("You answered: “Bo”");
});

test("expired is not denied: nobody decided, and every surface says so", async () => {
  await using scene = await actScene({ config: "policy:\n  approvalExpiryHours: 0.0003\n" });
  fileIn(scene.home, "late.txt").put("still here\n");
  const { runId, told } = await runCalls(scene, [DELETE("late.txt")]);
  const { approvalId, expiresAt } = await asked(scene.owner, runId);
  expect(await resolved(scene.owner, approvalId)).toMatchObject({
    decided: "expired",
    by: { kind: "expiry" },
    surface: "gateway",
  });
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
  const final = await finalOf(scene.owner, runId);
  expect(final.activity).toEqual([expect.objectContaining({ status: "expired" })]);
  expect(ownOf(final)).toEqual([
    expect.stringMatching(/^◈ Not done, nobody answered in time: delete files? → late\.txt\.$/u),
  ]);
  expect(told()[0]).toContain("The owner did not deny it");
  expect(trail(scene.home, runId)).toEqual(["requested", "asked", "expired"]);
  expect(await scene.owner.result("exec.approve", { approvalId })).toMatchObject({
    ok: false,
    decided: { status: "expired" },
  });
  expect(fileIn(scene.home, "late.txt").text).toBe("still here\n");
});

test("what expires while the gateway is away has expired when it is back", async () => {
  await using scene = await actScene({ config: "policy:\n  approvalExpiryHours: 0.0003\n" });
  const { runId } = await runCalls(scene, [WRITE("away.txt", "x")]);
  const { expiresAt } = await asked(scene.owner, runId);
  await scene.kill();
  await expect.poll(() => Date.now() > expiresAt, { timeout: 60_000 }).toBe(true);
  await scene.restart();
  await expect.poll(() => trail(scene.home, runId).at(-1)).toBe("expired");
  expect(fileIn(scene.home, "away.txt").text).toBeUndefined();
});

test("approval-111: no approver configured: denied with that reason, and nobody is asked", async () => {
  await using scene = await actScene({ config: "policy:\n  approver: false\n" });
  const { runId, told } = await runCalls(scene, [WRITE("nobody.txt", "x")]);
  const final = await finalOf(scene.owner, runId);
  expect(told()[0]).toContain("no approver is configured");
  expect(ownOf(final)).toEqual([
    expect.stringMatching(/^◈ Not done, blocked by rule: write files? → nobody\.txt\.$/u),
  ]);
  expect(scene.owner.pushesOf(runId).map((f) => f.event)).not.toContain("exec.approval_request");
  expect(receiptsIn(scene.home, { runId, type: "tool.call.denied" })[0]?.payload).toMatchObject({
    decidedBy: { kind: "none" },
  });
  expect(fileIn(scene.home, "nobody.txt").text).toBeUndefined();
});

test("nobody connected is not nobody: the question waits for whoever comes", async () => {
  await using scene = await actScene();
  const { runId } = await runCalls(scene, [WRITE("alone.txt", "x")]);
  await scene.owner.close();
  const later = await scene.other("later");
  await expect.poll(async () => (await pendingOf(later)).map((a) => a.runId)).toEqual([runId]);
  const [waiting] = await pendingOf(later);
  await later.result("exec.approve", { approvalId: waiting!.approvalId });
  await expect.poll(() => fileIn(scene.home, "alone.txt").text).toBe("x");
});
