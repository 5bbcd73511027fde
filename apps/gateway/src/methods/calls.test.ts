import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { defineTool, result } from "@elwood/sdk/tool";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

async function callsOf(scene: Scene, runId: string) {
  const { calls } = await scene.call("calls.list", { runId });
  return Promise.all(calls.map(async ({ callId }) => (await scene.call("calls.get", { callId })).call));
}

test("paths are told as they were written in the call; what a file holds is not touched", async () => {
  await using scene = await open();
  const inside = `${join(scene.files, "sub/a.md")}\n`;
  const { runId } = await scene.run({
    calls: [
      ["files.file.write", { path: "sub/a.md", content: inside }],
      ["files.file.read", { path: "sub/a.md" }],
      ["files.file.list", { path: "." }],
      ["files.file.read", { path: "missing.md" }],
    ],
    decide: () => "allow",
  });
  const calls = await callsOf(scene, runId);
  expect(calls[0]?.output?.text).toMatch(/^Created sub\/a\.md \(\d+ bytes, 1 line\)\.$/);
  expect(calls[1]?.output?.text).toContain(inside.trim());
  expect(calls[2]?.output?.text).toMatch(/\[files: .*1 folder\.\]$/);
  expect(calls[3]?.error?.text).toBe("missing.md does not exist.");
});

test("a call is told whole: input, diff, who decided, output, receipts, and that it can be taken back once", async () => {
  await using scene = await open();
  const path = join(scene.files, "notes.txt");
  writeFileSync(path, "old\n");
  const { runId, sessionKey, asks } = await scene.run({
    calls: [["files.file.write", { path, content: "new\n" }]],
    decide: () => "allow",
  });
  const [call] = await callsOf(scene, runId);
  expect(call).toMatchObject({
    runId,
    sessionKey,
    toolId: "files.file.write",
    status: "succeeded",
    state: "succeeded",
    risk: "write",
    input: { path, content: "new\n" },
    preview: { before: "old\n", after: "new\n" },
    approval: { approvalId: asks[0]?.approvalId, kind: "approval", decided: { status: "approved" } },
    output: { status: "ok", attachments: [] },
    children: [],
    canUndo: true,
    undone: false,
  });
  expect(call?.receipts.map(({ type }) => type)).toEqual([
    "tool.call.requested",
    "tool.call.asked",
    "tool.call.approved",
    "tool.call.started",
    "tool.call.succeeded",
  ]);
  expect(call!.requestedAt).toBeLessThanOrEqual(call!.startedAt!);
  expect(call!.startedAt).toBeLessThanOrEqual(call!.endedAt!);
  expect(call?.executedInput).toBeUndefined();

  await scene.call("calls.undo", { callId: call!.callId });
  expect(readFileSync(path, "utf8")).toBe("old\n");
  const [undone, undo] = await callsOf(scene, runId);
  expect(undone).toMatchObject({ undone: true, canUndo: false });
  expect(undo).toMatchObject({ undoes: call!.callId, canUndo: false, status: "succeeded" });

  // The conversation, its export and the evidence of the run tell it as it stands now.
  const { messages } = await scene.call("sessions.get", { sessionKey });
  const results = messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "tool_result"));
  expect(results).toMatchObject([{ callId: call!.callId, ended: "undone" }]);
  const evidence = messages.flatMap(({ meta }) => meta?.evidence ?? []);
  expect(evidence).toEqual([expect.stringMatching(/^↩ Wrote .*notes\.txt \(undone since\)$/)]);
  const { content } = await scene.call("sessions.export", { sessionKey, format: "markdown" });
  expect(content).toContain(`Result of \`${call!.callId}\`: undone since\n`);
  expect(content).toContain("_Evidence:_ ↩ Wrote");
  expect((await scene.call("runs.activity", { runId })).evidence).toMatch(/^↩ Wrote/);
});

test("what was edited before it ran is told beside what was asked for, and what was denied says why", async () => {
  await using scene = await open();
  const path = join(scene.files, "a.txt");
  const { runId } = await scene.run({
    calls: [
      ["files.file.write", { path, content: "asked" }],
      ["files.file.write", { path: join(scene.files, "b.txt"), content: "never" }],
    ],
    decide: ({ details }) =>
      JSON.stringify(details).includes("a.txt") ? { input: { path, content: "edited" } } : "deny",
  });
  const [edited, denied] = await callsOf(scene, runId);
  expect(edited).toMatchObject({ input: { content: "asked" }, executedInput: { content: "edited" } });
  expect(denied).toMatchObject({ status: "denied", error: { code: "denied" }, canUndo: false });
  expect(denied?.output).toBeUndefined();
});

test("a call that waits is told while it waits", async () => {
  await using scene = await open();
  const { runId, asks } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "wait",
  });
  const [call] = await callsOf(scene, runId);
  expect(call).toMatchObject({ status: "pending", state: "asked", approvalId: asks[0]?.approvalId });
  expect(call?.endedAt).toBeUndefined();
});

