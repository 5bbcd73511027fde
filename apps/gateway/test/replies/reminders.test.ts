import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { EventData } from "@elwood/core/protocol/events";
import { startLyingModel, type LyingScript } from "@elwood/testkit/lying-model";
import { expect, test } from "vitest";
import { ALLOWED, ASKED, EXPIRING, lyingScene, type LyingScene } from "./test-lying-scene.ts";

const LIE = "All set! I'll remind you tomorrow at 9.";
const remind = (ends?: string) => ({
  laps: [[{ tool: "reminder.item.create", input: { what: "tomorrow 09:00", ...(ends ? { ends } : {}) } }]],
  says: LIE,
});
const WHAT = "create reminder item → tomorrow 09:00";

type Ended = EventData<"chat.final"> | EventData<"chat.error">;
const own = ({ segments = [] }: Ended) =>
  segments.filter(({ by }) => by === "gateway").map(({ text }) => text);
const marked = ({ segments = [] }: Ended) =>
  segments.filter(({ verified }) => verified === "unsupported").map(({ text }) => text.trim());

async function waiting(scene: LyingScene<LyingScript>): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const { approvals } = await scene.client.call("approvals.list", { status: "pending" });
    if (approvals[0]) return approvals[0].approvalId;
  }
  throw new Error("nothing waits");
}

test("OA-14: a reminder is done only where the receipt says so, and then has its tick on every surface", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, sessionKey, runId } = await scene.tell({
    ...remind(),
    says: "I'll remind you tomorrow at 9 [c1]. Anything else?",
  });
  expect(reply.text).toBe("I'll remind you tomorrow at 9. Anything else?");
  expect(reply.evidence).toBe("✓ Created tomorrow 09:00");
  expect(reply.segments).toEqual([
    { text: "I'll remind you tomorrow at 9.", by: "model", cites: ["c1"], verified: "supported" },
    { text: " Anything else?", by: "model" },
  ]);
  expect(reply.log).toMatchObject({
    size: expect.any(Number),
    root: expect.stringMatching(/^[0-9a-f]{64}$/u),
  });
  // The same on the other surfaces: history, export, and the store once the feed is gone.
  const { messages } = await scene.client.call("chat.history", { sessionKey });
  const { evidence, log, segments } = reply;
  expect(messages.at(-1)).toMatchObject({ content: reply.text, meta: { evidence, log, segments } });
  const { content } = await scene.client.call("sessions.export", { sessionKey, format: "markdown" });
  expect(content).toContain("I'll remind you tomorrow at 9.");
  expect(content).toContain(evidence);
  expect(receipts(scene, runId, "reply.grounded")).toMatchObject([
    { verdict: "clear", marks: [], cited: 1, supported: 1, notDone: 0 },
  ]);
});

test("OA-14: of a reminder that failed the answer is delivered whole, marked, with Elwood's sentence, though the model says it twice", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell(remind("failed"));
  expect(reply.text).toBe(`${LIE}\n\n${LIE}`);
  expect(own(reply)).toEqual([`◈ Not done, it failed: ${WHAT}.`]);
  expect(marked(reply)).toContain("I'll remind you tomorrow at 9.");
  expect(reply.evidence).toMatch(/^◈ \d statements? (?:is|are) not verified$/u);
  // One lap for the call, one for the lie, one to mend it: never a second.
  expect(model.asked("script-0")).toBe(3);
  const [receipt] = receipts(scene, runId, "reply.grounded");
  expect(receipt).toMatchObject({ verdict: "repaired", supported: 0, notDone: 1 });
  expect(receipt!["marks"]).toContainEqual({ kind: "not-succeeded", cites: ["c1"] });
  // What the model wrote lies in the body that can be erased, and nowhere else on record.
  expect(body(scene, String(receipt!["draftCommit"]))).toEqual([LIE, LIE]);
  expect(JSON.stringify(receipt)).not.toContain("All set");
});

test("OA-14: a reply that the model mends in words keeps its draft, and nothing marks what is true", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const says = "I could not set the reminder: the service refused it. Shall I try again?";
  const { reply, runId } = await scene.tell({ ...remind("failed"), mends: { says } });
  expect(reply.text).toBe(`${LIE}\n\n${says}`);
  expect(own(reply)).toEqual([`◈ Not done, it failed: ${WHAT}.`]);
  for (const sentence of marked(reply)) expect(LIE).toContain(sentence);
  expect(receipts(scene, runId, "reply.grounded")).toMatchObject([{ verdict: "repaired" }]);
});

