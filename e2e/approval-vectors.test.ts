import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, pendingOf, runCalls, WRITE, type Scene } from "./act-scene.ts";
import { DISPLAY_VECTORS } from "./approval-vectors.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await actScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

async function cardOf(approvalId: string): Promise<WireApproval> {
  return ((await scene.owner.result("approvals.get", { approvalId })) as { approval: WireApproval }).approval;
}

/** Everything that deceives the eye, by Unicode's own classes; a plain newline is kept apart. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u3164\u115f]|[\ufe00-\ufe0f]/u;

test.each(DISPLAY_VECTORS)("$id: $expect", async ({ display, line }) => {
  const question = await runCalls(scene, [{ tool: "owner.question.ask", input: { question: display } }]);
  const heard = await scene.owner.until(
    (f) => f.event === "owner.question" && f.data?.["runId"] === question.runId,
  );
  expect(heard.data!["question"]).toBe(line);
  await scene.owner.result("chat.abort", { runId: question.runId });

  const { runId } = await runCalls(scene, [WRITE("shown.txt", display)]);
  const { approvalId } = await asked(scene.owner, runId);
  const card = await cardOf(approvalId);
  const content = (card.details as { content: string }).content;
  expect(content.replaceAll("\n", "\\n")).toBe(line);
  expect(card.preview?.after?.replaceAll("\n", "\\n")).toBe(line);
  expect(JSON.stringify(card).replaceAll("\\n", "")).not.toMatch(DECEPTIVE);
  await scene.owner.result("exec.approve", { approvalId });
  await finalOf(scene.owner, runId);
  // What runs is what was asked for, byte for byte; only the showing is escaped.
  expect(fileIn(scene.home, "shown.txt").text).toBe(Buffer.from(display, "utf8").toString("utf8"));
});

test("a name that deceives is written out in the sentence, the target and the evidence too", async () => {
  const { runId } = await runCalls(scene, [WRITE("invoice\u202efdp.sh", "x")]);
  const final = scene.owner.until(
    (f) => f.data?.["runId"] === runId && (f.event === "exec.approval_request" || f.event === "chat.final"),
  );
  const { event, data } = await final;
  expect(JSON.stringify(data)).not.toMatch(/\u202e/);
  if (event === "exec.approval_request") {
    expect(data!["summary"]).toContain("invoice\\u202efdp.sh");
    await scene.owner.result("exec.deny", { approvalId: data!["approvalId"] });
    await finalOf(scene.owner, runId);
  }
});

test("approval-112: a long input is shown whole, and one that cannot be is not offered", async () => {
  const long = `${"x".repeat(4_990)} && rm -rf`;
  const whole = await runCalls(scene, [WRITE("long.txt", long)]);
  const card = await asked(scene.owner, whole.runId);
  expect(card.showable).toBe(true);
  expect((card.details as { content: string }).content).toBe(long);
  await scene.owner.result("exec.deny", { approvalId: card.approvalId });
  await finalOf(scene.owner, whole.runId);

  const tooLong = await runCalls(scene, [WRITE("too-long.txt", "y".repeat(60_000))]);
  const { approvalId, showable, details } = await asked(scene.owner, tooLong.runId);
  expect(showable).toBe(false);
  expect((details as { content: string }).content).toHaveLength(60_000);
  for (const how of [{}, { decision: "always" }, { window: { minutes: 1 } }]) {
    const { error } = await scene.owner.ask("exec.approve", { approvalId, ...how });
    expect(error?.message).toContain("too long to be shown whole");
  }
  expect((await pendingOf(scene.owner)).map((a) => a.approvalId)).toEqual([approvalId]);
  expect(await scene.owner.result("exec.deny", { approvalId })).toMatchObject({ ok: true });
  await finalOf(scene.owner, tooLong.runId);
  expect(fileIn(scene.home, "too-long.txt").text).toBeUndefined();
});

test("half a character is refused with a sentence, and the run goes on", async () => {
  const { runId, told } = await runCalls(scene, [WRITE("half.txt", "a\ud800b"), WRITE("b\udc00.txt", "x")]);
  const final = await finalOf(scene.owner, runId);
  expect(told().join(" ")).toContain("lone surrogate");
  expect(final.activity).toEqual([]);
  expect(await scene.owner.result("receipts.verify")).toMatchObject({ verdict: { status: "intact" } });
});