const talker = defineTool({
  id: "talk.thing.say",
  risk: "read",
  input: z.object({ words: z.string() }),
  labels: { egress: "none", output: "untrusted", critical: [], sensitive: false },
  handler: ({ words }) =>
    result(
      { list: "y".repeat(LIMITS.callValueBytesMax) },
      {
        text: `${words} \u202e\u001b[31m ${"x".repeat(LIMITS.callOutputCharsMax)}`,
        exitCode: 3,
        truncated: true,
        attachments: [
          { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
          { type: "file", mimeType: "text/csv", data: "YSxiCg==", name: "table.csv" },
        ],
      },
    ),
});

test("long output is cut at its limit and says how much is left out; tricks in it are written out", async () => {
  await using scene = await open({ extraTools: [{ source: "built-in", tools: [talker] }] });
  const { runId } = await scene.run({ calls: [["talk.thing.say", { words: "hi\u202e" }]] });
  const [call] = await callsOf(scene, runId);
  const { output } = call!;
  expect(call?.input).toEqual({ words: "hi\\u202e" });
  expect(output?.text).toHaveLength(LIMITS.callOutputCharsMax);
  expect(output?.text.startsWith("hi\\u202e \\u202e\\u001b[31m xxx")).toBe(true);
  expect(output?.leftOut).toBeGreaterThan(10);
  expect(output?.value).toBeUndefined();
  expect(output?.valueBytes).toBeGreaterThan(LIMITS.callValueBytesMax);
  expect(output).toMatchObject({ exitCode: 3, truncated: true });
  expect(output?.attachments).toMatchObject([{ mime: "image/png" }, { mime: "text/csv", name: "table.csv" }]);
  for (const { blobId } of output!.attachments) {
    const { url } = await scene.call("blobs.ticket", { blobId });
    expect((await fetch(new URL(url, scene.gateway.url))).status).toBe(200);
  }
});

test("a program is told with its source, and its calls as children in their order", async () => {
  await using scene = await open();
  writeFileSync(join(scene.files, "a.txt"), "a");
  const source = [
    `const a = await tools.files.file.read({ path: ${JSON.stringify(join(scene.files, "a.txt"))} });`,
    `const b = await tools.files.file.read({ path: ${JSON.stringify(join(scene.files, "none.txt"))} });`,
    "return { a: a.ok, b: b.ok };",
  ].join("\n");
  const { runId } = await scene.run({ calls: [["program.code.run", { source }]], decide: () => "allow" });
  const [program, first, second] = await callsOf(scene, runId);
  expect(program).toMatchObject({ toolId: "program.code.run", source });
  expect(program?.children).toEqual([first?.callId, second?.callId]);
  expect(first).toMatchObject({ parent: program?.callId, status: "succeeded" });
  expect(second).toMatchObject({ parent: program?.callId, status: "failed" });
});

test("the list of a run says which calls can be undone, those of a program too, and the evidence tells what was", async () => {
  await using scene = await open();
  const paths = ["a.txt", "b.txt"].map((name) => join(scene.files, name));
  const writes = paths.map(
    (path) => `must(await tools.files.file.write({ path: ${JSON.stringify(path)}, content: "x" }));`,
  );
  const source = [...writes, "return 1;"].join("\n");
  const { runId, sessionKey, asks } = await scene.run({
    calls: [["program.code.run", { source, purpose: "Write two" }]],
    decide: () => "allow",
  });
  const undoable = async () => {
    const { calls } = await scene.call("calls.list", { runId });
    return calls.filter(({ canUndo }) => canUndo).map(({ callId, toolId }) => ({ callId, toolId }));
  };
  const made = await undoable();
  expect(made.map(({ toolId }) => toolId)).toEqual(["files.file.write", "files.file.write"]);
  for (const { callId } of made) await scene.call("calls.undo", { callId });
  expect(await undoable()).toEqual([]);
  const { messages } = await scene.call("sessions.get", { sessionKey });
  const evidence = messages.flatMap(({ meta }) => meta?.evidence ?? []).join("\n");
  expect(evidence).toMatch(/^↩ Wrote .*a\.txt, Wrote .*b\.txt \(undone since\)/);
  expect(evidence).not.toContain("✓");

  // What was asked about is told with the name of its conversation.
  await scene.call("sessions.rename", { sessionKey, title: "Two\u202e files" });
  const { approvals } = await scene.call("approvals.list", { sessionKey });
  expect(approvals.map(({ approvalId }) => approvalId)).toEqual(asks.map(({ approvalId }) => approvalId));
  expect(approvals[0]?.sessionTitle).toBe("Two\\u202e files");
  expect(approvals[0]?.card.told.done).toBe("Ran a program: Write two");
});

test("a call or a run that does not exist is not found", async () => {
  await using scene = await open();
  await expect(scene.call("calls.get", { callId: "call_none" })).rejects.toThrow(FailureError);
  await expect(scene.call("calls.list", { runId: "run_none" })).rejects.toThrow("There is no run run_none.");
});

test("in a run of many receipts every call is still told with its parent", async () => {
  await using scene = await open();
  const source = "for (let i = 0; i < 80; i++) await tools.files.file.list({ path: '.' });\nreturn 1;";
  const { runId } = await scene.run({ calls: [["program.code.run", { source }]], decide: () => "allow" });
  const { calls } = await scene.call("calls.list", { runId });
  const [program, ...children] = calls;
  expect(children).toHaveLength(80);
  expect(new Set(children.map(({ parent }) => parent))).toEqual(new Set([program?.callId]));
  const { spans } = await scene.call("runs.timeline", { runId });
  expect(spans.filter(({ kind }) => kind === "tool")).toHaveLength(81);
});