test("OA-14: a reply that the model mends with a call is true in the end: no mark, nothing left to report", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { laps } = remind();
  const mends = { laps, says: "The first try failed; I tried again and the reminder is set [c2]." };
  const { reply, runId, sessionKey } = await scene.tell({ ...remind("failed"), mends });
  expect(reply.text).toBe(`${LIE}\n\nThe first try failed; I tried again and the reminder is set.`);
  expect(marked(reply)).toEqual([]);
  expect(own(reply)).toEqual([]);
  expect(reply.evidence).toBe("✓ Created tomorrow 09:00");
  expect(model.asked("script-0")).toBe(4);
  expect(receipts(scene, runId, "reply.grounded")).toMatchObject([
    { verdict: "repaired", marks: [], notDone: 0 },
  ]);
  // The answer stands once, and the next turn's model sees neither the note nor a word of Elwood's.
  const again = await scene.tell({ says: "Hello." }, "Hi.", undefined, sessionKey);
  expect(again.reply.text).toBe("Hello.");
  const request = JSON.stringify(model.lastRequest()["messages"]);
  expect(request.split("All set!")).toHaveLength(2);
  expect(request).not.toContain("Elwood, not the owner");
});

test("OA-14: a reminder that the owner denied is reported as denied", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ASKED);
  const { runId } = await scene.begin(remind());
  await scene.client.call("exec.deny", { approvalId: await waiting(scene) });
  const reply = await scene.ended(runId);
  expect(reply.text).toBe(`${LIE}\n\n${LIE}`);
  expect(own(reply)).toEqual([`◈ Not done, you said no: ${WHAT}.`]);
  expect(marked(reply)).not.toEqual([]);
});

test("OA-14: a reminder that waits is told as waiting, and is done once it was allowed", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ASKED);
  const { runId } = await scene.begin({ ...remind(), says: "I'll remind you tomorrow at 9 [c1]." });
  const approvalId = await waiting(scene);
  const asked = await scene.client.call("runs.activity", { runId });
  expect(asked.sentences).toEqual([`◈ Not done yet, it waits for your approval: ${WHAT}.`]);
  expect(asked.evidence).toBe("");
  expect(asked.log).toMatchObject({ size: expect.any(Number) });
  await scene.client.call("exec.approve", { approvalId });
  const reply = await scene.ended(runId);
  expect(reply.segments).toEqual([
    { text: "I'll remind you tomorrow at 9.", by: "model", cites: ["c1"], verified: "supported" },
  ]);
  expect((await scene.client.call("runs.activity", { runId })).sentences).toEqual([]);
});

test("OA-14: a reminder that nobody allowed in time is reported as expired, which is not denied", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, EXPIRING);
  const { reply } = await scene.tell(remind());
  expect(own(reply)).toEqual([`◈ Not done, nobody answered in time: ${WHAT}.`]);
  expect(marked(reply)).not.toEqual([]);
});

test("OA-14: a reminder whose tool broke off is reported as unknown, not as done and not as failed", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply } = await scene.tell(remind("unknown"));
  expect(own(reply)).toEqual([
    `◈ Started, but no result came back: ${WHAT}. It may have happened; look before you try again.`,
  ]);
  expect(reply.segments?.some(({ verified }) => verified === "supported")).toBe(false);
});

test("OA-6: a reminder that is promised without any call is marked, and on record", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell({ says: LIE, mends: { says: "" } });
  expect(reply.text).toBe(LIE);
  expect(marked(reply)).not.toEqual([]);
  expect(own(reply)).toEqual([]);
  expect(reply.evidence).toMatch(/^◈ \d statements? (?:is|are) not verified$/u);
  expect(reply.log).toBeUndefined();
  // Between the run's beginning and its end.
  expect(receipts(scene, runId).map(({ type }) => type)).toEqual([
    "run.started",
    "reply.grounded",
    "run.finished",
  ]);
});

test("a reply without a call that says nothing untrue costs no receipt and has nothing under it", async () => {
  const model = await startLyingModel();
  await using scene = await lyingScene(model, ALLOWED);
  const { reply, runId } = await scene.tell({ says: "Good morning!" }, "Hello.");
  expect(reply).toMatchObject({ text: "Good morning!", evidence: "" });
  expect(reply.segments).toEqual([{ text: "Good morning!", by: "model" }]);
  expect(reply.log).toBeUndefined();
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
