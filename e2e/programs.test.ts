import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { expect, test } from "vitest";
import {
  actScene,
  asked,
  evidenceOf,
  fileIn,
  finalOf,
  ownOf,
  receiptsIn,
  resolved,
  textBehind,
  type Scene,
} from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";
import type { PlannedCall } from "./planned-model.ts";
import { isRepairNote } from "@elwood/testkit/repair-note";

const PROGRAM = (source: string): PlannedCall => ({ tool: "program.code.run", input: { source } });

/** Sends a message whose run hands in these programs one after the other, each once the one before has ended. */
async function runPrograms(scene: Scene, sources: readonly string[], reply?: string) {
  const sessionKey = await openSession(scene.owner);
  const words = scene.model.plan(
    sources.map((source) => [PROGRAM(source)]),
    reply,
  );
  const runId = await send(scene.owner, sessionKey, words);
  return { runId, told: () => scene.model.resultsOf(words) };
}

const THREE = `
  for (const name of ["a", "b", "c"]) {
    const saved = await tools.files.file.write({ path: name + ".txt", content: "of " + name });
    if (!saved.ok) return saved.error.message;
  }
  const all = must(await tools.files.file.list({ path: "." }));
  return JSON.stringify(all).includes("c.txt");`;

test("OA-1: a type error is sent back and mended, the plan is allowed on another client after kill -9, and the reply has its activity", async () => {
  await using scene = await actScene();
  const wrong = THREE.replace("content:", "contents:");
  const { runId, told } = await runPrograms(scene, [wrong, THREE], "All three are there.");
  const plan = await asked(scene.owner, runId);
  // The first program was refused with line and column; nothing of it ran.
  const [refused] = receiptsIn(scene.home, { runId, type: "tool.call.refused" });
  expect(textBehind(scene.home, refused?.payload["reasonCommit"])).toMatch(/line 3, column \d+.*contents/s);
  expect(plan).toMatchObject({ toolName: "program.code.run", rule: "ask.plan" });
  expect(plan.plan?.map(({ toolId, input }) => [toolId, input])).toEqual(
    ["a", "b", "c"].map((name) => ["files.file.write", { path: `${name}.txt`, content: `of ${name}` }]),
  );
  expect(fileIn(scene.home, "a.txt").text).toBeUndefined();
  await scene.kill();
  await scene.restart();
  const phone = await scene.other("phone");
  await phone.result("chat.resume", { runId });
  await phone.result("exec.approve", { approvalId: plan.approvalId });
  const final = await finalOf(phone, runId);
  for (const name of ["a", "b", "c"]) expect(fileIn(scene.home, `${name}.txt`).text).toBe(`of ${name}`);
  expect(final.text).toBe("All three are there.");
  expect(evidenceOf(final)).toContain("✓ Wrote a.txt, b.txt, c.txt");
  const activity = final.activity as ActivityItem[];
  const program = activity.find(({ toolId }) => toolId === "program.code.run");
  expect(activity.filter(({ parent }) => parent === program?.callId).length).toBeGreaterThanOrEqual(4);
  expect(told()[0]).toContain("true");
  const [requested] = receiptsIn(scene.home, { runId, type: "tool.call.requested" }).filter(
    ({ payload }) => payload["sourceHash"] !== undefined,
  );
  expect(requested?.payload).toMatchObject({
    sourceHash: expect.any(String),
    declarationsHash: expect.any(String),
  });
  // One question was asked, and nothing was asked beside it.
  expect(receiptsIn(scene.home, { runId, type: "tool.call.asked" })).toHaveLength(1);
});

