import type { ActivityItem } from "@elwood/core/tool/activity";
import { expect, test } from "vitest";
import {
  actScene,
  asked,
  evidenceOf,
  fileIn,
  finalOf,
  receiptsIn,
  textBehind,
  tickedIn,
} from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";

/** The story of programs, as somebody sees it who has no key. */

// Each of its writes asks, whoever named the files.
const STRICT = { demo: true, config: "policy:\n  mode: strict\n" };
const NOTES = [1, 2, 3].map((n) => `notes/note-${n}.txt`);

test("OA-1: with the demo model: a type error is mended, the plan is approved on another client after kill -9, and the reply has its activity", async () => {
  await using scene = await actScene(STRICT);
  const sessionKey = await openSession(scene.owner);
  const runId = await send(scene.owner, sessionKey, "Write three notes with a program, please.");
  const plan = await asked(scene.owner, runId);
  const [refused] = receiptsIn(scene.home, { runId, type: "tool.call.refused" });
  expect(textBehind(scene.home, refused?.payload["reasonCommit"])).toMatch(/line 5, column \d+.*contents/s);
  expect(plan).toMatchObject({ toolName: "program.code.run", rule: "ask.plan" });
  expect(plan.plan?.map(({ toolId, input }) => [toolId, (input as { path: string }).path])).toEqual(
    NOTES.map((path) => ["files.file.write", path]),
  );
  expect(fileIn(scene.home, NOTES[0]!).text).toBeUndefined();

  await scene.kill();
  await scene.restart();
  const phone = await scene.other("phone");
  await phone.result("chat.resume", { runId });
  await phone.result("exec.approve", { approvalId: plan.approvalId });
  const final = await finalOf(phone, runId);

  for (const [i, path] of NOTES.entries())
    expect(fileIn(scene.home, path).text).toBe(`Note ${i + 1} of 3, written by a program.\n`);
  expect(final.text).toContain("refused before it ran: “line 5, column ");
  expect(final.text).toContain("I changed `contents` to `content`");
  expect(final.text).toContain("The program ended; I read what it returned.");
  expect(final.text).toMatch(/- `files\.file\.write` ended well: 3/);
  expect(tickedIn(final)).toContainEqual(["The program ended; I read what it returned.", "c2"]);
  const cited = final.segments.map(({ cites }) => cites);
  expect(cited).toContainEqual(["c3", "c4", "c5"]);
  const activity = final.activity as ActivityItem[];
  const program = activity.find(({ toolId }) => toolId === "program.code.run");
  expect(program).toMatchObject({ cite: "c2", status: "succeeded", approval: { decision: "approved" } });
  const writes = activity.filter(
    ({ parent, toolId }) => parent === program?.callId && toolId === "files.file.write",
  );
  expect(writes.map(({ status, target }) => [status, target])).toEqual(
    NOTES.map((path) => ["succeeded", path]),
  );
  expect(writes.map(({ cite }) => cite)).toEqual(["c3", "c4", "c5"]);
  expect(evidenceOf(final)).toContain("✓ Wrote notes/note-1.txt, notes/note-2.txt, notes/note-3.txt");
  expect(receiptsIn(scene.home, { runId, type: "tool.call.asked" })).toHaveLength(1);
});

test("OA-1: with the demo model: counting asks nothing, and a plan that destroys takes its word; denied, nothing is deleted", async () => {
  await using scene = await actScene(STRICT);
  const sessionKey = await openSession(scene.owner);
  const say = (words: string) => send(scene.owner, sessionKey, words);
  const writing = await say("make a program that writes two notes");
  await scene.owner.result("exec.approve", { approvalId: (await asked(scene.owner, writing)).approvalId });
  await finalOf(scene.owner, writing);

  const counting = await say("count the lines of all my files with a program");
  const counted = await finalOf(scene.owner, counting);
  expect(receiptsIn(scene.home, { runId: counting, type: "tool.call.asked" })).toEqual([]);
  expect(counted.text).toMatch(/"lines":2,"files":2,"whole":true/);

  const deleting = await say("delete the notes with a program");
  const plan = await asked(scene.owner, deleting);
  expect(plan.plan?.map(({ risk }) => risk)).toEqual(["destructive", "destructive"]);
  const plain = await scene.owner.ask("exec.approve", { approvalId: plan.approvalId });
  expect(plain.error).toBeDefined();
  await scene.owner.result("exec.deny", { approvalId: plan.approvalId, reason: "not these" });
  const kept = await finalOf(scene.owner, deleting);
  expect(kept.text).toMatch(/That was denied, so it was not done:.*not these/s);
  expect(fileIn(scene.home, NOTES[0]!).text).toContain("Note 1 of 2");

  const again = await say("delete the notes with a program");
  const { approvalId, confirm } = await asked(scene.owner, again);
  await scene.owner.result("exec.approve", { approvalId, confirm });
  const gone = await finalOf(scene.owner, again);
  expect(gone.text).toMatch(/`files\.file\.delete` ended well: 2/);
  expect(fileIn(scene.home, NOTES[0]!).text).toBeUndefined();

  const own = await finalOf(scene.owner, await say("run this program: return [1, 2].map((n) => n * 2);"));
  expect(own.text).toContain("2,4");
});
