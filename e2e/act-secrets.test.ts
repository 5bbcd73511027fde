import { afterAll, beforeAll, expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  fileIn,
  finalOf,
  pendingOf,
  READ,
  runCalls,
  WRITE,
  type Scene,
} from "./act-scene.ts";
import { Canaries, filesUnder } from "./canaries.ts";
import { openSession, send } from "./conversation.ts";

const canaries = new Canaries();
const SECRET = {
  inFile: canaries.plant("a key in a file", "sk-proj-"),
  inInput: canaries.plant("a key in the model's input", "sk-proj-"),
  inPath: canaries.plant("a key in a path", "sk-proj-"),
  denied: canaries.plant("a key in a call that is denied", "sk-proj-"),
  refused: canaries.plant("a key in a call that is refused", "sk-proj-"),
  note: canaries.plant("a key in a note to the model", "sk-proj-"),
  answer: canaries.plant("a key in an answer to a question", "sk-proj-"),
  own: canaries.plant("Elwood's own key"),
};

let scene: Scene;
beforeAll(async () => {
  scene = await actScene({ config: "log:\n  level: debug\n", env: { OPENAI_API_KEY: SECRET.own } });
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Where in the state directory secrets lie, beside the owner's own files; each as "secret in file". */
function foundOnDisk(): string[] {
  return filesUnder(scene.home)
    .filter(({ path }) => !path.startsWith("files/"))
    .flatMap(({ path, bytes }) => canaries.foundIn(bytes).map((name) => `${name} in ${path.split("/")[0]}`));
}

function foundInFrames(): string[] {
  return scene.wires.flatMap((wire) => wire.frames.flatMap((f) => canaries.foundIn(JSON.stringify(f))));
}

test("a result with keys in it reaches the model, the frames, the transcript, the receipts and the log without them", async () => {
  const text = `first line\nkey=${SECRET.inFile}\nown=${SECRET.own}\nlast line\n`;
  fileIn(scene.home, "config.txt").put(text);
  const { runId, told } = await runCalls(scene, [
    READ("config.txt"),
    { tool: "files.file.search", input: { path: ".", pattern: "key=" } },
  ]);
  const final = await finalOf(scene.owner, runId);
  expect(told()[0]).toContain("key=[redacted");
  expect(told()[0]).toContain("last line");
  expect(canaries.foundIn(told().join("\n"))).toEqual([]);
  const { receipts } = (await scene.owner.result("receipts.list", { runId })) as {
    receipts: { id: string }[];
  };
  for (const { id } of receipts) await scene.owner.result("receipts.get", { receiptId: id });
  await scene.owner.result("sessions.get", { sessionKey: final.sessionKey });
  expect(foundInFrames()).toEqual([]);
  expect(foundOnDisk()).toEqual([]);
});

test("an input that holds a key parks with the key in the vault alone, and runs with it after kill -9", async () => {
  const { runId } = await runCalls(scene, [WRITE("env.txt", `TOKEN=${SECRET.inInput}\n`)]);
  const { approvalId, details, preview } = await asked(scene.owner, runId);
  expect((details as { content: string }).content).toMatch(/^TOKEN=\[\[vault:openai-key:/);
  expect(preview).toMatchObject({ after: "TOKEN=[redacted openai-key]\n" });
  expect(foundOnDisk()).toEqual(["a key in the model's input in vault"]);
  const vault = filesUnder(scene.home).filter(({ path }) => path.startsWith("vault/"));
  expect(vault.map(({ mode }) => mode)).toEqual([0o600]);

  await scene.kill();
  expect(foundOnDisk()).toEqual(["a key in the model's input in vault"]);
  await scene.restart();
  await scene.owner.result("chat.resume", { runId });
  expect((await pendingOf(scene.owner)).map((a) => a.approvalId)).toEqual([approvalId]);
  await scene.owner.result("exec.approve", { approvalId });
  await finalOf(scene.owner, runId);
  expect(fileIn(scene.home, "env.txt").text).toBe(`TOKEN=${SECRET.inInput}\n`);
  expect(foundOnDisk()).toEqual([]);
  expect(foundInFrames()).toEqual([]);
});

test("a write that held a key can be undone after the key has left the vault", async () => {
  const { runId } = await runCalls(scene, [WRITE("undo-key.txt", `K=${SECRET.inInput}\n`)]);
  const { approvalId, callId } = await asked(scene.owner, runId);
  await scene.owner.result("exec.approve", { approvalId });
  await finalOf(scene.owner, runId);
  expect(await scene.owner.result("calls.undo", { callId })).toMatchObject({ ok: true });
  expect(fileIn(scene.home, "undo-key.txt").text).toBeUndefined();
});

test("keys in calls that never run are let go of: denied, refused, in a path, in a stopped run", async () => {
  const denied = await runCalls(scene, [WRITE("d.txt", SECRET.denied)]);
  const { approvalId } = await asked(scene.owner, denied.runId);
  await scene.owner.result("exec.deny", { approvalId, reason: `not with ${SECRET.note}` });
  await finalOf(scene.owner, denied.runId);
  expect(denied.told()[0]).toContain("not with [redacted openai-key]");

  const refused = await runCalls(scene, [
    { tool: "files.file.write", input: { path: "r.txt", content: "x", [SECRET.refused]: SECRET.refused } },
    DELETE(`missing-${SECRET.inPath}.txt`),
    READ(`/etc/${SECRET.inPath}.txt`),
    { tool: "files.file.write", json: `{"path": "broken.txt", "content": "${SECRET.refused}` },
  ]);
  await finalOf(scene.owner, refused.runId);
  expect(refused.told()).toHaveLength(4);

  const stopped = await runCalls(scene, [WRITE(`${SECRET.inPath}.txt`, "x")]);
  await asked(scene.owner, stopped.runId);
  await scene.owner.result("chat.abort", { runId: stopped.runId });
  await finalOf(scene.owner, stopped.runId);
  expect(foundOnDisk()).toEqual([]);
  expect(foundInFrames()).toEqual([]);
});

test("a key in the owner's answer to a question is not kept", async () => {
  const sessionKey = await openSession(scene.owner);
  const words = scene.model.plan([[{ tool: "owner.question.ask", input: { question: "Which key?" } }]]);
  const runId = await send(scene.owner, sessionKey, words);
  const { data } = await scene.owner.until(
    (f) => f.event === "owner.question" && f.data?.["runId"] === runId,
  );
  const answer = `use ${SECRET.answer}`;
  expect(await scene.owner.result("owner.answer", { questionId: data!["questionId"], answer })).toMatchObject(
    { ok: true },
  );
  await finalOf(scene.owner, runId);
  expect(scene.model.resultsOf(words)[0]).toContain("use [redacted openai-key]");
  expect(foundOnDisk()).toEqual([]);
  expect(foundInFrames()).toEqual([]);
});

test("nothing of it is in what the gateway printed", () => {
  const { stdout, stderr } = scene.gateway.output();
  expect(canaries.foundIn(stdout + stderr)).toEqual([]);
});
