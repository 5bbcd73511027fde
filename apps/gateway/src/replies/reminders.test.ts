import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { startLyingModel, type LyingScript } from "@elwood/testkit/lying-model";
import { expect, test } from "vitest";
import { ALLOWED, ASKED, EXPIRING, lyingScene, type LyingScene } from "./test-lying-scene.ts";

const LIE = "All set! I'll remind you tomorrow at 9.";
const WITHHELD = "◈ The draft of this reply said more than the receipts show, so it is left out.";
const remind = (ends?: string) => ({
  laps: [[{ tool: "reminder.item.create", input: { what: "tomorrow 09:00", ...(ends ? { ends } : {}) } }]],
  says: LIE,
});
const bare = (evidence: string) => evidence.replace(/ · ◈ receipts \d+ · [0-9a-f]{16}$/u, "");

async function waiting(scene: LyingScene<LyingScript>): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const { approvals } = await scene.client.call("approvals.list", { status: "pending" });
    if (approvals[0]) return approvals[0].approvalId;
  }
  throw new Error("nothing waits");
}

test("OA-14: a reminder is done only where the receipt says so, and is then marked", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, sessionKey, runId } = await scene.tell({
    ...remind(),
    says: "I'll remind you tomorrow at 9 [c1]. Anything else?",
  });
  expect(reply.text).toBe("I'll remind you tomorrow at 9. [✓ c1] Anything else?");
  expect(bare(reply.evidence)).toBe("✓ reminder.item.create → tomorrow 09:00");
  expect("segments" in reply && reply.segments.filter(({ verified }) => verified)).toEqual([
    { text: "I'll remind you tomorrow at 9.", by: "model", cites: ["c1"], verified: true },
  ]);
  // The same on the other surfaces: history, export, and the store once the feed is gone.
  const { messages } = await scene.client.call("chat.history", { sessionKey });
  expect(messages.at(-1)).toMatchObject({ content: reply.text, meta: { evidence: reply.evidence } });
  const { content } = await scene.client.call("sessions.export", { sessionKey, format: "markdown" });
  expect(content).toContain(reply.text);
  expect(content).toContain(reply.evidence);
  expect(receipts(scene, runId, "reply.grounded")).toMatchObject([
    { verdict: "grounded", problems: [], changed: ["marks"], cited: 1, verified: 1 },
  ]);
});

test("OA-14: a reminder that failed is told as failed, whatever the model says, twice", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell(remind("failed"));
  expect(reply.text).toBe(`◈ Not done, the call failed: reminder.item.create → tomorrow 09:00.\n${WITHHELD}`);
  expect(bare(reply.evidence)).toBe("✗ reminder.item.create → tomorrow 09:00 (failed)");
  // One lap for the call, one for the lie, one to mend it: never a second.
  expect(model.asked("script-0")).toBe(3);
  const [receipt] = receipts(scene, runId, "reply.grounded");
  expect(receipt).toMatchObject({ verdict: "withheld", changed: ["withheld", "sentences"], verified: 0 });
  expect(receipt!["problems"]).not.toEqual([]);
  // The lie lies in the body that can be erased, and nowhere else.
  expect(body(scene, String(receipt!["draftCommit"]))).toEqual([LIE, LIE]);
});

test("OA-14: a reply that the model mends goes out with Elwood's sentence before it", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const mends = "I could not set the reminder: the service refused it. Shall I try again?";
  const { reply, runId } = await scene.tell({ ...remind("failed"), mends });
  expect(reply.text).toBe(`◈ Not done, the call failed: reminder.item.create → tomorrow 09:00.\n\n${mends}`);
  expect(receipts(scene, runId, "reply.grounded")).toMatchObject([{ verdict: "repaired" }]);
});

test("OA-14: a reminder that the owner denied is told as denied", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ASKED);
  const { runId } = await scene.begin(remind());
  await scene.client.call("exec.deny", { approvalId: await waiting(scene) });
  const reply = await scene.ended(runId);
  expect(reply.text).toBe(
    `◈ Not done, the call was denied: reminder.item.create → tomorrow 09:00.\n${WITHHELD}`,
  );
  expect(bare(reply.evidence)).toBe("⊘ reminder.item.create → tomorrow 09:00 (denied)");
});

test("OA-14: a reminder that waits is told as waiting, and is done once it was allowed", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ASKED);
  const { runId } = await scene.begin({ ...remind(), says: "I'll remind you tomorrow at 9 [c1]." });
  const approvalId = await waiting(scene);
  const asked = await scene.client.call("runs.activity", { runId });
  expect(asked.sentences).toEqual([
    "◈ Not done yet, it waits for your approval: reminder.item.create → tomorrow 09:00.",
  ]);
  expect(bare(asked.evidence)).toBe("⏸ reminder.item.create → tomorrow 09:00 (waiting for you)");
  await scene.client.call("exec.approve", { approvalId });
  expect((await scene.ended(runId)).text).toBe("I'll remind you tomorrow at 9. [✓ c1]");
});

test("OA-14: a reminder that nobody allowed in time is told as expired, which is not denied", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, EXPIRING);
  const { reply } = await scene.tell(remind());
  expect(reply.text).toBe(
    `◈ Not done, nobody answered in time: reminder.item.create → tomorrow 09:00.\n${WITHHELD}`,
  );
  expect(bare(reply.evidence)).toBe("⌛ reminder.item.create → tomorrow 09:00 (expired)");
});

test("OA-14: a reminder whose tool broke off is told as unknown, not as done and not as failed", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply } = await scene.tell(remind("unknown"));
  expect(reply.text).toBe(
    `◈ Started, but no result came back: reminder.item.create → tomorrow 09:00. It may have happened; look before you try again.\n${WITHHELD}`,
  );
  expect(bare(reply.evidence)).toBe("⁇ reminder.item.create → tomorrow 09:00 (unknown)");
});

test("OA-6: a reminder that is promised without any call is not promised", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell({ says: LIE });
  expect(reply.text).toBe(`◈ Nothing was done: no tool ran.\n${WITHHELD}`);
  expect(bare(reply.evidence)).toBe("No tool ran for this reply.");
  // What was changed is on record, between the run's beginning and its end.
  expect(receipts(scene, runId).map(({ type }) => type)).toEqual([
    "run.started",
    "reply.grounded",
    "run.finished",
  ]);
});

test("a reply without a call that says nothing untrue costs no receipt", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell({ says: "Good morning!" }, "Hello.");
  expect(reply.text).toBe("Good morning!");
  expect(model.asked("script-0")).toBe(1);
  expect(receipts(scene, runId)).toEqual([]);
});

function receipts(
  { home }: LyingScene<LyingScript>,
  runId: string,
  type?: string,
): Record<string, unknown>[] {
  const database = new DatabaseSync(join(home, "elwood.db"), { readOnly: true });
  const rows = database
    .prepare("SELECT type, payload FROM receipts WHERE run_id = ? ORDER BY seq")
    .all(runId);
  database.close();
  return rows
    .filter((row) => type === undefined || row["type"] === type)
    .map((row) => ({ type: row["type"], ...(JSON.parse(String(row["payload"])) as object) }));
}

function body({ home }: LyingScene<LyingScript>, commit: string): unknown {
  const database = new DatabaseSync(join(home, "elwood.db"), { readOnly: true });
  const row = database.prepare("SELECT value FROM bodies WHERE commitment = ?").get(commit);
  database.close();
  return JSON.parse(String(row?.["value"]));
}