test("a plan that the owner denied is told as not done, by its calls, and the model is told the same", async () => {
  await using scene = await actScene();
  const { runId } = await runPrograms(scene, [THREE], "I have written a.txt, b.txt and c.txt.");
  const { approvalId } = await asked(scene.owner, runId);
  await scene.owner.result("exec.deny", { approvalId });
  const final = await finalOf(scene.owner, runId);
  const calls = "run program code → write a.txt, write b.txt, write c.txt";
  expect(ownOf(final)).toEqual([`◈ Not done, you said no: ${calls}.`]);
  // A part of it can then be done without looking again.
  const read = JSON.stringify(scene.model.server.requests.map(({ body }) => body));
  expect(read).toMatch(/nothing was done\.\\nIt would have been:\\n1\. [^"]*a\.txt[^"]*\\n3\. [^"]*c\.txt/);
  const notes = scene.model.server.requests
    .flatMap(({ body }) => (body as { messages?: { content: unknown }[] }).messages ?? [])
    .filter(({ content }) => isRepairNote(content));
  const note = JSON.stringify(notes[0]?.content);
  expect(note).toContain(`(${calls}) was denied`);
  expect(note).toContain("The owner said no");
});

test("OA-1: killed in the middle, a program goes on where it was: what was done is not done again", async () => {
  await using scene = await actScene();
  const { runId, told } = await runPrograms(scene, [
    `const began = String(Date.now());
     must(await tools.files.file.write({ path: "zero.txt", content: "" }));
     must(await tools.files.file.write({ path: "one.txt", content: began }));
     const answer = must(await tools.owner.question.ask({ question: "Go on?" }));
     must(await tools.files.file.write({ path: "two.txt", content: answer.answer }));
     return "both";`,
  ]);
  const plan = await asked(scene.owner, runId);
  await scene.owner.result("exec.approve", { approvalId: plan.approvalId });
  const question = await scene.owner.until(
    (f) => f.event === "owner.question" && f.data?.["runId"] === runId,
  );
  const written = fileIn(scene.home, "one.txt").text;
  expect(written).toMatch(/^\d+$/);
  await scene.kill();
  await scene.restart();
  await scene.owner.result("chat.resume", { runId });
  const questionId = String(question.data?.["questionId"] ?? question.data?.["approvalId"]);
  await scene.owner.result("owner.answer", { questionId, answer: "yes, do" });
  // What it writes depends on the answer, so that was not in the plan.
  const second = await asked(scene.owner, runId);
  expect(second).toMatchObject({
    toolName: "files.file.write",
    details: { path: "two.txt", content: "yes, do" },
  });
  await scene.owner.result("exec.approve", { approvalId: second.approvalId });
  await resolved(scene.owner, second.approvalId);
  await finalOf(scene.owner, runId);
  expect(fileIn(scene.home, "one.txt").text).toBe(written);
  expect(fileIn(scene.home, "two.txt").text).toBe("yes, do");
  expect(told()[0]).toContain("both");
  const started = receiptsIn(scene.home, { runId, type: "tool.call.started" }).map(({ callId }) => callId);
  expect(new Set(started).size).toBe(started.length);
});

test("what a program would write is read back before it is there, so that one plan lists all that asks, to the end", async () => {
  await using scene = await actScene();
  writeFileSync(join(scene.home, "files", "all.md"), "## One\n1\n## Two\n2\n");
  const { runId, told } = await runPrograms(scene, [
    `const { text = "" } = must(await tools.files.read({ path: "all.md" }));
     const written: string[] = [];
     for (const part of text.split(/^## /m).slice(1)) {
       const [title = ""] = part.split("\\n");
       const { path } = must(await tools.files.write({ path: "parts/" + title.toLowerCase() + ".md", content: part }));
       if (must(await tools.files.read({ path })).text !== part) throw new Error("It is not as written.");
       written.push(path);
     }
     must(await tools.files.delete({ path: "all.md" }));
     return written;`,
  ]);
  const plan = await asked(scene.owner, runId);
  expect(plan.plan?.map(({ toolId }) => toolId)).toEqual([
    "files.file.write",
    "files.file.write",
    "files.file.delete",
  ]);
  expect(plan.reason).not.toContain("Not known yet");
  await scene.owner.result("exec.approve", { approvalId: plan.approvalId, confirm: plan.confirm });
  await finalOf(scene.owner, runId);
  expect(told()[0]).toContain("parts/two.md");
  // What was read to see what it would do is not told as a call of somebody's: it was read once.
  expect(told()[0]?.match(/files\.file\.read → all\.md/g)).toHaveLength(1);
  expect(fileIn(scene.home, "parts/one.md").text).toBe("One\n1\n");
  const asks = receiptsIn(scene.home, { runId, type: "tool.call.asked" });
  expect(asks.filter(({ callId }) => callId?.includes("."))).toEqual([]);
});
