import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { actScene, asked, finalOf, runCalls, WRITE, type Asked } from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";
import type { Wire } from "./conformance/wire.ts";

/** What was forgotten during a run is erased from its conversation once the run is over. */
async function erased(owner: Wire): Promise<void> {
  await expect
    .poll(async () => ((await owner.result("memory.status", {})) as { forgetting: number }).forgetting)
    .toBe(0);
}

test("a model can forget a note, says what stays in conversations, and can erase that too where the owner allows it", async () => {
  await using scene = await actScene();
  const { owner, model } = scene;
  const say = async (words: string) => {
    const sessionKey = await openSession(owner);
    await finalOf(owner, await send(owner, sessionKey, words));
    return sessionKey;
  };
  const first = await say(`Clara must not eat hazelnuts. ${model.plan([], "Noted: Clara, no hazelnuts.")}`);
  const allowed = async (calls: Parameters<typeof runCalls>[1]): Promise<Asked & { told: string }> => {
    const { runId, told } = await runCalls(scene, calls, { reply: "That is all." });
    const question = await asked(owner, runId);
    await owner.result("exec.approve", { approvalId: question.approvalId });
    await finalOf(owner, runId);
    return { ...question, told: told().join("\n") };
  };
  const forget = (input: unknown) => [{ tool: "memory.note.forget", input }];
  await allowed([{ tool: "memory.note.save", input: { key: "clara", content: "- Clara: no hazelnuts" } }]);

  const note = await allowed(forget({ key: "clara" }));
  expect(note.card).toMatchObject({
    title: "Forget the note clara",
    note: "1 line · cannot be undone",
    destructive: true,
    body: { lines: [{ mark: "-", line: "Clara: no hazelnuts" }] },
    effects: [
      { words: "what conversations say of it stays; to erase that too: elwood memory forget --word clara" },
    ],
    told: { done: "Forgot the note clara" },
  });
  expect(note.told).toContain("What conversations say of it is not: it stays there, and can be recalled.");
  expect(note.told).toContain("elwood memory forget --word clara");

  const history = async () =>
    ((await owner.result("chat.history", { sessionKey: first })) as { messages: WireMessage[] }).messages;
  expect(JSON.stringify(await history())).toContain("hazelnuts");
  await erased(owner);
  const word = await allowed(forget({ word: "hazelnuts" }));
  expect(word.card).toMatchObject({
    title: "Forget everything that mentions “hazelnuts”",
    note: expect.stringMatching(/^\d+ messages in \d conversations? · cannot be undone$/),
    destructive: true,
  });
  const { body } = word.card;
  const lines = body.kind === "diff" ? body.lines.map(({ line }) => line) : [];
  expect(lines).toContain("Noted: Clara, no hazelnuts.");
  expect(word.told).toContain("is erased as soon as this answer is finished");
  // What the conversation itself says of it goes with the rest once the run is over.
  await erased(owner);
  expect(JSON.stringify(await history())).not.toContain("hazelnuts");
  const plan = await owner.result("memory.forget", { word: "hazelnuts", dryRun: true });
  expect(plan).toMatchObject({ total: 0, still: [] });
});

test("the card of a word shows what was written and told, and calls that do not mention it keep their words", async () => {
  await using scene = await actScene();
  const { owner } = scene;
  const save = (key: string, content: string) => ({ tool: "memory.note.save", input: { key, content } });
  const saved = await runCalls(scene, [save("choir", "- Choir on Wednesday"), save("pay", "- Pay Ottokar")]);
  for (const nth of [0, 1]) {
    const { approvalId } = await asked(owner, saved.runId, nth);
    await owner.result("exec.approve", { approvalId });
  }
  await finalOf(owner, saved.runId);
  const search = { tool: "memory.note.search", input: { query: "Ottokar" } };
  await finalOf(owner, (await runCalls(scene, [search], { reply: "Ottokar is to be paid." })).runId);
  const forget = { tool: "memory.note.forget", input: { word: "Ottokar" } };
  const { runId, sessionKey } = await runCalls(scene, [forget], { reply: "All about Ottokar is gone." });
  const { approvalId, card } = await asked(owner, runId);
  const lines = card.body.kind === "diff" ? card.body.lines.map(({ line }) => line) : [];
  expect(lines).toEqual(["Pay Ottokar", "Ottokar is to be paid."]);
  expect(card.note).toBe(
    "1 message in 1 conversation, 1 line of 1 note, what 2 calls used · cannot be undone",
  );
  await owner.result("exec.approve", { approvalId });
  await finalOf(owner, runId);
  await erased(owner);
  const { messages } = await owner.result("chat.history", { sessionKey: saved.sessionKey });
  expect(JSON.stringify(messages)).toContain("Choir on Wednesday");
  // The confirmation held the word and is gone; how much went is still told in its place.
  const asking = await owner.result("chat.history", { sessionKey });
  expect((asking as { messages: WireMessage[] }).messages.at(-1)).toMatchObject({
    blocks: [],
    meta: {
      forgotten: true,
      forgot: expect.stringMatching(/^\d+ messages, 1 line of 1 note, what \d+ calls used$/),
    },
  });
  expect(holders(scene.home, "ottokar")).toEqual([]);
});

test("after a word is forgotten no byte of it is left, also of why calls were asked about, refused, failed and denied", async () => {
  await using scene = await actScene();
  const { owner, home } = scene;
  const denied = await runCalls(scene, [WRITE("maren-1.txt", "x"), WRITE("../../maren-2.txt", "x")], {
    // A wish for a file that it does not name: why it asks quotes the one that the model chose.
    ask: "Please write the file.",
  });
  const { approvalId, reason } = await asked(owner, denied.runId);
  expect(reason).toContain("maren-1.txt");
  await owner.result("exec.deny", { approvalId, reason: "not for Maren" });
  await finalOf(owner, denied.runId);
  const failed = await runCalls(scene, [{ tool: "files.file.read", input: { path: "maren-3.txt" } }]);
  await finalOf(owner, failed.runId);
  const { receipts } = await owner.result("receipts.list", { status: "denied" });
  expect(JSON.stringify(receipts)).not.toMatch(/maren/i);
  expect(holders(home, "maren")).not.toEqual([]);

  const { total } = await owner.result("memory.forget", { word: "Maren", dryRun: true });
  const report = await owner.result("memory.forget", { word: "Maren", confirm: total });
  expect(report).toMatchObject({ done: true, still: [] });
  expect(holders(home, "maren")).toEqual([]);
  expect(await owner.result("receipts.verify", {})).toMatchObject({ verdict: { status: "intact" } });
});

/** Files below the state directory whose bytes hold the word, in any case. */
function holders(home: string, word: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).toString("latin1").toLowerCase().includes(word));
}
